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
    context: dict[str, set[str]] = {node: set() for node in nodes}
    for one, other in pairs:
        if one != other:
            context[one].add(other)
            context[other].add(one)
    edges = sum(map(len, context.values())) / 2
    possible = len(nodes) * (len(nodes) - 1) / 2
    sizes = _components(context)
    return Shape(
        degrees={node: len(others) for node, others in context.items()},
        centralities=_betweenness(context),
        density=edges / possible if possible else 0.0,
        components=len(sizes),
        largest=max(sizes, default=0),
    )


def _components(context: Around) -> list[int]:
    """Return how many nodes each part has that is not connected to the others."""
    sizes: list[int] = []
    seen: set[str] = set()
    for start in context:
        if start in seen:
            continue
        seen.add(start)
        waiting, size = [start], 0
        while waiting:
            size += 1
            new = context[waiting.pop()] - seen
            seen |= new
            waiting += new
        sizes.append(size)
    return sizes


def _betweenness(context: Around) -> dict[str, float]:
    """Return on what share of the shortest paths between others each node lies, after Brandes (2001)."""
    scores = dict.fromkeys(context, 0.0)
    for start in context:
        order, before, ways = _shortest(context, start)
        share = dict.fromkeys(context, 0.0)
        for node in reversed(order):
            for one in before[node]:
                share[one] += ways[one] / ways[node] * (1 + share[node])
            if node != start:
                scores[node] += share[node]
    pairs = (len(context) - 1) * (len(context) - 2)
    return {node: value / pairs if pairs > 0 else 0.0 for node, value in scores.items()}


def _shortest(context: Around, start: str) -> tuple[list[str], dict[str, list[str]], dict[str, int]]:
    """Return the nodes in the order of their distance, and for each those before it and how many ways lead to it."""
    depths, ways = {start: 0}, {start: 1}
    before: dict[str, list[str]] = {start: []}
    order: list[str] = []
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        order.append(node)
        for other in context[node]:
            if other not in depths:
                depths[other], ways[other], before[other] = depths[node] + 1, 0, []
                waiting.append(other)
            if depths[other] == depths[node] + 1:
                ways[other] += ways[node]
                before[other].append(node)
    return order, before, ways
