"""Inherited types: what a domain sees of those above it, on every way of writing, and what is left when they change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.model.ontology.ontology import ConnectionType, NodeType

pytestmark = pytest.mark.anyio

ABOVE = ontology_from(
    {
        "node_types": [
            {"name": "Note", "properties": {"rank": {"type": "integer", "indexed": True}}},
            {"name": "Person", "properties": {"mail": {"type": "string", "required": True, "unique": True}}},
        ],
        "connection_types": [
            {"name": "About", "from_types": ["Note"], "to_types": ["Note", "Person"]},
            {"name": "Knows", "from_types": ["Person"], "to_types": ["Person"], "unique_pair": True},
        ],
    }
)


class Tree:
    """Three nested domains. All types belong to the first, except one of the second."""

    def __init__(self, memory: Memory, domain: str) -> None:
        self.memory = memory
        self.top, self.middle, self.child = (f"{domain}/{name}" for name in ("top", "middle", "child"))

    async def make(self) -> Tree:
        await self.memory.create_ontology(ABOVE, domain=self.top)
        await self.memory.create_domain(self.middle, parent=self.top)
        await self.memory.add_node_type(NodeType("Place"), domain=self.middle)
        await self.memory.create_domain(self.child, parent=self.middle)
        return self

    async def own_types(self, domain: str) -> int:
        """Return the number of types in the log of a domain."""
        summary = await self.memory.domain_info(domain=domain)
        return summary.node_types + summary.connection_types

    async def check(self) -> None:
        for name in (self.top, self.middle, self.child):
            assert (await self.memory.upkeep.verify(domain=name)).differences == ()


@pytest.fixture
async def tree(shared_memory: Memory, domain: str) -> Tree:
    return await Tree(shared_memory, domain).make()


async def error_of(call: Awaitable[object], code: Code) -> GraphError:
    with pytest.raises(GraphError) as error:
        await call
    assert error.value.code is code
    return error.value


async def test_a_domain_sees_the_types_of_all_above_it_and_takes_those_that_it_uses(tree: Tree) -> None:
    child = tree.memory.in_domain(tree.child)
    seen = await child.get_ontology()
    assert {kind.name for kind in seen.node_types} == {"Note", "Person", "Place"}
    assert {kind.name for kind in seen.connection_types} == {"About", "Knows"}
    assert await tree.own_types(tree.child) == 0
    place = (await child.create_node("Place", "here")).node_id
    assert await tree.own_types(tree.child) == 1
    note = (await child.create_node("Note", "one", properties={"rank": 1})).node_id
    ann = (await child.create_node("Person", "Ann", properties={"mail": "a@x"})).node_id
    await child.create_connection("About", note, ann)
    assert await tree.own_types(tree.child) == 4
    assert await tree.own_types(tree.middle) == 1
    assert (await child.query_nodes(type="Note", properties={"rank": 1})).node_ids == (note,)
    info = await child.domain_info()
    assert info.inherited_types == {tree.middle: ("Place",), tree.top: ("Note", "Person", "About", "Knows")}
    assert info.differing_types is None
    assert (await child.validate_connection("Knows", "Person", "Person")).valid
    assert (await tree.memory.query_nodes(domain=tree.top)).node_ids == ()
    assert place in (await child.query_nodes()).node_ids
    await tree.check()


async def test_the_rules_of_inherited_types_hold(tree: Tree) -> None:
    child = tree.memory.in_domain(tree.child)
    await error_of(child.create_node("Person", "Ann"), Code.REQUIRED_PROPERTY_MISSING)
    await error_of(child.create_node("Thing", "x"), Code.INVALID_NODE_TYPE)
    ann, bob = [(await child.create_node("Person", text, properties={"mail": text})).node_id for text in ("ann", "bob")]
    await error_of(child.create_node("Person", "Ann", properties={"mail": "ann"}), Code.UNIQUE_PROPERTY_TAKEN)
    place = (await child.create_node("Place", "here")).node_id
    await error_of(child.create_connection("Knows", ann, place), Code.INVALID_TOPOLOGY)
    await child.create_connection("Knows", ann, bob)
    await error_of(child.create_connection("Knows", ann, bob), Code.CONNECTION_ALREADY_EXISTS)
    await tree.check()


async def test_a_domain_may_add_types_and_define_none_otherwise(tree: Tree) -> None:
    child = tree.memory.in_domain(tree.child)
    await error_of(child.add_node_type(NodeType("Note")), Code.TYPE_ALREADY_EXISTS)
    error = await error_of(child.apply_ontology(ontology_from({"node_types": ["Note"]})), Code.TYPE_ALREADY_EXISTS)
    assert error.details["domain"] == tree.top
    await error_of(child.create_ontology(ontology_from({"node_types": ["Note"]})), Code.TYPE_ALREADY_EXISTS)
    await child.create_ontology(ontology_from({"node_types": ["Task"]}))
    await child.apply_ontology(ABOVE)  # just as they are above
    await child.add_connection_type(ConnectionType("For", ("Task",), ("Person",)))
    assert await tree.own_types(tree.child) == 3  # and the end of the new one
    await child.create_node("Note", "one")
    await error_of(child.apply_ontology(ontology_from({"node_types": ["Note"]})), Code.TYPE_ALREADY_EXISTS)
    await tree.check()


async def test_what_a_domain_above_adds_is_there_at_once_for_another_process_too(
    tree: Tree, settings: Settings
) -> None:
    child = tree.memory.in_domain(tree.child)
    await child.create_node("Note", "one")
    await child.create_node("Note", "two")
    async with open_memory(settings) as other:
        await other.add_node_type(NodeType("Later"), domain=tree.top)
    await child.create_node("Later", "three")
    async with open_memory(settings) as other:
        await other.add_node_type(NodeType("Taken"), domain=tree.middle)
    await error_of(child.add_node_type(NodeType("Taken")), Code.TYPE_ALREADY_EXISTS)
    await tree.check()


async def test_a_type_that_is_used_stays_as_it_was_taken_until_it_is_applied_anew(tree: Tree) -> None:
    child = tree.memory.in_domain(tree.child)
    await child.create_node("Place", "here")
    wider = ontology_from(
        {"node_types": [{"name": "Place", "properties": {"city": {"type": "string", "required": True}}}]}
    )
    await tree.memory.apply_ontology(wider, domain=tree.middle)
    assert (await child.domain_info()).differing_types == ("node type Place",)
    await child.create_node("Place", "there")
    await error_of(child.apply_ontology(wider), Code.TYPE_ALREADY_EXISTS)  # what is there does not fit
    for node in (await child.query_nodes(type="Place")).node_ids:
        await child.update_node(node, properties={"city": "Rome"})
    await child.apply_ontology(wider)
    assert (await child.domain_info()).differing_types is None
    await error_of(child.create_node("Place", "nowhere"), Code.REQUIRED_PROPERTY_MISSING)
    await tree.check()


async def test_a_name_that_a_domain_has_already_stays_its_own_when_one_above_adds_it(tree: Tree) -> None:
    child = tree.memory.in_domain(tree.child)
    await child.add_node_type(NodeType("Task", description="Mine"))
    task = (await child.create_node("Task", "one")).node_id
    await tree.memory.add_node_type(NodeType("Task", description="Another's"), domain=tree.top)
    await child.create_node("Task", "two")
    assert (await child.get_ontology()).node_type("Task").description == "Mine"
    assert (await child.domain_info()).differing_types == ("node type Task",)
    mine = ontology_from({"node_types": [{"name": "Task", "description": "Mine too"}]})
    await error_of(child.apply_ontology(mine), Code.TYPE_ALREADY_EXISTS)
    await child.apply_ontology(ontology_from({"node_types": [{"name": "Task", "description": "Another's"}]}))
    assert (await child.domain_info()).differing_types is None
    assert (await child.get_node(task)).type == "Task"
    await tree.check()


async def test_a_domain_does_not_come_under_one_that_defines_its_types_otherwise(tree: Tree, domain: str) -> None:
    other = f"{domain}/other"
    await tree.memory.create_ontology(ontology_from({"node_types": ["Note", "Mine"]}), domain=other)
    error = await error_of(tree.memory.update_domain(other, parent=tree.child), Code.TYPE_ALREADY_EXISTS)
    assert error.details["conflicts"] == ["node type Note"]
    assert (await tree.memory.domain_info(domain=other)).parent is None
    alone = f"{domain}/alone"
    await tree.memory.create_ontology(ontology_from({"node_types": ["Mine"]}), domain=alone)
    await error_of(tree.memory.create_node("Note", "one", domain=alone), Code.INVALID_NODE_TYPE)
    await tree.memory.update_domain(alone, parent=tree.child)
    await tree.memory.create_node("Note", "one", domain=alone)
    await tree.memory.update_domain(alone, parent="")
    await tree.memory.create_node("Note", "two", domain=alone)  # taken with the first
    await error_of(tree.memory.create_node("Place", "here", domain=alone), Code.INVALID_NODE_TYPE)
    await tree.check()


Way = Callable[[Memory, Path], Awaitable[object]]


async def _create_one(memory: Memory, _: Path) -> object:
    return await memory.create_node("Note", "one")


async def _batch(memory: Memory, _: Path) -> object:
    return await memory.execute_batch([{"op": "create_node", "type": "Note", "content": "one"}])


async def _transaction(memory: Memory, _: Path) -> object:
    async with memory.transaction() as inside:
        await inside.create_node("Note", "one")
        return await inside.create_node("Note", "two")


async def _load(memory: Memory, folder: Path) -> object:
    (folder / "notes.csv").write_text(":ID,rank:int,:LABEL\na,1,Note\nb,2,Note\n", encoding="utf-8")
    return await memory.transfer.load(folder)


@pytest.mark.parametrize("way", [_create_one, _batch, _transaction, _load])
async def test_every_way_of_writing_takes_what_it_uses(tree: Tree, way: Way, tmp_path: Path) -> None:
    child = tree.memory.in_domain(tree.child)
    await way(child, tmp_path)
    assert await tree.own_types(tree.child) == 1
    assert (await child.query_nodes(type="Note")).node_ids
    assert (await child.history.log(limit=100)).entries
    await tree.check()


@pytest.mark.long
async def test_an_open_domain_inherits_before_it_makes_types_of_its_own(tree: Tree) -> None:
    child = tree.memory.in_domain(tree.child)
    await child.create_ontology(ontology_from({"open": True}))
    await error_of(child.create_node("Person", "Ann"), Code.REQUIRED_PROPERTY_MISSING)
    await child.create_node("Anything", "x")
    await child.entities.create_entities([{"name": "Bob", "entityType": "Note", "observations": ["is tall"]}])
    assert (await child.get_ontology()).node_type("Note") == ABOVE.node_type("Note")
    await tree.check()


async def test_undoing_the_first_use_gives_the_type_back(tree: Tree) -> None:
    child = tree.memory.in_domain(tree.child)
    created = await child.create_node("Note", "one")
    await child.history.revert(event_ids=[created.version - 1, created.version])
    assert await tree.own_types(tree.child) == 0
    assert (await child.get_ontology()).find_node_type("Note") is not None
    await child.create_node("Note", "two")
    await tree.check()


@pytest.mark.long
async def test_a_branch_is_merged_with_the_inherited_types_that_it_took(tree: Tree, domain: str) -> None:
    child = tree.memory.in_domain(tree.child)
    await child.create_node("Place", "here")
    branch = f"{domain}/branch"
    await child.history.branch(branch)
    await tree.memory.create_node("Note", "one", domain=branch)
    await child.history.merge(branch)
    assert len((await child.query_nodes()).node_ids) == 2
    await tree.check()
    assert (await tree.memory.upkeep.verify(domain=branch)).clean


async def test_the_past_of_a_domain_needs_no_other(tree: Tree) -> None:
    child = tree.memory.in_domain(tree.child)
    created = await child.create_node("Note", "one", properties={"rank": 7})
    await child.delete_node(created.node_id)
    past = await child.history.as_of(created.version)
    assert (await past.query_nodes(type="Note", properties={"rank": 7})).node_ids == (created.node_id,)
    await child.history.revert(event_ids=[created.version + 1])
    assert (await child.get_node(created.node_id)).type == "Note"
    await tree.check()
