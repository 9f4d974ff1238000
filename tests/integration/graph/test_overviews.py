"""Lists for people, and the contents of a domain."""

from __future__ import annotations

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.graph import describe

pytestmark = pytest.mark.anyio

TYPES = ontology_from({"node_types": ["Thing"], "connection_types": {"Link": {"from": ["Thing"], "to": ["Thing"]}}})


async def test_nodes_are_described_in_the_order_asked_for_and_only_if_they_are_there(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(describe, "AT_ONCE", 2)
    await memory.apply_ontology(TYPES)
    made = [(await memory.create_node("Thing", f"# Title {number}")).node_id for number in range(5)]
    await memory.delete_node(made[1])
    changed = await memory.update_node(made[3], properties={"name": "Renamed"})
    described = await memory.describe_nodes([*reversed(made), "mem_unknown"])
    assert [node.id for node in described] == [made[4], made[3], made[2], made[0]]
    assert [node.title for node in described] == ["Title 4", "Renamed", "Title 2", "Title 0"]
    assert {node.type for node in described} == {"Thing"}
    info = await memory.get_node(made[3])
    assert (described[1].version, described[1].modified) == (changed.version, info.modified)
    assert [node.properties for node in described] == [{}, {"name": "Renamed"}, {}, {}]
    assert await memory.describe_nodes([]) == ()


async def test_connections_are_described_with_the_titles_of_their_ends(memory: Memory) -> None:
    await memory.apply_ontology(TYPES)
    text, other = [(await memory.create_node("Thing", title)).node_id for title in ("One", "Other")]
    ids = [
        (await memory.create_connection("Link", *ends, properties={"n": 1})).connection_id
        for ends in ((text, other), (text, text))
    ]
    await memory.update_node(other, content="Changed", encoding="utf-8")
    described = await memory.describe_connections([ids[1], "conn_unknown", ids[0]])
    shown = [(connection.id, connection.type, connection.from_title, connection.to_title) for connection in described]
    assert shown == [(ids[1], "Link", "One", "One"), (ids[0], "Link", "One", "Changed")]
    assert (described[1].from_id, described[1].to_id, described[1].properties) == (text, other, {"n": 1})


async def test_the_neighbours_of_many_nodes_are_those_of_each(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe, "AT_ONCE", 2)
    await memory.apply_ontology(TYPES)
    ids = [(await memory.create_node("Thing", f"# {n}")).node_id for n in range(4)]
    for source, target in ((0, 1), (0, 1), (0, 2), (2, 0), (3, 3)):
        await memory.create_connection("Link", ids[source], ids[target])
    for direction in ("out", "in", "both"):
        results = {
            node_id: (await memory.get_connected_nodes(node_id, direction=direction, connection_type="Link")).node_ids
            for node_id in ids
        }
        many = await memory.get_connected_nodes_of([*ids, "mem_unknown"], direction=direction, connection_type="Link")
        assert many == results
        assert await memory.get_connected_nodes_of(ids, direction=direction) == results
    assert await memory.get_connected_nodes_of(ids, direction="out", connection_type="Unknown") == dict.fromkeys(
        ids, ()
    )


async def test_a_domain_is_listed_and_counted_by_itself(memory: Memory, domain: str) -> None:
    with pytest.raises(GraphError) as caught:
        await memory.domain_info()
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
    await memory.apply_ontology(TYPES)
    text, other = [(await memory.create_node("Thing", title)).node_id for title in ("One", "Other")]
    last = await memory.create_connection("Link", text, other)
    result = await memory.domain_info()
    assert (result.name, result.nodes, result.connections) == (domain, 2, 1)
    assert (result.node_types, result.connection_types, result.events) == (1, 1, last.version)
    assert result.modified == (await memory.get_connection(last.connection_id)).modified
    names = [domain.name for domain in (await memory.list_domains()).domains]
    assert names == sorted(names)
    assert domain in names


async def test_an_ontology_is_applied_in_one_write_and_only_once(memory: Memory) -> None:
    created = await memory.apply_ontology(TYPES)
    assert created.created
    assert (await memory.apply_ontology(TYPES)).version == created.version
    more = ontology_from(
        {"node_types": ["Other", "Thing"], "connection_types": {"To": {"from": ["Thing"], "to": ["Other"]}}}
    )
    result = await memory.apply_ontology(more)
    assert (result.created, result.node_types, result.connection_types) == (False, ("Other",), ("To",))
    assert result.version == created.version + 2
    await memory.create_node("Thing", "")
    other = ontology_from({"node_types": ["New", {"name": "Thing", "required_properties": ["why"]}]})
    with pytest.raises(GraphError) as caught:
        await memory.apply_ontology(other)
    assert caught.value.code is Code.TYPE_ALREADY_EXISTS
    assert (await memory.get_ontology()).find_node_type("New") is None
    assert (await memory.upkeep.verify()).clean
