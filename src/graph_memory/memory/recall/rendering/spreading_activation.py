"""Spreads values from the search results along connections, and orders items by the resulting values.

Pure. The aim is the highest sum of values within the token budget. The value of a node is its search score plus the
shares that its connections pass on. Each connection passes on `HANDED` of a value, by its weight, and less if the node
has many connections, so that a hub does not raise all nodes around it. Each item is a search result, or connected to a
more valuable one.

Source: constrained spreading activation, as in F. Crestani, Application of spreading activation techniques in
information retrieval (1997), with the greedy order of prize-collecting growth.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

from graph_memory.memory.recall.rendering.recall_input import Tie

HANDED = 0.4
"""The share of its value that a node passes on along a connection of usual weight."""
USUAL = 0.45
"""The weight of a new connection with default strength."""
MOST_HANDED = 0.8
FREE = 2
"""Number of connections of a node above which it passes on less along each."""
APART = 8
"""Number of the most valuable seeds whose values spread separately. The other seeds spread together."""
LEAST = 0.0005
"""Minimum value that is passed on."""


def activation_share(weight: float, edges: int) -> float:
    """Return the share that a node with `edges` connections passes on along one with the given weight."""
    spread = 1 + math.log2(max(edges, FREE) / FREE)
    return min(HANDED * weight / USUAL, MOST_HANDED) / spread


def spread_activation(
    seeds: Mapping[str, float], ties: Sequence[Tie], edges: Mapping[str, int], *, steps: int
) -> dict[str, float]:
    """Return the value of every node within `steps` connections: its own, and the shares that it receives.

    A node receives the two highest shares that come from different seeds. So a node between two named items is worth
    more than a node beside one of them.
    """
    context: dict[str, list[Tie]] = {}
    for tie in ties:
        for end in {tie.from_id, tie.to_id}:
            context.setdefault(end, []).append(tie)
    best = in_order(seeds)
    groups = [{node: seeds[node]} for node in best[:APART]]
    groups += [{node: seeds[node] for node in best[APART:]}] if len(best) > APART else []
    first: dict[str, float] = {}
    second: dict[str, float] = {}
    for group in groups:
        for node, value in _activations_from(group, context, edges, steps).items():
            before = first.get(node, 0.0)
            first[node] = max(before, value)
            second[node] = max(second.get(node, 0.0), min(before, value))
    return {node: seeds.get(node, 0.0) + first.get(node, 0.0) + second.get(node, 0.0) for node in {**seeds, **first}}


def _activations_from(
    seeds: Mapping[str, float], context: Mapping[str, Sequence[Tie]], edges: Mapping[str, int], steps: int
) -> dict[str, float]:
    """Return, for each node, the highest value that a single path from a seed passes on to it."""
    scores: dict[str, float] = {}
    waiting = [(-value, node, 0) for node, value in seeds.items()]
    heapq.heapify(waiting)
    seen: dict[str, float] = {}
    while waiting:
        negative, node, step = heapq.heappop(waiting)
        if step == steps or -negative <= seen.get(node, 0.0):
            continue
        seen[node] = -negative
        for tie in context.get(node, ()):
            other = tie.other(node)
            value = -negative * activation_share(tie.weight, edges.get(node, 1))
            if other != node and value > max(LEAST, scores.get(other, 0.0)):
                scores[other] = value
                heapq.heappush(waiting, (-value, other, step + 1))
    return scores


def in_order(values: Mapping[str, float]) -> list[str]:
    """Return nodes by value, highest first. Nodes with equal values are sorted by id."""
    return sorted(values, key=lambda node: (-values[node], node))
