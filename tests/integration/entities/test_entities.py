"""Entities: one per name for all writers, returned as written, and recorded in the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from graph_memory import (
    Code,
    ConnectionType,
    GraphError,
    Memory,
    NodeType,
    Ontology,
    PropertyRule,
    Settings,
    open_memory,
)
from graph_memory.memory.changes import paging
from graph_memory.model.subjects.kinds import Kind
from support import last

pytestmark = pytest.mark.anyio

ANN = {"name": "Ann", "entityType": "person", "observations": ["likes tea", "Straße"]}
ODD = {"name": "", "entityType": "_a\0b ", "observations": [""]}
BOB = {"name": "Bob", "entityType": "person", "observations": ["is kind"]}


async def graph(memory: Memory) -> dict[str, Any]:
    return (await memory.entities.read_graph()).to_dict()


async def clean(memory: Memory) -> None:
    assert (await memory.upkeep.verify()).differences == ()


async def test_what_is_written_is_told_as_it_was_written_and_in_that_order(memory: Memory) -> None:
    await memory.entities.create_entities([ANN, ODD])
    relation = {"from": "Bob", "to": "", "relationType": "_ knows"}
    await memory.entities.create_relations([relation])
    assert await graph(memory) == {"entities": [ANN, ODD], "relations": [relation]}
    made = await memory.entities.create_entities([{"name": "Cy", "entityType": "x", "observations": []}, BOB])
    assert [entity.name for entity in made.entities] == ["Cy", "Bob"]
    assert [entity["name"] for entity in (await graph(memory))["entities"]] == ["Ann", "", "Cy", "Bob"]
    await clean(memory)


async def test_a_text_is_found_as_soon_as_it_is_written(memory: Memory) -> None:
    await memory.entities.create_entities([ANN, BOB])
    await memory.entities.add_observations([{"entityName": "Bob", "contents": ["Plays CHESS"]}])

    async def ids_by_text(text: str) -> list[str]:
        return [entity.name for entity in (await memory.entities.search_nodes(text)).entities]

    assert [await ids_by_text(text) for text in ("chess", "PERSON", "straße", "strasse", "b\nperson", "")] == [
        ["Bob"],
        ["Ann", "Bob"],
        ["Ann"],
        [],
        ["Bob"],
        ["Ann", "Bob"],
    ]
    await clean(memory)


async def test_words_that_stand_nowhere_together_find_what_has_them_all(
    memory: Memory, settings: Settings, domain: str
) -> None:
    dan = {"name": "Dan", "type": "person", "observations": ["drinks only coffee", "collects old editors"]}
    eve = {"name": "Editor Dan", "type": "program", "observations": ["made of coffee", "x" * 9_000 + " Oolong"]}
    await memory.entities.create_entities([ANN, BOB, dan, eve, {"name": "of", "type": "x"}])
    await memory.entities.create_relations([{"from": "Dan", "to": "Ann", "relationType": "knows"}])

    async def ids_by_text(text: str, among: Memory = memory) -> list[str]:
        return [entity.name for entity in (await among.entities.search_nodes(text)).entities]

    assert await ids_by_text("coffee editor") == ["Editor Dan", "Dan"]
    assert await ids_by_text("What editors has Dan?") == ["Editor Dan", "Dan"]
    assert await ids_by_text("OOLONG, coffee") == ["Editor Dan"]
    assert await ids_by_text("Ann drinks tea") == []
    assert await ids_by_text("who likes Strassen") == []
    assert await ids_by_text("the of") == []
    assert await ids_by_text("is the kind") == ["Bob"]
    assert await ids_by_text("Bo is k") == ["Bob"]
    assert await ids_by_text("likes tea") == ["Ann"]
    assert len((await memory.entities.search_nodes("drinking coffee")).relations) == 1
    async with open_memory(settings.model_copy(update={"search_nodes": "plain", "domain": domain})) as as_there:
        found_there = [await ids_by_text(text, as_there) for text in ("coffee editor", "b\nperson", "likes tea")]
    assert found_there == [[], [], ["Ann"]]


async def test_no_way_of_writing_makes_two_entities_of_one_name(memory: Memory, domain: str) -> None:
    await memory.entities.create_entities([ANN, {"name": "Bo", "type": "dog"}])
    [dog] = (await memory.query_nodes(type="dog")).node_ids
    for write in (
        memory.update_node(dog, properties={"name": "Ann"}),
        memory.execute_batch([{"op": "update_node", "node_id": dog, "properties": {"name": "Ann"}}]),
    ):
        with pytest.raises(GraphError) as caught:
            await write
        assert caught.value.code in (Code.UNIQUE_PROPERTY_TAKEN, Code.BATCH_REFUSED)
    branch = memory.in_domain(f"{domain}-b")
    await memory.history.branch(f"{domain}-b")
    for side, kind in ((memory, "cat"), (branch, "bird")):
        await side.entities.create_entities([{"name": "Cy", "type": kind, "observations": ["is small"]}])
    merged = await memory.history.merge(f"{domain}-b", preview=True)
    assert "unique" in [conflict.conflict for conflict in merged.conflicts]
    await clean(branch)


@pytest.mark.long
async def test_of_many_that_create_one_name_at_once_one_does(memory: Memory) -> None:
    created: list[Mapping[str, Any]] = []

    async def create(number: int) -> None:
        names = [f"Entity {(number + step) % 12}" for step in range(6)]
        made = await memory.entities.create_entities([{"name": name, "type": f"t{number}"} for name in names])
        created.extend(made.to_dict()["entities"])

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(create, number)
    assert sorted(item["name"] for item in created) == sorted(f"Entity {number}" for number in range(12))
    assert len((await graph(memory))["entities"]) == 12
    await clean(memory)


async def test_observations_are_reverted_branched_and_read_as_of_a_time(memory: Memory, domain: str) -> None:
    await memory.entities.create_entities([ANN, BOB])
    await memory.history.branch(f"{domain}-b")
    branch = memory.in_domain(f"{domain}-b")
    await branch.entities.delete_observations([{"entityName": "Ann", "observations": ["likes tea"]}])
    assert (await graph(memory))["entities"] == [ANN, BOB]
    await memory.history.merge(f"{domain}-b")
    assert (await graph(memory))["entities"] == [{**ANN, "observations": ["Straße"]}, BOB]
    last = (await memory.history.log(limit=1)).entries[0].seq
    await memory.entities.delete_entities(["Ann"])
    seq = (await memory.history.log(limit=1)).entries[0].seq
    await memory.history.revert(since=last + 1, until=seq)
    assert (await graph(memory))["entities"] == [{**ANN, "observations": ["Straße"]}, BOB]
    for domain_memory in (memory, branch):
        await clean(domain_memory)


async def test_a_closed_ontology_is_kept_and_beyond_the_limit_types_share_one(memory: Memory, domain: str) -> None:
    await memory.create_ontology(
        Ontology.create([NodeType("Person", properties=(PropertyRule("age", required=True),))])
    )
    for kind, code in (("Dog", Code.INVALID_NODE_TYPE), ("Person", Code.REQUIRED_PROPERTY_MISSING)):
        with pytest.raises(GraphError) as caught:
            await memory.entities.create_entities([{"name": "Ann", "type": kind}])
        assert caught.value.code is code
    assert await graph(memory) == {"entities": [], "relations": []}
    other = memory.in_domain(f"{domain}-o")
    many = [{"name": f"n{number}", "entityType": f"type {number}", "observations": []} for number in range(230)]
    await other.entities.create_entities(many)
    assert (await graph(other))["entities"] == many
    assert len((await other.query_nodes(type="entity")).node_ids) > 20
    await clean(other)


async def test_the_end_of_a_relation_becomes_no_entity_of_a_type_that_a_closed_ontology_lacks(memory: Memory) -> None:
    ontology = Ontology(node_types=(NodeType("entity"),), connection_types=(ConnectionType("knows", ("*",), ("*",)),))
    await memory.create_ontology(ontology)
    await memory.entities.create_relations([{"from": "Ann", "to": "Bob", "relationType": "knows"}])
    with pytest.raises(GraphError) as caught:
        await memory.entities.create_entities([ANN])
    assert caught.value.code == Code.INVALID_NODE_TYPE
    assert (await memory.entities.create_entities([{**ANN, "entityType": "entity"}])).entities


async def test_what_is_searched_for_must_be_a_text(memory: Memory) -> None:
    for arguments in (None, 3, "half a pair \ud800"):
        with pytest.raises(GraphError) as caught:
            await memory.entities.search_nodes(arguments)
        assert caught.value.code == Code.INVALID_ARGUMENT


async def test_an_unknown_end_is_named_with_the_nearest_name(memory: Memory) -> None:
    await memory.entities.create_entities([ANN, BOB])
    with pytest.raises(GraphError) as caught:
        await memory.entities.create_relations([{"from": "Anne", "to": "Bob", "type": "knows"}])
    assert caught.value.code is Code.NODE_NOT_FOUND
    assert '"Ann"' in (caught.value.hint or "")
    assert "relationType" in (caught.value.hint or "")
    assert (await graph(memory))["relations"] == []


@pytest.mark.parametrize("is_batch", [False, True])
async def test_a_name_that_only_relations_lead_to_is_an_unknown_end_too(memory: Memory, is_batch: bool) -> None:
    await memory.entities.create_entities([{"name": "Ann"}])
    await memory.entities.create_relations([{"from": "Ann", "to": "Tea", "relationType": "likes"}])
    for start, end in (("Ann", "Tea"), ("Tea", "Ann")):
        relation = {"from": start, "to": end, "type": "likes"}
        with pytest.raises(GraphError) as caught:
            await (
                memory.execute_batch([{"op": "create_relations", "relations": [relation]}])
                if is_batch
                else memory.entities.create_relations([relation])
            )
        result: Any = caught.value.details["faults"][0] if is_batch else {"code": caught.value.code}
        assert result["code"] == Code.NODE_NOT_FOUND
    await memory.entities.create_relations([{"from": "Tea", "to": "Ann", "type": "likes"}], lenient=True)
    await memory.entities.create_entities([{"name": "Tea"}])
    await memory.entities.create_relations([{"from": "Tea", "to": "Ann", "type": "warms"}])
    assert len((await memory.entities.read_graph()).relations) == 3


async def test_a_name_that_only_a_relation_led_to_goes_and_comes_back_with_it(memory: Memory) -> None:
    await memory.entities.create_entities([{"name": "Ann"}])
    await memory.entities.create_relations([{"from": "Ann", "to": "Tea", "relationType": "likes"}])
    made = {entry.kind: entry.seq for entry in (await memory.history.log(limit=2)).entries}
    reverted = await memory.history.revert(event_ids=[made[Kind.CONNECTION]])
    assert [change.kind for change in reverted.changes] == [Kind.CONNECTION, Kind.NODE]
    assert len((await memory.query_nodes()).node_ids) == 1
    await memory.history.revert(event_ids=[change.seq for change in reverted.changes])
    assert len((await memory.entities.read_graph()).relations) == 1
    await memory.entities.create_relations([{"from": "Tea", "to": "Ann", "relationType": "warms"}])
    made = {entry.kind: entry.seq for entry in (await memory.history.log(limit=1)).entries}
    assert len((await memory.history.revert(event_ids=[made[Kind.CONNECTION]])).changes) == 1
    await clean(memory)


async def test_more_than_one_write_holds_is_deleted_in_few(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"n{number}" for number in range(7)]
    small = [{"name": name, "entityType": "t", "observations": ["a"]} for name in names]
    await memory.entities.create_entities([{"name": "big", "entityType": "t", "observations": list("abcdef")}, *small])
    monkeypatch.setattr(paging, "AT_ONCE", 4)
    before = await last(memory)
    await memory.entities.delete_entities(["big", "no", *names])
    assert (await graph(memory))["entities"] == []
    assert (await memory.upkeep.verify()).clean
    batches = {entry.batch for entry in (await memory.history.log(limit=100)).entries if entry.seq > before}
    assert len(batches) <= 5
