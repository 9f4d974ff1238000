"""Readers take no lock, and still see every change whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, NodeType, Settings, ontology_from, open_memory
from graph_memory.storage.log.ontologies import ONTOLOGY, OntologyRow
from graph_memory.storage.queries import Query

pytestmark = pytest.mark.anyio

SECONDS = 3.0
PROPERTIES = [f"p{place}" for place in range(20)]
RULES = ontology_from(
    {"node_types": ["Note"], "connection_types": [{"name": "About", "from_types": ["Note"], "to_types": ["Note"]}]}
)


@pytest.mark.long
async def test_a_reader_never_sees_half_of_an_update(memory: Memory) -> None:
    await memory.create_ontology(RULES)
    node = (await memory.create_node("Note", "0", properties=dict.fromkeys(PROPERTIES, 0))).node_id
    link = (await memory.create_connection("About", node, node, properties=dict.fromkeys(PROPERTIES, 0))).connection_id
    torn: list[Any] = []
    reads = 0

    async def write(scope: anyio.CancelScope) -> None:
        for value in range(1, 10_000):
            changed = dict.fromkeys(PROPERTIES, value)
            await memory.update_node(node, properties=changed, content=str(value), encoding="utf-8")
            await memory.update_connection(link, properties=changed)
        scope.cancel()

    async def read() -> None:
        nonlocal reads
        while True:
            for result in (await memory.get_node(node), await memory.get_connection(link)):
                reads += 1
                if len(set(result.properties.values())) != 1:
                    torn.append(result)
            await memory.get_node_content(node)

    with anyio.move_on_after(SECONDS):
        async with anyio.create_task_group() as group:
            group.start_soon(write, group.cancel_scope)
            for _ in range(3):
                group.start_soon(read)
    assert reads > 50
    assert torn == []


async def test_an_ontology_that_was_read_by_halves_is_read_again_and_not_remembered(
    memory: Memory, settings: Settings, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.create_ontology(RULES)
    await memory.add_node_type(NodeType("Late"))
    async with open_memory(settings.model_copy(update={"domain": domain})) as cold:
        store = cold._core.store
        halves = 0
        result = store.first_row

        async def by_halves(query: Query[Any], **params: object) -> Any:
            nonlocal halves
            row = await result(query, **params)
            if query is ONTOLOGY and isinstance(row, OntologyRow) and halves < 2:
                halves += 1
                return replace(row, newest=row.newest - 1, node_types=row.node_types[:1])
            return row

        monkeypatch.setattr(store, "first_row", by_halves)
        assert (await cold.get_ontology()).find_node_type("Late") is not None
        assert halves == 2


async def test_text_that_is_not_unicode_is_refused_wherever_it_is_given(memory: Memory) -> None:
    await memory.create_ontology(RULES)
    half = "\ud83d"
    calls: list[Any] = [
        memory.get_node(half),
        memory.get_connection(half),
        memory.query_nodes(type=half),
        memory.query_connections(from_node_id=half),
        memory.get_connected_nodes(half, direction="out"),
        memory.search_content("text", node_type=half),
        memory.delete_node(half),
    ]
    for call in calls:
        with pytest.raises(GraphError) as caught:
            await call
        assert caught.value.code is Code.INVALID_ARGUMENT


async def test_arguments_of_another_type_are_refused_from_python_too(memory: Memory) -> None:
    await memory.create_ontology(RULES)
    node = (await memory.create_node("Note", "")).node_id
    wrong: Any = "5"
    nothing: Any = None
    sideways: Any = "sideways"
    calls: list[Any] = [
        memory.query_nodes(limit=wrong),
        memory.create_node("Note", nothing),
        memory.get_connected_nodes(node, direction=sideways),
    ]
    for call in calls:
        with pytest.raises(GraphError) as caught:
            await call
        assert caught.value.code is Code.INVALID_ARGUMENT


async def test_an_error_does_not_repeat_an_id_of_any_length(memory: Memory) -> None:
    await memory.create_ontology(RULES)
    for call in (memory.get_node("x" * 100_000), memory.get_connection("x" * 100_000)):
        with pytest.raises(GraphError) as caught:
            await call
        assert len(str(caught.value.to_dict())) < 1_000


async def test_a_node_made_by_hand_is_told_apart_from_one_that_is_missing(
    memory: Memory, domain: str, driver: Any
) -> None:
    await memory.create_ontology(RULES)
    driver.execute_query("CREATE (:_Node:Note {_domain: $domain, _id: 'mem_hand', _version: 999})", domain=domain)
    with pytest.raises(GraphError) as caught:
        await memory.get_node("mem_hand")
    assert caught.value.code is Code.STORE_CONFLICT
