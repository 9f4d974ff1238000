"""The label of an entity is its type, also where it was only the end of a relation before it became one."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_memory import ConnectionType, Memory, NodeType, Ontology

pytestmark = pytest.mark.anyio

KNOWS = {"from": "Ann", "to": "Ghost", "relationType": "knows"}


async def types(memory: Memory, *names: str) -> list[int]:
    return [len((await memory.query_nodes(type=name)).node_ids) for name in names]


async def test_an_end_of_a_relation_that_becomes_an_entity_gets_its_label(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    await memory.entities.create_entities([{"name": "Ann", "type": "person"}])
    await memory.entities.create_relations([KNOWS, {**KNOWS, "to": "Goblin"}])
    before = (await memory.history.log(limit=1)).entries[0].seq
    await memory.entities.create_entities([{"name": "Ghost", "type": "spirit", "description": "It is pale."}])
    await memory.entities.remember(name="Goblin", type="spirit", observations=["is green"])
    assert await types(memory, "entity", "spirit", "person") == [0, 2, 1]
    assert len((await memory.search_content("pale", node_type="spirit")).node_ids) == 1
    past = await memory.history.as_of(before)
    assert [len((await past.query_nodes(type=name)).node_ids) for name in ("entity", "spirit")] == [2, 0]
    assert (await memory.upkeep.verify()).differences == ()
    await memory.upkeep.rebuild()
    assert (await memory.upkeep.verify()).differences == ()
    await memory.transfer.export_file(tmp_path / "all.gm")
    await memory.transfer.import_file(tmp_path / "all.gm", name=f"{domain}-copy")
    copy = memory.in_domain(f"{domain}-copy")
    assert await types(copy, "entity", "spirit", "person") == [0, 2, 1]
    await memory.history.revert(since=before + 1, on_conflict="skip")
    assert await types(memory, "entity", "spirit", "person") == [2, 0, 1]
    assert await past_and_present_agree(memory)
    for domain_memory in (memory, copy):
        assert (await domain_memory.upkeep.verify()).differences == ()


async def past_and_present_agree(memory: Memory) -> bool:
    last = (await memory.history.log(limit=1)).entries[0].seq
    past = await memory.history.as_of(last)
    return (await past.query_nodes()).node_ids == (await memory.query_nodes()).node_ids


async def test_it_keeps_its_label_where_a_relation_asks_for_that(memory: Memory) -> None:
    knows = ConnectionType("knows", ("person",), ("person", "entity"))
    await memory.create_ontology(Ontology.create([NodeType("person"), NodeType("dog"), NodeType("entity")], [knows]))
    await memory.entities.create_entities([{"name": "Ann", "type": "person"}])
    await memory.entities.create_relations([{**KNOWS, "to": name} for name in ("Ghost", "Bob", "Elf", "Imp")])
    await memory.entities.create_entities([{"name": "Ghost", "type": "dog"}, {"name": "Bob", "type": "person"}])
    await memory.entities.remember(name="Elf", type="dog", observations=["is green"])
    assert (await memory.entities.upsert("Imp", type="dog")).type == "dog"
    assert await types(memory, "entity", "dog", "person") == [3, 0, 2]
    assert [entity.entity_type for entity in (await memory.entities.open_nodes(["Ghost"])).entities] == ["dog"]
    assert (await memory.upkeep.verify()).differences == ()


async def test_a_name_goes_with_the_last_relation_that_leads_to_it(memory: Memory, domain: str) -> None:
    await memory.entities.create_entities([{"name": "Ann", "type": "person"}, {"name": "Bob", "type": "person"}])
    many = [{**KNOWS, "relationType": f"r{number}"} for number in range(3)]
    await memory.entities.create_relations([*many, {"from": "Bob", "to": "Goblin", "relationType": "r0"}])
    await memory.history.branch(f"{domain}-b")
    await memory.entities.delete_relations(many[:2])
    assert await types(memory, "entity") == [2]
    await memory.entities.delete_relations(many)
    await memory.entities.delete_entities(["Bob"])
    assert await types(memory, "entity") == [0]
    [ann] = (await memory.query_nodes(type="person")).node_ids
    await memory.update_node(ann, properties={"name": "Ghost"})
    branch = memory.in_domain(f"{domain}-b")
    await branch.entities.create_relations([{**KNOWS, "relationType": "r1", "to": "Goblin"}])
    await memory.history.merge(f"{domain}-b")
    relations = (await memory.entities.read_graph()).to_dict()["relations"]
    assert relations == [{"from": "Ghost", "to": "Goblin", "relationType": "r1"}]
    for domain_memory in (memory, branch):
        assert (await domain_memory.upkeep.verify()).differences == ()
