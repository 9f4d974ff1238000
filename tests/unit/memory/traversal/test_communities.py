"""Communities of a network: their order, names and limits, and the process that finds them."""

from __future__ import annotations

import os
import subprocess
import sys
from array import array
from collections import Counter
from io import BytesIO
from itertools import combinations
from types import SimpleNamespace

import pytest

from graph_memory.memory.traversal.communities import leiden, values
from graph_memory.memory.traversal.communities.labels import COMMAND
from graph_memory.memory.traversal.communities.leiden import find_labels
from graph_memory.memory.traversal.communities.values import Clustering, Network, build_clustering


def network_of(*groups: str, bridges: tuple[str, ...] = ()) -> Network:
    """Return a network of groups of letters in which all are connected, and of bridges of two letters."""
    pairs = [pair for group in groups for pair in combinations(group, 2)] + [(first, last) for first, last in bridges]
    network = Network()
    for letter in sorted("".join(groups)):
        node_type = "Vowel" if letter in "aeiou" else "Consonant"
        network.add(letter, node_type, [end for start, end in pairs if start == letter])
    return network


def clusters_of(network: Network, most: int = 2_000) -> Clustering:
    labels = find_labels(len(network.numbers), network.pairs)
    return build_clustering(network, labels, most)


def test_groups_that_few_connections_join_are_communities_largest_first() -> None:
    clustering = clusters_of(network_of("xyz", "abcde", "m", bridges=("ax", "bx")))
    assert [(cluster.id, "".join(cluster.members), cluster.types) for cluster in clustering.clusters] == [
        ("a", "abcde", {"Consonant": 3, "Vowel": 2}),
        ("x", "xyz", {"Consonant": 3}),
        (":unconnected", "m", {"Consonant": 1}),
    ]
    assert clustering.edges == ((0, 1, 2),)
    assert clustering.community_positions(["z", "m", "?", "b"]) == {"b": 0, "z": 1, "m": 2}


def test_the_smallest_communities_are_merged_if_there_are_too_many() -> None:
    network = network_of("abcd", "efg", "hi", "jk", "z", bridges=("ah",))
    clustering = clusters_of(network, most=3)
    assert [(cluster.id, len(cluster.members)) for cluster in clustering.clusters] == [
        ("a", 4),
        (":other", 7),
        (":unconnected", 1),
    ]
    assert clustering.edges == ((0, 1, 1),)
    assert len(clusters_of(network).clusters) == 5


def test_connections_to_itself_and_nodes_that_vanish_meanwhile_are_left_out() -> None:
    network = Network()
    network.add("a", "Note", ["a", "b", "gone"])
    network.add("b", "Note", [])
    clustering = clusters_of(network)
    assert [cluster.members for cluster in clustering.clusters] == [("a", "b")]
    assert clusters_of(Network()) == Clustering()


def test_the_process_finds_the_same_labels_each_time() -> None:
    network = network_of("abcde", "vwxyz", "m", bridges=("av",))
    outputs = {subprocess.check_output(COMMAND, input=network.encode()) for _ in range(2)}
    [labels] = [array("i", output) for output in outputs]
    assert labels == find_labels(11, network.pairs)
    assert len({*labels}) == 3


def test_the_merged_communities_list_their_most_connected_nodes_first() -> None:
    network = network_of("abcd", "efg", "hi", "jk", "mnop", bridges=("ka", "kb", "kc", "ke"))
    clustering = clusters_of(network, most=2)
    assert clustering.clusters[1].id == ":other"
    degrees = Counter(network.pairs)
    numbers = [degrees[network.numbers[member]] for member in clustering.clusters[1].members]
    assert numbers == sorted(numbers, reverse=True)


def test_pairs_of_communities_that_are_not_counted_are_counted_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MAX_EDGES", 1)
    clustering = clusters_of(network_of("abcd", "vwxyz", "klmn", bridges=("av", "aw", "dk")))
    assert (clustering.edges, clustering.uncounted) == (((0, 1, 2),), 1)


def test_the_process_runs_where_a_process_has_no_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "nice")  # as on Windows
    output = SimpleNamespace(buffer=BytesIO())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=BytesIO(network_of("ab").encode())))
    monkeypatch.setattr(sys, "stdout", output)
    leiden.main()
    assert [*array("i", output.buffer.getvalue())] == [0, 0]
