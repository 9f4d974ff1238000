"""Comparing subjects: the last event of each with what the live graph holds of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.contents import Contents
from graph_memory.memory.verify.facts import (
    LEADS,
    WINDOW_FACTS,
    Facts,
    InverseRow,
    KeyRow,
    WindowRow,
    compare,
    ends,
    expected_facts,
    found_rows,
    state_facts,
)
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Event, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.projection import INVERSE_OF, inverse_place, materialized_as, searched_text
from graph_memory.model.results import Difference
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import FOLDED, IS_LONG, content_ref, folded
from graph_memory.model.values.content import Content
from graph_memory.model.values.exact import exact
from graph_memory.storage.log.reads import CONTENTS, LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be compared; `type` is the connection type where it is a connection."""

    id: str
    type: str | None


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
class LiveLink:
    """A link in the live graph, and whether it leads where it should."""

    id: str
    about: str | None
    leads: bool
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class LiveNodeType:
    """A node type in the live graph."""

    id: str
    stored: dict[str, object]
    is_defined: bool


@dataclass(frozen=True, slots=True)
class LiveConnectionType:
    """A connection type in the live graph."""

    id: str
    stored: dict[str, object]
    is_defined: bool
    from_types: list[str]
    to_types: list[str]


LIVE_NODES = query("verify/live_nodes", LiveNode)
LIVE_CONNECTIONS = query("verify/live_connections", LiveConnection)
LOOSE_INVERSES = query("verify/loose_inverses", LiveConnection)
LIVE_OBSERVATIONS = query("verify/live_observations", LiveObservation)
LIVE_LINKS = query("verify/live_links", LiveLink)
LIVE_NODE_TYPES = query("verify/live_node_types", LiveNodeType)
LIVE_CONNECTION_TYPES = query("verify/live_connection_types", LiveConnectionType)
LIVE_ONTOLOGY = query("verify/live_ontology", dict[str, object])
KEYS = query("verify/keys", KeyRow)
WINDOWS = query("verify/windows", WindowRow)
INVERSES = query("verify/inverses", InverseRow)


@dataclass(slots=True)
class Live:
    """What was found of one subject."""

    facts: Facts = field(default_factory=dict[str, object])
    inline: str | None = None
    type: str | None = None
    labels: tuple[str, ...] = ()
    stored: Mapping[str, object] | None = None
    """Its own property map, None where only derived rows were found."""


Found = dict[tuple[str, str | None], Live]
"""What was found, by subject id and, for connections, relationship type."""


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
    def rescued(self) -> Content | None:
        """The text that only the live graph still has, to be put back where the log refers to it."""
        is_lost = self.differs("content in store")
        return self.event.draft.content if is_lost and self.event and self.live.inline is not None else None

    def differs(self, *facts: str) -> bool:
        """Say whether facts differ whose names begin so."""
        return any(difference.problem.startswith(facts) for difference in self.differences)

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
    def is_double(self) -> bool:
        """Whether it is a connection's id under a relationship type that is not the connection's."""
        return is_double(self.subject, self.event)

    @property
    def is_misplaced(self) -> bool:
        """Whether it is a connection or observation that is tied to the wrong nodes."""
        if self.event is None or self.live.stored is None:
            return False
        draft = self.event.draft
        return (self.live.facts.get("from"), self.live.facts.get("to")) != (draft.from_id, draft.to_id)


@dataclass(frozen=True, slots=True)
class Kept:
    """The content that an event refers to, of what is no text only that it is there; or what is wrong with it."""

    content: Content | None = None
    is_inline: bool = False
    fault: str = ""


def is_double(subject: Subject, event: Event | None) -> bool:
    """Say whether a subject is a connection's id under a relationship type that is not the connection's."""
    return event is not None and subject.type is not None and event.draft.type != subject.type


class Examination:
    """Compares the subjects of one domain, read through `reader`."""

    def __init__(self, reader: Reader, contents: Contents, domain: str, ontology: Ontology) -> None:
        self._reader = reader
        self._contents = contents
        self._domain = domain
        self._ontology = ontology
        self.contents: set[tuple[str, str]] = set()
        """The contents that were looked at, each by its hash and encoding."""

    async def examine(self, subjects: Sequence[Subject]) -> list[Finding]:
        """Return the subjects at which graph and log differ."""
        ids = list(dict.fromkeys(subject.id for subject in subjects))  # one of a connection may be there for two types
        events = {event.draft.subject: event for event in await self._events(ids)}
        live = await self._live(subjects)
        derived = await self._derived(ids, events.values())
        texts = await self._inline_texts(events.values())
        findings: list[Finding] = []
        for subject in subjects:
            here = live.get((subject.id, subject.type), Live())
            event = events.get(subject.id)
            if not is_double(subject, event):
                here.facts |= derived.get(subject.id, {})
            finding = await self._finding(subject, event, here, texts)
            findings += [finding] if finding.differences else []
        return findings

    async def _events(self, ids: Sequence[str]) -> list[Event]:
        return [Event.from_row(row) for row in await self._reader.read(LAST_EVENTS, domain=self._domain, subjects=ids)]

    async def _inline_texts(self, events: Iterable[Event]) -> Mapping[str, str]:
        refs = (content_ref(event.draft.state or {}) for event in events)
        hashes = [ref.sha256 for ref in refs if ref is not None]
        rows = await self._reader.read(CONTENTS, domain=self._domain, hashes=hashes) if hashes else []
        return {row.sha256: row.text for row in rows}

    async def _finding(self, subject: Subject, event: Event | None, live: Live, texts: Mapping[str, str]) -> Finding:
        expected: Facts = {}
        kind = str(event.draft.kind) if event else "unknown"
        if event is not None and not is_double(subject, event):
            kept = await self._kept(event, texts)
            if kept.is_inline and live.inline is None and await self._is_blob(event):
                kept = replace(kept, is_inline=False)  # it came as a blob, and the same text came into Neo4j later
            content = kept.content or (_rescued(event, live) if kept.fault else None)
            event = replace(event, draft=replace(event.draft, content=content, windows=_no_windows(event)))
            expected = expected_facts(event, self._ontology)
            _settle_text(live, event)
            _add_content(live, event, kept)
        if event is not None and event.draft.kind is Kind.DOMAIN:
            live = Live()
        differences = compare(kind, subject.id, expected, live.facts)
        return Finding(subject=subject, event=event, live=live, differences=differences)

    async def _is_blob(self, event: Event) -> bool:
        ref = content_ref(event.draft.state or {})
        return ref is not None and await self._contents.blobs.exists(self._domain, ref.sha256)

    async def _kept(self, event: Event, texts: Mapping[str, str]) -> Kept:
        """Return the content that the event refers to, as the log or the blobs have it."""
        ref = content_ref(event.draft.state or {})
        if ref is None:
            return Kept()
        self.contents.add((ref.sha256, ref.encoding))
        inline = texts.get(ref.sha256)
        is_inline = ref.is_text and inline is not None
        try:
            if not ref.is_text:
                async for _ in self._contents.stream(self._domain, ref, inline):
                    pass
                return Kept()
            content = await self._contents.fetch(self._domain, ref, inline)
            return Kept(content, is_inline=is_inline)
        except GraphError as error:
            return Kept(is_inline=is_inline, fault=str(error.details.get("reason", "missing")))

    async def _live(self, subjects: Sequence[Subject]) -> Found:
        hit: Found = {}
        await self._live_nodes(hit, [subject.id for subject in subjects])
        await self._live_connections(hit, [subject for subject in subjects if subject.type is not None])
        await self._live_ontology(hit, [subject.id for subject in subjects])
        return hit

    async def _live_nodes(self, hit: Found, ids: Sequence[str]) -> None:
        for row in await self._reader.read(LIVE_NODES, domain=self._domain, ids=ids):
            labels = tuple(sorted(set(row.labels) - {"_Node"}))
            facts = state_facts(row.stored) | {"labels": " ".join(labels)}
            hit[row.id, None] = Live(facts=facts, inline=text_in(row.stored), labels=labels, stored=row.stored)
        for row in await self._reader.read(LIVE_OBSERVATIONS, domain=self._domain, ids=ids):
            hit[row.id, None] = Live(facts=state_facts(row.stored) | ends(row.about, None), stored=row.stored)
        for row in await self._reader.read(LIVE_LINKS, domain=self._domain, ids=ids):
            facts = state_facts(row.stored) | ends(row.about, None) | {LEADS: row.leads}
            hit[row.id, None] = Live(facts=facts, stored=row.stored)

    async def _live_connections(self, hit: Found, subjects: Sequence[Subject]) -> None:
        rows = [{"id": subject.id, "type": subject.type} for subject in subjects]
        for row in await self._reader.read(LIVE_CONNECTIONS, domain=self._domain, rows=rows) if rows else ():
            facts = state_facts(row.stored) | ends(row.from_id, row.to_id)
            hit[row.id, row.type] = Live(facts=facts, inline=text_in(row.stored), type=row.type, stored=row.stored)
        await self._loose_inverses(hit, [subject.id for subject in subjects if (subject.id, subject.type) not in hit])

    async def _loose_inverses(self, hit: Found, elements: Sequence[str]) -> None:
        """Find second relationships that belong to no connection, neither to one that only the log has."""
        arguments = {"domain": self._domain, "elements": elements, "inverses": self._ontology.inverses}
        rows = await self._reader.read(LOOSE_INVERSES, **arguments) if elements and arguments["inverses"] else []
        events = await self._events([str(row.stored[INVERSE_OF]) for row in rows]) if rows else []
        places = [
            {**inverse_place(event.draft), "type": materialized_as(event.draft, self._ontology)}
            for event in events
            if event.draft.op is not Op.DELETE
        ]
        for row in rows:
            place = {"owner": row.stored[INVERSE_OF], "from": row.from_id, "to": row.to_id, "type": row.type}
            if place not in places:
                facts = state_facts(row.stored) | ends(row.from_id, row.to_id)
                hit[row.id, row.type] = Live(facts=facts, type=row.type, stored=row.stored)

    async def _live_ontology(self, hit: Found, ids: Sequence[str]) -> None:
        names = [subject.partition("/")[2] for subject in ids if "/" in subject]
        for row in await self._reader.read(LIVE_NODE_TYPES, domain=self._domain, names=names) if names else ():
            hit[row.id, None] = Live(facts=state_facts(row.stored) | _defined(row.is_defined))
        for row in await self._reader.read(LIVE_CONNECTION_TYPES, domain=self._domain, names=names) if names else ():
            tied: Facts = {"from types": tuple(row.from_types), "to types": tuple(row.to_types)}
            hit[row.id, None] = Live(facts=state_facts(row.stored) | tied | _defined(row.is_defined))
        for row in await self._reader.read(LIVE_ONTOLOGY, domain=self._domain) if "ontology" in ids else ():
            hit["ontology", None] = Live(facts=state_facts(row))

    async def _derived(self, ids: Sequence[str], events: Iterable[Event]) -> Mapping[str, Facts]:
        places = [inverse_place(event.draft) for event in events if materialized_as(event.draft, self._ontology)]
        inverses = await self._reader.read(INVERSES, domain=self._domain, rows=places) if places else []
        keys = await self._reader.read(KEYS, domain=self._domain, owners=ids)
        windows = await self._reader.read(WINDOWS, domain=self._domain, owners=ids)
        return found_rows(self._domain, keys, windows, inverses)


def _defined(is_defined: bool) -> Facts:
    return {"defined by the ontology": "yes"} if is_defined else {}


def text_in(stored: Mapping[str, object]) -> str | None:
    """Return the text that the live graph keeps beside a subject, None without one."""
    text = stored.get("_content")
    return text if isinstance(text, str) else None


def _no_windows(event: Event) -> tuple[str, ...] | None:
    """Return that there are no search windows for what is known to have none: content that is no text."""
    ref = content_ref(event.draft.state or {})
    return None if ref is None or ref.is_text else ()


def _settle_text(live: Live, event: Event) -> None:
    """Take a text that is indexed, as it should be, for one that waits for it."""
    text, waits = searched_text(event.draft), exact(value=False)
    if text is not None and live.facts.get(_FOLDED) == folded(text) and live.facts.get(_IS_LONG) in (None, waits):
        del live.facts[_FOLDED]
        live.facts[_IS_LONG] = waits


_FOLDED, _IS_LONG = f"property {FOLDED}", f"property {IS_LONG}"


def _rescued(event: Event, live: Live) -> Content | None:
    """Return the live graph's text when the log's copy of it is lost and it is what the log refers to."""
    ref = content_ref(event.draft.state or {})
    if ref is None or live.inline is None:
        return None
    content = Content(data=live.inline.encode(), encoding=ref.encoding, format=ref.format)
    return content if content.sha256 == ref.sha256 else None


def _add_content(live: Live, event: Event, kept: Kept) -> None:
    """Add the facts of which content there is. Windows of a content that is lost cannot be judged."""
    ref = content_ref(event.draft.state or {})
    if not live.facts:
        return
    if live.inline is not None:
        live.facts["content"] = hashlib.sha256(live.inline.encode()).hexdigest()
    if ref is None:
        return
    live.facts["content in store"] = kept.fault or ref.sha256
    if live.inline is None and not kept.is_inline:
        live.facts["content"] = ref.sha256  # a blob has no copy in the live graph
    if event.draft.content is None and event.draft.windows is None:
        live.facts = {name: fact for name, fact in live.facts.items() if not name.startswith(WINDOW_FACTS)}
