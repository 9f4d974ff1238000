"""Infers missing connections from chains of a transitive type, and writes them as one batch with their evidence.

An inferred connection is never a premise of another one. Each can therefore be traced to stored connections, and lost
premises can be detected.
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
from graph_memory.memory.inference.results import InferenceResult, InferredConnection, UnsupportedConnection
from graph_memory.model.errors import Hint
from graph_memory.model.events import Draft, Head, new_id
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.strength import Provenance, Strength
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

DEFAULT_LIMIT = 1_000
"""Default maximum number of connections inferred per call."""
MAX_LIMIT = 10_000
MAX_EDGES = 100_000
"""Maximum number of connections read per type."""
MAX_INFERENCES = 1_000_000
"""Maximum number of missing connections counted per type."""


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
"""Each node's neighbours, with the ids of the connections to them."""


@dataclass(frozen=True, slots=True)
class _InferenceContext:
    """The missing connections, and the stored data that determines which of them are written."""

    missing_connections: Sequence[NewConnection]
    context: Context
    more_count: int
    inferred_ids: Sequence[str]
    """The ids of existing inferred connections."""


@dataclass(frozen=True, slots=True)
class _InferenceReport:
    """The allowed connections, and the number of connections that the ontology does not allow."""

    allowed_drafts: Sequence[Draft]
    rejected_count: int
    inference: _InferenceContext


async def infer_connections(
    core: Core,
    domain: str,
    *,
    connection_type: str | None,
    max_depth: int | None,
    limit: int | None,
    dry_run: bool,
) -> InferenceResult:
    """Write the missing connections that transitive types imply. See `Memory.infer_connections`."""
    depth, maximum = check_depth(max_depth, transitive=True), _check_limit(limit)

    async def read(reader: Reader, head: Head) -> _InferenceContext:
        return await _read_context(
            reader, head, _types_to_read(head.ontology, connection_type), depth, maximum, core.origin.actor
        )

    written = await core.log.write("infer_connections", domain, core.origin, read, _decide, dry_run=dry_run)
    receipt, report = written.receipt, written.report
    is_written = bool(report.allowed_drafts) and not dry_run
    connections = await _as_results(core, domain, report.allowed_drafts, dry_run=dry_run)
    lost_by_connection = await lost_premises(core, domain, report.inference.inferred_ids)
    return InferenceResult(
        dry_run=dry_run,
        connections=connections,
        more=report.inference.more_count,
        refused=report.rejected_count,
        unfounded=tuple(
            UnsupportedConnection(connection_id=connection_id, lost=premise_ids)
            for connection_id, premise_ids in lost_by_connection.items()
            if premise_ids
        ),
        since=receipt.changes[0].seq if is_written else None,
        until=receipt.seq if is_written else None,
    )


def _decide(head: Head, inference: _InferenceContext) -> Decision[_InferenceReport]:
    """Return the missing connections that the ontology allows."""
    drafts = [creation_draft(head, connection) for connection in inference.missing_connections]
    rejected_ids = {violation.draft.subject for violation in Changeset.of(inference.context, drafts).violations()}
    allowed_drafts = [draft for draft in drafts if draft.subject not in rejected_ids]
    changes = Changeset.of(inference.context, allowed_drafts).validate(head.domain) if allowed_drafts else []
    return Decision(changes, _InferenceReport(allowed_drafts, len(rejected_ids), inference))


def _types_to_read(ontology: Ontology, connection_type: str | None) -> list[str]:
    """Return the names of the connection types to read. For a pair of inverse types, only the first is returned."""
    if connection_type is not None:
        return [ontology.stored_type(check_transitive(ontology, connection_type))[0]]
    names: list[str] = []
    for defined_type in ontology.connection_types:
        if defined_type.transitive and defined_type.inverse not in names:
            names.append(defined_type.name)
    return names


async def _read_context(
    reader: Reader, head: Head, type_names: Sequence[str], depth: int, maximum: int, actor: str | None
) -> _InferenceContext:
    missing_connections: list[NewConnection] = []
    inferred_ids: list[str] = []
    more_count = 0
    for name in type_names:
        stored = head.ontology.names_of(name).types
        rows = await reader.read(EDGES, domain=head.domain, types=stored, limit=MAX_EDGES + 1)
        if len(rows) > MAX_EDGES:
            hint = Hint("Use {get_connected_nodes:transitive=true}, which follows them at query time.")
            raise invalid_argument("connection_type", f"{name} has more than {MAX_EDGES:,} connections", hint)
        inferred_ids += [row.id for row in rows if row.method == "inferred"]
        inferences = islice(_missing_connections(head.ontology, name, rows, depth), MAX_INFERENCES)
        for source, target, evidence in inferences:
            if len(missing_connections) == maximum:
                more_count += 1
            else:
                missing_connections.append(_new_connection(name, source, target, evidence, actor))
    if not missing_connections:
        return _InferenceContext((), Context(ontology=head.ontology), more_count, sorted(inferred_ids))
    drafts = [creation_draft(head, connection) for connection in missing_connections]
    context = await read_context(reader, head, drafts)
    broken = await find_broken_rules(reader, head.domain, drafts, head.ontology)
    return _InferenceContext(
        missing_connections, replace(context, broken_rules=broken), more_count, sorted(inferred_ids)
    )


def _missing_connections(
    ontology: Ontology, name: str, rows: Sequence[EdgeRow], depth: int
) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield the source, target and evidence of each missing connection that a type implies, in order."""
    names = ontology.names_of(name)
    existing: dict[str, set[str]] = {}
    edges: dict[str, dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: row.id):
        directions = [(row.from_id, row.to_id)] if row.type in names.forward_types else []
        directions += [(row.to_id, row.from_id)] if row.type in names.reverse_types else []
        for source, target in directions:
            existing.setdefault(source, set()).add(target)
            if row.method != "inferred":
                edges.setdefault(source, {}).setdefault(target, row.id)
    is_symmetric = name in names.reverse_types
    for source in sorted(edges):
        for target, evidence in sorted(_shortest_chains(edges, source, depth).items()):
            if target not in existing[source] and not (is_symmetric and target < source):
                yield source, target, evidence


def _shortest_chains(edges: Edges, source: str, depth: int) -> dict[str, tuple[str, ...]]:
    """Return the nodes that can be reached from `source`, each with the connection ids on a shortest path to it."""
    paths: dict[str, tuple[str, ...]] = {source: ()}
    frontier = [source]
    for _ in range(depth):
        next_frontier: list[str] = []
        for node in frontier:
            for target, connection_id in sorted(edges.get(node, {}).items()):
                if target not in paths:
                    paths[target] = (*paths[node], connection_id)
                    next_frontier.append(target)
        frontier = next_frontier
    del paths[source]
    return paths


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
    end_ids = sorted({end or "" for draft in drafts for end in (draft.from_id, draft.to_id)})
    titles = {node.id: node.title for node in await node_briefs(core, domain, end_ids)}
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


def _check_limit(limit: int | None) -> int:
    if limit is None:
        return DEFAULT_LIMIT
    if type(limit) is not int or not 1 <= limit <= MAX_LIMIT:
        message = f"limit is {limit}, not an integer from 1 to {MAX_LIMIT:,}"
        raise invalid_argument("limit", message, "Use a limit in this range. Call again for more.")
    return limit
