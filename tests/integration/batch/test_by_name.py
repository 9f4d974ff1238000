"""Entities, observations and relations by their names in one batch: as the tools make them, all or none."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory, Ontology
from profiles import some

pytestmark = pytest.mark.anyio

Operation = dict[str, Any]


def entity(name: str, *texts: str, **more: object) -> Operation:
    return {"op": "create_entities", "entities": [{"name": name, "observations": list(texts), **more}]}


def note(name: str, *texts: str) -> Operation:
    return {"op": "add_observations", "observations": [{"entityName": name, "contents": list(texts)}]}


def relate(start: str, kind: str, end: str, spelling: str = "type") -> Operation:
    return {"op": "create_relations", "relations": [{"from": start, "to": end, spelling: kind}]}


def unrelate(start: str, kind: str, end: str) -> Operation:
    return {"op": "delete_relations", "relations": [{"from": start, "to": end, "type": kind}]}


def forget(*names: str) -> Operation:
    return {"op": "delete_entities", "entityNames": list(names)}


def unnote(name: str, *texts: str) -> Operation:
    return {"op": "delete_observations", "deletions": [{"entityName": name, "observations": list(texts)}]}


async def contents_of(memory: Memory) -> tuple[dict[str, list[str]], list[tuple[str, str, str]]]:
    """Return the observations of each entity, and the relations, after checking the graph."""
    assert (await memory.upkeep.verify()).differences == ()
    graph = (await memory.entities.read_graph()).to_dict()
    relations = [(relation["from"], relation["relationType"], relation["to"]) for relation in graph["relations"]]
    return {entity["name"]: entity["observations"] for entity in graph["entities"]}, relations


async def faults(memory: Memory, *operations: Operation) -> list[tuple[int, str, str]]:
    before = (await memory.history.log(limit=1)).entries[0].seq
    with pytest.raises(GraphError) as caught:
        await memory.execute_batch(operations)
    assert caught.value.code is Code.BATCH_REFUSED, caught.value
    assert (await memory.history.log(limit=1)).entries[0].seq == before
    result: Any = caught.value.details["faults"]
    return [(fault["index"], fault["code"], fault["hint"]) for fault in result]


async def test_each_finds_what_those_before_it_made_and_one_revert_undoes_all(memory: Memory) -> None:
    await memory.entities.create_entities([{"name": "Old", "observations": ["stays", "goes"]}])
    before = await contents_of(memory)
    done = await memory.execute_batch(
        [
            entity("Ann", "likes tea", "likes tea", entityType="person", description="A friend"),
            entity("Ann", "is not made twice"),
            note("Ann", "likes tea", "plays chess"),
            note("Old", "stays", "is new"),
            unnote("Old", "goes", "was never there"),
            relate("Ann", "knows", "Old"),
            relate("Ann", "knows", "Old"),
            relate("Ann", "has read", "The Castle", "relationType"),
            entity("Bob"),
            relate("Bob", "knows", "Ann"),
            forget("Bob", "Nobody"),
        ]
    )
    assert await contents_of(memory) == (
        {"Ann": ["likes tea", "plays chess"], "Old": ["stays", "is new"]},
        [("Ann", "knows", "Old"), ("Ann", "has read", "The Castle")],
    )
    assert (done.created, done.deleted, done.refused) == (7, 1, 0)  # a name and two types among them
    opened = (await memory.entities.open_nodes(["Ann"], detail=True)).to_dict()["entities"][0]
    ids = {item.index: item.id for item in done.results}
    assert opened["id"] == ids[0] == ids[1]
    assert done.since is not None
    await memory.history.revert(since=done.since, until=done.until)
    assert await contents_of(memory) == before


async def test_a_batch_begins_a_domain_as_the_tools_do(memory: Memory) -> None:
    await memory.execute_batch([entity("Ann", "likes tea"), relate("Ann", "knows", "Ann")])
    assert await contents_of(memory) == ({"Ann": ["likes tea"]}, [("Ann", "knows", "Ann")])


async def test_a_fault_keeps_all_from_being_made_and_is_told_with_the_nearest_name(memory: Memory) -> None:
    await memory.entities.create_entities([{"name": "Annabel", "observations": ["a"]}])
    results = await faults(
        memory,
        entity("Bob", "x"),
        note("Anabel", "b"),
        relate("Bob", "knows", "Anabel"),
        {"op": "create_entities", "entities": [{"name": "Cy", "confidence": 2}]},
        {"op": "add_observation", "observations": []},
    )
    assert [(index, code) for index, code, _ in results] == [
        (1, "NODE_NOT_FOUND"),
        (2, "NODE_NOT_FOUND"),
        (3, "INVALID_ARGUMENT"),
        (4, "INVALID_ARGUMENT"),
    ]
    assert 'Did you mean "Annabel"?' in results[0][2]
    assert "add_observations" in results[3][2]
    assert await contents_of(memory) == ({"Annabel": ["a"]}, [])


async def test_what_needs_an_entity_that_is_at_fault_is_left_out_with_it(memory: Memory) -> None:
    await memory.create_ontology(Ontology(open=False))
    wrong = {"op": "create_entities", "entities": [{"name": "Dee", "type": "no such type", "ref": "dee"}, {"nam": "x"}]}
    with pytest.raises(GraphError) as caught:
        await memory.execute_batch([entity("Cy", type="no such type"), note("Cy", "x"), wrong, note("$dee", "x")])
    result: Any = caught.value.details["faults"]
    assert [(fault["index"], fault["code"]) for fault in result] == [(0, "INVALID_NODE_TYPE"), (2, "INVALID_ARGUMENT")]
    options = {"atomic": False}
    done = await memory.execute_batch([entity("Cy", type="no such type"), note("Cy", "x")], options=options)
    assert [(fault.index, fault.code) for fault in done.faults] == [(0, "INVALID_NODE_TYPE"), (1, "NODE_NOT_FOUND")]
    assert "operations[0]" in done.faults[1].message


async def test_a_reference_stands_for_an_entity_also_for_one_that_was_there(memory: Memory) -> None:
    await memory.entities.create_entities([{"name": "Old"}, {"name": "$cost", "observations": ["a name"]}])
    done = await memory.execute_batch(
        [
            entity("New", ref="new"),
            entity("Old", ref="$old"),
            note("$old", "by reference"),
            note("$cost", "by name"),
            relate("$new", "follows", "$old"),
            {"op": "create_connection", "type": "cites", "from_node_id": "$old", "to_node_id": "$new"},
            {"op": "update_node", "node_id": "$old", "properties": {"rank": 1}},
        ]
    )
    observed, relations = await contents_of(memory)
    assert observed == {"Old": ["by reference"], "$cost": ["a name", "by name"], "New": []}
    assert sorted(relations) == [("New", "follows", "Old"), ("Old", "cites", "New")]
    old = (await memory.entities.open_nodes(["Old"], detail=True)).to_dict()["entities"][0]
    assert {item.id for item in done.results if item.index in (1, 6)} == {old["id"]}
    assert (await memory.get_node(old["id"])).properties["rank"] == 1


async def test_names_follow_what_operations_on_nodes_do(memory: Memory) -> None:
    await memory.entities.create_entities([{"name": "Ann", "observations": ["a"]}, {"name": "Bob"}])
    opened = (await memory.entities.open_nodes(["Ann", "Bob"], detail=True)).to_dict()["entities"]
    ann, bob = (item["id"] for item in opened)
    await memory.execute_batch(
        [
            {"op": "update_node", "node_id": ann, "properties": {"name": "Anna"}},
            note("Anna", "a", "b"),
            note(ann, "c"),
            entity("Ann", "another"),
            {"op": "delete_node", "node_id": bob},
            entity("Bob", "made anew"),
        ]
    )
    assert await contents_of(memory) == ({"Anna": ["a", "b", "c"], "Ann": ["another"], "Bob": ["made anew"]}, [])


async def living(memory: Memory) -> tuple[int, int]:
    """Return the numbers of nodes and connections. Asserts that the graph has no more than the log."""
    assert (await memory.upkeep.verify()).clean
    return len((await memory.query_nodes()).node_ids), len((await memory.query_connections()).connection_ids)


CALLED: dict[str, Operation] = {
    "$old": entity("Old", ref="old"),
    "New": {"op": "update_node", "properties": {"name": "New"}},
}
"""Names of an entity from an earlier operation."""


@pytest.mark.parametrize("name", CALLED)
@pytest.mark.parametrize("act", ["forget", "repeat", "take back"])
async def test_what_an_earlier_operation_calls_otherwise_is_known_with_all_that_is_attached(
    memory: Memory, name: str, act: str
) -> None:
    await memory.entities.create_entities([{"name": "Old", "observations": ["a"]}, {"name": "Bob"}])
    await memory.entities.create_relations([{"from": "Old", "to": "Bob", "relationType": "knows"}])
    old = (await memory.entities.open_nodes(["Old"], detail=True)).to_dict()["entities"][0]["id"]
    first = CALLED[name] if name == "$old" else {**CALLED[name], "node_id": old}
    then: dict[str, list[Operation]] = {
        "forget": [forget(name)],
        "repeat": [note(name, "a"), relate(name, "knows", "Bob")],
        "take back": [unnote(name, "a"), unrelate(name, "knows", "Bob")],
    }
    await memory.execute_batch([first, *then[act]])
    assert await living(memory) == {"forget": (1, 0), "repeat": (2, 1), "take back": (2, 0)}[act]
    deleted = [entry for entry in (await memory.history.log()).entries if entry.operation == "delete"]
    kinds = sorted(str(entry.kind) for entry in deleted)
    expected = {
        "forget": ["connection", "node", "observation"],
        "repeat": [],
        "take back": ["connection", "observation"],
    }
    assert kinds == expected[act]


async def test_an_end_of_relations_stays_while_anything_leads_to_it_or_from_it(memory: Memory) -> None:
    await memory.entities.create_entities([{"name": name} for name in ("A", "B", "C")])
    lenient = [{"from": name, "to": "X", "relationType": "likes"} for name in ("C", "B", "A")]
    await memory.entities.create_relations(lenient)
    bob = (await memory.entities.open_nodes(["B"], detail=True)).to_dict()["entities"][0]["id"]
    await memory.execute_batch([unrelate("A", "likes", "X"), {"op": "delete_node", "node_id": bob}])
    assert await living(memory) == (3, 1)
    other = memory.in_domain(f"{memory._domain(None)}-b")
    await memory.history.branch(other._domain(None))
    [end] = [node for node in (await memory.query_nodes(detail=True)).nodes or () if node.title == "X"]
    await memory.links.create_cross_domain_link(end.id, other._domain(None), end.id)
    await memory.entities.delete_relations(lenient[:1])
    assert await living(memory) == (3, 0)
    assert len((await memory.links.list_cross_domain_links()).links) == 1


async def test_what_only_relations_named_goes_with_the_last_of_them_or_becomes_an_entity(memory: Memory) -> None:
    lenient = [{"from": "Ann", "to": to, "relationType": "likes"} for to in ("Tea", "Jazz")]
    await memory.entities.create_entities([{"name": "Ann"}])
    await memory.entities.create_relations(lenient)
    await memory.execute_batch([unrelate("Ann", "likes", "Tea"), entity("Jazz", "is music", type="genre")])
    assert len((await memory.query_nodes(limit=10)).node_ids) == 2
    await memory.execute_batch([relate("Ann", "likes", "Go", "relationType"), unrelate("Ann", "likes", "Go")])
    assert len((await memory.query_nodes(limit=10)).node_ids) == 2
    await memory.execute_batch([relate("Ann", "likes", "Tea", "relationType")])
    await memory.execute_batch([unrelate("Ann", "likes", "Tea"), relate("Jazz", "fits", "Tea", "relationType")])
    assert await contents_of(memory) == (
        {"Ann": [], "Jazz": ["is music"]},
        [("Ann", "likes", "Jazz"), ("Jazz", "fits", "Tea")],
    )
    await memory.execute_batch([forget("Jazz")])
    assert len((await memory.query_nodes(limit=10)).node_ids) == 1
    await contents_of(memory)


async def test_a_new_node_that_is_no_end_of_relations_by_name_stays_without_them(memory: Memory) -> None:
    await memory.entities.create_entities([{"name": "Ann"}])
    made = {"op": "create_node", "type": "note", "content": "text", "ref": "note"}
    joined = {"op": "create_connection", "type": "about", "from_node_id": "$note", "to_node_id": "$ann"}
    await memory.execute_batch([entity("Ann", ref="ann"), made, joined, forget("Ann")])
    assert await living(memory) == (1, 0)


async def test_the_same_batch_with_a_key_is_made_once_and_a_dry_run_makes_nothing(memory: Memory) -> None:
    operations = [entity("Ann", "a", ref="ann"), relate("Ann", "knows", "Ann"), note("Ann", "b")]
    first = await memory.execute_batch(operations, idempotency_key="k")
    again = await memory.execute_batch(operations, idempotency_key="k")
    assert again.repeated
    assert again.results == first.results
    dry = await memory.execute_batch([note("Ann", "c"), entity("Bob")], options={"dry_run": True})
    assert (dry.created, dry.dry_run) == (2, True)
    assert await contents_of(memory) == ({"Ann": ["a", "b"]}, [("Ann", "knows", "Ann")])


def draw_operation(chance: random.Random) -> Operation:
    """Return an operation that the tools take too, and that is never at fault."""
    names, texts, kinds = ("A", "B", "C", "a b", "$D"), ("x", "y", "z"), ("k", "l m")
    start, end, kind = chance.choice(names), chance.choice(names), chance.choice(kinds)
    some = chance.sample(texts, chance.randint(0, 3))
    match chance.randrange(7):
        case 0 | 1:
            return entity(start, *some, type=kind)
        case 2 | 3:
            return relate(start, kind, end, "relationType")
        case 4:
            return unrelate(start, kind, end)
        case 5:
            return forget(start)
        case _:
            return unnote(start, *some)


async def by_tools(memory: Memory, operations: Sequence[Operation]) -> None:
    own = memory.entities
    for operation in operations:
        [(_, value)] = [item for item in operation.items() if item[0] != "op"]
        await getattr(own, operation["op"])(value)


@pytest.mark.parametrize("seed", some(range(6)))
async def test_a_batch_comes_to_what_the_tools_do_one_after_the_other(memory: Memory, domain: str, seed: int) -> None:
    chance = random.Random(seed)
    other = memory.in_domain(f"{domain}-tools")
    for domain_memory in (memory, other):
        await domain_memory.entities.create_entities([{"name": "A", "observations": ["x"]}])
    for _ in range(3):
        operations = [draw_operation(chance) for _ in range(12)]
        await memory.execute_batch(operations)
        await by_tools(other, operations)
        (results, relations), (expected, others) = await contents_of(memory), await contents_of(other)
        assert {name: sorted(texts) for name, texts in results.items()} == {
            name: sorted(texts) for name, texts in expected.items()
        }
        assert sorted(relations) == sorted(others)
        assert len((await memory.query_nodes(limit=50)).node_ids) == len((await other.query_nodes(limit=50)).node_ids)
