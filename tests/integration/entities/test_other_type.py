"""An entity that becomes one of another type keeps what it has, wherever it is asked for, then and now."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_memory import Code, ConnectionType, GraphError, Memory, NodeType, Ontology, PropertyRule

pytestmark = pytest.mark.anyio

ANN = {"name": "Ann", "type": "robot", "description": "It is pale.", "observations": ["repairs clocks"]}


async def types(memory: Memory, *names: str) -> list[int]:
    return [len((await memory.query_nodes(type=name)).node_ids) for name in names]


async def type_of(memory: Memory, name: str = "Ann") -> str:
    [entity] = (await memory.entities.open_nodes([name])).entities
    return entity.entity_type


async def count_hits(memory: Memory, query: str, kind: str) -> int:
    """Return the numbers of nodes of a type that words of passages and that text find."""
    hits = (await memory.recall.search_memories(query, search_mode="lexical", filters={"node_types": [kind]})).hits
    texts = (await memory.search_content(query, node_type=kind)).node_ids
    return len(hits) + 10 * len(texts)


@pytest.mark.long
async def test_it_is_found_by_its_type_of_then_and_now(memory: Memory, domain: str, tmp_path: Path) -> None:
    await memory.entities.create_entities([ANN, {"name": "Bob", "type": "robot"}])
    await memory.entities.create_relations([{"from": "Ann", "to": "Bob", "relationType": "knows"}])
    assert [await count_hits(memory, "pale", kind) for kind in ("robot", "person")] == [11, 0]
    before = (await memory.history.log(limit=1)).entries[0].seq
    await memory.entities.add_observations([{"entityName": "Ann", "contents": ["sings at night"]}])
    made = await memory.entities.update_entity("Ann", type="person", properties={"city": "Leeds"})
    again = await memory.entities.update_entity("Ann", type="person")
    assert (made.type, made.changed, again.changed, again.version) == ("person", True, False, made.version)
    assert await types(memory, "robot", "person") == [1, 1]
    for query, expected in (("pale", 11), ("repairs clocks", 1), ("sings at night", 1)):
        assert [await count_hits(memory, query, kind) for kind in ("robot", "person")] == [0, expected], query
    assert 'type "robot" → "person"' in (await memory.history.log(limit=1)).entries[0].summary
    [change] = [entry for entry in (await memory.history.diff(since=before)).entries if entry.subject == made.id]
    assert (change.type, change.operation) == ("person", "changed")
    past = await memory.history.as_of(before)
    assert [len((await past.query_nodes(type=kind)).node_ids) for kind in ("robot", "person")] == [2, 0]
    assert [len((await past.search_content("pale", node_type=kind)).node_ids) for kind in ("robot", "person")] == [1, 0]
    await memory.transfer.export_file(tmp_path / "all.gm")
    await memory.transfer.import_file(tmp_path / "all.gm", name=f"{domain}-copy")
    copy = memory.in_domain(f"{domain}-copy")
    assert await types(copy, "robot", "person") == [1, 1]
    assert [await count_hits(copy, "repairs clocks", kind) for kind in ("robot", "person")] == [0, 1]
    await memory.upkeep.rebuild()
    for domain_memory in (memory, copy):
        assert (await domain_memory.upkeep.verify()).differences == ()
    await memory.history.revert(since=before + 1)
    assert (await type_of(memory), await types(memory, "robot", "person")) == ("robot", [2, 0])
    assert [await count_hits(memory, "repairs clocks", kind) for kind in ("robot", "person")] == [1, 0]
    assert (await memory.upkeep.verify()).differences == ()


CLOSED = Ontology.create(
    [
        NodeType("robot", properties=(PropertyRule("serial", unique=True),)),
        NodeType("person", properties=(PropertyRule("city", required=True), PropertyRule("serial", unique=True))),
        NodeType("tool"),
    ],
    [ConnectionType("knows", ("robot", "person"), ("robot", "person"))],
)


async def test_what_it_has_must_fit_its_new_type(memory: Memory, domain: str, tmp_path: Path) -> None:
    await memory.create_ontology(CLOSED)
    city, serial = {"city": "Leeds"}, {"serial": "1"}
    await memory.entities.create_entities(
        [
            {"name": "Ann", "type": "robot", "properties": serial},
            {"name": "Bob", "type": "person", "properties": city | serial},
            {"name": "Cy", "type": "robot"},
        ]
    )
    await memory.entities.create_relations([{"from": "Cy", "to": "Ann", "relationType": "knows"}])
    last = (await memory.history.log(limit=1)).entries[0].seq
    for more, code in (
        ({"type": "ghost"}, Code.INVALID_NODE_TYPE),
        ({"type": "tool"}, Code.INVALID_TOPOLOGY),
        ({"type": "person"}, Code.REQUIRED_PROPERTY_MISSING),
        ({"type": "person", "properties": city}, Code.UNIQUE_PROPERTY_TAKEN),
    ):
        with pytest.raises(GraphError) as refused:
            await memory.entities.update_entity("Ann", **more)
        assert refused.value.code is code, more
    assert (await memory.history.log(limit=1)).entries[0].seq == last
    await memory.entities.update_entity("Ann", type="person", properties={**city, "serial": "2"})
    await memory.entities.update_entity("Cy", properties=serial)
    await memory.entities.delete_relations([{"from": "Cy", "to": "Ann", "relationType": "knows"}])
    await memory.entities.update_entity("Ann", type="tool")
    await memory.entities.update_entity("Bob", properties={"serial": "2"})
    assert await types(memory, "robot", "person", "tool") == [1, 1, 1]
    await memory.transfer.export_file(tmp_path / "all.gm")
    await memory.transfer.import_file(tmp_path / "all.gm", name=f"{domain}-copy")
    for domain_memory in (memory, memory.in_domain(f"{domain}-copy")):
        assert (await domain_memory.upkeep.verify()).differences == ()
    with pytest.raises(GraphError) as refused:
        await memory.history.revert(since=last + 1, until=last + 1)
    assert refused.value.code is Code.REVERT_CONFLICT


async def test_a_branch_gives_it_another_type(memory: Memory, domain: str) -> None:
    await memory.entities.create_entities([ANN, {"name": "Bob", "type": "robot"}])
    await memory.history.branch(f"{domain}-b")
    branch = memory.in_domain(f"{domain}-b")
    await branch.entities.update_entity("Ann", type="person")
    await branch.entities.update_entity("Bob", type="person")
    await memory.entities.add_observations([{"entityName": "Ann", "contents": ["sings at night"]}])
    await memory.entities.update_entity("Ann", properties={"city": "Leeds"})
    await memory.entities.update_entity("Bob", type="dog")
    preview = await memory.history.merge(f"{domain}-b", preview=True)
    [conflict] = preview.conflicts
    resolution = {"subject": conflict.subject, "take": "theirs"}
    await memory.history.merge(f"{domain}-b", resolutions=[resolution])
    assert await types(memory, "robot", "person", "dog") == [0, 2, 0]
    assert [await type_of(memory, name) for name in ("Ann", "Bob")] == ["person", "person"]
    assert [await count_hits(memory, "sings at night", kind) for kind in ("robot", "person")] == [0, 1]
    for domain_memory in (memory, branch):
        assert (await domain_memory.upkeep.verify()).differences == ()


async def test_a_merge_brings_no_type_that_a_relation_does_not_allow(memory: Memory, domain: str) -> None:
    await memory.create_ontology(CLOSED)
    await memory.entities.create_entities([{"name": "Ann", "type": "robot"}, {"name": "Cy", "type": "robot"}])
    await memory.history.branch(f"{domain}-b")
    branch = memory.in_domain(f"{domain}-b")
    await branch.entities.update_entity("Ann", type="tool")
    await memory.entities.create_relations([{"from": "Cy", "to": "Ann", "relationType": "knows"}])
    with pytest.raises(GraphError) as refused:
        await memory.history.merge(f"{domain}-b")
    assert refused.value.code is Code.MERGE_CONFLICT
    await memory.history.merge(f"{domain}-b", strategy="ours")
    await branch.history.merge(domain)
    assert [await types(domain_memory, "robot", "tool") for domain_memory in (memory, branch)] == [[2, 0], [2, 0]]
    for reader in (memory, branch):
        assert (await reader.upkeep.verify()).differences == ()
