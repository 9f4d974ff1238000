"""Computes communities with the Leiden algorithm in a separate process, to keep the service small and responsive.

The process reads the number of nodes and the pairs of connected nodes from its input, and writes each node's label to
its output, all as machine integers. `values.Network.encode` writes the input.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import cast

from graph_memory.memory.traversal.communities.values import UNCONNECTED

SEED = 1
"""A fixed seed, so that the same network always has the same communities."""
NICENESS = 10


def find_labels(count: int, pairs: Sequence[int]) -> array[int]:
    """Return each node's label. `pairs` contains the numbers of connected nodes, pair after pair."""
    labels = array("i", [UNCONNECTED]) * count
    numbers = iter(pairs)
    weights = Counter((min(pair), max(pair)) for pair in zip(numbers, numbers, strict=True))
    if not weights:
        return labels
    edges = [(str(start), str(end), float(weight)) for (start, end), weight in weights.items()]
    _, communities = cast(
        "tuple[float, Mapping[str, int]]", import_module("graspologic_native").leiden(edges, seed=SEED)
    )
    for node, label in communities.items():
        labels[int(node)] = label
    return labels


def main() -> None:
    """Read the network, and write the labels."""
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    numbers = array("i", sys.stdin.buffer.read())
    sys.stdout.buffer.write(find_labels(numbers[0], numbers[1:]).tobytes())


if __name__ == "__main__":
    main()
