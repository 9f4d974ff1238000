"""How value spreads from what was found along connections, and in which order things are told.

It is pure. The objective: the sum of the values of what is told, within the tokens. A thing is worth what the search
gives it and what connections hand over to it. Each connection hands over `HANDED` of what comes,
by its weight, and less where a node has many connections, so that a hub does not make everything near. Whatever is told
is found by the search, or connected to something that is worth more.

Source: constrained spreading activation, as in F. Crestani, Application of spreading activation techniques in
information retrieval (1997), with the greedy order of prize-collecting growth.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

from graph_memory.memory.recall.rendering.recall_input import Tie

HANDED = 0.4
"""The part of its value that a node hands over along a connection of the usual weight."""
USUAL = 0.45
"""The weight of a new connection of which nothing is said."""
MOST_HANDED = 0.8
FREE = 2
"""Connections that a node may have before it hands less over along each."""
APART = 8
"""Seeds whose value is spread apart from that of the others, the most valuable."""
LEAST = 0.0005
"""Less is not handed on."""


def handed(weight: float, edges: int) -> float:
    """Return the part that is handed over along a connection, by a node of so many connections."""
    spread = 1 + math.log2(max(edges, FREE) / FREE)
    return min(HANDED * weight / USUAL, MOST_HANDED) / spread


def reached(
    seeds: Mapping[str, float], ties: Sequence[Tie], edges: Mapping[str, int], *, steps: int
) -> dict[str, float]:
    """Return what every node is worth that so many connections lead to: its own, and what is handed to it.

    That is the most that comes from one seed and the most from another: what lies between two things that are asked
    for is worth more than what lies beside one.
    """
    around: dict[str, list[Tie]] = {}
    for tie in ties:
        for end in {tie.from_id, tie.to_id}:
            around.setdefault(end, []).append(tie)
    best = in_order(seeds)
    groups = [{node: seeds[node]} for node in best[:APART]]
    groups += [{node: seeds[node] for node in best[APART:]}] if len(best) > APART else []
    first: dict[str, float] = {}
    second: dict[str, float] = {}
    for group in groups:
        for node, value in _handed_from(group, around, edges, steps).items():
            before = first.get(node, 0.0)
            first[node] = max(before, value)
            second[node] = max(second.get(node, 0.0), min(before, value))
    return {node: seeds.get(node, 0.0) + first.get(node, 0.0) + second.get(node, 0.0) for node in {**seeds, **first}}


def _handed_from(
    seeds: Mapping[str, float], around: Mapping[str, Sequence[Tie]], edges: Mapping[str, int], steps: int
) -> dict[str, float]:
    """Return the most that one path from a seed hands to each node."""
    given: dict[str, float] = {}
    waiting = [(-value, node, 0) for node, value in seeds.items()]
    heapq.heapify(waiting)
    seen: dict[str, float] = {}
    while waiting:
        negative, node, step = heapq.heappop(waiting)
        if step == steps or -negative <= seen.get(node, 0.0):
            continue
        seen[node] = -negative
        for tie in around.get(node, ()):
            other = tie.other(node)
            value = -negative * handed(tie.weight, edges.get(node, 1))
            if other != node and value > max(LEAST, given.get(other, 0.0)):
                given[other] = value
                heapq.heappush(waiting, (-value, other, step + 1))
    return given


def in_order(values: Mapping[str, float]) -> list[str]:
    """Return nodes by what they are worth, equal ones by their ids."""
    return sorted(values, key=lambda node: (-values[node], node))
