"""Branches that made entities, or ends of relations, of one name: a merge makes one of them, and loses nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory

pytestmark = pytest.mark.anyio

Contents = dict[str, tuple[str, list[str]]]


async def contents_of(memory: Memory) -> tuple[Contents, list[tuple[str, str, str]]]:
    graph = (await memory.entities.read_graph()).to_dict()
    entities = {entity["name"]: (entity["entityType"], sorted(entity["observations"])) for entity in graph["entities"]}
    return entities, sorted(
        (relation["from"], relation["relationType"], relation["to"]) for relation in graph["relations"]
    )


async def entity(memory: Memory, name: str, kind: str, *observations: str, **more: Any) -> None:
    await memory.entities.create_entities([{"name": name, "type": kind, "observations": observations, **more}])


async def relate(memory: Memory, *relations: Sequence[str]) -> None:
    values = [{"from": text, "to": other, "relationType": kind} for text, kind, other in relations]
    await memory.entities.create_relations(values)


async def unrelate(memory: Memory, *relations: Sequence[str]) -> None:
    values = [{"from": text, "to": other, "relationType": kind} for text, kind, other in relations]
    await memory.entities.delete_relations(values)


async def fork(memory: Memory, domain: str) -> tuple[str, Memory]:
    branch = f"{domain}-b"
    await memory.history.branch(branch)
    return branch, memory.in_domain(branch)


async def one_of_each_name(*memories: Memory) -> None:
    for memory in memories:
        assert (await memory.upkeep.verify()).differences == ()
        result, _ = await contents_of(memory)
        assert len((await memory.entities.read_graph()).entities) == len(result)


@pytest.mark.long
async def test_ends_of_relations_that_both_named_are_one(memory: Memory, domain: str) -> None:
    await entity(memory, "Ann", "person")
    name, branch = await fork(memory, domain)
    await relate(memory, ("Ann", "knows", "Ghost"), ("Ann", "knows", "Bob"), ("Cy", "knows", "Ann"))
    await entity(memory, "Dan", "person", "is tall")
    await relate(branch, ("Ann", "met", "Ghost"), ("Ghost", "met", "Ghost"), ("Dan", "met", "Cy"))
    await entity(branch, "Bob", "dog", "barks", description="a dog")
    await memory.history.merge(name)
    people: Contents = {"Ann": ("person", []), "Bob": ("dog", ["barks"]), "Dan": ("person", ["is tall"])}
    relations = [("Ann", "knows", "Bob"), ("Ann", "knows", "Ghost"), ("Ann", "met", "Ghost"), ("Cy", "knows", "Ann")]
    relations += [("Dan", "met", "Cy"), ("Ghost", "met", "Ghost")]
    assert await contents_of(memory) == (people, relations)
    await unrelate(branch, ("Ann", "met", "Ghost"))
    await relate(branch, ("Ghost", "saw", "Dan"))
    await branch.entities.add_observations([{"entityName": "Bob", "contents": ["bites"]}])
    await memory.history.merge(name)
    people["Bob"] = ("dog", ["barks", "bites"])
    relations = sorted([*relations[:2], *relations[3:], ("Ghost", "saw", "Dan")])
    assert await contents_of(memory) == (people, relations)
    for _ in range(2):
        await branch.history.merge(domain)
        assert await contents_of(branch) == (people, relations)
    assert (await memory.history.merge(name)).changes == ()
    await one_of_each_name(memory, branch)


@pytest.mark.parametrize("take", ["ours", "theirs"])
async def test_of_two_entities_of_a_name_one_is_kept_with_what_belongs_to_both(
    memory: Memory, domain: str, take: str
) -> None:
    name, branch = await forked_after(memory, domain)
    await entity(memory, "Cy", "cat", "is small", description="ours")
    await relate(memory, ("Ann", "feeds", "Cy"))
    await entity(branch, "Cy", "bird", "sings", description="theirs", properties={"age": 3})
    await relate(branch, ("Cy", "watches", "Ann"), ("Cy", "watches", "Ghost"))
    with pytest.raises(GraphError) as caught:
        await memory.history.merge(name)
    assert caught.value.code is Code.MERGE_CONFLICT
    [conflict] = caught.value.details["conflicts"]
    resolution = {"subject": conflict["subject"], "take": take}
    assert f'"subject": "{conflict["subject"]}"' in conflict["reason"]
    await memory.history.merge(name, resolutions=[resolution])
    kind = "cat" if take == "ours" else "bird"
    [text] = (await memory.query_nodes(type=kind)).node_ids
    assert (await memory.search_content(take, node_type=kind)).node_ids == (text,)
    relations = [("Ann", "feeds", "Cy"), ("Cy", "watches", "Ann"), ("Cy", "watches", "Ghost")]
    assert await contents_of(memory) == ({"Ann": ("person", []), "Cy": (kind, ["is small", "sings"])}, relations)
    await branch.entities.delete_observations([{"entityName": "Cy", "observations": ["sings"]}])
    await unrelate(branch, ("Cy", "watches", "Ann"))
    await branch.entities.add_observations([{"entityName": "Cy", "contents": ["sleeps"]}])
    await memory.history.merge(name)
    assert await contents_of(memory) == (
        {"Ann": ("person", []), "Cy": (kind, ["is small", "sleeps"])},
        [relations[0], relations[2]],
    )
    await branch.history.merge(domain)
    assert await contents_of(branch) == await contents_of(memory)
    await one_of_each_name(memory, branch)


async def forked_after(memory: Memory, domain: str) -> tuple[str, Memory]:
    await entity(memory, "Ann", "person")
    return await fork(memory, domain)


async def test_an_entity_may_get_another_name_instead(memory: Memory, domain: str) -> None:
    name, branch = await forked_after(memory, domain)
    for side in (memory, branch):
        await entity(side, "Cy", "cat", "is small")
    [conflict] = (await memory.history.merge(name, preview=True)).conflicts

    def name_choice(other: str) -> list[Mapping[str, object]]:
        return [{"subject": conflict.subject, "property": "name", "value": other}]

    with pytest.raises(GraphError):
        await memory.history.merge(name, resolutions=name_choice("Ann"))
    await memory.history.merge(name, resolutions=name_choice("Cy II"))
    assert set((await contents_of(memory))[0]) == {"Ann", "Cy", "Cy II"}
    await one_of_each_name(memory)


async def last_of(memory: Memory) -> int:
    return (await memory.history.log(limit=1)).entries[0].seq


async def test_a_revert_meets_names_that_are_taken(memory: Memory) -> None:
    await entity(memory, "Ann", "person")
    await relate(memory, ("Ann", "knows", "Bob"))
    await unrelate(memory, ("Ann", "knows", "Bob"))
    before = await last_of(memory)
    await relate(memory, ("Ann", "knows", "Ghost"))
    known = await last_of(memory)
    await relate(memory, ("Ann", "met", "Ghost"))
    await memory.history.revert(since=before + 1, until=known)
    assert (await contents_of(memory))[1] == [("Ann", "met", "Ghost")]
    count = await last_of(memory)
    await memory.entities.delete_entities(["Ghost"])
    deleted = await last_of(memory)
    await entity(memory, "Ghost", "spirit")
    await memory.history.revert(since=count + 1, until=deleted)
    assert await contents_of(memory) == ({"Ann": ("person", []), "Ghost": ("spirit", [])}, [("Ann", "met", "Ghost")])
    before = await last_of(memory)
    await memory.entities.delete_entities(["Ghost"])
    deleted = await last_of(memory)
    await entity(memory, "Ghost", "film")
    with pytest.raises(GraphError, match=r'now has the name "Ghost".*delete or rename that entity first') as caught:
        await memory.history.revert(since=before + 1, until=deleted)
    assert caught.value.code is Code.REVERT_CONFLICT
    await one_of_each_name(memory)


async def test_a_relation_that_comes_back_to_an_entity_of_the_name_is_a_new_one(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    await entity(memory, "Ann", "person")
    before = await last_of(memory)
    await relate(memory, ("Ann", "knows", "Ghost"))
    made = await last_of(memory)
    await memory.history.revert(since=before + 1, until=made)
    count = await last_of(memory)
    await entity(memory, "Ghost", "spirit")
    await memory.history.revert(since=made + 1, until=count)
    now = await contents_of(memory)
    assert now == ({"Ann": ("person", []), "Ghost": ("spirit", [])}, [("Ann", "knows", "Ghost")])
    await memory.transfer.export_file(tmp_path / "all.gm")
    await memory.transfer.import_file(tmp_path / "all.gm", name=f"{domain}-copy")
    copy = memory.in_domain(f"{domain}-copy")
    assert await contents_of(copy) == now
    await one_of_each_name(memory, copy)
