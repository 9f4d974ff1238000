"""Forgets goals, patterns and preferences, given the sentences that were remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from graph_memory.agent.records.roles import roles_of
from graph_memory.agent.sentences.sentence_rules import classify_sentence
from graph_memory.agent.user import UserMemory
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.entities.results import ForgetResult
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import join_parts, quote
from graph_memory.model.values.arguments import invalid_argument

_TEXT_PROPERTIES = ("name", "description")
"""The properties of goals and patterns whose values callers can use to refer to them."""
_NOT_FOUND = frozenset({Code.NODE_NOT_FOUND, Code.INVALID_ARGUMENT, Code.ONTOLOGY_NOT_FOUND})


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A goal, pattern, preference, entity or observation that a sentence may mean."""

    id: str
    type: str
    title: str


@dataclass(slots=True)
class _ResolvedSentences:
    """The ids of the goals, patterns and preferences that match, and the sentences without a match."""

    ids: list[str] = field(default_factory=list[str])
    preferences: list[str] = field(default_factory=list[str])
    unresolved: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Forgets entities, observations, relations, goals, patterns and preferences.

    Goals, patterns and preferences can also be identified by the sentence from which each was stored.
    """

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
    ) -> ForgetResult:
        """See `Agent.forget`."""
        texts = [text] if isinstance(text, str) else [*(text or ())]
        sentences = [] if names and texts else [*(names or ()), *texts]
        resolved = await self._resolve(sentences, is_name=bool(names))
        entry_ids = await self.user.entry_ids()
        project_ids = [*(fact_id for fact_id in ids or () if fact_id not in entry_ids), *resolved.ids]
        preferences = [*(fact_id for fact_id in ids or () if fact_id in entry_ids), *resolved.preferences]
        if self.domain == self.users_domain:
            project_ids, preferences = [*project_ids, *preferences], []
        if not preferences:
            if len(sentences) != len(resolved.unresolved):
                names, text = (resolved.unresolved, ()) if names else ((), resolved.unresolved)
            return await self.memory.entities.forget(
                names or None, ids=project_ids or None, text=text or None, erase=erase, dry_run=dry_run
            )
        if project_ids or resolved.unresolved:
            message = f"The preferences are in domain {self.users_domain}, but the other ids and texts are not"
            raise invalid_argument("ids", message, "Forget the preferences in a separate call.")
        users = self.memory.in_domain(self.users_domain)
        forgotten = await users.entities.forget(ids=preferences, erase=erase, dry_run=dry_run)
        return forgotten.model_copy(update={"domain": self.users_domain})

    async def _resolve(self, sentences: Sequence[str], *, is_name: bool) -> _ResolvedSentences:
        """Find the goals, patterns and preferences to which the sentences refer.

        Raises INVALID_ARGUMENT if a sentence has several matches.
        """
        resolved = _ResolvedSentences()
        if not sentences:
            return resolved
        stored = await self._stored_texts()
        preferences = await self.user.preferences()
        for sentence in sentences:
            keys = _comparison_keys(sentence)
            nodes = [node for node, texts in stored if keys & texts]
            candidates = [
                _Candidate(entry.id, "preference", entry.text)
                for entry in preferences
                if entry.id and _normalise(entry.text) in keys
            ]
            results = [*nodes, *candidates]
            results += await self._matching_facts(sentence, is_name=is_name) if results else []
            if len({candidate.id for candidate in results}) > 1:
                message = f"{quote(sentence)} matches {len(results)} entries"
                ids = join_parts([f"{candidate.id} ({candidate.type})" for candidate in results])
                details = {"argument": "text", "candidates": [asdict(candidate) for candidate in results]}
                raise GraphError(
                    Code.INVALID_ARGUMENT, message, {**details, "hint": f"Pass the id of one of them in ids: {ids}."}
                )
            resolved.ids += [node.id for node in nodes]
            resolved.preferences += [preference.id for preference in candidates]
            resolved.unresolved += [] if results else [sentence]
        return resolved

    async def _stored_texts(self) -> list[tuple[_Candidate, frozenset[str]]]:
        """Return the current goals and patterns, each with the normalised texts that callers can use to refer to it."""
        roles = await roles_of(self.memory)
        if roles is None:
            return []
        now = datetime.now(UTC)
        pages = [await self.memory.query_nodes(type=roles[role], valid_at=now) for role in ("Goal", "Pattern")]
        nodes = await self.memory.describe_nodes([node_id for page in pages for node_id in page.node_ids])
        return [
            (
                _Candidate(node.id, node.type, node.title),
                frozenset(
                    _normalise(str(node.properties[name])) for name in _TEXT_PROPERTIES if name in node.properties
                ),
            )
            for node in nodes
        ]

    async def _matching_facts(self, sentence: str, *, is_name: bool) -> list[_Candidate]:
        """Return a list with the entity or observation that has this name or text, or an empty list."""
        names, text = ([sentence], None) if is_name else (None, sentence)
        try:
            forgotten = await self.memory.entities.forget(names, text=text, dry_run=True)
        except GraphError as error:
            if error.code not in _NOT_FOUND:
                raise
            return []
        return [_Candidate(fact.id, fact.kind, fact.text or "") for fact in forgotten.forgotten[:1]]


def _normalise(text: str) -> str:
    return " ".join(text.casefold().split()).removesuffix(".")


def _comparison_keys(sentence: str) -> frozenset[str]:
    """Return the normalised sentence. If it states a goal or pattern, also the normalised goal or action."""
    plain = _normalise(sentence)
    route = classify_sentence(plain, datetime.now(UTC))
    return frozenset((plain, *((_normalise(route.text),) if route else ())))
