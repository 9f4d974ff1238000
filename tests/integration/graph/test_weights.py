"""Connections by weight: the strongest of a node, the weak ones, and connections of at least some weight."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.graph import connection_weights
from graph_memory.memory.graph.describe import CANDIDATES
from graph_memory.memory.graph.queries import Page
from graph_memory.memory.search.place import DomainState
from graph_memory.memory.traversal.frontier import Frontier
from graph_memory.memory.traversal.request import EdgeFilter
from graph_memory.memory.traversal.walks.edges import EdgeRequest
from graph_memory.model.matching import Criteria
from graph_memory.model.results import ConnectionInfo
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import UNLIMITED
from graph_memory.model.values.strength import Strength, check_strength
from graph_memory.model.values.weight import weight
from graph_memory.storage.log.writing import utc_now
from support import last

pytestmark = pytest.mark.anyio

TYPES = {
    "node_types": ["Note"],
    "connection_types": [
        {"name": "About", "from": ["Note"], "to": ["Note"]},
        {"name": "Saw", "from": ["Note"], "to": ["Note"], "half_life": 30},
    ],
}
STRENGTHS = {"a-b": 0.9, "b-a": {"semantic": 0.2, "confidence": 0.5}, "a-c": 0.5, "c-b": 0.1, "a-a": 0.7}


@pytest.fixture
async def home(memory: Memory) -> AsyncIterator[Memory]:
    await memory.create_ontology(ontology_from(TYPES))
    for name in ("a", "b", "c", "d"):
        await memory.create_node("Note", f"# {name}", id=name)
    for key, strength in STRENGTHS.items():
        source, target = key.split("-")
        await memory.create_connection("Saw" if key == "a-c" else "About", source, target, id=key, strength=strength)
    yield memory
    assert (await memory.upkeep.verify()).clean


def fresh(value: Any, importance: float | None = None) -> float:
    class Measures:
        strength = check_strength(value)
        modified = utc_now()

    result: Any = Measures()
    result.importance = importance
    return round(weight(result, utc_now()), 4)


class Measures:
    """The measures of a connection that make up its weight, from `get_connection`."""

    def __init__(self, info: ConnectionInfo) -> None:
        self.strength = Strength(**(info.strength or {}))
        self.importance = info.importance
        self.modified = info.modified


async def weights(memory: Memory, **arguments: Any) -> dict[str, float]:
    return {
        connection.id: connection.weight for connection in (await memory.get_weak_relations(**arguments)).connections
    }


async def test_the_strongest_come_first_with_weights_by_the_one_formula(home: Memory) -> None:
    connections = (await home.get_strongest_connections("a")).connections
    assert [connection.id for connection in connections] == ["a-b", "a-a", "a-c", "b-a"]
    assert [connection.weight for connection in connections] == pytest.approx(
        [fresh(STRENGTHS[connection.id]) for connection in connections], abs=2e-4
    )
    assert (connections[0].type, connections[0].from_title, connections[0].to_title) == ("About", "a", "b")
    assert [connection.id for connection in (await home.get_strongest_connections("a", limit=1)).connections] == ["a-b"]
    only = {"direction": "in", "connection_type": "About"}
    incoming = (await home.get_strongest_connections("a", **only)).connections  # pyright: ignore[reportArgumentType]
    assert [connection.id for connection in incoming] == ["a-a", "b-a"]
    assert (await home.get_strongest_connections("d")).connections == ()
    texts = (await home.get_strongest_connections("a", connection_type="Abuot")).warnings
    assert texts
    assert "About" in texts[0]


async def test_importance_is_half_of_the_weight(home: Memory) -> None:
    before = (await home.get_connection("c-b")).version
    changed = await home.set_relation_importance("c-b", 1, expected_version=before)
    assert (await home.get_connection("c-b")).importance == 1.0
    [connection] = (await home.get_strongest_connections("c", connection_type="About")).connections
    assert connection.weight == pytest.approx(fresh(STRENGTHS["c-b"], 1.0), abs=2e-4)
    assert (await home.set_relation_importance("c-b", 1.0)).version == changed.version
    await home.execute_batch([{"op": "set_relation_importance", "connection_id": "c-b", "importance": 0.5}])
    assert (await home.get_connection("c-b")).importance == 0.5
    await home.update_connection("c-b", strength={"semantic": 0.3})
    assert (await home.get_connection("c-b")).importance == 0.5
    for wrong in (True, -1, 2, float("nan"), "1", None):
        with pytest.raises(GraphError) as refused:
            await home.set_relation_importance("c-b", wrong)  # pyright: ignore[reportArgumentType]
        assert refused.value.details["argument"] == "importance"
    with pytest.raises(GraphError) as refused:
        await home.set_relation_importance("c-b", 0.1, expected_version=before)
    assert refused.value.code == Code.VERSION_CONFLICT


async def test_queries_take_only_what_weighs_enough(home: Memory) -> None:
    least = 0.4
    strong = {name for name, arguments in STRENGTHS.items() if fresh(arguments) >= least}
    assert set((await home.query_connections(min_strength=least)).connection_ids) == strong == {"a-b", "a-a", "a-c"}
    page = await home.query_connections(min_strength=least, limit=2, detail=True)
    assert page.connections is not None
    assert [connection.id for connection in page.connections] == ["a-a", "a-b"]
    rest = await home.query_connections(min_strength=least, limit=2, cursor=page.next_cursor)
    assert (rest.connection_ids, rest.next_cursor) == (("a-c",), None)
    assert (await home.query_connections(min_strength=least, type="Saw")).connection_ids == ("a-c",)
    assert (await home.query_connections(min_strength=0, from_node_id="b")).connection_ids == ("b-a",)
    assert (await home.query_connections(min_strength=1)).connection_ids == ()
    nodes = await home.get_connected_nodes("a", direction="both", min_strength=least, detail=True)
    assert nodes.node_ids == ("a", "b", "c")
    assert {node.id: [link.id for link in node.connections] for node in nodes.nodes or ()} == {
        "a": ["a-a"],
        "b": ["a-b"],
        "c": ["a-c"],
    }
    first = await home.get_connected_nodes("a", direction="both", min_strength=least, limit=2)
    assert (first.node_ids, bool(first.next_cursor)) == (("a", "b"), True)
    assert (await home.get_connected_nodes("b", direction="both", min_strength=0.99)).node_ids == ()
    for wrong in (-1, 1.1, True, "x", float("nan")):
        for ask in (home.query_connections(min_strength=wrong), home.get_weak_relations(below=wrong)):  # pyright: ignore[reportArgumentType]
            with pytest.raises(GraphError) as refused:
                await ask
            assert refused.value.code == Code.INVALID_ARGUMENT


async def test_weak_ones_come_in_pages_that_have_each_once(home: Memory) -> None:
    below = 0.5
    expected = {name for name, arguments in STRENGTHS.items() if fresh(arguments) < below}
    results: list[str] = []
    cursor = None
    for _ in range(10):
        page = await home.get_weak_relations(below=below, limit=1, cursor=cursor)
        results += [connection.id for connection in page.connections]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert results == sorted(expected)
    whole = (await home.get_weak_relations(below=below)).connections
    assert [connection.id for connection in whole] == sorted(expected, key=lambda text: fresh(STRENGTHS[text]))
    assert (await home.get_weak_relations(below=0)).connections == ()


async def test_neo4j_weighs_by_the_one_formula(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """`graph/weighed` and `traversal/frontier` weigh values of every shape as `model/values/weight.py` does."""
    rng, ends = Random(25), {"from_node_id": "a", "to_node_id": "b"}
    lives: dict[str, float | None] = {"Plain": None, "Brief": 0.05, "Long": 3_000.0}
    types = [
        {"name": name, "from": ["Note"], "to": ["Note"], **({"half_life": life} if life else {})}
        for name, life in lives.items()
    ]
    await memory.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": types}))
    for name in ("a", "b"):
        await memory.create_node("Note", name, id=name)
    made = []
    for _ in range(200):
        names = rng.sample(["semantic", "structural", "temporal", "confidence"], rng.randrange(5))
        strength = {name: rng.choice([0.0, 1.0, rng.random()]) for name in names}
        made.append({"op": "create_connection", "type": rng.choice([*lives]), "strength": strength or None, **ends})
    result = await memory.execute_batch([{k: v for k, v in item.items() if v is not None} for item in made])
    ids = [item.id for item in result.results if item.id is not None]
    await memory.execute_batch(
        [
            {
                "op": "set_relation_importance",
                "connection_id": node_id,
                "importance": rng.choice([0.0, 1.0, rng.random()]),
            }
            for node_id in ids[::2]
        ]
    )
    infos = [await memory.get_connection(node_id) for node_id in ids]
    end = await last(memory)
    for days in (-1.0, 0.0, 0.01, 1.0, 400.0, 20_000.0):
        now = utc_now() + timedelta(days=days)
        monkeypatch.setattr(connection_weights, "utc_now", lambda now=now: now)
        expected = {info.id: weight(Measures(info), now, half_life=lives[info.type]) for info in infos}
        ours = await connection_weights.create_weigher(memory._core, memory._domain(None))
        wanted = Criteria(kind=Kind.CONNECTION, properties={})
        links, _ = await ours.read_page(Page("", UNLIMITED), wanted)
        assert {link.id: link.weight for link in links} == pytest.approx(expected, rel=1e-5, abs=1e-12)
        least, below = sorted(link.weight for link in rng.sample(links, 2))
        some, _ = await ours.read_page(Page("", UNLIMITED), wanted, least=least, below=below)
        assert some == [link for link in links if least <= link.weight < below]
        ranked = await ours.find_heaviest(wanted, 20)
        assert [link.weight for link in ranked] == pytest.approx(sorted(expected.values(), reverse=True)[:20], rel=1e-5)
        for at in (None, end):
            frontier = Frontier(
                DomainState(memory._core, memory._domain(None), at), replace(ours, at=at or ours.at), EdgeFilter()
            )
            walked = (await frontier.read_edges(EdgeRequest(("a",)))).edges["a"]
            assert {edge.id: edge.weight for edge in walked} == pytest.approx(expected, rel=1e-5, abs=1e-12)


async def test_weights_fade_by_the_half_life_of_the_type_and_nothing_is_written(
    home: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (await home.history.log()).entries[0].seq
    later = utc_now() + timedelta(days=30)
    monkeypatch.setattr(connection_weights, "utc_now", lambda: later)
    scores = {
        connection.id: connection.weight for connection in (await home.get_strongest_connections("a")).connections
    }
    assert scores["a-c"] == pytest.approx(fresh(0.5) / 2, abs=2e-4)
    assert scores["a-b"] == pytest.approx(fresh(0.9) * 2 ** (-30 / 365), abs=2e-4)
    assert (await home.history.log()).entries[0].seq == before
    await home.apply_ontology(
        ontology_from(
            {
                "node_types": ["Note"],
                "connection_types": [{"name": "Saw", "from": ["Note"], "to": ["Note"], "half_life": 15}],
            }
        )
    )
    again = {connection.id: connection.weight for connection in (await home.get_strongest_connections("a")).connections}
    assert again["a-c"] == pytest.approx(fresh(0.5) / 4, abs=2e-4)
    assert "half_life 30 → 15" in (await home.history.log()).entries[0].summary


@pytest.mark.parametrize("wrong", [0, -1, 40_000, "30", True, [1]])
async def test_a_half_life_is_a_number_of_days(wrong: object) -> None:
    with pytest.raises(GraphError) as refused:
        ontology_from(
            {"node_types": ["A"], "connection_types": [{"name": "B", "from": ["A"], "to": ["A"], "half_life": wrong}]}
        )
    assert refused.value.code in {Code.INVALID_ONTOLOGY, Code.INVALID_ARGUMENT}


async def test_the_past_weighs_as_it_was_then(home: Memory) -> None:
    seq = (await home.get_connection("a-a")).version
    await home.update_connection("a-b", strength=0.05)
    await home.delete_connection("a-a")
    past = await home.history.as_of(seq)
    assert [connection.id for connection in (await past.get_strongest_connections("a", limit=2)).connections] == [
        "a-b",
        "a-a",
    ]
    assert (await past.query_connections(min_strength=0.6)).connection_ids == ("a-a", "a-b")
    assert (await past.get_connected_nodes("a", direction="out", min_strength=0.6)).node_ids == ("a", "b")
    assert {connection.id for connection in (await past.get_weak_relations(below=0.3)).connections} == {"b-a", "c-b"}
    assert [connection.id for connection in (await home.get_strongest_connections("a", limit=1)).connections] == ["a-c"]
    assert await weights(home, below=0.1) == {"a-b": pytest.approx(fresh(0.05), abs=2e-4), "c-b": pytest.approx(0.09)}


async def test_what_is_not_there_is_said(home: Memory) -> None:
    with pytest.raises(GraphError) as refused:
        await home.get_strongest_connections("nobody")
    assert refused.value.code == Code.NODE_NOT_FOUND
    nowhere = home.in_domain(f"{home._domain(None)}-nowhere")
    for ask in (nowhere.get_strongest_connections("a"), nowhere.get_weak_relations()):
        with pytest.raises(GraphError) as refused:
            await ask
        assert refused.value.code == Code.ONTOLOGY_NOT_FOUND
    assert (await nowhere.query_connections(min_strength=0.5)).connection_ids == ()
    for limit in (0, 1_001, True):
        with pytest.raises(GraphError) as refused:
            await home.get_strongest_connections("a", limit=limit)
        assert refused.value.details["argument"] == "limit"


async def test_weights_are_asked_for_under_the_inverse_name_too(memory: Memory) -> None:
    declared = {"name": "Contains", "from": ["Note"], "to": ["Note"], "inverse": "PartOf", "transitive": True}
    await memory.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": [declared]}))
    for name in ("book", "page", "line"):
        await memory.create_node("Note", f"# {name}", id=name)
    await memory.create_connection("Contains", "book", "page", id="one", strength=0.9)
    await memory.create_connection("Contains", "page", "line", id="two", strength=0.1)
    await memory.create_connection("PartOf", "line", "book", id="three", strength=0.8)
    [strong] = (await memory.get_strongest_connections("page", connection_type="PartOf", direction="out")).connections
    assert (strong.id, strong.type, strong.from_id, strong.to_id, strong.inferred) == (
        "one",
        "PartOf",
        "page",
        "book",
        True,
    )
    assert (await memory.query_connections(type="PartOf", min_strength=0.5)).connection_ids == ("one", "three")
    assert (await memory.query_connections(type="PartOf", from_node_id="page", min_strength=0.5)).connection_ids == (
        "one",
    )
    arguments = {"direction": "out", "connection_type": "PartOf"}
    assert (await memory.get_connected_nodes("line", **arguments, min_strength=0.5)).node_ids == ("book",)  # pyright: ignore[reportArgumentType]
    assert [
        connection.id for connection in (await memory.get_weak_relations(connection_type="PartOf")).connections
    ] == ["two"]
    past = await memory.history.as_of((await memory.get_connection("three")).version)
    assert (await past.query_connections(type="PartOf", min_strength=0.5)).connection_ids == ("one", "three")
    for reader in (memory, past):
        with pytest.raises(GraphError) as refused:
            await reader.get_connected_nodes("line", **arguments, min_strength=0.5, transitive=True)  # pyright: ignore[reportArgumentType]
        assert refused.value.details["argument"] == "min_strength"


async def test_the_most_connected_nodes_come_first_and_each_connection_counts_once(memory: Memory) -> None:
    types = [
        {"name": "About", "from": ["Note"], "to": ["Note"]},
        {"name": "Knows", "from": ["Note"], "to": ["Note"], "symmetric": True},
    ]
    await memory.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": types}))
    assert await memory.get_most_connected_nodes() == ()
    for name in ("a", "b", "c", "d", "alone"):
        await memory.create_node("Note", f"# {name}", id=name)
    for start, end in (("a", "b"), ("a", "c"), ("c", "b"), ("d", "a")):
        await memory.create_connection("About", start, end)
    await memory.create_connection("Knows", "c", "a")
    rows = await memory.get_most_connected_nodes()
    assert [(row.id, row.connections) for row in rows] == [("a", 4), ("c", 3), ("b", 2), ("d", 1)]
    assert rows[0].title == "a"
    for number in range(CANDIDATES):
        facts = [f"fact {text}" for text in range(12)]
        await memory.entities.remember(name=f"person {number}", observations=facts, type="Note")
    assert [row.id for row in await memory.get_most_connected_nodes(limit=1)] == ["a"]
    with pytest.raises(GraphError) as caught:
        await memory.get_most_connected_nodes(limit=0)
    assert caught.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(GraphError) as caught:
        await memory.get_most_connected_nodes(domain="no-such-domain")
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
