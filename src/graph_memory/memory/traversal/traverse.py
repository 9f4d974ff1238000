"""Runs walks: reads the graph for a validated request, and builds the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import DescribedRow
from graph_memory.memory.graph.empty_result_warnings import unknown_properties
from graph_memory.memory.search.place import DomainState, domain_state_at
from graph_memory.memory.search.token_budget import fit_whole, tokens_of
from graph_memory.memory.traversal.contents import STAGES, duplicates_of, max_lengths, shorten, texts_by_mode
from graph_memory.memory.traversal.crossing import MultiDomainFrontier, split_key, states_by_domain
from graph_memory.memory.traversal.frontier import Frontier
from graph_memory.memory.traversal.request import WalkRequest
from graph_memory.memory.traversal.results import (
    FollowedConnection,
    Metrics,
    OmittedCounts,
    ReachedNode,
    TraversalResult,
)
from graph_memory.memory.traversal.walks.edges import Edge, EdgeRequest, Steps, split_into_requests
from graph_memory.memory.traversal.walks.meeting import bidirectional
from graph_memory.memory.traversal.walks.metrics import GraphMeasures, measure_graph
from graph_memory.memory.traversal.walks.walk import Plan, Visit, WalkResult, best_first, breadth_first, depth_first
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import user_properties

CONNECTIONS_PER_NODE = 5
"""Maximum number of connections in the result, as a multiple of the maximum number of nodes."""
_STRATEGIES = {
    "breadth_first": breadth_first,
    "depth_first": depth_first,
    "weighted": best_first,
    "bidirectional": bidirectional,
}


@dataclass(frozen=True, slots=True)
class _WalkResult:
    """The nodes of a walk with their contents, and the connections between them."""

    request: WalkRequest
    visits: Sequence[Visit]
    rows: Mapping[str, DescribedRow]
    texts: Mapping[str, str]
    originals: Mapping[str, str]
    """The node of which each omitted node is a duplicate."""
    edges: Sequence[Edge]
    ranks: Mapping[str, float]
    measures: GraphMeasures | None

    def render(self, stage: int, count: int) -> Shown:
        """Return the first `count` nodes and the connections between them, with contents cut to this stage."""
        nodes = [self._node(visit, stage) for visit in self.visits[:count]]
        ids = {visit.id for visit in self.visits[:count]}
        return nodes, [
            followed_connection(edge, self.ranks[edge.id]) for edge in self.edges if {edge.from_id, edge.to_id} <= ids
        ]

    def _node(self, visit: Visit, stage: int) -> ReachedNode:
        row, mode = self.rows[visit.id], self.request.return_mode
        (domain, node), (parent_domain, parent) = split_key("", visit.id), split_key("", visit.parent or "")
        return ReachedNode(
            id=node,
            domain=domain or None,
            type=row.type,
            title=row.titled_node.title,
            depth=visit.depth,
            via=split_key("", visit.via.id)[1] if visit.via else None,
            parent=parent or None,
            parent_domain=parent_domain or None,
            content=shorten(self.texts.get(visit.id, ""), max_lengths(mode, visit.depth)[stage]),
            properties=user_properties(row.event) or None if mode == "full_content" else None,
            duplicates=tuple(split_key("", key)[1] for key, first in self.originals.items() if first == visit.id)
            or None,
            degree=self.measures.degrees[visit.id] if self.measures else None,
            centrality=round(self.measures.centralities[visit.id], 4) if self.measures else None,
        )


async def traverse(core: Core, domain: str, request: WalkRequest) -> TraversalResult:
    """Return the nodes that a walk reaches. See `Recall.traverse_memories`."""
    place = await domain_state_at(core, domain, request.as_of)
    await place.require_nodes(request.starts)
    weighting = request.weighting
    frontier_class = MultiDomainFrontier if request.cross_domains else Frontier
    frontier = frontier_class(
        place,
        await place.load_weigher(),
        request.edges,
        request.nodes,
        request.starts,
        weighting.property,
        more=weighting.is_expression,
    )
    plan = Plan(
        request.starts,
        request.strategy,
        request.max_depth,
        request.max_nodes,
        request.expansion,
        weighting.rank,
        ranks_all=weighting.is_expression,
    )
    walk = await frontier.run(_STRATEGIES[request.strategy](plan))
    rows, texts, originals, warnings = await _read_contents(place, [*walk.visits], request)
    visits = [visit for visit in walk.visits.values() if visit.id in rows and visit.id not in originals]
    edges = await frontier.run(_request_edges_between([visit.id for visit in visits]))
    ranks = {edge.id: round(weighting.rank(edge, _depth_of_end(edge, walk)), 4) for edge in edges.values()}
    used_ids = {visit.via.id for visit in walk.visits.values() if visit.via} | {edge.id for edge in walk.joins}
    ordered = sorted(edges.values(), key=lambda edge: (edge.id not in used_ids, -ranks[edge.id], edge.id))
    shown_edges = ordered[: CONNECTIONS_PER_NODE * request.max_nodes]
    pairs = [(edge.from_id, edge.to_id) for edge in ordered]
    measures = measure_graph([visit.id for visit in visits], pairs) if request.include_metrics else None
    result = _WalkResult(request, visits, rows, texts, originals, shown_edges, ranks, measures)
    if len(walk.visits) == len(request.starts):
        warnings += await place.warn_of_unknown_types([*request.edges.types, *request.nodes.types])
    elif request.strategy == "bidirectional" and not walk.joins:
        warnings += ["The walks did not meet within max_depth."]
    warnings += await _weight_warnings(place, request, ranks)
    return await _build_result(result, walk, len(ordered), tuple(warnings))


async def _read_contents(
    place: DomainState, keys: Sequence[str], request: WalkRequest
) -> tuple[dict[str, DescribedRow], dict[str, str], dict[str, str], list[str]]:
    """Return rows, texts and the originals of duplicate nodes, each by node key, and a list of warnings."""
    rows, texts, originals, warnings = dict[str, DescribedRow](), dict[str, str](), dict[str, str](), list[str]()
    for node_place, key_by_id in states_by_domain(place, keys):
        node_rows = await node_place.read_nodes([*key_by_id])
        starts = request.starts if node_place is place else ()
        duplicates, duplicate_warnings = await duplicates_of(node_place, node_rows, starts, request.deduplication)
        distinct = {node_id: row for node_id, row in node_rows.items() if node_id not in duplicates}
        texts |= {
            key_by_id[node_id]: text
            for node_id, text in (await texts_by_mode(node_place, distinct, request.return_mode)).items()
        }
        rows |= {key_by_id[node_id]: row for node_id, row in node_rows.items()}
        originals |= {key_by_id[node_id]: key_by_id[first] for node_id, first in duplicates.items()}
        warnings += duplicate_warnings
    return rows, texts, originals, warnings


async def _weight_warnings(place: DomainState, request: WalkRequest, ranks: Mapping[str, float]) -> list[str]:
    properties = request.weighting.properties
    lines = await unknown_properties(place.core, place.domain, Kind.CONNECTION, properties)
    if ranks and not any(ranks.values()) and (properties or request.weighting.is_expression):
        lines.append("weight is 0 for every connection: values that are not numbers or cannot be computed count as 0.")
    return lines


async def _build_result(
    result: _WalkResult, walk: WalkResult, connections: int, warnings: tuple[str, ...]
) -> TraversalResult:
    request, tokens = result.request, None
    nodes, connections_shown = result.render(0, len(result.visits))
    if request.max_tokens is not None:
        nodes, connections_shown = await anyio.to_thread.run_sync(
            fit_whole, result.render, STAGES, len(result.visits), request.max_tokens, _count_tokens
        )
        tokens = _count_tokens((nodes, connections_shown))
        if result.visits and not nodes:
            min_tokens = _count_tokens(result.render(STAGES - 1, 1))
            warnings = (*warnings, f"max_tokens is too small: the first node alone takes {min_tokens} tokens.")
    left_out = OmittedCounts(
        max_nodes=walk.is_full or None,
        max_depth=sum(visit.depth == request.max_depth for visit in result.visits) or None,
        max_tokens=len(result.visits) - len(nodes) or None,
        duplicates=len(result.originals) or None,
        connections=connections - len(result.edges) or None,
        hubs=tuple(sorted(walk.cut)) or None,
    )
    metrics = None
    if result.measures is not None:
        metrics = Metrics(
            nodes=len(result.visits),
            connections=connections,
            depth=max(visit.depth for visit in result.visits),
            density=round(result.measures.density, 4),
            components=result.measures.components,
            largest_component=result.measures.largest,
        )
    return TraversalResult(
        nodes=tuple(nodes),
        connections=tuple(connections_shown),
        metrics=metrics,
        left_out=left_out if left_out.to_dict() else None,
        tokens=tokens,
        warnings=warnings or None,
    )


def _request_edges_between(nodes: Sequence[str]) -> Steps[dict[str, Edge]]:
    edges: dict[str, Edge] = {}
    for part in split_into_requests(nodes):
        reply = yield EdgeRequest(part, towards=tuple(nodes))
        edges |= {edge.id: edge for node_edges in reply.edges.values() for edge in node_edges}
    return edges


def _depth_of_end(edge: Edge, walk: WalkResult) -> int:
    """Return the depth of the node that this connection reaches."""
    return min(walk.visits[end].depth for end in (edge.from_id, edge.to_id)) + 1


def followed_connection(edge: Edge, weight: float) -> FollowedConnection:
    """Return a connection as a result, with its endpoints' ids and domains instead of keys."""
    (begins, source), (ends, target) = split_key("", edge.from_id), split_key("", edge.to_id)
    return FollowedConnection(
        id=split_key("", edge.id)[1],
        type=edge.type,
        from_id=source,
        to_id=target,
        from_domain=begins or None,
        to_domain=ends or None,
        weight=weight,
        since=edge.since,
        until=edge.until,
    )


Shown = tuple[list[ReachedNode], list[FollowedConnection]]


def _count_tokens(shown: Shown) -> int:
    return tokens_of([*shown[0], *shown[1]])
