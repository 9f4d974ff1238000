"""Lists with `detail` say what each id is, so that nobody has to ask again for each of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from graph_memory import Memory, ontology_from
from graph_memory.memory.history.past import Past
from graph_memory.model.results import ConnectedNode, NodeIds
from graph_memory.storage.queries import Query

pytestmark = pytest.mark.anyio

TYPES = ontology_from(
    {
        "node_types": ["Project", "Person"],
        "connection_types": [
            {"name": "Has", "from_types": ["Project"], "to_types": ["Person"]},
            {"name": "Knows", "from_types": ["*"], "to_types": ["*"]},
        ],
    }
)
TITLES = {"kitchen": "Kitchen", "anna": "Anna", "bert": "Bert"}

NODES: dict[str, Callable[[Memory | Past], Awaitable[NodeIds]]] = {
    "query_nodes": lambda m: m.query_nodes(type="Person", detail=True),
    "query_nodes by a property": lambda m: m.query_nodes(properties={"role": "cook"}, detail=True),
    "search_content": lambda m: m.search_content("cook", detail=True),
    "get_connected_nodes": lambda m: m.get_connected_nodes("kitchen", direction="out", detail=True),
}


@pytest.fixture
async def house(memory: Memory) -> Memory:
    """A project with two people, one of whom is known from it in two ways more."""
    await memory.create_ontology(TYPES)
    await memory.create_node("Project", "# Kitchen", id="kitchen")
    for name in ("bert", "anna"):
        await memory.create_node("Person", f"# {TITLES[name]}\n\ncook", properties={"role": "cook"}, id=name)
        await memory.create_connection("Has", "kitchen", name, id=f"has-{name}")
    await memory.create_connection("Knows", "kitchen", "anna", id="knows-anna")
    await memory.create_connection("Knows", "anna", "kitchen", id="known-by-anna")
    return memory


def links(node: ConnectedNode) -> list[tuple[str, str, str]]:
    return [(link.id, link.type, link.direction) for link in node.connections]


async def spoil(house: Memory) -> None:
    """Change what the readers of the past must not see."""
    await house.update_node("anna", properties={"title": "Somebody else"}, content="other", encoding="utf-8")
    await house.update_connection("has-anna", properties={"since": "today"})
    await house.delete_node("bert")
    await house.create_connection("Knows", "kitchen", "anna")


@pytest.mark.parametrize("name", NODES)
async def test_nodes_come_with_type_and_title_in_the_order_of_their_ids(house: Memory, name: str) -> None:
    past = await house.history.as_of("now")
    for reader in (house, past):
        page = await NODES[name](reader)
        assert page.node_ids == ("anna", "bert")
        assert [(node.id, node.type, node.title) for node in page.nodes or ()] == [
            ("anna", "Person", "Anna"),
            ("bert", "Person", "Bert"),
        ]
        if reader is house:
            await spoil(house)


async def test_without_detail_nothing_is_added(house: Memory) -> None:
    assert (await house.query_nodes()).to_dict() == {"node_ids": ["anna", "bert", "kitchen"]}
    assert (await house.query_connections()).to_dict().keys() == {"connection_ids"}
    assert (await house.get_connected_nodes("kitchen", direction="out")).to_dict() == {"node_ids": ["anna", "bert"]}


async def test_a_connected_node_comes_with_each_connection_by_which_it_is_found(house: Memory) -> None:
    past = await house.history.as_of("now")
    for reader in (house, past):
        nodes = await reader.get_connected_nodes("kitchen", direction="both", detail=True)
        assert [links(node) for node in nodes.nodes or ()] == [
            [("has-anna", "Has", "out"), ("known-by-anna", "Knows", "in"), ("knows-anna", "Knows", "out")],
            [("has-bert", "Has", "out")],
        ]
        known = await reader.get_connected_nodes("kitchen", direction="in", connection_type="Knows", detail=True)
        assert [links(node) for node in known.nodes or ()] == [[("known-by-anna", "Knows", "in")]]
        if reader is house:
            await spoil(house)


async def test_a_node_that_is_connected_to_itself_is_told_once(house: Memory) -> None:
    await house.create_connection("Knows", "bert", "bert", id="self")
    for direction, seen in (("out", "out"), ("in", "in"), ("both", "out")):
        nodes = await house.get_connected_nodes("bert", direction=direction, connection_type="Knows", detail=True)
        assert [links(node) for node in nodes.nodes or ()] == [[("self", "Knows", seen)]]


async def test_only_connections_that_hold_at_the_time_are_told(house: Memory) -> None:
    await house.set_validity("knows-anna", valid_to="2020-01-01")
    now = await house.get_connected_nodes("kitchen", direction="out", valid_at="2025-01-01", detail=True)
    assert [links(node) for node in now.nodes or ()] == [[("has-anna", "Has", "out")], [("has-bert", "Has", "out")]]
    then = await house.get_connected_nodes("kitchen", direction="out", valid_at="2019-01-01", detail=True)
    assert len((then.nodes or ())[0].connections) == 2


async def test_connections_come_with_type_and_the_titles_of_their_ends(house: Memory) -> None:
    past = await house.history.as_of("now")
    for reader in (house, past):
        page = await reader.query_connections(type="Has", detail=True)
        assert page.connection_ids == ("has-anna", "has-bert")
        assert [connection.model_dump() for connection in page.connections or ()] == [
            {
                "id": f"has-{name}",
                "type": "Has",
                "from_id": "kitchen",
                "from_title": "Kitchen",
                "to_id": name,
                "to_title": TITLES[name],
                "inferred": None,
            }
            for name in ("anna", "bert")
        ]
        assert [connection.to_title for connection in await reader.describe_connections(page.connection_ids)] == [
            "Anna",
            "Bert",
        ]
        if reader is house:
            await spoil(house)


async def test_a_page_has_the_detail_of_its_own_nodes(house: Memory) -> None:
    first = await house.query_nodes(detail=True, limit=2)
    assert [node.title for node in first.nodes or ()] == ["Anna", "Bert"]
    rest = await house.query_nodes(detail=True, limit=2, cursor=first.next_cursor)
    assert [node.title for node in rest.nodes or ()] == ["Kitchen"]


@pytest.mark.parametrize("name", NODES)
async def test_detail_costs_one_more_round_trip(house: Memory, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Concurrent queries are awaited together."""
    store = house._core.store
    read = store.read
    waits: list[int] = []
    under_way = 0

    async def count_query(query: Query[Any], **params: object) -> list[Any]:
        nonlocal under_way
        waits.append(under_way)
        under_way += 1
        try:
            return await read(query, **params)
        finally:
            under_way -= 1

    await NODES[name](house)  # from here on it is known where the log stands
    monkeypatch.setattr(store, "read", count_query)
    await NODES[name](house)
    assert waits.count(0) == 2
