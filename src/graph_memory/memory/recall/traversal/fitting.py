"""Walks that fit in so many tokens: first shorter contents, then fewer nodes, the last ones first."""

from __future__ import annotations

from collections.abc import Callable

from graph_memory.memory.recall.fitting import tokens_of
from graph_memory.memory.recall.traversal.results import Followed, ReachedNode

Shown = tuple[list[ReachedNode], list[Followed]]


def fitted(shown: Callable[[int, int], Shown], stages: int, nodes: int, most: int) -> tuple[Shown, int]:
    """Return nodes and the connections between them that fit, and their tokens.

    `shown` gives them at a stage of shortening, of at most so many nodes. There may be no room even for the first.
    """

    def at(stage: int, count: int) -> tuple[Shown, int]:
        found = shown(stage, count)
        return found, tokens_of([*found[0], *found[1]])

    for stage in range(stages):
        found = at(stage, nodes)
        if found[1] <= most:
            return found
    low, high = 0, nodes
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if at(stages - 1, middle)[1] <= most else (low, middle - 1)
    return at(stages - 1, low)
