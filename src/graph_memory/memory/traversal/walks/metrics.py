"""What a part of a graph is like: how densely its nodes are connected, and which of them hold it together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Around = Mapping[str, set[str]]


@dataclass(frozen=True, slots=True)
class Shape:
    """The measures of a part of a graph; connections count once between two nodes, whatever their direction."""

    degrees: Mapping[str, int]
    centralities: Mapping[str, float]
    density: float
    components: int
    largest: int


def shape(nodes: Sequence[str], pairs: Iterable[tuple[str, str]]) -> Shape:
    """Return the measures of nodes and the connections among them."""
    around: dict[str, set[str]] = {node: set() for node in nodes}
    for one, other in pairs:
        if one != other:
            around[one].add(other)
            around[other].add(one)
    edges = sum(map(len, around.values())) / 2
    possible = len(nodes) * (len(nodes) - 1) / 2
    sizes = _components(around)
    return Shape(
        degrees={node: len(others) for node, others in around.items()},
        centralities=_betweenness(around),
        density=edges / possible if possible else 0.0,
        components=len(sizes),
        largest=max(sizes, default=0),
    )


def _components(around: Around) -> list[int]:
    """Return how many nodes each part has that is not connected to the others."""
    sizes: list[int] = []
    seen: set[str] = set()
    for start in around:
        if start in seen:
            continue
        seen.add(start)
        waiting, size = [start], 0
        while waiting:
            size += 1
            new = around[waiting.pop()] - seen
            seen |= new
            waiting += new
        sizes.append(size)
    return sizes


def _betweenness(around: Around) -> dict[str, float]:
    """Return on what share of the shortest paths between others each node lies, after Brandes (2001)."""
    found = dict.fromkeys(around, 0.0)
    for start in around:
        order, before, ways = _shortest(around, start)
        share = dict.fromkeys(around, 0.0)
        for node in reversed(order):
            for one in before[node]:
                share[one] += ways[one] / ways[node] * (1 + share[node])
            if node != start:
                found[node] += share[node]
    pairs = (len(around) - 1) * (len(around) - 2)
    return {node: value / pairs if pairs > 0 else 0.0 for node, value in found.items()}


def _shortest(around: Around, start: str) -> tuple[list[str], dict[str, list[str]], dict[str, int]]:
    """Return the nodes in the order of their distance, and for each those before it and how many ways lead to it."""
    depths, ways = {start: 0}, {start: 1}
    before: dict[str, list[str]] = {start: []}
    order: list[str] = []
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        order.append(node)
        for other in around[node]:
            if other not in depths:
                depths[other], ways[other], before[other] = depths[node] + 1, 0, []
                waiting.append(other)
            if depths[other] == depths[node] + 1:
                ways[other] += ways[node]
                before[other].append(node)
    return order, before, ways
