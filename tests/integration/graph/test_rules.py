"""Everything that an ontology declares is enforced, on every way to write, by every process."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import anyio
import pytest
from neo4j import Driver

from graph_memory import Code, ConnectionType, GraphError, Memory, NodeType, Settings, ontology_from, open_memory

pytestmark = pytest.mark.anyio

ONTOLOGY = {
    "node_types": [
        {
            "name": "Person",
            "properties": {
                "email": {"type": "string", "unique": True},
                "age": {"type": "integer"},
                "status": {"enum": ["new", "known"], "indexed": True},
                "born": {"type": "date", "required": True},
            },
        },
        "Thing",
    ],
    "connection_types": [
        {"name": "MarriedTo", "from_types": ["Person"], "to_types": ["Person"], "unique_source": True},
        {"name": "Owns", "from_types": ["Person"], "to_types": ["Thing"], "unique_target": True},
        {
            "name": "PartOf",
            "from_types": ["Thing"],
            "to_types": ["Thing"],
            "acyclic": True,
            "properties": {"place": {"type": "number", "unique": True}},
        },
    ],
}
BORN = {"born": "1990-01-31"}


@pytest.fixture
async def people(memory: Memory) -> Memory:
    await memory.create_ontology(ontology_from(ONTOLOGY))
    return memory


async def code_of(call: Any) -> Code:
    with pytest.raises(GraphError) as caught:
        await call
    return caught.value.code


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        ({}, Code.REQUIRED_PROPERTY_MISSING),
        ({"born": "31.1.1990"}, Code.INVALID_PROPERTY),
        ({**BORN, "age": "old"}, Code.INVALID_PROPERTY),
        ({**BORN, "age": 1.5}, Code.INVALID_PROPERTY),
        ({**BORN, "status": "other"}, Code.INVALID_PROPERTY),
        ({**BORN, "_secret": 1}, Code.INVALID_PROPERTY),
        ({**BORN, "list": [1]}, Code.INVALID_PROPERTY),
    ],
)
async def test_properties_are_checked_on_create_and_on_update(
    people: Memory, properties: dict[str, Any], code: Code
) -> None:
    assert await code_of(people.create_node("Person", "", properties=properties)) is code
    if properties:
        person = await people.create_node("Person", "", properties=BORN)
        assert await code_of(people.update_node(person.node_id, properties=properties)) is code
        assert (await people.get_node(person.node_id)).version == person.version


@pytest.mark.long
async def test_a_unique_value_has_one_holder_until_that_lets_go_of_it(people: Memory) -> None:
    first = await people.create_node("Person", "", properties={**BORN, "email": "a@b"})
    assert await code_of(people.create_node("Person", "", properties={**BORN, "email": "a@b"})) is (
        Code.UNIQUE_PROPERTY_TAKEN
    )
    second = await people.create_node("Person", "", properties={**BORN, "email": "c@d"})
    assert await code_of(people.update_node(second.node_id, properties={"email": "a@b"})) is Code.UNIQUE_PROPERTY_TAKEN
    await people.update_node(first.node_id, properties={"email": "a@b", "age": 3})
    await people.update_node(first.node_id, properties={"email": "new@b"})
    await people.update_node(second.node_id, properties={"email": "a@b"})
    await people.delete_node(second.node_id)
    await people.create_node("Person", "", properties={**BORN, "email": "a@b"})
    assert (await people.upkeep.verify()).clean


async def test_a_long_unique_value_is_compared_whole(people: Memory) -> None:
    long = "x" * 10_000
    first = await people.create_node("Person", "Ann", properties={**BORN, "email": long + "a"})
    await people.create_node("Person", "", properties={**BORN, "email": long + "b"})
    with pytest.raises(
        GraphError, match=re.escape(f'Property "email" of Person must be unique, but "Ann" ({first.node_id})')
    ) as caught:
        await people.create_node("Person", "", properties={**BORN, "email": long + "a"})
    assert caught.value.code is Code.UNIQUE_PROPERTY_TAKEN
    assert len((await people.query_nodes(type="Person", properties={"email": long + "a"})).node_ids) == 1


async def test_eight_writers_of_one_unique_value_make_one_node(people: Memory) -> None:
    taken: list[Code] = []

    async def create() -> None:
        try:
            await people.create_node("Person", "", properties={**BORN, "email": "same"})
        except GraphError as error:
            taken.append(error.code)

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(create)
    assert taken == [Code.UNIQUE_PROPERTY_TAKEN] * 7


async def test_cardinality_binds_each_end(people: Memory) -> None:
    a, b, c = [(await people.create_node("Person", name, properties=BORN)).node_id for name in ("Ann", "Bob", "Cy")]
    text = (await people.create_node("Thing", "")).node_id
    married = await people.create_connection("MarriedTo", a, b)
    await people.create_connection("MarriedTo", c, b)
    owned = await people.create_connection("Owns", a, text)
    named = f'Node "Ann" ({a}) already has an outgoing MarriedTo connection: {married.connection_id} ("Ann" → "Bob")'
    owner = f'Node "Thing" ({text}) already has an incoming Owns connection: {owned.connection_id} ("Ann" → "Thing")'
    cases = ((("MarriedTo", a, c), married, named), (("Owns", b, text), owned, owner))
    for ends, first, message in cases:
        with pytest.raises(GraphError) as caught:
            await people.create_connection(*ends)
        assert caught.value.code is Code.INVALID_TOPOLOGY
        assert caught.value.details["connection_id"] == first.connection_id
        assert caught.value.message == message
    await people.delete_connection(married.connection_id)
    await people.create_connection("MarriedTo", a, c)


async def test_an_acyclic_type_closes_no_cycle_of_any_length(people: Memory) -> None:
    value = [(await people.create_node("Thing", f"Thing {number}")).node_id for number in range(4)]
    for part, whole in pairwise(value):
        await people.create_connection("PartOf", part, whole)
    with pytest.raises(GraphError) as caught:
        await people.create_connection("PartOf", value[3], value[0])
    assert caught.value.code is Code.INVALID_TOPOLOGY
    assert caught.value.message == (
        f'A PartOf connection from "Thing 3" ({value[3]}) to "Thing 0" ({value[0]}) would form a cycle: '
        '"Thing 3" → "Thing 0" → "Thing 1" → "Thing 2" → "Thing 3"'
    )
    step = {"op": "create_connection", "type": "PartOf", "from": value[2], "to": value[1]}
    with pytest.raises(GraphError, match='"Thing 2" → "Thing 1" → "Thing 2"'):
        await people.execute_batch([step])
    assert await code_of(people.create_connection("PartOf", value[0], value[0])) is Code.INVALID_TOPOLOGY
    await people.create_connection("PartOf", value[0], value[3])


async def test_rules_for_connections_bind_their_properties(people: Memory) -> None:
    a, b, c = [(await people.create_node("Thing", "")).node_id for _ in range(3)]
    first = await people.create_connection("PartOf", a, b, properties={"place": 1})
    assert await code_of(people.create_connection("PartOf", b, c, properties={"place": 1.0})) is (
        Code.UNIQUE_PROPERTY_TAKEN
    )
    assert await code_of(people.update_connection(first.connection_id, properties={"place": "x"})) is (
        Code.INVALID_PROPERTY
    )
    page = await people.query_connections(type="PartOf", properties={"place": 1.0})
    assert page.connection_ids == (first.connection_id,)


async def test_values_are_compared_by_type_with_and_without_an_index(people: Memory) -> None:
    made = {}
    for value in (1, 1.5, True, "1", 2**53 + 1, 2**62):
        node = await people.create_node("Thing", "", properties={"v": value})
        made[repr(value)] = node.node_id
    for query, expected in [(1, ["1"]), (1.0, ["1"]), (True, ["True"]), ("1", ["'1'"]), (1.5, ["1.5"])]:
        ids = (await people.query_nodes(type="Thing", properties={"v": query})).node_ids
        assert set(ids) == {made[name] for name in expected}, query
    assert (await people.query_nodes(properties={"v": 2**53 + 1})).node_ids == (made[repr(2**53 + 1)],)
    assert (await people.query_nodes(properties={"v": 2**62 + 1})).node_ids == ()


async def test_an_open_ontology_takes_types_as_they_come_up_to_its_limit(settings: Settings, domain: str) -> None:
    limited = settings.model_copy(update={"open_type_limit": 3, "domain": domain})
    async with open_memory(limited) as memory:
        await memory.create_ontology(ontology_from({"open": True, "node_types": ["Known"]}))
        known = await memory.create_node("Known", "")
        adhoc = await memory.create_node("Surprise", "")
        await memory.create_node("Surprise", "")
        await memory.create_connection("MarriedTo", known.node_id, adhoc.node_id)
        await memory.create_connection("MarriedTo", adhoc.node_id, known.node_id)
        await memory.create_node("Another", "")
        assert await code_of(memory.create_node("OneTooMany", "")) is Code.TYPE_LIMIT_REACHED
        assert await code_of(memory.create_connection("Owns", known.node_id, adhoc.node_id)) is Code.TYPE_LIMIT_REACHED
        assert await code_of(memory.create_node("_Hidden", "")) is not Code.INTERNAL
        ontology = await memory.get_ontology()
        assert [t.name for t in ontology.node_types] == ["Known", "Surprise", "Another"]
        assert (await memory.upkeep.verify()).clean


async def test_a_refused_connection_of_an_unknown_type_adds_no_type(memory: Memory) -> None:
    await memory.create_ontology(ontology_from({"open": True, "node_types": ["Thing"]}))
    text = (await memory.create_node("Thing", "")).node_id
    before = await memory.get_ontology()
    assert await code_of(memory.create_connection("Junk", text, "mem_none")) is Code.NODE_NOT_FOUND
    assert await code_of(memory.create_connection("_Junk", text, text)) is Code.INVALID_ARGUMENT
    assert await memory.get_ontology() == before


async def test_a_type_that_another_process_added_is_obeyed_at_once(
    people: Memory, settings: Settings, domain: str
) -> None:
    async with open_memory(settings.model_copy(update={"domain": domain})) as other:
        assert await code_of(other.create_node("Pet", "")) is Code.INVALID_NODE_TYPE
        await people.add_node_type(NodeType("Pet"))
        await other.create_node("Pet", "")
        await other.add_connection_type(ConnectionType("MarriedTo2", ("Pet",), ("Pet",)))
        assert (await people.validate_connection("MarriedTo2", "Pet", "Pet")).valid


async def test_a_refused_ontology_adds_no_type(memory: Memory) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Thing"]}))
    before = await memory.get_ontology()
    twice = memory.create_ontology(ontology_from(ONTOLOGY))
    assert await code_of(twice) is Code.ONTOLOGY_ALREADY_EXISTS
    bad = memory.add_connection_type(ConnectionType("Owns", ("Nobody",), ("Thing",)))
    assert await code_of(bad) is Code.INVALID_NODE_TYPE
    assert await memory.get_ontology() == before


async def test_a_new_connection_type_changes_no_schema(memory: Memory, driver: Driver, domain: str) -> None:
    await memory.create_ontology(ontology_from({"open": True, "node_types": ["Thing"]}))
    first, second = [(await memory.create_node("Thing", "")).node_id for _ in range(2)]
    schema = driver.execute_query("SHOW INDEXES YIELD name ORDER BY name").records
    used = f"Joins {domain}"
    connection = await memory.create_connection(used, first, second)
    assert (await memory.get_connection(connection.connection_id)).type == used
    assert driver.execute_query("SHOW INDEXES YIELD name ORDER BY name").records == schema


async def test_a_connection_that_asks_for_the_id_of_its_own_end_is_told_that_it_is_used(people: Memory) -> None:
    await people.create_node("Person", "", properties=BORN, id="one")
    taken = people.create_connection("MarriedTo", "one", "one", id="one")
    assert await code_of(taken) is Code.CONNECTION_ALREADY_EXISTS
