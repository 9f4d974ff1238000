"""Connections that chains of a transitive type stand for: which are missing, written as one batch with their evidence.

Only what somebody stored is a premise. What was inferred is none, so that each inferred connection can be traced back
to what was said, and what has lost its premises can be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from graph_memory.memory.changes.context import read_context
from graph_memory.memory.changes.plan import Changeset, Context
from graph_memory.memory.changes.rules import broken_rules
from graph_memory.memory.core import Core
from graph_memory.memory.graph.closure import check_depth, check_transitive
from graph_memory.memory.graph.connections import NewConnection, creation
from graph_memory.memory.graph.describe import node_briefs
from graph_memory.memory.graph.premises import evidence_of, evidence_text, lost_premises
from graph_memory.memory.inference.results import Inferred, InferredConnection, LostPremises
from graph_memory.model.errors import Hint
from graph_memory.model.events import Draft, Head, new_id
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.strength import Provenance, Strength
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

MOST = 1_000
"""Connections that one call infers unless `limit` says otherwise."""
MOST_EVER = 10_000
MOST_EDGES = 100_000
"""Connections of one type that are looked at."""
MOST_FOLLOWED = 1_000_000
"""What follows from the connections of one type before the rest is left uncounted."""


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A connection, and how it came to be."""

    id: str
    type: str
    from_id: str
    to_id: str
    method: str


EDGES = query("inference/edges", EdgeRow)
Edges = Mapping[str, Mapping[str, str]]
"""For each node those one connection away, each with the id of that connection."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What follows and is missing, with all that a decision looks at."""

    missing: Sequence[NewConnection]
    context: Context
    more: int
    inferred: Sequence[str]
    """The inferred connections that there are."""


@dataclass(frozen=True, slots=True)
class _Report:
    """What no rule forbids, and how many connections a rule forbids."""

    kept: Sequence[Draft]
    refused: int
    found: _Found


async def infer_connections(
    core: Core,
    domain: str,
    *,
    connection_type: str | None,
    max_depth: int | None,
    limit: int | None,
    dry_run: bool,
) -> Inferred:
    """Write what follows from transitive types. `Memory.infer_connections` tells the rest."""
    depth, most = check_depth(max_depth, transitive=True), _check_limit(limit)

    async def read(reader: Reader, head: Head) -> _Found:
        return await _look(reader, head, _types(head.ontology, connection_type), depth, most, core.origin.actor)

    written = await core.log.write("infer_connections", domain, core.origin, read, _decide, dry_run=dry_run)
    receipt, report = written.receipt, written.report
    is_written = bool(report.kept) and not dry_run
    return Inferred(
        dry_run=dry_run,
        connections=await _told(core, domain, report.kept, dry_run=dry_run),
        more=report.found.more,
        refused=report.refused,
        unfounded=await _unfounded(core, domain, report.found.inferred),
        since=receipt.changes[0].seq if is_written else None,
        until=receipt.seq if is_written else None,
    )


def _decide(head: Head, found: _Found) -> Decision[_Report]:
    """Return the missing connections that no rule forbids."""
    drafts = [creation(head, connection) for connection in found.missing]
    refused = {violation.draft.subject for violation in Changeset.of(found.context, drafts).violations()}
    kept = [draft for draft in drafts if draft.subject not in refused]
    checked = Changeset.of(found.context, kept).checked(head.domain) if kept else []
    return Decision(checked, _Report(kept, len(refused), found))


def _types(ontology: Ontology, connection_type: str | None) -> list[str]:
    """Return the types to look at, of two that are inverses of each other the first."""
    if connection_type is not None:
        return [ontology.stored_as(check_transitive(ontology, connection_type))[0]]
    names: list[str] = []
    for declared in ontology.connection_types:
        if declared.transitive and declared.inverse not in names:
            names.append(declared.name)
    return names


async def _look(reader: Reader, head: Head, types: Sequence[str], depth: int, most: int, actor: str | None) -> _Found:
    missing: list[NewConnection] = []
    inferred: list[str] = []
    more = 0
    for name in types:
        stored = head.ontology.names_of(name).types
        rows = await reader.read(EDGES, domain=head.domain, types=stored, limit=MOST_EDGES + 1)
        if len(rows) > MOST_EDGES:
            hint = Hint("Use {get_connected_nodes:transitive=true}, which follows them when it is asked.")
            raise fault("connection_type", f"{name} has more than {MOST_EDGES:,} connections", hint)
        inferred += [row.id for row in rows if row.method == "inferred"]
        following = islice(_following(head.ontology, name, rows, depth), MOST_FOLLOWED)
        for source, target, evidence in following:
            if len(missing) == most:
                more += 1
            else:
                missing.append(_inferred(name, source, target, evidence, actor))
    if not missing:
        return _Found((), Context(ontology=head.ontology), more, sorted(inferred))
    drafts = [creation(head, connection) for connection in missing]
    context = await read_context(reader, head, drafts)
    broken = await broken_rules(reader, head.domain, drafts, head.ontology)
    return _Found(missing, replace(context, broken=broken), more, sorted(inferred))


def _following(
    ontology: Ontology, name: str, rows: Sequence[EdgeRow], depth: int
) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Give what follows from connections of a type and is not among them, in order: source, target, and by which."""
    names = ontology.names_of(name)
    there: dict[str, set[str]] = {}
    edges: dict[str, dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: row.id):
        ways = [(row.from_id, row.to_id)] if row.type in names.along else []
        ways += [(row.to_id, row.from_id)] if row.type in names.against else []
        for source, target in ways:
            there.setdefault(source, set()).add(target)
            if row.method != "inferred":
                edges.setdefault(source, {}).setdefault(target, row.id)
    is_symmetric = name in names.against
    for source in sorted(edges):
        for target, evidence in sorted(_chains(edges, source, depth).items()):
            if target not in there[source] and not (is_symmetric and target < source):
                yield source, target, evidence


def _chains(edges: Edges, source: str, depth: int) -> dict[str, tuple[str, ...]]:
    """Return the nodes that connections in a row lead to, each with the ids of the fewest that do."""
    found: dict[str, tuple[str, ...]] = {source: ()}
    ends = [source]
    for _ in range(depth):
        further: list[str] = []
        for node in ends:
            for target, id_ in sorted(edges.get(node, {}).items()):
                if target not in found:
                    found[target] = (*found[node], id_)
                    further.append(target)
        ends = further
    del found[source]
    return found


def _inferred(name: str, source: str, target: str, evidence: Sequence[str], actor: str | None) -> NewConnection:
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


async def _told(core: Core, domain: str, drafts: Sequence[Draft], *, dry_run: bool) -> tuple[InferredConnection, ...]:
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


async def _unfounded(core: Core, domain: str, inferred: Sequence[str]) -> tuple[LostPremises, ...]:
    lost = await lost_premises(core, domain, inferred)
    return tuple(LostPremises(connection_id=one, lost=gone) for one, gone in lost.items() if gone)


def _check_limit(limit: int | None) -> int:
    if limit is None:
        return MOST
    if type(limit) is not int or not 1 <= limit <= MOST_EVER:
        raise fault("limit", f"limit must be an integer from 1 to {MOST_EVER:,}, not {limit}", "Call again for more.")
    return limit
