"""Paths between two nodes, and what is next to one: from the request to the reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from math import prod

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import DescribedRow, described
from graph_memory.memory.search.place import place_of
from graph_memory.memory.search.request import check_integer
from graph_memory.memory.traversal.frontier import Frontier
from graph_memory.memory.traversal.request import (
    MOST_NEIGHBORS,
    EdgeFilter,
    PathRequest,
    edge_filter,
)
from graph_memory.memory.traversal.results import Neighbors, NextTo, Path, Paths
from graph_memory.memory.traversal.traverse import followed
from graph_memory.memory.traversal.walks.edges import LOOKED, Asked, Edge, Found
from graph_memory.memory.traversal.walks.paths import Best, Ways, best_paths, one_each, unlikely, ways_between
from graph_memory.model.ontology.ontology import Names
from graph_memory.model.results import Direction, NodeSummary
from graph_memory.model.subjects.kinds import Kind


async def find_path(core: Core, domain: str, request: PathRequest) -> Paths:
    """Return paths between two nodes. `Recall.find_path` tells the rest."""
    place = await place_of(core, domain, request.as_of)
    await place.require([request.from_id, request.to_id])
    frontier = Frontier(place, await place.scale(), request.edges)
    steps = ways_between(request.from_id, request.to_id, request.max_depth, first_only=request.mode == "shortest")
    ways = await frontier.answer(steps)
    best = await anyio.to_thread.run_sync(_best, ways, request)
    rows = await place.nodes(sorted({node for path in best.paths for node in path}))
    paths = tuple(_path(path, ways, rows) for path in best.paths if rows.keys() >= set(path))
    return Paths(
        paths=paths,
        tried=None if paths else _tried(request, ways),
        warnings=(*_limits(ways, best), *(() if paths else await place.unknown(request.edges.types))) or None,
    )


def _best(ways: Ways, request: PathRequest) -> Best:
    cost = unlikely if request.mode == "weighted" else one_each
    if not ways.is_met:
        return Best(())
    return best_paths(ways.graph, request.from_id, request.to_id, request.k, ways.steps, cost)


def _path(path: Sequence[str], ways: Ways, rows: Mapping[str, DescribedRow]) -> Path:
    edges = [ways.graph[here][there] for here, there in pairwise(path)]
    return Path(
        nodes=tuple(rows[node].named for node in path),
        connections=tuple(followed(edge, round(edge.weight, 4)) for edge in edges),
        length=len(edges),
        weight=round(prod(edge.weight for edge in edges), 4),
    )


def _tried(request: PathRequest, ways: Ways) -> str:
    """Return what was looked at in vain, as a sentence."""
    way = {"out": "in their direction", "in": "against their direction", "both": "in either direction"}
    types = f" of type {', '.join(request.edges.types)}" if request.edges.types else ""
    noun = "connection" if request.max_depth == 1 else "connections"
    how = f"{noun}{types}, {way[request.edges.direction]}"
    return f"No path of at most {request.max_depth} {how}: {ways.explored:,} nodes were reached from both ends."


def _limits(ways: Ways, best: Best) -> list[str]:
    """Return what bounds of the search may have hidden."""
    lines: list[str] = []
    if ways.is_full:
        lines += [
            f"More than {ways.explored - 1:,} nodes lie between: longer paths than {ways.steps} were not looked for."
        ]
    if ways.cut:
        lines += [f"Of {', '.join(sorted(ways.cut))} not all connections were followed: there are too many."]
    if best.is_cut:
        lines += ["There are too many ways between the two: there may be better paths than these."]
    return lines


async def get_neighbors(
    core: Core,
    domain: str,
    node_id: str,
    *,
    types: Sequence[str] | None,
    direction: Direction,
    limit: int,
    as_of: int | str | None,
    valid_at: datetime | str | None,
) -> Neighbors:
    """Return a node with what is next to it. `Recall.get_neighbors` tells the rest."""
    edges = edge_filter(types, direction, valid_at)
    check_integer("limit", limit, 1, MOST_NEIGHBORS)
    place = await place_of(core, domain, as_of)
    row = (await place.require([node_id]))[node_id]
    frontier = Frontier(place, await place.scale(), edges)
    hit = await frontier.found(Asked((node_id,), limit))
    seen = await _seen(frontier, node_id, hit.edges[node_id])
    others = dict.fromkeys(edge.other(node_id) for edge in hit.edges[node_id])
    rows = await place.nodes([*others])
    return Neighbors(
        node=NodeSummary(**row.named.model_dump(), **row.rest),
        outgoing=tuple(to for to in seen if to.from_id == node_id and direction != "in"),
        incoming=tuple(to for to in seen if to.to_id == node_id and direction != "out"),
        neighbors=tuple(rows[other].named for other in others if other in rows),
        left_out=True if hit.cut else None,
        warnings=(*_of_a_hub(node_id, hit), *(() if seen else await place.unknown(edges.types))) or None,
    )


def _of_a_hub(node_id: str, hit: Found) -> list[str]:
    """Return that not all connections of a node were looked at, where that is so."""
    if node_id not in hit.hubs:
        return []
    many = f"{node_id} has so many connections that only the {LOOKED:,} that changed last of each type and direction"
    return [f"{many} were looked at: others may count more. Ask for fewer types."]


async def _seen(frontier: Frontier, node_id: str, edges: Sequence[Edge]) -> list[NextTo]:
    """Return connections as they are seen from a node under the names that are asked for."""
    place, filter_ = frontier.place, frontier.edges
    rows = await described(place.core, place.domain, Kind.CONNECTION, [edge.id for edge in edges], place.number)
    await frontier.scale.check()
    seen = {edge.id: edge for edge in edges}
    ontology = frontier.scale.ontology
    names = {name: ontology.names_of(name) for name in filter_.types} if ontology else {}
    return [_told(row, _turned(row, node_id, filter_, names), seen[row.id]) for row in rows]


def _turned(row: DescribedRow, node_id: str, filter_: EdgeFilter, names: Mapping[str, Names]) -> str | None:
    """Return the name under which a connection is seen from its other end, None where it is seen as it is stored."""
    is_way = (row.from_id == node_id and filter_.direction != "in") or (
        row.to_id == node_id and filter_.direction != "out"
    )
    if not names or (is_way and any(row.type in one.along for one in names.values())):
        return None
    return next((name for name, one in names.items() if row.type in one.against), None)


def _told(row: DescribedRow, turned: str | None, edge: Edge) -> NextTo:
    counts = round(edge.weight, 4)
    if turned is None:
        return NextTo(**row.connection.model_dump(), weight=counts, since=edge.since, until=edge.until)
    return NextTo(
        id=row.id,
        type=turned,
        from_id=row.to_id,
        from_title=row.to_title,
        to_id=row.from_id,
        to_title=row.from_title,
        inferred=True,
        weight=counts,
        since=edge.since,
        until=edge.until,
    )
