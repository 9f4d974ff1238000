"""Measures of a subgraph: its density, its components and its nodes' centrality."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Adjacency = Mapping[str, set[str]]


@dataclass(frozen=True, slots=True)
class GraphMeasures:
    """The measures of a subgraph. All connections between two nodes, in either direction, count as one."""

    degrees: Mapping[str, int]
    centralities: Mapping[str, float]
    density: float
    components: int
    largest: int


def measure_graph(nodes: Sequence[str], pairs: Iterable[tuple[str, str]]) -> GraphMeasures:
    """Return the measures of nodes and the connections among them."""
    adjacency: dict[str, set[str]] = {node: set() for node in nodes}
    for source, target in pairs:
        if source != target:
            adjacency[source].add(target)
            adjacency[target].add(source)
    edges = sum(map(len, adjacency.values())) / 2
    possible = len(nodes) * (len(nodes) - 1) / 2
    sizes = _component_sizes(adjacency)
    return GraphMeasures(
        degrees={node: len(others) for node, others in adjacency.items()},
        centralities=_betweenness(adjacency),
        density=edges / possible if possible else 0.0,
        components=len(sizes),
        largest=max(sizes, default=0),
    )


def _component_sizes(adjacency: Adjacency) -> list[int]:
    sizes: list[int] = []
    visited: set[str] = set()
    for start in adjacency:
        if start in visited:
            continue
        visited.add(start)
        stack, size = [start], 0
        while stack:
            size += 1
            new_nodes = adjacency[stack.pop()] - visited
            visited |= new_nodes
            stack += new_nodes
        sizes.append(size)
    return sizes


def _betweenness(adjacency: Adjacency) -> dict[str, float]:
    """Return each node's share of the shortest paths between other nodes that pass through it.

    Source: Brandes (2001).
    """
    scores = dict.fromkeys(adjacency, 0.0)
    for start in adjacency:
        order, predecessors, path_counts = _shortest_paths(adjacency, start)
        share = dict.fromkeys(adjacency, 0.0)
        for node in reversed(order):
            for predecessor in predecessors[node]:
                share[predecessor] += path_counts[predecessor] / path_counts[node] * (1 + share[node])
            if node != start:
                scores[node] += share[node]
    pairs = (len(adjacency) - 1) * (len(adjacency) - 2)
    return {node: value / pairs if pairs > 0 else 0.0 for node, value in scores.items()}


def _shortest_paths(adjacency: Adjacency, start: str) -> tuple[list[str], dict[str, list[str]], dict[str, int]]:
    """Return the nodes by distance from `start`, their predecessors, and their numbers of shortest paths."""
    depths, path_counts = {start: 0}, {start: 1}
    predecessors: dict[str, list[str]] = {start: []}
    order: list[str] = []
    queue = deque([start])
    while queue:
        node = queue.popleft()
        order.append(node)
        for other in adjacency[node]:
            if other not in depths:
                depths[other], path_counts[other], predecessors[other] = depths[node] + 1, 0, []
                queue.append(other)
            if depths[other] == depths[node] + 1:
                path_counts[other] += path_counts[node]
                predecessors[other].append(node)
    return order, predecessors, path_counts
