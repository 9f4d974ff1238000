"""What a hand did to the graph: where to look, what is there, and what a decision about it looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.changes.context import owners_of
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.core import Core
from graph_memory.memory.drift.adopt import Around, DriftedSubject, gone, wanted_values
from graph_memory.memory.verify import verify
from graph_memory.memory.verify.compare import Finding, Subject, text_in
from graph_memory.memory.verify.facts import LEADS
from graph_memory.model.events import Event, Head, Op, new_id
from graph_memory.model.rules import BrokenLink
from graph_memory.model.subjects.kinds import ATTACHED, Kind
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 500
"""Nodes whose relationships are looked at in one statement."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A relationship without a domain or an id from a node, None for a node without one."""

    source: str
    element: str | None


@dataclass(frozen=True, slots=True)
class MadeNode:
    """A node without an id."""

    element: str
    labels: list[str]
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class MadeConnection:
    """A relationship without a domain or an id."""

    element: str
    type: str
    from_id: str
    to_id: str
    stored: dict[str, object]


UNNAMED_NODES = query("drift/unnamed_nodes", str)
UNNAMED_CONNECTIONS = query("drift/unnamed_connections", SourceRow)
NODES = query("drift/nodes", MadeNode)
CONNECTIONS = query("drift/connections", MadeConnection)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where to look: subjects that differ, and what has no domain or id, with the ids that it would get."""

    subjects: tuple[Subject, ...] = ()
    nodes: Mapping[str, str] = field(default_factory=dict[str, str])
    connections: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.subjects) + len(self.nodes) + len(self.connections)

    def only(self, ids: frozenset[str]) -> Places:
        """Return those that people know by one of these ids."""
        return Places(
            subjects=tuple(subject for subject in self.subjects if subject.id in ids),
            nodes={element: new for element, new in self.nodes.items() if element in ids},
            connections={element: new for element, new in self.connections.items() if element in ids},
        )


async def places(core: Core, domain: str) -> Places:
    """Return where the live graph seems not to be as the log has it."""
    subjects = await verify.suspects(core, domain)
    unnamed = await core.store.read(UNNAMED_NODES, domain=domain)
    ontology = await core.log.require_ontology(domain)
    types = [declared.name for declared in ontology.connection_types]
    elements, after = list[str](), ""
    arguments = {"domain": domain, "types": types, "inverses": list(ontology.inverses.values()), "limit": PAGE}
    while page := await core.store.read(UNNAMED_CONNECTIONS, after=after, **arguments):
        elements += [row.element for row in page if row.element is not None]
        after = page[-1].source
    return Places(
        subjects=tuple(subjects),
        nodes={element: new_id("mem") for element in unnamed},
        connections={element: new_id("conn") for element in elements},
    )


async def found(core: Core, reader: Reader, domain: str, places: Places) -> list[DriftedSubject]:
    """Return what differs there; under the domain's lock it truly does."""
    findings = await verify.examined(core, reader, domain, places.subjects)
    doubles = {finding.subject.id for finding in findings if finding.is_double}
    own = {finding.subject.id for finding in findings if not finding.is_double}
    told = [finding for finding in findings if not finding.is_double or finding.subject.id not in own]
    named = [_by_hand(finding, doubles) for finding in told]
    nodes = await reader.read(NODES, domain=domain, elements=list(places.nodes)) if places.nodes else []
    made = [_made_node(row, places.nodes[row.element]) for row in nodes]
    elements = list(places.connections)
    joined = await reader.read(CONNECTIONS, domain=domain, elements=elements) if elements else []
    return [*named, *made, *(_made_connection(row, places.connections[row.element]) for row in joined)]


def _by_hand(finding: Finding, doubles: set[str]) -> DriftedSubject:
    live, draft = finding.live, finding.event.draft if finding.event else None
    ends = [end if isinstance(end := live.facts.get(name), str) else None for name in ("from", "to")]
    return DriftedSubject(
        id=finding.subject.id,
        subject=finding.subject.id,
        kind=draft.kind if draft else _kind(finding),
        type=draft.type if draft else live.type or next(iter(live.labels), None),
        last=finding.event,
        stored=live.stored,
        labels=live.labels,
        from_id=ends[0],
        to_id=ends[1],
        text=live.inline,
        differences=tuple(finding.differences),
        is_out_of_place=finding.subject.id in doubles or finding.is_misplaced,
    )


def _kind(finding: Finding) -> Kind | None:
    """Return what something that the log does not know seems to be."""
    if finding.found_type is not None:
        return Kind.CONNECTION
    if "labels" in finding.live.facts:
        return Kind.NODE
    kind = finding.subject.id.partition("/")[0]
    if "/" in finding.subject.id and kind in set(Kind):
        return Kind(kind)
    if LEADS in finding.live.facts:
        return Kind.LINK
    return Kind.OBSERVATION if finding.live.stored is not None else None


def _made_node(row: MadeNode, new: str) -> DriftedSubject:
    labels = tuple(sorted(set(row.labels) - {"_Node"}))
    return DriftedSubject(
        id=row.element,
        element=row.element,
        subject=new,
        kind=Kind.NODE,
        type=next(iter(labels), None),
        stored=row.stored,
        labels=labels,
        text=text_in(row.stored),
    )


def _made_connection(row: MadeConnection, new: str) -> DriftedSubject:
    own = row.stored.get("_id")
    return DriftedSubject(
        id=row.element,
        element=row.element,
        subject=own if isinstance(own, str) else new,
        kind=Kind.CONNECTION,
        type=row.type,
        stored=row.stored,
        from_id=row.from_id,
        to_id=row.to_id,
        text=text_in(row.stored),
    )


async def read_context(
    reader: Reader, head: Head, found: Sequence[DriftedSubject], broken: Mapping[str, BrokenLink]
) -> tuple[Around, Mapping[str, str]]:
    """Return what a decision looks at, with the rules that are known to be broken, and the titles of nodes joined."""
    connections = [change for change in found if change.kind is Kind.CONNECTION]
    ends = {end for change in connections for end in ends_of(change) if end}
    made = {change.subject for change in connections if change.last is None}
    wanted = sorted(ends | made)
    rows = await reader.read(LAST_EVENTS, domain=head.domain, subjects=wanted) if wanted else []
    last = [Event.from_row(row) for row in rows]
    nodes = [event.draft for event in last if event.draft.kind is Kind.NODE and event.draft.op is not Op.DELETE]
    attached = _attached(found)
    context = Context(
        ontology=head.ontology,
        living={draft.subject: draft.type or "" for draft in nodes},
        attached={node: [gone(subject) for subject in those] for node, those in attached.items()},
        owners=await owners_of(reader, head.domain, wanted_values(found, head)),
        used={event.draft.subject for event in last} & made,
        broken=broken,
    )
    around = Around(
        context=context,
        attached=attached,
        away=[change for change in connections if change.is_known and (change.is_gone or change.is_out_of_place)],
    )
    return around, {draft.subject: str((draft.state or {}).get("_title", draft.subject)) for draft in nodes}


def ends_of(change: DriftedSubject) -> tuple[str | None, str | None]:
    """Return what a connection joins or an observation is about, as the log has it, else as it was found."""
    last = change.last.draft if change.last else None
    return (last.from_id, last.to_id) if last else (change.from_id, change.to_id)


def _attached(subjects: Sequence[DriftedSubject]) -> dict[str, list[DriftedSubject]]:
    """Return what the log ties to each node that is gone."""
    attached: dict[str, list[DriftedSubject]] = {
        change.subject: [] for change in subjects if change.kind is Kind.NODE and change.is_gone
    }
    for change in subjects:
        for end in set(ends_of(change)) if change.is_known else ():
            if end in attached and change.kind in ATTACHED:
                attached[end].append(change)
    return attached
