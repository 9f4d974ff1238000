"""A domain's network as numbers, and the communities defined by its nodes' labels."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

MAX_COMMUNITIES = 2_000
"""Maximum number of communities. The smallest communities are merged into one."""
MAX_EDGES = 5_000
"""Maximum number of pairs of communities whose connections are counted. The pairs with the most connections come first.
"""
UNCONNECTED = -1
"""The label of nodes without connections."""
OTHER_ID = ":other"
UNCONNECTED_ID = ":unconnected"


@dataclass(slots=True)
class Network:
    """A domain's nodes, numbered from 0, and the pairs of connected nodes."""

    numbers: dict[str, int] = field(default_factory=dict[str, int])
    types: list[str | None] = field(default_factory=list[str | None])
    """Each node's type. None for a node that was only read as a target, because it was added or deleted in the
    meantime."""
    pairs: array[int] = field(default_factory=lambda: array("i"))
    """The numbers of both nodes of each connection, except connections from a node to itself."""

    def add(self, node_id: str, node_type: str, targets: Sequence[str]) -> None:
        """Add a node, and its connections to other nodes."""
        number = self._number(node_id)
        self.types[number] = node_type
        for target in targets:
            if target != node_id:
                self.pairs.extend((number, self._number(target)))

    def _number(self, node_id: str) -> int:
        number = self.numbers.setdefault(node_id, len(self.numbers))
        if number == len(self.types):
            self.types.append(None)
        return number

    def encode(self) -> bytes:
        """Return the number of nodes and the pairs as machine integers."""
        return array("i", [len(self.numbers)]).tobytes() + self.pairs.tobytes()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A community: its nodes, most connected first, and its number of nodes per type."""

    id: str
    """The id of the most connected node, or of one of the two special groups."""
    members: tuple[str, ...]
    types: Mapping[str, int]

    @property
    def is_real(self) -> bool:
        """Whether its nodes are connected with each other. This is false for the two special groups."""
        return self.id not in (OTHER_ID, UNCONNECTED_ID)


@dataclass(frozen=True, slots=True)
class Clustering:
    """A domain's communities, and the numbers of connections between them.

    The largest communities are first. The groups of small communities and of unconnected nodes are last.
    """

    clusters: tuple[Cluster, ...] = ()
    edges: tuple[tuple[int, int, int], ...] = ()
    """The positions of two communities, and the number of connections between them. The highest number is first."""
    uncounted: int = 0
    """Number of further connected pairs of communities."""

    def community_positions(self, node_ids: Sequence[str]) -> dict[str, int]:
        """Return the position of each node's community. Unknown nodes are omitted."""
        wanted = {*node_ids}
        return {
            member: position
            for position, cluster in enumerate(self.clusters)
            for member in wanted.intersection(cluster.members)
        }


def build_clustering(network: Network, labels: Sequence[int], most: int = MAX_COMMUNITIES) -> Clustering:
    """Return at most `most` communities, each with the nodes that have the same label."""
    degrees = Counter(network.pairs)
    ids = [*network.numbers]
    groups: dict[int, list[int]] = {}
    for number, label in enumerate(labels):
        if network.types[number] is not None:
            groups.setdefault(label, []).append(number)
    named_groups = _name_groups(groups, lambda number: (-degrees[number], ids[number]), ids, most)
    position_of = {number: position for position, (_, group) in enumerate(named_groups) for number in group}
    counts: Counter[tuple[int, int]] = Counter()
    numbers = iter(network.pairs)
    for start, end in zip(numbers, numbers, strict=True):
        first, second = position_of.get(start), position_of.get(end)
        if first is not None and second is not None and first != second:
            counts[min(first, second), max(first, second)] += 1
    return Clustering(
        tuple(_cluster(name, group, ids, network) for name, group in named_groups),
        tuple((first, second, count) for (first, second), count in counts.most_common(MAX_EDGES)),
        max(0, len(counts) - MAX_EDGES),
    )


def _name_groups(
    groups: dict[int, list[int]], rank: Callable[[int], tuple[int, str]], ids: Sequence[str], most: int
) -> list[tuple[str, list[int]]]:
    """Return the groups with their ids, largest first. The smallest are merged. Unconnected nodes come last.

    The nodes of each group are sorted by `rank`.
    """
    for group in groups.values():
        group.sort(key=rank)
    unconnected = groups.pop(UNCONNECTED, [])
    special = [(UNCONNECTED_ID, unconnected)] if unconnected else []
    ordered = sorted(groups.values(), key=lambda group: (-len(group), ids[group[0]]))
    room = most - len(special)
    if len(ordered) > room:
        merged = sorted((number for group in ordered[room - 1 :] for number in group), key=rank)
        special = [(OTHER_ID, merged), *special]
        ordered = ordered[: room - 1]
    return [*((ids[group[0]], group) for group in ordered), *special]


def _cluster(name: str, group: Sequence[int], ids: Sequence[str], network: Network) -> Cluster:
    types = Counter(node_type for number in group if (node_type := network.types[number]) is not None)
    return Cluster(name, tuple(ids[number] for number in group), dict(types.most_common()))
