"""Comparing subjects: the last event of each with what the live graph holds of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from graph_memory.memory.contents import Contents
from graph_memory.model.audit import (
    Facts,
    compare,
    ends,
    expected_facts,
    key_facts,
    state_facts,
    window_facts,
)
from graph_memory.model.content import Content, ContentRef
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Event
from graph_memory.model.ontology import Ontology
from graph_memory.model.results import Difference
from graph_memory.model.subjects import Kind, content_ref
from graph_memory.storage.queries import Query, query

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be compared; `type` is the connection type where it is a connection."""

    id: str
    type: str | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event's property map."""

    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveNode:
    """A node in the live graph."""

    id: str
    labels: list[str]
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveConnection:
    """A connection in the live graph."""

    id: str
    type: str
    from_id: str | None
    to_id: str | None
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveObservation:
    """An observation in the live graph."""

    id: str
    about: str | None
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveNodeType:
    """A node type in the live graph."""

    id: str
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveConnectionType:
    """A connection type in the live graph."""

    id: str
    stored: dict[str, object]
    from_types: list[str]
    to_types: list[str]


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key row."""

    owner: str
    kind: str
    type: str
    property: str
    value: str


@dataclass(frozen=True, slots=True)
class WindowRow:
    """One search window."""

    owner: str
    type: str
    place: int
    text: str
    grams: str


@dataclass(frozen=True, slots=True)
class ContentRow:
    """A small text."""

    sha256: str
    text: str


LAST_EVENTS = query("audit/last_events", EventRow)
LIVE_NODES = query("audit/live_nodes", LiveNode)
LIVE_CONNECTIONS = query("audit/live_connections", LiveConnection)
LIVE_OBSERVATIONS = query("audit/live_observations", LiveObservation)
LIVE_NODE_TYPES = query("audit/live_node_types", LiveNodeType)
LIVE_CONNECTION_TYPES = query("audit/live_connection_types", LiveConnectionType)
LIVE_ONTOLOGY = query("audit/live_ontology", EventRow)
KEYS = query("audit/keys", KeyRow)
WINDOWS = query("audit/windows", WindowRow)
CONTENTS = query("audit/contents", ContentRow)


class Run(Protocol):
    """Runs a statement that reads: `Store.read`, or `Transaction.run` to read under the lock."""

    async def __call__(self, query: Query[R], **params: object) -> list[R]:
        """Return the statement's rows."""
        ...


@dataclass(slots=True)
class Live:
    """What was found of one subject."""

    facts: Facts = field(default_factory=dict[str, object])
    inline: str | None = None
    type: str | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A subject that differs: its last event, None when the log does not know it, and what was found of it."""

    subject: Subject
    event: Event | None
    live: Live
    differences: Sequence[Difference]

    @property
    def found_type(self) -> str | None:
        """The relationship type under which it was found, if it was."""
        return self.live.type

    @property
    def is_found(self) -> bool:
        """Whether there is anything of it in the live graph."""
        return bool(self.live.facts)

    @property
    def extra_labels(self) -> tuple[str, ...]:
        """The labels that it should not have."""
        own = self.event.draft.type if self.event else None
        return tuple(label for label in self.live.labels if label != own)

    @property
    def is_misplaced(self) -> bool:
        """Whether it is a connection or observation that is tied to the wrong nodes."""
        draft = self.event.draft if self.event else None
        there = {name: self.live.facts.get(name) for name in ("from", "to")}
        return draft is not None and self.is_found and there != {"from": draft.from_id, "to": draft.to_id}


class Examination:
    """Compares the subjects of one domain, reading through `run`."""

    def __init__(self, run: Run, contents: Contents, domain: str, ontology: Ontology) -> None:
        self._run = run
        self._contents = contents
        self._domain = domain
        self._ontology = ontology

    async def examine(self, subjects: Sequence[Subject]) -> list[Finding]:
        """Return the subjects at which graph and log differ."""
        ids = [subject.id for subject in subjects]
        events = {event.draft.subject: event for event in await self._events(ids)}
        live = await self._live(subjects)
        texts = await self._inline_texts(events.values())
        findings = [
            await self._finding(subject, events.get(subject.id), live.get(subject.id, Live()), texts)
            for subject in subjects
        ]
        return [finding for finding in findings if finding.differences]

    async def _events(self, ids: Sequence[str]) -> list[Event]:
        return [Event.from_row(row.stored) for row in await self._run(LAST_EVENTS, domain=self._domain, subjects=ids)]

    async def _inline_texts(self, events: Iterable[Event]) -> Mapping[str, str]:
        refs = (content_ref(event.draft.state or {}) for event in events)
        hashes = [ref.sha256 for ref in refs if ref is not None]
        return {row.sha256: row.text for row in await self._run(CONTENTS, domain=self._domain, hashes=hashes)}

    async def _finding(self, subject: Subject, event: Event | None, live: Live, texts: Mapping[str, str]) -> Finding:
        ref = content_ref(event.draft.state or {}) if event else None
        expected: Facts = {}
        if event is not None:
            content = await self._content(ref, texts) if ref else None
            event = replace(event, draft=replace(event.draft, content=content))
            expected = expected_facts(event, self._ontology)
            await self._add_content(live, ref, content)
        if event is not None and event.draft.kind is Kind.DOMAIN:
            live = Live()
        kind = str(event.draft.kind) if event else "unknown"
        return Finding(
            subject=subject, event=event, live=live, differences=compare(kind, subject.id, expected, live.facts)
        )

    async def _add_content(self, live: Live, ref: ContentRef | None, content: Content | None) -> None:
        """Add the fact of which content there is; windows of a content that is lost cannot be judged."""
        if ref is None or not live.facts:
            return
        present = hashlib.sha256(live.inline.encode()).hexdigest() if live.inline is not None else None
        if live.inline is None and content is not None and not self._contents.is_inline(ref):
            present = ref.sha256
        if present is not None:
            live.facts["content"] = present
        if content is None:
            live.facts = {name: fact for name, fact in live.facts.items() if not name.startswith("window ")}

    async def _content(self, ref: ContentRef, texts: Mapping[str, str]) -> Content | None:
        if ref.sha256 in texts:
            return Content(data=texts[ref.sha256].encode(), encoding=ref.encoding, format=ref.format)
        try:
            return await self._contents.fetch(self._domain, ref, {})
        except GraphError:
            return None

    async def _live(self, subjects: Sequence[Subject]) -> dict[str, Live]:
        found: dict[str, Live] = {}
        await self._live_nodes(found, [subject.id for subject in subjects])
        await self._live_connections(found, [subject for subject in subjects if subject.type is not None])
        await self._live_ontology(found, [subject.id for subject in subjects])
        await self._live_derived(found, [subject.id for subject in subjects])
        return found

    async def _live_nodes(self, found: dict[str, Live], ids: Sequence[str]) -> None:
        for row in await self._run(LIVE_NODES, domain=self._domain, ids=ids):
            labels = tuple(sorted(set(row.labels) - {"_Node"}))
            facts = state_facts(row.stored) | {"labels": " ".join(labels)}
            found[row.id] = Live(facts=facts, inline=_inline(row.stored), labels=labels)
        for row in await self._run(LIVE_OBSERVATIONS, domain=self._domain, ids=ids):
            found[row.id] = Live(facts=state_facts(row.stored) | ends(row.about, None))

    async def _live_connections(self, found: dict[str, Live], subjects: Sequence[Subject]) -> None:
        rows = [{"id": subject.id, "type": subject.type} for subject in subjects]
        for row in await self._run(LIVE_CONNECTIONS, domain=self._domain, rows=rows) if rows else ():
            facts = state_facts(row.stored) | ends(row.from_id, row.to_id)
            found[row.id] = Live(facts=facts, inline=_inline(row.stored), type=row.type)

    async def _live_ontology(self, found: dict[str, Live], ids: Sequence[str]) -> None:
        names = [subject.partition("/")[2] for subject in ids if "/" in subject]
        for row in await self._run(LIVE_NODE_TYPES, domain=self._domain, names=names) if names else ():
            found[row.id] = Live(facts=state_facts(row.stored))
        for row in await self._run(LIVE_CONNECTION_TYPES, domain=self._domain, names=names) if names else ():
            tied: Facts = {"tied from": tuple(row.from_types), "tied to": tuple(row.to_types)}
            found[row.id] = Live(facts=state_facts(row.stored) | tied)
        for row in await self._run(LIVE_ONTOLOGY, domain=self._domain) if "ontology" in ids else ():
            found["ontology"] = Live(facts=state_facts(row.stored))

    async def _live_derived(self, found: dict[str, Live], ids: Sequence[str]) -> None:
        for key in await self._run(KEYS, domain=self._domain, owners=ids):
            row: dict[str, object] = {
                "_kind": key.kind,
                "_type": key.type,
                "_property": key.property,
                "_value": key.value,
            }
            found.setdefault(key.owner, Live()).facts |= key_facts([row])
        for window in await self._run(WINDOWS, domain=self._domain, owners=ids):
            row = {"_place": window.place, "_type": window.type, "_text": window.text, "_grams": window.grams}
            found.setdefault(window.owner, Live()).facts |= window_facts([row])


def _inline(stored: Mapping[str, object]) -> str | None:
    text = stored.get("_content")
    return text if isinstance(text, str) else None
