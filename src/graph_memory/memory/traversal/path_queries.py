"""Queries of paths between two nodes, and of a node's neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from math import prod

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import DescribedRow, fetch_descriptions
from graph_memory.memory.search.place import domain_state_at
from graph_memory.memory.search.request import check_integer
from graph_memory.memory.traversal.frontier import Frontier
from graph_memory.memory.traversal.request import MAX_NEIGHBORS, EdgeFilter, PathRequest, edge_filter
from graph_memory.memory.traversal.results import AdjacentConnection, Neighbors, Path, Paths
from graph_memory.memory.traversal.traverse import followed_connection
from graph_memory.memory.traversal.walks.edges import MAX_CHANGES, Edge, EdgeReply, EdgeRequest
from graph_memory.memory.traversal.walks.paths import (
    BestPaths,
    ExploredGraph,
    best_paths,
    explore_between,
    unit_cost,
    weight_cost,
)
from graph_memory.model.ontology.ontology import TypeNames
from graph_memory.model.results import Direction, NodeSummary
from graph_memory.model.subjects.kinds import Kind


async def find_path(core: Core, domain: str, request: PathRequest) -> Paths:
    """Return paths between two nodes. See `Recall.find_path`."""
    place = await domain_state_at(core, domain, request.as_of)
    await place.require_nodes([request.from_id, request.to_id])
    frontier = Frontier(place, await place.load_weigher(), request.edges)
    steps = explore_between(request.from_id, request.to_id, request.max_depth, first_only=request.mode == "shortest")
    explored = await frontier.run(steps)
    cost = weight_cost if request.mode == "weighted" else unit_cost
    best = BestPaths(())
    if explored.is_met:
        best = await anyio.to_thread.run_sync(
            best_paths, explored.graph, request.from_id, request.to_id, request.k, explored.steps, cost
        )
    rows = await place.read_nodes(sorted({node for path in best.paths for node in path}))
    paths = tuple(_build_path(path, explored, rows) for path in best.paths if rows.keys() >= set(path))
    return Paths(
        paths=paths,
        tried=None if paths else _describe_failed_search(request, explored),
        warnings=(
            *_limit_warnings(explored, best),
            *(() if paths else await place.warn_of_unknown_types(request.edges.types)),
        )
        or None,
    )


def _build_path(node_ids: Sequence[str], explored: ExploredGraph, rows: Mapping[str, DescribedRow]) -> Path:
    edges = [explored.graph[start][end] for start, end in pairwise(node_ids)]
    return Path(
        nodes=tuple(rows[node].titled_node for node in node_ids),
        connections=tuple(followed_connection(edge, round(edge.weight, 4)) for edge in edges),
        length=len(edges),
        weight=round(prod(edge.weight for edge in edges), 4),
    )


def _describe_failed_search(request: PathRequest, explored: ExploredGraph) -> str:
    directions = {"out": "in their direction", "in": "against their direction", "both": "in either direction"}
    types = f" of type {', '.join(request.edges.types)}" if request.edges.types else ""
    noun = "connection" if request.max_depth == 1 else "connections"
    description = f"No path of at most {request.max_depth} {noun}{types}, {directions[request.edges.direction]}"
    return f"{description}: {explored.explored:,} nodes were reached from both ends."


def _limit_warnings(explored: ExploredGraph, best: BestPaths) -> list[str]:
    lines: list[str] = []
    if explored.is_full:
        number, steps = explored.explored - 1, explored.steps
        lines.append(f"More than {number:,} nodes lie between: paths longer than {steps} were not searched.")
    if explored.cut:
        lines.append(f"Not all connections of {', '.join(sorted(explored.cut))} were followed: there are too many.")
    if best.is_cut:
        lines.append("There are too many paths between the two nodes to compare all of them: better paths may exist.")
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
    """Return a node with its neighbours. See `Recall.get_neighbors`."""
    edges = edge_filter(types, direction, valid_at)
    check_integer("limit", limit, 1, MAX_NEIGHBORS)
    place = await domain_state_at(core, domain, as_of)
    row = (await place.require_nodes([node_id]))[node_id]
    frontier = Frontier(place, await place.load_weigher(), edges)
    reply = await frontier.read_edges(EdgeRequest((node_id,), limit))
    connections = await _read_connections(frontier, node_id, reply.edges[node_id])
    neighbour_ids = dict.fromkeys(edge.other(node_id) for edge in reply.edges[node_id])
    rows = await place.read_nodes([*neighbour_ids])
    return Neighbors(
        node=NodeSummary(**row.titled_node.model_dump(), **row.summary_fields),
        outgoing=tuple(adjacent for adjacent in connections if adjacent.from_id == node_id and direction != "in"),
        incoming=tuple(adjacent for adjacent in connections if adjacent.to_id == node_id and direction != "out"),
        neighbors=tuple(rows[other].titled_node for other in neighbour_ids if other in rows),
        left_out=True if reply.cut else None,
        warnings=(
            *_hub_warnings(node_id, reply),
            *(() if connections else await place.warn_of_unknown_types(edges.types)),
        )
        or None,
    )


def _hub_warnings(node_id: str, reply: EdgeReply) -> list[str]:
    if node_id not in reply.hubs:
        return []
    limit = f"only the {MAX_CHANGES:,} most recently changed ones of each type and direction were read"
    return [f"{node_id} has very many connections: {limit}. Others may have more weight. Pass fewer types."]


async def _read_connections(frontier: Frontier, node_id: str, edges: Sequence[Edge]) -> list[AdjacentConnection]:
    """Return connections from a node's point of view, under the type names that the request uses."""
    place, edge_filter = frontier.place, frontier.edges
    rows = await fetch_descriptions(
        place.core, place.domain, Kind.CONNECTION, [edge.id for edge in edges], place.number
    )
    await frontier.scale.check()
    edges_by_id = {edge.id: edge for edge in edges}
    ontology = frontier.scale.ontology
    names = {name: ontology.names_of(name) for name in edge_filter.types} if ontology else {}
    return [_make_connection(row, _inverse_name(row, node_id, edge_filter, names), edges_by_id[row.id]) for row in rows]


def _inverse_name(
    row: DescribedRow, node_id: str, edge_filter: EdgeFilter, names: Mapping[str, TypeNames]
) -> str | None:
    """Return a connection's inverse name, or None if it is followed in its stored direction."""
    is_followed = (row.from_id == node_id and edge_filter.direction != "in") or (
        row.to_id == node_id and edge_filter.direction != "out"
    )
    if not names or (is_followed and any(row.type in type_names.forward_types for type_names in names.values())):
        return None
    return next((name for name, type_names in names.items() if row.type in type_names.reverse_types), None)


def _make_connection(row: DescribedRow, inverse: str | None, edge: Edge) -> AdjacentConnection:
    weight = round(edge.weight, 4)
    if inverse is None:
        return AdjacentConnection(**row.connection.model_dump(), weight=weight, since=edge.since, until=edge.until)
    return AdjacentConnection(
        id=row.id,
        type=inverse,
        from_id=row.to_id,
        from_title=row.to_title,
        to_id=row.from_id,
        to_title=row.from_title,
        inferred=True,
        weight=weight,
        since=edge.since,
        until=edge.until,
    )
