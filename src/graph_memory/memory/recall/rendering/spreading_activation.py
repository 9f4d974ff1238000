"""Spreads values from the search results along connections, and orders items by the resulting values.

The aim is the highest sum of values within the token budget. The value of a node is its search score plus the shares
that its connections pass on. A connection of usual weight passes on the share `PASSED_SHARE` of a value. The share
grows with the weight. It is lower if the node has many connections, so that a hub does not raise all nodes around it.
Each item is a search result, or connected to a more valuable item.

Source: constrained spreading activation, as in F. Crestani, Application of spreading activation techniques in
information retrieval (1997), with the greedy order of prize-collecting growth.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

from graph_memory.memory.recall.rendering.recall_input import RecallEdge

PASSED_SHARE = 0.4
"""The share of its value that a node passes on along a connection of usual weight."""
USUAL_WEIGHT = 0.45
"""The weight of a new connection with default strength."""
MAX_PASSED_SHARE = 0.8
MAX_FREE_CONNECTIONS = 2
"""Maximum number of connections of a node that do not reduce the share passed on along each of them."""
MAX_SEPARATE_SEEDS = 8
"""Number of the most valuable seeds whose values spread separately. The other seeds spread together."""
MIN_PASSED_VALUE = 0.0005
"""Minimum value that is passed on."""


def activation_share(weight: float, edges: int) -> float:
    """Return the share of its value that a node with this number of connections passes on along one of them."""
    spread = 1 + math.log2(max(edges, MAX_FREE_CONNECTIONS) / MAX_FREE_CONNECTIONS)
    return min(PASSED_SHARE * weight / USUAL_WEIGHT, MAX_PASSED_SHARE) / spread


def spread_activation(
    seeds: Mapping[str, float], ties: Sequence[RecallEdge], edges: Mapping[str, int], *, steps: int
) -> dict[str, float]:
    """Return the value of every node within `steps` connections: its own value plus the shares that it receives.

    A node receives the two highest shares that come from different seeds. So a node between two named items is worth
    more than a node next to only one of them.
    """
    ties_by_node: dict[str, list[RecallEdge]] = {}
    for tie in ties:
        for end in {tie.from_id, tie.to_id}:
            ties_by_node.setdefault(end, []).append(tie)
    best = sort_by_value(seeds)
    groups = [{node: seeds[node]} for node in best[:MAX_SEPARATE_SEEDS]]
    groups += [{node: seeds[node] for node in best[MAX_SEPARATE_SEEDS:]}] if len(best) > MAX_SEPARATE_SEEDS else []
    highest: dict[str, float] = {}
    second_highest: dict[str, float] = {}
    for group in groups:
        for node, value in _activations_from(group, ties_by_node, edges, steps).items():
            previous = highest.get(node, 0.0)
            highest[node] = max(previous, value)
            second_highest[node] = max(second_highest.get(node, 0.0), min(previous, value))
    return {
        node: seeds.get(node, 0.0) + highest.get(node, 0.0) + second_highest.get(node, 0.0)
        for node in {**seeds, **highest}
    }


def _activations_from(
    seeds: Mapping[str, float],
    ties_by_node: Mapping[str, Sequence[RecallEdge]],
    edges: Mapping[str, int],
    steps: int,
) -> dict[str, float]:
    """Return, for each node, the highest value that a single path from a seed passes on to it."""
    scores: dict[str, float] = {}
    queue = [(-value, node, 0) for node, value in seeds.items()]
    heapq.heapify(queue)
    best_by_node: dict[str, float] = {}
    while queue:
        negative, node, step = heapq.heappop(queue)
        if step == steps or -negative <= best_by_node.get(node, 0.0):
            continue
        best_by_node[node] = -negative
        for tie in ties_by_node.get(node, ()):
            other = tie.other(node)
            value = -negative * activation_share(tie.weight, edges.get(node, 1))
            if other != node and value > max(MIN_PASSED_VALUE, scores.get(other, 0.0)):
                scores[other] = value
                heapq.heappush(queue, (-value, other, step + 1))
    return scores


def sort_by_value(values: Mapping[str, float]) -> list[str]:
    """Return the nodes sorted by value, highest first. Nodes with equal values are sorted by id."""
    return sorted(values, key=lambda node: (-values[node], node))
