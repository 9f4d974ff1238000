"""Infers missing connections from chains of a transitive type, and writes them as one batch with their evidence.

Inferred connections are never premises of others. So each can be traced to stored connections, and lost premises can
be detected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from graph_memory.memory.changes.context import read_context
from graph_memory.memory.changes.plan import Changeset, Context
from graph_memory.memory.changes.rules import find_broken_rules
from graph_memory.memory.core import Core
from graph_memory.memory.graph.closure import check_depth, check_transitive
from graph_memory.memory.graph.connections import NewConnection, creation_draft
from graph_memory.memory.graph.describe import node_briefs
from graph_memory.memory.graph.premises import evidence_of, evidence_text, lost_premises
from graph_memory.memory.inference.results import Inferred, InferredConnection, LostPremises
from graph_memory.model.errors import Hint
from graph_memory.model.events import Draft, Head, new_id
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.strength import Provenance, Strength
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

DEFAULT_LIMIT = 1_000
"""Default maximum number of connections that one call infers."""
MAX_LIMIT = 10_000
MAX_EDGES = 100_000
"""Maximum number of connections of one type that are read."""
MAX_INFERENCES = 1_000_000
"""Maximum number of inferences from one type that are counted."""


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A connection, and how it was created."""

    id: str
    type: str
    from_id: str
    to_id: str
    method: str


EDGES = query("inference/edges", EdgeRow)
Edges = Mapping[str, Mapping[str, str]]
"""The neighbours of each node, with the ids of the connections."""


@dataclass(frozen=True, slots=True)
class _InferenceContext:
    """The missing connections, and the stored data to decide which of them to write."""

    missing: Sequence[NewConnection]
    context: Context
    more: int
    inferred: Sequence[str]
    """The ids of the existing inferred connections."""


@dataclass(frozen=True, slots=True)
class _Report:
    """The allowed connections, and the number of forbidden ones."""

    kept: Sequence[Draft]
    refused: int
    premises: _InferenceContext


async def infer_connections(
    core: Core,
    domain: str,
    *,
    connection_type: str | None,
    max_depth: int | None,
    limit: int | None,
    dry_run: bool,
) -> Inferred:
    """Write the connections that follow from transitive types. See `Memory.infer_connections`."""
    depth, maximum = check_depth(max_depth, transitive=True), _check_limit(limit)

    async def read(reader: Reader, head: Head) -> _InferenceContext:
        return await _read_context(
            reader, head, _types_to_read(head.ontology, connection_type), depth, maximum, core.origin.actor
        )

    written = await core.log.write("infer_connections", domain, core.origin, read, _decide, dry_run=dry_run)
    receipt, report = written.receipt, written.report
    is_written = bool(report.kept) and not dry_run
    return Inferred(
        dry_run=dry_run,
        connections=await _as_results(core, domain, report.kept, dry_run=dry_run),
        more=report.premises.more,
        refused=report.refused,
        unfounded=await _lost_premises(core, domain, report.premises.inferred),
        since=receipt.changes[0].seq if is_written else None,
        until=receipt.seq if is_written else None,
    )


def _decide(head: Head, premises: _InferenceContext) -> Decision[_Report]:
    """Return the missing connections that the rules allow."""
    drafts = [creation_draft(head, connection) for connection in premises.missing]
    refused = {violation.draft.subject for violation in Changeset.of(premises.context, drafts).violations()}
    allowed = [draft for draft in drafts if draft.subject not in refused]
    changes = Changeset.of(premises.context, allowed).validate(head.domain) if allowed else []
    return Decision(changes, _Report(allowed, len(refused), premises))


def _types_to_read(ontology: Ontology, connection_type: str | None) -> list[str]:
    """Return the types to read. For two inverse types, only the first is read."""
    if connection_type is not None:
        return [ontology.stored_type(check_transitive(ontology, connection_type))[0]]
    names: list[str] = []
    for declared in ontology.connection_types:
        if declared.transitive and declared.inverse not in names:
            names.append(declared.name)
    return names


async def _read_context(
    reader: Reader, head: Head, types: Sequence[str], depth: int, most: int, actor: str | None
) -> _InferenceContext:
    missing: list[NewConnection] = []
    inferred: list[str] = []
    more = 0
    for name in types:
        stored = head.ontology.names_of(name).types
        rows = await reader.read(EDGES, domain=head.domain, types=stored, limit=MAX_EDGES + 1)
        if len(rows) > MAX_EDGES:
            hint = Hint("Use {get_connected_nodes:transitive=true}, which follows them at query time.")
            raise invalid_argument("connection_type", f"{name} has more than {MAX_EDGES:,} connections", hint)
        inferred += [row.id for row in rows if row.method == "inferred"]
        inferences = islice(_missing_connections(head.ontology, name, rows, depth), MAX_INFERENCES)
        for source, target, evidence in inferences:
            if len(missing) == most:
                more += 1
            else:
                missing.append(_new_connection(name, source, target, evidence, actor))
    if not missing:
        return _InferenceContext((), Context(ontology=head.ontology), more, sorted(inferred))
    drafts = [creation_draft(head, connection) for connection in missing]
    context = await read_context(reader, head, drafts)
    broken = await find_broken_rules(reader, head.domain, drafts, head.ontology)
    return _InferenceContext(missing, replace(context, broken=broken), more, sorted(inferred))


def _missing_connections(
    ontology: Ontology, name: str, rows: Sequence[EdgeRow], depth: int
) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield the source, target and evidence of each missing connection that a type implies, in order."""
    names = ontology.names_of(name)
    existing: dict[str, set[str]] = {}
    edges: dict[str, dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: row.id):
        directions = [(row.from_id, row.to_id)] if row.type in names.along else []
        directions += [(row.to_id, row.from_id)] if row.type in names.against else []
        for source, target in directions:
            existing.setdefault(source, set()).add(target)
            if row.method != "inferred":
                edges.setdefault(source, {}).setdefault(target, row.id)
    is_symmetric = name in names.against
    for source in sorted(edges):
        for target, evidence in sorted(_chains(edges, source, depth).items()):
            if target not in existing[source] and not (is_symmetric and target < source):
                yield source, target, evidence


def _chains(edges: Edges, source: str, depth: int) -> dict[str, tuple[str, ...]]:
    """Return the nodes that can be reached from `source`. Each has the ids of the connections of a shortest path."""
    evidence_of_nodes: dict[str, tuple[str, ...]] = {source: ()}
    ends = [source]
    for _ in range(depth):
        next_ends: list[str] = []
        for node in ends:
            for target, subject_id in sorted(edges.get(node, {}).items()):
                if target not in evidence_of_nodes:
                    evidence_of_nodes[target] = (*evidence_of_nodes[node], subject_id)
                    next_ends.append(target)
        ends = next_ends
    del evidence_of_nodes[source]
    return evidence_of_nodes


def _new_connection(name: str, source: str, target: str, evidence: Sequence[str], actor: str | None) -> NewConnection:
    provenance = Provenance(method="inferred", evidence=evidence_text(evidence), actor=actor)
    return NewConnection(
        id=new_id("conn"),
        type=name,
        from_id=source,
        to_id=target,
        properties={},
        content=None,
        strength=Strength(),
        provenance=provenance,
    )


async def _as_results(
    core: Core, domain: str, drafts: Sequence[Draft], *, dry_run: bool
) -> tuple[InferredConnection, ...]:
    ends = sorted({end or "" for draft in drafts for end in (draft.from_id, draft.to_id)})
    titles = {node.id: node.title for node in await node_briefs(core, domain, ends)}
    return tuple(
        InferredConnection(
            connection_id=None if dry_run else draft.subject,
            type=draft.type or "",
            from_id=draft.from_id or "",
            from_title=titles.get(draft.from_id or "", ""),
            to_id=draft.to_id or "",
            to_title=titles.get(draft.to_id or "", ""),
            evidence=evidence_of(draft.state or {}),
        )
        for draft in drafts
    )


async def _lost_premises(core: Core, domain: str, inferred: Sequence[str]) -> tuple[LostPremises, ...]:
    lost = await lost_premises(core, domain, inferred)
    return tuple(
        LostPremises(connection_id=connection_id, lost=premise_ids)
        for connection_id, premise_ids in lost.items()
        if premise_ids
    )


def _check_limit(limit: int | None) -> int:
    if limit is None:
        return DEFAULT_LIMIT
    if type(limit) is not int or not 1 <= limit <= MAX_LIMIT:
        raise invalid_argument(
            "limit", f"limit must be an integer from 1 to {MAX_LIMIT:,}, not {limit}", "Call again for more."
        )
    return limit
