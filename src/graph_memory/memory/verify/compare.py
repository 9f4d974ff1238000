"""Compares the state of subjects in the live graph with their last events in the log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.contents import Contents
from graph_memory.memory.verify.facts import (
    COPIES,
    LEADS,
    WINDOW_FACTS,
    Facts,
    compare,
    ends,
    expected_facts,
    state_facts,
    stored_row_facts,
)
from graph_memory.memory.verify.live_rows import (
    INVERSES,
    KEYS,
    LIVE_CONNECTION_TYPES,
    LIVE_CONNECTIONS,
    LIVE_LINKS,
    LIVE_NODE_TYPES,
    LIVE_NODES,
    LIVE_OBSERVATIONS,
    LIVE_ONTOLOGY,
    LOOSE_INVERSES,
    WINDOWS,
)
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Event, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import INVERSE_OF, inverse_ends, inverse_type, searchable_text
from graph_memory.model.results import Difference
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import FOLDED, IS_LONG, content_ref, fold_entity_text
from graph_memory.model.values.content import Content
from graph_memory.model.values.exact import exact_key
from graph_memory.storage.log.reads import CONTENTS, LAST_EVENTS
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject to compare with the log. `type` is the type of a connection, and None for other kinds."""

    id: str
    type: str | None
    nodes: tuple[str, ...] = field(default=(), compare=False)
    """The ids of the source nodes of live connections with this id, if they differ from the log."""


@dataclass(slots=True)
class LiveSubject:
    """The state of one subject in the live graph."""

    facts: Facts = field(default_factory=dict[str, object])
    inline: str | None = None
    type: str | None = None
    labels: tuple[str, ...] = ()
    stored: Mapping[str, object] | None = None
    """The property map of the subject itself, or None if only derived rows exist."""
    elements: list[str] = field(default_factory=list[str])
    """The element ids of the relationships that have the id of a connection."""


LiveSubjects = dict[tuple[str, str | None], LiveSubject]
"""The live states of subjects, keyed by id and relationship type. The type is None except for connections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A subject that differs from the log: its live state, and its last event, or None if it is not in the log."""

    subject: Subject
    event: Event | None
    live: LiveSubject
    differences: Sequence[Difference]

    @property
    def live_type(self) -> str | None:
        """The type of the subject's live relationship, or None if it has no relationship."""
        return self.live.type

    @property
    def recoverable_text(self) -> Content | None:
        """The text that the log refers to but has lost, if the live graph still has it."""
        is_lost = self.differs("content in store")
        return self.event.draft.content if is_lost and self.event and self.live.inline is not None else None

    def differs(self, *name_prefixes: str) -> bool:
        """Return whether any fact with one of these name prefixes differs."""
        return any(difference.problem.startswith(name_prefixes) for difference in self.differences)

    @property
    def is_in_graph(self) -> bool:
        """Whether the live graph has any facts about the subject."""
        return bool(self.live.facts)

    @property
    def extra_labels(self) -> tuple[str, ...]:
        """The labels of the live node other than its type. If the node is not in the log, these are all its labels."""
        type_name = self.event.draft.type if self.event else None
        return tuple(label for label in self.live.labels if label != type_name)

    @property
    def has_other_type(self) -> bool:
        """Whether the live subject has the id of a logged connection, but another relationship type than the log."""
        return has_other_type(self.subject, self.event)

    @property
    def is_misplaced(self) -> bool:
        """Whether the subject is attached to the wrong nodes, or exists more than once."""
        if self.event is None or self.live.stored is None:
            return False
        draft = self.event.draft
        live_ends = (self.live.facts.get("from"), self.live.facts.get("to"))
        return COPIES in self.live.facts or live_ends != (draft.from_id, draft.to_id)


@dataclass(frozen=True, slots=True)
class ContentCheck:
    """The result of reading an event's content: the text if it is text, or the reason why reading failed."""

    content: Content | None = None
    is_inline: bool = False
    fault: str = ""


def has_other_type(subject: Subject, event: Event | None) -> bool:
    """Return whether a live subject has the id of a logged connection, but another relationship type than the log."""
    return event is not None and subject.type is not None and event.draft.type != subject.type


class Examination:
    """Compares live subjects of one domain with their last events in the log."""

    def __init__(self, reader: Reader, contents: Contents, domain: str, ontology: Ontology) -> None:
        self._reader = reader
        self._contents = contents
        self._domain = domain
        self._ontology = ontology
        self.contents: set[tuple[str, str]] = set()
        """Hash and encoding of each piece of content that was checked."""

    async def examine(self, subjects: Sequence[Subject]) -> list[Finding]:
        """Return the subjects whose states in the graph and in the log differ."""
        ids = list(dict.fromkeys(subject.id for subject in subjects))  # a connection may be listed with two types
        events = {event.draft.subject: event for event in await self._read_events(ids)}
        live_subjects = await self._read_live(subjects, events)
        derived_facts = await self._read_derived_facts(ids, events.values())
        texts = await self._read_inline_texts(events.values())
        findings: list[Finding] = []
        for subject in subjects:
            live_subject = live_subjects.get((subject.id, subject.type), LiveSubject())
            event = events.get(subject.id)
            if not has_other_type(subject, event):
                live_subject.facts |= derived_facts.get(subject.id, {})
            finding = await self._compare_subject(subject, event, live_subject, texts)
            findings += [finding] if finding.differences else []
        return findings

    async def _read_events(self, ids: Sequence[str]) -> list[Event]:
        return [Event.from_row(row) for row in await self._reader.read(LAST_EVENTS, domain=self._domain, subjects=ids)]

    async def _read_inline_texts(self, events: Iterable[Event]) -> Mapping[str, str]:
        refs = (content_ref(event.draft.state or {}) for event in events)
        hashes = [ref.sha256 for ref in refs if ref is not None]
        rows = await self._reader.read(CONTENTS, domain=self._domain, hashes=hashes) if hashes else []
        return {row.sha256: row.text for row in rows}

    async def _compare_subject(
        self, subject: Subject, event: Event | None, live: LiveSubject, texts: Mapping[str, str]
    ) -> Finding:
        expected: Facts = {}
        kind = str(event.draft.kind) if event else "unknown"
        if event is not None and not has_other_type(subject, event):
            check = await self._check_content(event, texts)
            if check.is_inline and live.inline is None and await self._is_blob(event):
                check = replace(check, is_inline=False)  # first stored as a blob, and later as text in Neo4j
            content = check.content or (_recover_text(event, live) if check.fault else None)
            ref = content_ref(event.draft.state or {})
            windows = None if ref is None or ref.is_text else ()  # binary content has no search windows
            event = replace(event, draft=replace(event.draft, content=content, windows=windows))
            expected = expected_facts(event, self._ontology)
            _normalize_text_facts(live, event)
            _add_content(live, event, check)
        if event is not None and event.draft.kind is Kind.DOMAIN:
            live = LiveSubject()
        differences = compare(kind, subject.id, expected, live.facts)
        return Finding(subject=subject, event=event, live=live, differences=differences)

    async def _is_blob(self, event: Event) -> bool:
        ref = content_ref(event.draft.state or {})
        return ref is not None and await self._contents.blobs.exists(self._domain, ref.sha256)

    async def _check_content(self, event: Event, texts: Mapping[str, str]) -> ContentCheck:
        """Read the content of an event from the log or the blobs. If this fails, the result states the reason."""
        ref = content_ref(event.draft.state or {})
        if ref is None:
            return ContentCheck()
        self.contents.add((ref.sha256, ref.encoding))
        inline = texts.get(ref.sha256)
        is_inline = ref.is_text and inline is not None
        try:
            if not ref.is_text:
                async for _ in self._contents.stream(self._domain, ref, inline):
                    pass
                return ContentCheck()
            content = await self._contents.fetch(self._domain, ref, inline)
            return ContentCheck(content, is_inline=is_inline)
        except GraphError as error:
            return ContentCheck(is_inline=is_inline, fault=str(error.details.get("reason", "missing")))

    async def _read_live(self, subjects: Sequence[Subject], events: Mapping[str, Event]) -> LiveSubjects:
        live_subjects: LiveSubjects = {}
        await self._add_live_nodes(live_subjects, [subject.id for subject in subjects])
        connections = [subject for subject in subjects if subject.type is not None]
        drafts = [events[subject.id].draft for subject in connections if subject.id in events]
        ends = [end for draft in drafts for end in (draft.from_id, draft.to_id) if end is not None]
        nodes = {*ends, *(node for subject in connections for node in subject.nodes)}
        await self._add_live_connections(live_subjects, connections, sorted(nodes))
        await self._add_live_ontology(live_subjects, [subject.id for subject in subjects])
        return live_subjects

    async def _add_live_nodes(self, live_subjects: LiveSubjects, ids: Sequence[str]) -> None:
        for row in await self._reader.read(LIVE_NODES, domain=self._domain, ids=ids):
            labels = tuple(sorted(set(row.labels) - {"_Node"}))
            facts = state_facts(row.stored) | {"labels": " ".join(labels)}
            live_subjects[row.id, None] = LiveSubject(
                facts=facts, inline=text_in(row.stored), labels=labels, stored=row.stored
            )
        for row in await self._reader.read(LIVE_OBSERVATIONS, domain=self._domain, ids=ids):
            live_subjects[row.id, None] = LiveSubject(
                facts=state_facts(row.stored) | ends(row.about, None), stored=row.stored
            )
        for row in await self._reader.read(LIVE_LINKS, domain=self._domain, ids=ids):
            facts = state_facts(row.stored) | ends(row.about, None) | {LEADS: row.leads}
            live_subjects[row.id, None] = LiveSubject(facts=facts, stored=row.stored)

    async def _add_live_connections(
        self, live_subjects: LiveSubjects, subjects: Sequence[Subject], nodes: Sequence[str]
    ) -> None:
        params = {"domain": self._domain, "nodes": nodes, "ids": [subject.id for subject in subjects]}
        for row in await self._reader.read(LIVE_CONNECTIONS, **params) if nodes else ():
            facts = state_facts(row.stored) | ends(row.from_id, row.to_id)
            live_subject = LiveSubject(facts=facts, inline=text_in(row.stored), type=row.type, stored=row.stored)
            live_subject = live_subjects.setdefault((row.id, row.type), live_subject)
            live_subject.elements.append(row.element)
            if len(live_subject.elements) > 1:
                live_subject.facts[COPIES] = len(live_subject.elements)
        await self._add_loose_inverses(
            live_subjects, [subject.id for subject in subjects if (subject.id, subject.type) not in live_subjects]
        )

    async def _add_loose_inverses(self, live_subjects: LiveSubjects, elements: Sequence[str]) -> None:
        params = {"domain": self._domain, "elements": elements, "inverses": self._ontology.inverses}
        rows = await self._reader.read(LOOSE_INVERSES, **params) if elements and params["inverses"] else []
        events = await self._read_events([str(row.stored[INVERSE_OF]) for row in rows]) if rows else []
        logged_inverses = [
            {**inverse_ends(event.draft), "type": inverse_type(event.draft, self._ontology)}
            for event in events
            if event.draft.op is not Op.DELETE
        ]
        for row in rows:
            live_inverse = {"owner": row.stored[INVERSE_OF], "from": row.from_id, "to": row.to_id, "type": row.type}
            if live_inverse not in logged_inverses:
                facts = state_facts(row.stored) | ends(row.from_id, row.to_id)
                live_subjects[row.id, row.type] = LiveSubject(
                    facts=facts, type=row.type, stored=row.stored, elements=[row.element]
                )

    async def _add_live_ontology(self, live_subjects: LiveSubjects, ids: Sequence[str]) -> None:
        names = [subject.partition("/")[2] for subject in ids if "/" in subject]
        for row in await self._reader.read(LIVE_NODE_TYPES, domain=self._domain, names=names) if names else ():
            live_subjects[row.id, None] = LiveSubject(facts=state_facts(row.stored) | _definition_facts(row.is_defined))
        for row in await self._reader.read(LIVE_CONNECTION_TYPES, domain=self._domain, names=names) if names else ():
            types: Facts = {"from types": tuple(row.from_types), "to types": tuple(row.to_types)}
            live_subjects[row.id, None] = LiveSubject(
                facts=state_facts(row.stored) | types | _definition_facts(row.is_defined)
            )
        for row in await self._reader.read(LIVE_ONTOLOGY, domain=self._domain) if "ontology" in ids else ():
            live_subjects["ontology", None] = LiveSubject(facts=state_facts(row))

    async def _read_derived_facts(self, ids: Sequence[str], events: Iterable[Event]) -> Mapping[str, Facts]:
        inverse_rows = [inverse_ends(event.draft) for event in events if inverse_type(event.draft, self._ontology)]
        inverses = await self._reader.read(INVERSES, domain=self._domain, rows=inverse_rows) if inverse_rows else []
        keys = await self._reader.read(KEYS, domain=self._domain, owners=ids)
        windows = await self._reader.read(WINDOWS, domain=self._domain, owners=ids)
        return stored_row_facts(self._domain, keys, windows, inverses)


def _definition_facts(is_defined: bool) -> Facts:
    return {"defined by the ontology": "yes"} if is_defined else {}


def text_in(stored: Mapping[str, object]) -> str | None:
    """Return the inline text in the stored properties of a live subject, or None if they contain none."""
    text = stored.get("_content")
    return text if isinstance(text, str) else None


def _normalize_text_facts(live: LiveSubject, event: Event) -> None:
    """Give an indexed text the same facts as a text that is not indexed yet, because both states are correct."""
    text, waiting_fact = searchable_text(event.draft), exact_key(value=False)
    if (
        text is not None
        and live.facts.get(_FOLDED) == fold_entity_text(text)
        and live.facts.get(_IS_LONG) in (None, waiting_fact)
    ):
        del live.facts[_FOLDED]
        live.facts[_IS_LONG] = waiting_fact


_FOLDED, _IS_LONG = f"property {FOLDED}", f"property {IS_LONG}"


def _recover_text(event: Event, live: LiveSubject) -> Content | None:
    """Return the live text if the event refers to that text, otherwise None. Called if the log has lost its copy."""
    ref = content_ref(event.draft.state or {})
    if ref is None or live.inline is None:
        return None
    content = Content(data=live.inline.encode(), encoding=ref.encoding, format=ref.format)
    return content if content.sha256 == ref.sha256 else None


def _add_content(live: LiveSubject, event: Event, check: ContentCheck) -> None:
    """Add the facts about the content to a live subject. Drops facts about the windows of lost content."""
    ref = content_ref(event.draft.state or {})
    if not live.facts:
        return
    if live.inline is not None:
        live.facts["content"] = hashlib.sha256(live.inline.encode()).hexdigest()
    if ref is None:
        return
    live.facts["content in store"] = check.fault or ref.sha256
    if live.inline is None and not check.is_inline:
        live.facts["content"] = ref.sha256  # a blob has no copy in the live graph
    if event.draft.content is None and event.draft.windows is None:
        live.facts = {name: fact for name, fact in live.facts.items() if not name.startswith(WINDOW_FACTS)}
