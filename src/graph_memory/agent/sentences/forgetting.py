"""Forget goals, patterns and preferences by their sentences: find the ids that sentences name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graph_memory.agent.records.roles import roles_of
from graph_memory.agent.sentences.sentence_rules import classify_sentence
from graph_memory.agent.user import UserMemory
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.entities.results import Forgotten
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import listed_parts, quoted
from graph_memory.model.values.arguments import fault

_TEXTS = ("name", "description")
"""The properties of goals and patterns that a caller may repeat."""
_NOT_FOUND = frozenset({Code.NODE_NOT_FOUND, Code.INVALID_ARGUMENT, Code.ONTOLOGY_NOT_FOUND})


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A goal, pattern or preference, or an entity or observation that the same text names."""

    id: str
    type: str
    title: str

    def to_dict(self) -> dict[str, str]:
        return {"id": self.id, "type": self.type, "title": self.title}


@dataclass(slots=True)
class _Meant:
    """The ids of the goals, patterns and preferences that are named, and the texts that name none of them."""

    ids: list[str] = field(default_factory=list[str])
    preferences: list[str] = field(default_factory=list[str])
    others: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Forgets entities, observations and relations, and goals, patterns and preferences also by their sentences."""

    memory: Memory
    user: UserMemory
    domain: str
    users_domain: str

    async def forget(
        self,
        names: Sequence[str] | None,
        ids: Sequence[str] | None,
        text: str | Sequence[str] | None,
        *,
        erase: bool,
        dry_run: bool,
    ) -> Forgotten:
        """See `Agent.forget`."""
        texts = [text] if isinstance(text, str) else [*(text or ())]
        sentences = [] if names and texts else [*(names or ()), *texts]
        meant = await self._meant(sentences, is_name=bool(names))
        known = await self.user.entry_ids()
        own = [*(id_ for id_ in ids or () if id_ not in known), *meant.ids]
        preferences = [*(id_ for id_ in ids or () if id_ in known), *meant.preferences]
        if self.domain == self.users_domain:
            own, preferences = [*own, *preferences], []
        if not preferences:
            pair = (names, text) if len(sentences) == len(meant.others) else _as_given(meant.others, names)
            return await self.memory.entities.forget(
                pair[0] or None, ids=own or None, text=pair[1] or None, erase=erase, dry_run=dry_run
            )
        if own or meant.others:
            message = f"The preferences are in domain {self.users_domain}, and the rest is not"
            raise fault("ids", message, "Forget the preferences in a call of their own.")
        users = self.memory.in_domain(self.users_domain)
        done = await users.entities.forget(ids=preferences, erase=erase, dry_run=dry_run)
        return done.model_copy(update={"domain": self.users_domain})

    async def _meant(self, sentences: Sequence[str], *, is_name: bool) -> _Meant:
        """Return what each sentence names. Raises INVALID_ARGUMENT for an ambiguous sentence."""
        meant = _Meant()
        if not sentences:
            return meant
        stored = await self._stored()
        preferences = await self.user.preferences()
        for sentence in sentences:
            keys = _keys(sentence)
            nodes = [node for node, texts in stored if keys & texts]
            candidates = [
                _Candidate(entry.id, "preference", entry.text)
                for entry in preferences
                if entry.id and _normalised(entry.text) in keys
            ]
            results = [*nodes, *candidates]
            results += await self._others(sentence, is_name=is_name) if results else []
            if len({candidate.id for candidate in results}) > 1:
                raise _ambiguous(sentence, results)
            meant.ids += [node.id for node in nodes]
            meant.preferences += [preference.id for preference in candidates]
            meant.others += [] if results else [sentence]
        return meant

    async def _stored(self) -> list[tuple[_Candidate, frozenset[str]]]:
        """Return the current goals and patterns, with the texts by which each is known."""
        roles = await roles_of(self.memory)
        if roles is None:
            return []
        now = datetime.now(UTC)
        pages = [await self.memory.query_nodes(type=roles[role], valid_at=now) for role in ("Goal", "Pattern")]
        nodes = await self.memory.describe_nodes([id_ for page in pages for id_ in page.node_ids])
        return [
            (
                _Candidate(node.id, node.type, node.title),
                frozenset(_normalised(str(node.properties[name])) for name in _TEXTS if name in node.properties),
            )
            for node in nodes
        ]

    async def _others(self, sentence: str, *, is_name: bool) -> list[_Candidate]:
        """Return the entity or the observation that a text names, if there is one."""
        names, text = ([sentence], None) if is_name else (None, sentence)
        try:
            done = await self.memory.entities.forget(names, text=text, dry_run=True)
        except GraphError as error:
            if error.code not in _NOT_FOUND:
                raise
            return []
        return [_Candidate(other.id, other.kind, other.text or "") for other in done.forgotten[:1]]


def _as_given(sentences: Sequence[str], names: Sequence[str] | None) -> tuple[Sequence[str], Sequence[str]]:
    """Return sentences as the names or texts that they were given as."""
    return (sentences, ()) if names else ((), sentences)


def _normalised(text: str) -> str:
    return " ".join(text.casefold().split()).removesuffix(".")


def _keys(sentence: str) -> frozenset[str]:
    """Return a sentence, and the goal or action in it, as stored texts are compared."""
    plain = _normalised(sentence)
    route = classify_sentence(plain, datetime.now(UTC))
    return frozenset((plain, *((_normalised(route.text),) if route else ())))


def _ambiguous(sentence: str, candidates: Sequence[_Candidate]) -> GraphError:
    message = f"{quoted(sentence)} names {len(candidates)} things"
    ids = listed_parts([f"{candidate.id} ({candidate.type})" for candidate in candidates])
    details = {"argument": "text", "candidates": [candidate.to_dict() for candidate in candidates]}
    return GraphError(Code.INVALID_ARGUMENT, message, {**details, "hint": f"Give the id of one in ids: {ids}."})
