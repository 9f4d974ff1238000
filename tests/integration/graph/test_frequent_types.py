"""Connections of a type are the same ones whether the type is rare in the database or frequent."""

from __future__ import annotations

import pytest

from graph_memory import Memory, ontology_from

pytestmark = pytest.mark.anyio

MANY = 1_001
"""One more connection than a rare type has."""


@pytest.mark.parametrize("count", [3, MANY])
async def test_connections_of_a_type_are_read_whether_it_is_rare_or_frequent(
    memory: Memory, domain: str, count: int
) -> None:
    contradicts = {"name": "contradicts", "from": ["*"], "to": ["*"]}
    ontology = ontology_from({"node_types": ["Note", "Other"], "connection_types": [contradicts]})
    other = memory.in_domain(f"{domain}-other")
    for home in (memory, other):
        await home.create_ontology(ontology)
        for name, kind in (("a", "Note"), ("b", "Note"), ("c", "Other")):
            await home.create_node(kind, name, id=name)
    connect = {"op": "create_connection", "type": "contradicts"}
    ids = [f"k{number:05}" for number in range(count)]
    ends = [{"from_node_id": "ac"[number % 2], "to_node_id": "b"} for number in range(count)]
    await memory.execute_batch([{**connect, "id": id_, **end} for id_, end in zip(ids, ends, strict=True)])
    await other.create_connection("contradicts", "a", "b", id="elsewhere")
    await memory.delete_connection(ids[1])
    page = await memory.query_connections(type="contradicts", limit=1)
    rest = await memory.query_connections(type="contradicts", limit=10_000, cursor=page.next_cursor)
    assert [*page.connection_ids, *rest.connection_ids] == [id_ for id_ in ids if id_ != ids[1]]
    assert (await memory.entities.graph_health()).counts["contradiction"] == count - 1
    assert (await other.query_connections(type="contradicts")).connection_ids == ("elsewhere",)
    assert (await other.entities.graph_health()).counts["contradiction"] == 1
