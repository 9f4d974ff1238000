"""Walks, paths and neighbours in Neo4j: what the pure walk says of the same graph, now and at a point of the log."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory import ontology_from
from graph_memory.memory.traversal.walks.edges import Edge
from graph_memory.memory.traversal.walks.meeting import bidirectional
from graph_memory.memory.traversal.walks.paths import best_paths, explore_between, unit_cost, weight_cost
from graph_memory.memory.traversal.walks.walk import Plan, best_first, breadth_first, depth_first
from graph_memory.memory.traversal.walks.weighting import parse_weighting
from profiles import profile
from support import Conversation, last
from unit.memory.traversal.graphs import answer_edges

ANY = {"from": ["*"], "to": ["*"]}
ONTOLOGY = {
    "node_types": ["Note", "Task"],
    "connection_types": [
        {"name": "about", **ANY},
        {"name": "contains", **ANY, "inverse": "part_of", "transitive": True},
        {"name": "part_of", **ANY, "inverse": "contains", "transitive": True},
        {"name": "owns", **ANY, "inverse": "owned_by"},
    ],
}
STORED = ("about", "contains", "part_of", "owns")
ALONG: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "about": (("about",), ()),
    "contains": (("contains",), ("part_of",)),
    "part_of": (("part_of",), ("contains",)),
    "owns": (("owns",), ()),
    "owned_by": ((), ("owns",)),
}
NODES = tuple(f"n{number}" for number in range(9))
WALKS = {
    "breadth_first": breadth_first,
    "depth_first": depth_first,
    "weighted": best_first,
    "bidirectional": bidirectional,
}


@dataclass
class Plain:
    """The graph at one moment, as a test knows it."""

    seq: int = 0
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    edges: dict[str, Edge] = field(default_factory=dict[str, Edge])

    def followed_edges(self, edges: Mapping[str, Any]) -> list[Edge]:
        """The connections that filters leave, turned so that a walk along its direction follows them."""
        along = {text for name in edges.get("types", STORED) for text in ALONG[name][0]}
        against = {text for name in edges.get("types", ()) for text in ALONG[name][1]}
        results: list[Edge] = []
        for edge in self.edges.values():
            if (
                edge.weight < edges.get("min_strength", 0)
                or edges.get("properties", {}).items() - edge.properties.items()
            ):
                continue
            if edge.type in along:
                results.append(edge)
            if edge.type in against:
                turned = Edge(edge.id, edge.type, edge.to_id, edge.from_id, edge.weight, properties=edge.properties)
                results.append(turned)
        return results

    def takes(self, node: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a node passes a filter."""
        rendered = self.nodes[node]
        return (
            rendered["type"] in arguments.get("types", ("Note", "Task"))
            and set(arguments.get("tags", ())) <= set(rendered["tags"])
            and not arguments.get("properties", {}).items() - rendered["properties"].items()
        )


@dataclass
class World:
    talk: Conversation
    domain: str
    moments: list[Plain] = field(default_factory=list[Plain])

    def call(self, name: str, *args: Any, **arguments: Any) -> Any:
        memory = self.talk.memory.in_domain(self.domain)

        async def run() -> Any:
            return await getattr(memory.recall if hasattr(memory.recall, name) else memory, name)(*args, **arguments)

        return self.talk.portal.call(run)

    def end(self) -> int:
        async def run() -> int:
            return await last(self.talk.memory.in_domain(self.domain))

        return self.talk.portal.call(run)


@pytest.fixture(scope="module")
def world(talk: Conversation) -> World:
    made, chance = World(talk, f"test-{uuid4().hex[:20]}"), random.Random(7)
    made.call("create_ontology", ontology_from(ONTOLOGY))
    plain, strengths = Plain(), [number / 100 for number in range(5, 95)]
    chance.shuffle(strengths)

    def node(text: str) -> dict[str, Any]:
        rendered = {
            "type": chance.choice(["Note", "Task"]),
            "tags": chance.sample(["red", "green"], chance.randint(0, 2)),
        }
        rendered["properties"] = {"status": chance.choice(["open", "closed"])}
        return {"operation": "create_node", "id": text, "content": f"# {text}", "format": "markdown", **rendered}

    def edge(text: str) -> dict[str, Any]:
        ends = chance.sample(NODES, 2) if chance.random() < 0.9 else [NODES[0], NODES[0]]
        strength, rank = strengths.pop(), chance.randint(0, 3)
        rendered = {"type": chance.choice(STORED), "from_node_id": ends[0], "to_node_id": ends[1]}
        return {**rendered, "id": text, "strength": strength, "properties": {"rank": rank}}

    def keep(item: dict[str, Any]) -> None:
        counts = item["strength"] * 0.9
        plain.edges[item["id"]] = Edge(
            item["id"], item["type"], item["from_node_id"], item["to_node_id"], counts, properties=item["properties"]
        )

    for name in NODES:
        answer = node(name)
        plain.nodes[name] = answer
        made.call(
            "create_node",
            answer["type"],
            answer["content"],
            id=name,
            tags=answer["tags"],
            properties=answer["properties"],
        )
    for number in range(26):
        answer = edge(f"e{number:02}")
        made.call("create_connection", answer["type"], answer["from_node_id"], answer["to_node_id"], **_rest(answer))
        keep(answer)
    made.moments.append(Plain(made.end(), dict(plain.nodes), dict(plain.edges)))
    for number in (1, 4, 9, 12):
        made.call("delete_connection", f"e{number:02}")
        del plain.edges[f"e{number:02}"]
    for number in (2, 5, 7):
        answer = plain.edges[f"e{number:02}"]
        made.call("update_connection", answer.id, strength=(value := strengths.pop()), properties={"rank": 1})
        plain.edges[answer.id] = Edge(
            answer.id, answer.type, answer.from_id, answer.to_id, value * 0.9, properties={"rank": 1}
        )
    made.call("update_node", "n3", tags=["red", "green"], properties={"status": "open"})
    plain.nodes["n3"] = {**plain.nodes["n3"], "tags": ["red", "green"], "properties": {"status": "open"}}
    made.call("delete_node", "n8")
    del plain.nodes["n8"]
    plain.edges = {edge.id: edge for edge in plain.edges.values() if "n8" not in (edge.from_id, edge.to_id)}
    for number in range(30, 36):
        answer = edge(f"e{number}")
        if "n8" not in (answer["from_node_id"], answer["to_node_id"]):
            made.call(
                "create_connection", answer["type"], answer["from_node_id"], answer["to_node_id"], **_rest(answer)
            )
            keep(answer)
    made.moments.append(Plain(made.end(), dict(plain.nodes), dict(plain.edges)))
    return made


def _rest(rendered: Mapping[str, Any]) -> dict[str, Any]:
    return {key: rendered[key] for key in ("id", "strength", "properties")}


def edge_filters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "types": st.lists(st.sampled_from([*STORED, "owned_by"]), min_size=1, max_size=3, unique=True),
            "direction": st.sampled_from(["out", "in", "both"]),
            "min_strength": st.sampled_from([0.1, 0.3, 0.6]),
            "properties": st.fixed_dictionaries({"rank": st.integers(0, 3)}),
        },
    )


def node_filters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "types": st.sampled_from([["Note"], ["Task"], ["Note", "Task"]]),
            "tags": st.sampled_from([["red"], ["red", "green"]]),
            "properties": st.fixed_dictionaries({"status": st.sampled_from(["open", "closed"])}),
        },
    )


@given(
    moment=st.sampled_from([0, 1, None]),
    starts=st.lists(st.sampled_from(NODES[:8]), min_size=1, max_size=3, unique=True),
    strategy=st.sampled_from([*WALKS]),
    depth=st.integers(0, 4),
    nodes=st.sampled_from([3, 5, 50]),
    edge_filter=edge_filters(),
    node_filter=node_filters() | st.just({}),
    weight=st.sampled_from([None, "rank", "weight * (1 + properties.rank) / depth", "-weight"]),
    expansion=st.sampled_from(["all_edges", "all_edges", "strongest_edges", "diverse_edge_types"]),
)
@profile(examples=16)
def test_a_walk_goes_where_the_pure_walk_goes(
    world: World,
    moment: int | None,
    starts: list[str],
    strategy: Any,
    depth: int,
    nodes: int,
    edge_filter: dict[str, Any],
    node_filter: dict[str, Any],
    weight: str | None,
    expansion: Any,
) -> None:
    if strategy == "bidirectional" and len(starts) == 1:
        strategy = "breadth_first"
    plain = world.moments[1 if moment is None else moment]
    rank = parse_weighting(weight)
    plan = Plan(tuple(starts), strategy, depth, nodes, expansion, rank.rank, ranks_all=rank.is_expression)
    edges = plain.followed_edges(edge_filter)
    direction = edge_filter.get("direction", "both")

    def counts(edge: Edge) -> float:
        return edge.weight if rank.property is None else rank.rank(edge, 0)

    def takes(node: str) -> bool:
        return node in starts or plain.takes(node, node_filter)

    walk = answer_edges(edges, WALKS[strategy](plan), direction, by=counts, takes=takes)
    result = world.call(
        "traverse_memories",
        starts,
        strategy=strategy,
        max_depth=depth,
        max_nodes=nodes,
        edge_filter=edge_filter,
        node_filter=node_filter,
        weight=weight,
        expansion=expansion,
        as_of=None if moment is None else world.moments[moment].seq,
    )
    assert [(node.id, node.depth, node.via, node.parent) for node in result.nodes] == [
        (visit.id, visit.depth, visit.via and visit.via.id, visit.parent) for visit in walk.visits.values()
    ]
    reached = set(walk.visits)
    between = {edge.id for edge in edges if {edge.from_id, edge.to_id} <= reached}
    assert {edge.id for edge in result.connections} == between or len(between) > 5 * nodes
    assert bool(result.left_out and result.left_out.max_nodes) == walk.is_full


@given(
    moment=st.sampled_from([0, 1, None]),
    ends=st.tuples(st.sampled_from(NODES[:8]), st.sampled_from(NODES[:8])),
    mode=st.sampled_from(["shortest", "weighted", "k_shortest"]),
    k=st.integers(2, 5),
    depth=st.integers(1, 5),
    edge_filter=edge_filters(),
)
@profile(examples=16)
def test_paths_are_those_of_the_pure_search(
    world: World, moment: int | None, ends: tuple[str, str], mode: Any, k: int, depth: int, edge_filter: dict[str, Any]
) -> None:
    plain = world.moments[1 if moment is None else moment]
    edge_filter = {key: edge_filter[key] for key in ("types", "direction") if key in edge_filter}
    ways = answer_edges(
        plain.followed_edges(edge_filter),
        explore_between(*ends, depth, first_only=mode == "shortest"),
        edge_filter.get("direction", "both"),
    )
    cost, most = (weight_cost if mode == "weighted" else unit_cost), k if mode == "k_shortest" else 1
    expected = best_paths(ways.graph, *ends, most, ways.steps, cost).paths if ways.is_met else ()
    result = world.call(
        "find_path",
        *ends,
        mode=mode,
        k=k if mode == "k_shortest" else None,
        max_depth=depth,
        as_of=None if moment is None else world.moments[moment].seq,
        **edge_filter,
    )
    assert [tuple(node.id for node in path.nodes) for path in result.paths] == list(expected)
    assert (result.tried is None) == bool(expected)
    for path in result.paths:
        pairs = [(edge.from_id, edge.to_id) for edge in path.connections]
        assert [set(ends) for ends in pairs] == [set(step) for step in pairwise(node.id for node in path.nodes)]
        assert path.length == len(path.nodes) - 1


@given(moment=st.sampled_from([0, 1, None]), node=st.sampled_from(NODES[:8]), edge_filter=edge_filters())
@profile(examples=20)
def test_neighbors_are_the_connections_of_a_node_as_they_are_seen_from_it(
    world: World, moment: int | None, node: str, edge_filter: dict[str, Any]
) -> None:
    plain = world.moments[1 if moment is None else moment]
    edge_filter = {key: edge_filter[key] for key in ("types", "direction") if key in edge_filter}
    direction = edge_filter.get("direction", "both")
    edges = plain.followed_edges(edge_filter)
    out = {edge.id for edge in edges if edge.from_id == node and direction != "in"}
    back = {edge.id for edge in edges if edge.to_id == node and direction != "out"}
    at = None if moment is None else world.moments[moment].seq
    result = world.call("get_neighbors", node, as_of=at, **edge_filter)
    seen = [item.id for item in (*result.outgoing, *result.incoming)]
    assert set(seen) == out | back
    assert {item.id for item in result.outgoing} <= out
    assert {item.id for item in result.incoming} <= back
    assert {neighbor.id for neighbor in result.neighbors} == {
        edge.other(node) for edge in edges if edge.id in out | back and node in (edge.from_id, edge.to_id)
    }
    assert all(item.from_id == node for item in result.outgoing)
    assert all(item.to_id == node for item in result.incoming)
    assert all(item.type in edge_filter.get("types", STORED) for item in (*result.outgoing, *result.incoming))
