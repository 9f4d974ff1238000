"""Walks go where networkx goes: all strategies, depths, limits and ways of following connections."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.memory.traversal.walks.edges import Edge, EdgeRequest
from graph_memory.memory.traversal.walks.meeting import bidirectional
from graph_memory.memory.traversal.walks.walk import (
    MAX_OF_TYPE,
    MAX_STRONGEST,
    Expansion,
    Plan,
    WalkResult,
    best_first,
    breadth_first,
    depth_first,
)
from graph_memory.memory.traversal.walks.weighting import by_weight
from profiles import examples
from unit.memory.traversal.graphs import NODES, answer_edges, digraph_of, edges, in_order

DIRECTIONS = st.sampled_from(["out", "in", "both"])
STARTS = st.lists(st.sampled_from(NODES), min_size=1, max_size=3, unique=True).map(tuple)
WALKS = {"breadth_first": breadth_first, "depth_first": depth_first, "weighted": best_first}


def plan(starts: Sequence[str], depth: int, nodes: int = 100, expansion: Expansion = "all_edges") -> Plan:
    return Plan(tuple(starts), "breadth_first", depth, nodes, expansion, by_weight)


def depths(walk: WalkResult) -> list[tuple[str, int]]:
    return [(visit.id, visit.depth) for visit in walk.visits.values()]


@given(edges(), STARTS, st.integers(0, 4), DIRECTIONS)
@settings(max_examples=examples(60))
def test_breadth_first_meets_the_nodes_of_networkx_at_their_distances(
    some: list[Edge], starts: tuple[str, ...], depth: int, direction: str
):
    walk = answer_edges(some, breadth_first(plan(starts, depth)), direction)
    graph = digraph_of(some, direction)
    lengths = nx.multi_source_dijkstra_path_length(graph, set(starts), weight=lambda *_: 1)
    assert dict(depths(walk)) == {node: length for node, length in lengths.items() if length <= depth}
    assert [visit.depth for visit in walk.visits.values()] == sorted(visit.depth for visit in walk.visits.values())


@given(edges(), st.sampled_from(NODES), st.integers(0, 4), DIRECTIONS)
@settings(max_examples=examples(60))
def test_breadth_first_goes_in_the_order_of_networkx(some: list[Edge], start: str, depth: int, direction: str):
    walk = answer_edges(some, breadth_first(plan([start], depth)), direction)
    graph = digraph_of(some, direction)
    expected, parents = [start], {start: None}
    waiting = deque([(start, 0)])
    while waiting:
        node, at = waiting.popleft()
        for other in in_order(graph, node)(list(graph[node])) if at < depth else ():
            if other not in parents:
                parents[other] = node
                expected.append(other)
                waiting.append((other, at + 1))
    assert [*walk.visits] == expected
    assert {node: visit.parent for node, visit in walk.visits.items()} == parents


@given(edges(), st.sampled_from(NODES), st.integers(1, 4), DIRECTIONS)
@settings(max_examples=examples(60))
def test_depth_first_goes_in_the_order_of_networkx(some: list[Edge], start: str, depth: int, direction: str):
    walk = answer_edges(some, depth_first(plan([start], depth)), direction)
    graph = digraph_of(some, direction)
    ordered: nx.DiGraph[str] = nx.DiGraph()
    ordered.add_nodes_from(graph)
    for node in graph:
        ordered.add_edges_from((node, other) for other in in_order(graph, node)(list(graph[node])))
    assert [*walk.visits] == list(nx.dfs_preorder_nodes(ordered, start, depth_limit=depth))


@given(edges(), STARTS, st.integers(0, 4), st.integers(3, 9))
@settings(max_examples=examples(60))
def test_weighted_follows_the_heaviest_connection_of_all_that_it_knows(
    some: list[Edge], starts: tuple[str, ...], depth: int, most: int
):
    walk = answer_edges(some, best_first(plan(starts, depth, most)))
    visited = dict.fromkeys(starts, 0)
    order = list(starts)
    while len(order) < most:
        leaving = [
            (-edge.weight, edge.id, visited[node] + 1, edge.other(node))
            for node in order
            for edge in some
            if node in (edge.from_id, edge.to_id) and edge.other(node) not in visited and visited[node] < depth
        ]
        if not leaving:
            break
        _, _, at, node = min(leaving)
        visited[node] = at
        order.append(node)
    assert depths(walk) == [(node, visited[node]) for node in order]


@pytest.mark.parametrize("name", WALKS)
@given(some=edges(), starts=STARTS, most=st.integers(3, 9))
@settings(max_examples=examples(30))
def test_a_limit_gives_the_beginning_of_the_same_walk(name: str, some: list[Edge], starts: tuple[str, ...], most: int):
    whole = answer_edges(some, WALKS[name](plan(starts, 3)))
    part = answer_edges(some, WALKS[name](plan(starts, 3, most)))
    assert depths(part) == depths(whole)[: max(most, len(starts))]
    assert part.is_full == (len(whole.visits) > most)
    assert not part.cut


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("expansion", ["strongest_edges", "diverse_edge_types"])
@given(some=edges(40), starts=STARTS)
@settings(max_examples=examples(30))
def test_expansions_follow_some_connections_of_each_node(
    name: str, expansion: Expansion, some: list[Edge], starts: tuple[str, ...]
):
    kept: set[tuple[str, str]] = set()
    for node in NODES:
        own = [edge for edge in some if node in (edge.from_id, edge.to_id)]
        own.sort(key=lambda edge: (-edge.weight, edge.id))
        if expansion == "strongest_edges":
            taken = own[:MAX_STRONGEST]
        else:
            kinds = [edge.type for edge in own]
            taken = [edge for at, edge in enumerate(own) if kinds[:at].count(edge.type) < MAX_OF_TYPE]
        kept |= {(node, edge.id) for edge in taken}
    walk = answer_edges(some, WALKS[name](plan(starts, 8, expansion=expansion)))
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(NODES)
    graph.add_edges_from((node, edge.other(node)) for node, text in kept for edge in some if edge.id == text)
    assert set(walk.visits) == set(starts).union(*(nx.descendants(graph, start) for start in starts))


@given(edges(), st.lists(st.sampled_from(NODES), min_size=2, max_size=2, unique=True), st.integers(1, 4))
@settings(max_examples=examples(60))
def test_two_walks_meet_on_a_shortest_path(some: list[Edge], starts: list[str], depth: int):
    walk = answer_edges(some, bidirectional(plan(starts, depth)))
    graph = digraph_of(some, "both")
    length = nx.shortest_path_length(graph, *starts) if nx.has_path(graph, *starts) else 99
    if length > 2 * depth:
        assert depths(walk) == [(start, 0) for start in starts]
        return
    assert len(walk.visits) == length + 1
    own = nx.Graph([(visit.id, visit.parent) for visit in walk.visits.values() if visit.parent])
    own.add_edges_from((edge.from_id, edge.to_id) for edge in walk.joins)
    assert nx.shortest_path_length(own, *starts) == length


@given(edges(), st.lists(st.sampled_from(NODES), min_size=3, max_size=4, unique=True))
@settings(max_examples=examples(40))
def test_several_walks_join_all_starts_that_are_connected(some: list[Edge], starts: list[str]):
    walk = answer_edges(some, bidirectional(plan(starts, 8)))
    own: nx.Graph[str] = nx.Graph()
    own.add_nodes_from(starts)
    own.add_edges_from((visit.id, visit.parent) for visit in walk.visits.values() if visit.parent)
    own.add_edges_from((edge.from_id, edge.to_id) for edge in walk.joins)
    graph = digraph_of(some, "both")
    for start in starts:
        for other in starts:
            assert nx.has_path(own, start, other) == nx.has_path(graph, start, other)


def test_a_walk_asks_for_many_nodes_at_once():
    fan = [Edge(f"s{n:03}", "X", "a", f"n{n:03}", 0.5) for n in range(90)]
    fan += [Edge(f"t{n:03}", "X", f"n{n:03}", f"m{n:03}", 0.5) for n in range(90)]
    for walk, most in ((breadth_first, 2), (depth_first, 4), (best_first, 4)):
        log: list[EdgeRequest] = []
        assert len(answer_edges(fan, walk(plan(["a"], 2, 500)), "out", log).visits) == 181
        assert len(log) <= most
        assert max(len(request.nodes) for request in log) <= 100


def test_a_node_of_very_many_connections_is_told():
    hub = [Edge(f"s{n:04}", "X", "hub", "same", 0.5) for n in range(3_000)]
    walk = answer_edges(hub, breadth_first(plan(["hub"], 2, 500)))
    assert walk.cut == {"hub"}
    assert set(walk.visits) == {"hub", "same"}
