"""Detects changes made directly in Neo4j: finds candidates, and reads drifted subjects and their context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.changes.context import owners_of
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.core import Core
from graph_memory.memory.drift.adopt import DriftContext, DriftedSubject, deletion_draft, new_unique_values
from graph_memory.memory.verify import verify
from graph_memory.memory.verify.compare import Finding, Subject, text_in
from graph_memory.memory.verify.facts import LEADS
from graph_memory.model.events import Event, Head, Op, new_id
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.kinds import ATTACHED, Kind
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 500
"""Maximum number of nodes whose relationships one statement reads."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A node, and one of its relationships that lacks a domain or an id, or None if it has no such relationship."""

    source: str
    element: str | None


@dataclass(frozen=True, slots=True)
class UnnamedNode:
    """A node without an id."""

    element: str
    labels: list[str]
    stored: dict[str, object]


@dataclass(frozen=True, slots=True)
class UnnamedConnection:
    """A relationship without a domain or an id."""

    element: str
    type: str
    from_id: str
    to_id: str
    stored: dict[str, object]


UNNAMED_NODES = query("drift/unnamed_nodes", str)
UNNAMED_CONNECTIONS = query("drift/unnamed_connections", SourceRow)
NODES = query("drift/nodes", UnnamedNode)
CONNECTIONS = query("drift/connections", UnnamedConnection)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftCandidates:
    """Subjects that seem to differ, and elements without a domain or id, with their future ids."""

    subjects: tuple[Subject, ...] = ()
    nodes: Mapping[str, str] = field(default_factory=dict[str, str])
    connections: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def size(self) -> int:
        """The number of all candidates."""
        return len(self.subjects) + len(self.nodes) + len(self.connections)

    def only(self, ids: frozenset[str]) -> DriftCandidates:
        """Return the candidates with these ids: ids of subjects, or element ids of elements without a domain or id."""
        return DriftCandidates(
            subjects=tuple(subject for subject in self.subjects if subject.id in ids),
            nodes={element: new_subject_id for element, new_subject_id in self.nodes.items() if element in ids},
            connections={
                element: new_subject_id for element, new_subject_id in self.connections.items() if element in ids
            },
        )


async def find_candidates(core: Core, domain: str) -> DriftCandidates:
    """Return the subjects for which the live graph seems to differ from the log."""
    subjects = await verify.find_suspects(core, domain)
    node_elements = await core.store.read(UNNAMED_NODES, domain=domain)
    ontology = await core.log.require_ontology(domain)
    types = [connection_type.name for connection_type in ontology.connection_types]
    elements, after = list[str](), ""
    params = {"domain": domain, "types": types, "inverses": list(ontology.inverses.values()), "limit": PAGE}
    while page := await core.store.read(UNNAMED_CONNECTIONS, after=after, **params):
        elements += [row.element for row in page if row.element is not None]
        after = page[-1].source
    return DriftCandidates(
        subjects=tuple(subjects),
        nodes={element: new_id("mem") for element in node_elements},
        connections={element: new_id("conn") for element in elements},
    )


async def read_drifted(core: Core, reader: Reader, domain: str, candidates: DriftCandidates) -> list[DriftedSubject]:
    """Return the candidates that differ. The result is only certain if the domain's lock is held."""
    findings = await verify.examine_subjects(core, reader, domain, candidates.subjects)
    double_ids = {finding.subject.id for finding in findings if finding.has_other_type}
    single_ids = {finding.subject.id for finding in findings if not finding.has_other_type}
    reported_findings = [
        finding for finding in findings if not finding.has_other_type or finding.subject.id not in single_ids
    ]
    drifted_with_id = [_drifted_subject(finding, double_ids) for finding in reported_findings]
    nodes = await reader.read(NODES, domain=domain, elements=list(candidates.nodes)) if candidates.nodes else []
    drifted_nodes = [_drifted_node(row, candidates.nodes[row.element]) for row in nodes]
    elements = list(candidates.connections)
    connections = await reader.read(CONNECTIONS, domain=domain, elements=elements) if elements else []
    return [
        *drifted_with_id,
        *drifted_nodes,
        *(_drifted_connection(row, candidates.connections[row.element]) for row in connections),
    ]


def _drifted_subject(finding: Finding, double_ids: set[str]) -> DriftedSubject:
    live, draft = finding.live, finding.event.draft if finding.event else None
    ends = [end if isinstance(end := live.facts.get(name), str) else None for name in ("from", "to")]
    return DriftedSubject(
        id=finding.subject.id,
        subject=finding.subject.id,
        kind=draft.kind if draft else _guess_kind(finding),
        type=draft.type if draft else live.type or next(iter(live.labels), None),
        last=finding.event,
        stored=live.stored,
        labels=live.labels,
        from_id=ends[0],
        to_id=ends[1],
        text=live.inline,
        differences=tuple(finding.differences),
        is_out_of_place=finding.subject.id in double_ids or finding.is_misplaced,
    )


def _guess_kind(finding: Finding) -> Kind | None:
    """Return the apparent kind of a subject that is not in the log, or None if only derived rows exist."""
    if finding.live_type is not None:
        return Kind.CONNECTION
    if "labels" in finding.live.facts:
        return Kind.NODE
    kind = finding.subject.id.partition("/")[0]
    if "/" in finding.subject.id and kind in set(Kind):
        return Kind(kind)
    if LEADS in finding.live.facts:
        return Kind.LINK
    return Kind.OBSERVATION if finding.live.stored is not None else None


def _drifted_node(row: UnnamedNode, new_subject_id: str) -> DriftedSubject:
    labels = tuple(sorted(set(row.labels) - {"_Node"}))
    return DriftedSubject(
        id=row.element,
        element=row.element,
        subject=new_subject_id,
        kind=Kind.NODE,
        type=next(iter(labels), None),
        stored=row.stored,
        labels=labels,
        text=text_in(row.stored),
    )


def _drifted_connection(row: UnnamedConnection, new_subject_id: str) -> DriftedSubject:
    stored_id = row.stored.get("_id")
    return DriftedSubject(
        id=row.element,
        element=row.element,
        subject=stored_id if isinstance(stored_id, str) else new_subject_id,
        kind=Kind.CONNECTION,
        type=row.type,
        stored=row.stored,
        from_id=row.from_id,
        to_id=row.to_id,
        text=text_in(row.stored),
    )


async def read_context(
    reader: Reader, head: Head, drifted: Sequence[DriftedSubject], broken: Mapping[str, BrokenRule]
) -> tuple[DriftContext, Mapping[str, str]]:
    """Return the context for the adoption of drifted subjects, and the titles of connections' endpoints.

    `broken` contains the rules that earlier attempts at the write have broken.
    """
    connections = [change for change in drifted if change.kind is Kind.CONNECTION]
    ends = {end for change in connections for end in ends_of(change) if end}
    new_ids = {change.subject for change in connections if change.last is None}
    subjects = sorted(ends | new_ids)
    rows = await reader.read(LAST_EVENTS, domain=head.domain, subjects=subjects) if subjects else []
    last_events = [Event.from_row(row) for row in rows]
    node_drafts = [
        event.draft for event in last_events if event.draft.kind is Kind.NODE and event.draft.op is not Op.DELETE
    ]
    attached = _attachments_by_node(drifted)
    context = Context(
        ontology=head.ontology,
        existing_node_types={draft.subject: draft.type or "" for draft in node_drafts},
        attached={
            node: [deletion_draft(subject) for subject in attached_subjects]
            for node, attached_subjects in attached.items()
        },
        owners=await owners_of(reader, head.domain, new_unique_values(drifted, head)),
        used_ids={event.draft.subject for event in last_events} & new_ids,
        broken_rules=broken,
    )
    drift_context = DriftContext(
        context=context,
        attached=attached,
        removed_connections=[
            change for change in connections if change.is_in_log and (change.is_gone or change.is_out_of_place)
        ],
    )
    return drift_context, {
        draft.subject: str((draft.state or {}).get("_title", draft.subject)) for draft in node_drafts
    }


def ends_of(change: DriftedSubject) -> tuple[str | None, str | None]:
    """Return a connection's endpoints or an observation's node: those in the log or, if it has none, in the graph."""
    last = change.last.draft if change.last else None
    return (last.from_id, last.to_id) if last else (change.from_id, change.to_id)


def _attachments_by_node(subjects: Sequence[DriftedSubject]) -> dict[str, list[DriftedSubject]]:
    """Return the subjects that the log attaches to each deleted node."""
    attached: dict[str, list[DriftedSubject]] = {
        change.subject: [] for change in subjects if change.kind is Kind.NODE and change.is_gone
    }
    for change in subjects:
        for end in set(ends_of(change)) if change.is_in_log else ():
            if end in attached and change.kind in ATTACHED:
                attached[end].append(change)
    return attached
