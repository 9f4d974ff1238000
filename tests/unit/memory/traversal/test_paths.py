"""Paths between two nodes and metrics equal the results of networkx, in the same order."""

from __future__ import annotations

import math
from itertools import islice, pairwise

import networkx as nx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graph_memory.memory.traversal.walks.edges import Edge
from graph_memory.memory.traversal.walks.metrics import measure_graph
from graph_memory.memory.traversal.walks.paths import BestPaths, best_paths, explore_between, unit_cost, weight_cost
from unit.memory.traversal.graphs import NODES, answer_edges, digraph_of, edges
from unit.memory.traversal.test_walks import DIRECTIONS

ENDS = st.tuples(st.sampled_from(NODES), st.sampled_from(NODES))


def paths(some: list[Edge], ends: tuple[str, str], most: int, direction: str, mode: str, k: int) -> BestPaths:
    ways = answer_edges(some, explore_between(*ends, most, first_only=mode == "shortest"), direction)
    cost = weight_cost if mode == "weighted" else unit_cost
    return best_paths(ways.graph, *ends, k, ways.steps, cost) if ways.is_met else BestPaths(())


def simple(some: list[Edge], ends: tuple[str, str], most: int, direction: str) -> list[tuple[str, ...]]:
    graph = digraph_of(some, direction)
    if ends[0] == ends[1]:
        return [(ends[0],)]
    return sorted(map(tuple, nx.all_simple_paths(graph, *ends, cutoff=most)), key=lambda path: (len(path), path))


@given(edges(), ENDS, st.integers(1, 6), DIRECTIONS)
@settings(max_examples=60)
def test_the_shortest_path_is_that_of_networkx(some: list[Edge], ends: tuple[str, str], most: int, direction: str):
    assert list(paths(some, ends, most, direction, "shortest", 1).paths) == simple(some, ends, most, direction)[:1]


LATE = [Edge(f"c{ends}", "X", *ends, 0.5) for ends in ("ad", "ae", "bc", "bd", "bf", "cd", "ef")]
"""A graph that is read before the longest path between a and d is found."""


@given(edges(), ENDS, st.integers(1, 6), DIRECTIONS, st.integers(1, 6))
@example(LATE, ("a", "d"), 5, "both", 3)
@settings(max_examples=60)
def test_several_paths_come_shortest_first_and_then_by_their_ids(
    some: list[Edge], ends: tuple[str, str], most: int, direction: str, k: int
):
    best = paths(some, ends, most, direction, "k_shortest", k)
    assert list(best.paths) == simple(some, ends, most, direction)[:k]
    if ends[0] != ends[1] and best.paths:
        lengths = [len(path) for path in islice(nx.shortest_simple_paths(digraph_of(some, direction), *ends), k)]
        assert [len(path) for path in best.paths] == [length for length in lengths if length <= most + 1]


@given(edges(), ENDS, st.integers(1, 6), DIRECTIONS)
@settings(max_examples=60)
def test_the_weighted_path_has_the_greatest_product_of_weights(
    some: list[Edge], ends: tuple[str, str], most: int, direction: str
):
    graph = digraph_of(some, direction)

    def product(path: tuple[str, ...]) -> float:
        return math.prod(graph.edges[step]["edge"].weight for step in pairwise(path))

    results = paths(some, ends, most, direction, "weighted", 1).paths
    all_paths = simple(some, ends, most, direction)
    assert len(results) == min(len(all_paths), 1)
    if results:
        assert results[0] in all_paths
        assert product(results[0]) == pytest.approx(max(map(product, all_paths)))


def test_a_direct_connection_of_a_hub_is_found_though_the_hub_has_thousands():
    hub = [Edge(f"s{n:04}", "X", "hub", f"n{n:04}", 0.9) for n in range(2_000)]
    last = Edge("zz", "X", "hub", "far", 0.1)
    ways = answer_edges([*hub, last], explore_between("hub", "far", 3, first_only=True))
    assert best_paths(ways.graph, "hub", "far", 1, ways.steps, unit_cost).paths == (("hub", "far"),)
    assert ways.cut == {"hub"}


def test_too_many_ways_end_the_search_and_are_told():
    layers = [[f"{layer}-{n}" for n in range(12)] for layer in range(6)]
    some = [
        Edge(f"{text}>{other}", "X", text, other, 0.5)
        for earlier, later in pairwise(layers)
        for text in earlier
        for other in later
    ]
    ways = answer_edges(some, explore_between("0-0", "5-0", 5, first_only=False), "out")
    best = best_paths(ways.graph, "0-0", "5-0", 30_000, ways.steps, unit_cost)
    assert best.is_cut
    assert best.paths


@given(edges(24))
@settings(max_examples=40)
def test_metrics_are_those_of_networkx(some: list[Edge]):
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(NODES)
    graph.add_edges_from((edge.from_id, edge.to_id) for edge in some if edge.from_id != edge.to_id)
    measured = measure_graph(NODES, [(edge.from_id, edge.to_id) for edge in some])
    assert measured.degrees == dict(graph.degree())
    assert measured.density == pytest.approx(nx.density(graph))
    assert measured.components == nx.number_connected_components(graph)
    assert measured.largest == max(map(len, nx.connected_components(graph)))
    assert measured.centralities == pytest.approx(nx.betweenness_centrality(graph))
