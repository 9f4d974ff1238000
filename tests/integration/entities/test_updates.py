"""Entities and observations changed where they are: names, aliases, texts; what is attached to them stays."""

from __future__ import annotations

from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory

pytestmark = pytest.mark.anyio

ANN = {"name": "Ann", "entityType": "person", "observations": ["likes tea", "is kind"]}
BOB = {"name": "Bob", "entityType": "person", "observations": []}
KNOWS = {"from": "Ann", "to": "Bob", "relationType": "knows"}


async def fill(memory: Memory) -> None:
    await memory.entities.create_entities([ANN, BOB])
    await memory.entities.create_relations([KNOWS, {"from": "Ann", "to": "Cy", "relationType": "knows"}])


async def graph(memory: Memory) -> dict[str, Any]:
    return (await memory.entities.read_graph()).to_dict()


async def test_a_renamed_entity_keeps_what_is_attached_and_names_stay_unique(memory: Memory) -> None:
    await fill(memory)
    before = await graph(memory)
    made = await memory.entities.update_entity("Ann", new_name="Anna", properties={"city": "Leeds"}, description="# A")
    again = await memory.entities.update_entity("Anna", new_name="Anna", properties={"city": "Leeds"})
    renamed = await graph(memory)
    assert (made.name, made.changed, again.changed, again.version) == ("Anna", True, False, made.version)
    assert renamed["entities"] == [{**ANN, "name": "Anna"}, BOB]
    assert [one["from"] for one in renamed["relations"]] == ["Anna", "Anna"]
    assert (await memory.get_node(made.id)).properties == {"name": "Anna", "city": "Leeds"}
    refusals: tuple[tuple[dict[str, Any], Code], ...] = (
        ({"name": "Bob", "new_name": "Anna"}, Code.UNIQUE_PROPERTY_TAKEN),
        ({"name": "Bob", "new_name": "Cy"}, Code.INVALID_ARGUMENT),
        ({"name": "Ann", "new_name": "Al"}, Code.NODE_NOT_FOUND),
        ({"name": "Cy", "new_name": "Al"}, Code.NODE_NOT_FOUND),
        ({"name": "Bob"}, Code.INVALID_ARGUMENT),
        ({"name": "Bob", "aliases": ["B"], "properties": {"aliases": "B"}}, Code.INVALID_ARGUMENT),
        ({"name": "Bob", "properties": {"name": "B"}}, Code.INVALID_ARGUMENT),
    )
    for wrong, code in refusals:
        with pytest.raises(GraphError) as refused:
            await memory.entities.update_entity(**wrong)
        assert refused.value.code is code, wrong
    assert await graph(memory) == renamed
    await memory.history.revert(since=made.version)
    assert await graph(memory) == before
    assert (await memory.upkeep.verify()).differences == ()


async def test_an_alias_is_a_name_for_remember_and_recall_and_not_for_the_nine_tools(memory: Memory) -> None:
    await fill(memory)
    await memory.entities.update_entity("Ann", aliases=["Annie Oak", "the boss"])
    told = await memory.entities.remember(name="annie  OAK", observations=["plays chess"])
    assert (told.entity, told.found_by, told.created) == ("Ann", "alias", False)
    assert not (await memory.entities.search_nodes("annie")).entities
    assert not (await memory.entities.open_nodes(["Annie Oak"])).entities
    found = await memory.recall.search_memories("what does Annie Oak do?", search_mode="lexical")
    assert "Ann" in found.model_dump_json()
    await memory.entities.update_entity("Ann", aliases=[])
    assert (await memory.entities.remember(name="the boss", observations=["sings"])).created
    assert (await memory.upkeep.verify()).differences == ()


async def test_an_observation_is_corrected_where_it_is(memory: Memory) -> None:
    await fill(memory)
    entities = memory.entities
    made = await entities.update_observation("Ann", "likes tea", text="likes green tea", confidence=0.25)
    again = await entities.update_observation("Ann", made.id, confidence=0.25)
    assert (made.changed, again.changed, again.version, again.text) == (True, False, made.version, "likes green tea")
    assert (await graph(memory))["entities"][0]["observations"] == ["likes green tea", "is kind"]
    assert [one.name for one in (await entities.search_nodes("green")).entities] == ["Ann"]
    for wrong, code in (
        (("Ann", "likes tee", "x", None), Code.INVALID_ARGUMENT),
        (("Bob", made.id, "x", None), Code.INVALID_ARGUMENT),
        (("Ann", made.id, "is kind", None), Code.INVALID_ARGUMENT),
        (("Ann", made.id, None, None), Code.INVALID_ARGUMENT),
        (("Ann", made.id, None, 1.5), Code.INVALID_ARGUMENT),
        (("Annn", made.id, "x", None), Code.NODE_NOT_FOUND),
    ):
        with pytest.raises(GraphError) as refused:
            await entities.update_observation(*wrong[:2], text=wrong[2], confidence=wrong[3])
        assert refused.value.code is code, wrong
    assert (await graph(memory))["entities"][0]["observations"] == ["likes green tea", "is kind"]
    assert (await memory.upkeep.verify()).differences == ()
