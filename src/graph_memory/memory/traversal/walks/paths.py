"""Paths between two nodes in a graph that is asked for bit by bit, from both ends. What is equal goes by the ids."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from graph_memory.memory.traversal.walks.edges import Asked, Edge, Steps, better, chunks

EXPLORED = 5_000
"""Nodes that are reached from both ends, at most."""
TRIED = 20_000
"""Beginnings of paths that are tried, at most."""
_LIGHTEST = 1e-12
Graph = Mapping[str, Mapping[str, Edge]]
"""From each node the nodes one step on, each by the connection that counts most."""


@dataclass(slots=True)
class Ways:
    """What lies between two nodes, as far as it was looked at."""

    graph: defaultdict[str, dict[str, Edge]] = field(default_factory=lambda: defaultdict(dict[str, Edge]))
    steps: int = 0
    """The longest path of which every step is known."""
    explored: int = 0
    cut: set[str] = field(default_factory=set[str])
    is_full: bool = False
    is_met: bool = False


@dataclass(slots=True)
class _Side:
    """What was reached from one end."""

    depths: dict[str, int]
    frontier: list[str]
    backward: bool
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Best:
    """Paths as their nodes, the best first, and whether too many beginnings were tried."""

    paths: tuple[tuple[str, ...], ...]
    is_cut: bool = False


def ways_between(start: str, end: str, max_depth: int, *, first_only: bool) -> Steps[Ways]:
    """Ask for all steps of the paths of at most so many; with `first_only` just for those of the shortest."""
    ways = Ways()
    ahead, back = _Side({start: 0}, [start], backward=False), _Side({end: 0}, [end], backward=True)
    ways.is_met = start == end
    while ways.steps < max_depth and ahead.frontier and back.frontier and not (first_only and ways.is_met):
        side, other = (ahead, back) if len(ahead.frontier) <= len(back.frontier) else (back, ahead)
        yield from _further(ways, side, other)
        ways.steps += 1
        ways.is_met = ways.is_met or not ahead.depths.keys().isdisjoint(back.depths)
        ways.explored = len(ahead.depths) + len(back.depths)
        if ways.explored > EXPLORED:
            ways.is_full = True
            break
    return ways


def _further(ways: Ways, side: _Side, other: _Side) -> Steps[None]:
    """Go one step further from an end."""
    reached: list[str] = []
    for part in chunks(side.frontier):
        hit = yield Asked(part, backward=side.backward)
        edges = [(node, edge) for node in part for edge in hit.edges.get(node, ())]
        if hit.cut:
            ways.cut |= hit.cut
            known = tuple(other.depths)
            joining = yield Asked(tuple(sorted(hit.cut)), towards=known, backward=side.backward)
            edges += [(node, edge) for node, several in joining.edges.items() for edge in several]
        for node, edge in edges:
            beyond = edge.other(node)
            here, there = (beyond, node) if side.backward else (node, beyond)
            ways.graph[here][there] = better(ways.graph[here].get(there), edge)
            if beyond not in side.depths:
                side.depths[beyond] = side.steps + 1
                reached.append(beyond)
    side.steps += 1
    side.frontier = reached


def one_each(_: Edge) -> float:
    """Return what a step costs where only their number counts."""
    return 1.0


def unlikely(edge: Edge) -> float:
    """Return what a step costs where the product of the weights counts: the least sum is the greatest product."""
    return -math.log(min(max(edge.weight, _LIGHTEST), 1.0)) + 0.0


def best_paths(graph: Graph, start: str, end: str, count: int, most: int, cost: Callable[[Edge], float]) -> Best:
    """Return so many paths that cost least, each node once in a path, of at most so many steps."""
    rest = _rest(graph, end, most, cost)
    if start not in rest[most]:
        return Best(())
    results: list[tuple[str, ...]] = []
    heap: list[tuple[float, tuple[str, ...], float]] = [(rest[most][start], (start,), 0.0)]
    for _ in range(TRIED):
        if not heap or len(results) == count:
            return Best(tuple(results))
        _, path, spent = heapq.heappop(heap)
        node, left = path[-1], most - len(path) + 1
        if node == end:
            results.append(path)
            continue
        for other, edge in graph.get(node, {}).items() if left else ():
            if other in rest[left - 1] and other not in path:
                total = spent + cost(edge)
                heapq.heappush(heap, (round(total + rest[left - 1][other], 12), (*path, other), total))
    return Best(tuple(results), is_cut=True)


def _rest(graph: Graph, end: str, most: int, cost: Callable[[Edge], float]) -> list[dict[str, float]]:
    """Return what it costs from each node to the end, for each number of steps that may be taken."""
    before: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for node, edges in graph.items():
        for other, edge in edges.items():
            before[other].append((node, cost(edge)))
    layers = [{end: 0.0}]
    changed = {end}
    for _ in range(most):
        layer = dict(layers[-1])
        now: set[str] = set()
        for other in changed:
            for node, price in before[other]:
                if (total := layers[-1][other] + price) < layer.get(node, math.inf):
                    layer[node] = total
                    now.add(node)
        layers.append(layer)
        changed = now
    return layers
