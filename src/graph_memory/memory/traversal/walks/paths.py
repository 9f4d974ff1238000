"""Paths between two nodes in a graph that is read step by step, from both ends. On a tie, paths are ordered by id."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from graph_memory.memory.traversal.walks.edges import Edge, EdgeRequest, Steps, heavier_edge, split_into_requests

MAX_EXPLORED = 5_000
"""Maximum number of nodes reached from both ends in total."""
MAX_TRIED = 20_000
"""Maximum number of partial paths that are tried."""
_MIN_WEIGHT = 1e-12
Graph = Mapping[str, Mapping[str, Edge]]
"""The strongest connection between two nodes, by source and then by target."""


@dataclass(slots=True)
class ExploredGraph:
    """The explored part of the graph between two nodes."""

    graph: defaultdict[str, dict[str, Edge]] = field(default_factory=lambda: defaultdict(dict[str, Edge]))
    steps: int = 0
    """The number of steps up to which all paths were read."""
    explored: int = 0
    cut: set[str] = field(default_factory=set[str])
    is_full: bool = False
    is_met: bool = False


@dataclass(slots=True)
class _Side:
    """The nodes reached from one end of the path."""

    depths: dict[str, int]
    frontier: list[str]
    backward: bool
    steps: int = 0


@dataclass(frozen=True, slots=True)
class BestPaths:
    """The best paths as lists of nodes, best first, and whether the limit of partial paths was reached."""

    paths: tuple[tuple[str, ...], ...]
    is_cut: bool = False


def explore_between(start: str, end: str, max_depth: int, *, first_only: bool) -> Steps[ExploredGraph]:
    """Read all paths of up to `max_depth` steps. If `first_only` is set, stop when the shortest path is found."""
    explored_graph = ExploredGraph()
    forward_side, backward_side = _Side({start: 0}, [start], backward=False), _Side({end: 0}, [end], backward=True)
    explored_graph.is_met = start == end
    while (
        explored_graph.steps < max_depth
        and forward_side.frontier
        and backward_side.frontier
        and not (first_only and explored_graph.is_met)
    ):
        side, other = (
            (forward_side, backward_side)
            if len(forward_side.frontier) <= len(backward_side.frontier)
            else (backward_side, forward_side)
        )
        yield from _explore_step(explored_graph, side, other)
        explored_graph.steps += 1
        explored_graph.is_met = explored_graph.is_met or not forward_side.depths.keys().isdisjoint(backward_side.depths)
        explored_graph.explored = len(forward_side.depths) + len(backward_side.depths)
        if explored_graph.explored > MAX_EXPLORED:
            explored_graph.is_full = True
            return explored_graph
    if not (forward_side.frontier and backward_side.frontier):  # all nodes that can be reached from one end were read
        explored_graph.steps = max_depth
    return explored_graph


def _explore_step(explored_graph: ExploredGraph, side: _Side, other: _Side) -> Steps[None]:
    """Follow the connections of all nodes on the frontier of one side."""
    new_nodes: list[str] = []
    for part in split_into_requests(side.frontier):
        reply = yield EdgeRequest(part, backward=side.backward)
        edges = [(node, edge) for node in part for edge in reply.edges.get(node, ())]
        if reply.cut:
            explored_graph.cut |= reply.cut
            other_nodes = tuple(other.depths)
            joining = yield EdgeRequest(tuple(sorted(reply.cut)), towards=other_nodes, backward=side.backward)
            edges += [(node, edge) for node, node_edges in joining.edges.items() for edge in node_edges]
        for node, edge in edges:
            neighbour = edge.other(node)
            source, target = (neighbour, node) if side.backward else (node, neighbour)
            explored_graph.graph[source][target] = heavier_edge(explored_graph.graph[source].get(target), edge)
            if neighbour not in side.depths:
                side.depths[neighbour] = side.steps + 1
                new_nodes.append(neighbour)
    side.steps += 1
    side.frontier = new_nodes


def unit_cost(_: Edge) -> float:
    """Return 1. Use this step cost to rank paths by their number of steps."""
    return 1.0


def weight_cost(edge: Edge) -> float:
    """Return a step's cost for ranking paths: the path with the lowest cost has the highest product of weights."""
    return -math.log(min(max(edge.weight, _MIN_WEIGHT), 1.0)) + 0.0


def best_paths(
    graph: Graph, start: str, end: str, count: int, max_steps: int, cost: Callable[[Edge], float]
) -> BestPaths:
    """Return the `count` paths of at most `max_steps` steps with the lowest costs. No path visits a node twice."""
    costs = _costs_to_end(graph, end, max_steps, cost)
    if start not in costs[max_steps]:
        return BestPaths(())
    results: list[tuple[str, ...]] = []
    heap: list[tuple[float, tuple[str, ...], float]] = [(costs[max_steps][start], (start,), 0.0)]
    for _ in range(MAX_TRIED):
        if not heap or len(results) == count:
            return BestPaths(tuple(results))
        _, path, spent = heapq.heappop(heap)
        node, steps_left = path[-1], max_steps - len(path) + 1
        if node == end:
            results.append(path)
            continue
        for other, edge in graph.get(node, {}).items() if steps_left else ():
            if other in costs[steps_left - 1] and other not in path:
                total = spent + cost(edge)
                heapq.heappush(heap, (round(total + costs[steps_left - 1][other], 12), (*path, other), total))
    return BestPaths(tuple(results), is_cut=True)


def _costs_to_end(graph: Graph, end: str, max_steps: int, cost: Callable[[Edge], float]) -> list[dict[str, float]]:
    """Return each node's lowest cost to the end, for each maximum number of steps from 0 to `max_steps`."""
    predecessors: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for node, edges in graph.items():
        for other, edge in edges.items():
            predecessors[other].append((node, cost(edge)))
    layers = [{end: 0.0}]
    changed = {end}
    for _ in range(max_steps):
        layer = dict(layers[-1])
        improved: set[str] = set()
        for other in changed:
            for node, price in predecessors[other]:
                if (total := layers[-1][other] + price) < layer.get(node, math.inf):
                    layer[node] = total
                    improved.add(node)
        layers.append(layer)
        changed = improved
    return layers
