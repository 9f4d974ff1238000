"""Walks on branches, in pasts that were compacted, through what holds at a time, beside writers, and through hubs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.traversal import frontier
from support import last

pytestmark = [pytest.mark.anyio, pytest.mark.long]

ANY = {"from": ["*"], "to": ["*"]}
ONTOLOGY = ontology_from(
    {"node_types": ["Note"], "connection_types": [{"name": name, **ANY} for name in ("Link", "To")]}
)


async def make(memory: Memory, nodes: str, *links: str) -> None:
    """Make nodes of one letter each, and connections between them, named by both."""
    await memory.create_ontology(ONTOLOGY)
    lines: list[dict[str, Any]] = [{"op": "create_node", "type": "Note", "content": node, "id": node} for node in nodes]
    await memory.execute_batch([*lines, *map(link, links)])


def link(text: str, kind: str = "Link") -> dict[str, Any]:
    ends = {"from_node_id": text[0], "to_node_id": text[1]}
    return {"op": "create_connection", "type": kind, "id": text, "strength": 0.5, **ends}


async def walk_connections(memory: Memory, start: str | list[str], **arguments: Any) -> set[str]:
    """Return the connections of a walk."""
    result = await memory.recall.traverse_memories(start, **{"max_depth": 4, **arguments})
    return {connection.id for connection in result.connections}


async def test_a_walk_on_a_branch_goes_its_way_and_back_before_the_fork(memory: Memory) -> None:
    await make(memory, "abcd", "ab", "bc")
    early = await last(memory)
    await memory.execute_batch([link("cd")])
    fork = await last(memory)
    branch = memory.in_domain((await memory.history.branch(f"{memory._domain(None)}-b")).domain)
    await branch.delete_connection("bc")
    await branch.execute_batch([link("ac")])
    await memory.delete_connection("ab")
    assert await walk_connections(branch, "a") == {"ab", "ac", "cd"}
    assert await walk_connections(memory, "d") == {"bc", "cd"}
    assert await walk_connections(branch, "a", as_of=await last(branch)) == {"ab", "ac", "cd"}
    assert await walk_connections(branch, "a", as_of=fork) == {"ab", "bc", "cd"}
    assert await walk_connections(branch, "a", as_of=early) == {"ab", "bc"}
    [path] = (await branch.recall.find_path("a", "d", as_of=fork)).paths
    assert [connection.id for connection in path.connections] == ["ab", "bc", "cd"]


async def test_a_compacted_past_is_walked_from_where_it_begins(memory: Memory, tmp_path: Path) -> None:
    await make(memory, "abcd", "ab", "bc")
    count = await last(memory)
    await memory.update_connection("ab", strength=0.9)
    await memory.delete_connection("bc")
    await memory.execute_batch([link("ad")])
    kept = await last(memory)
    await memory.delete_connection("ab")
    await memory.history.compact(kept, archive=tmp_path / "old.jsonl")
    assert await walk_connections(memory, "a", as_of=kept) == {"ab", "ad"}
    assert await walk_connections(memory, "a") == {"ad"}
    for call in (
        memory.recall.traverse_memories("a", as_of=count),
        memory.recall.find_path("a", "c", as_of=count),
        memory.recall.get_neighbors("a", as_of=count),
    ):
        with pytest.raises(GraphError) as refused:
            await call
        assert refused.value.code is Code.HISTORY_COMPACTED


async def test_a_walk_follows_what_holds_at_a_time_now_and_then(memory: Memory) -> None:
    await make(memory, "abc", "ab", "ac")
    before = await last(memory)
    await memory.set_validity("ab", valid_from="2020-01-01", valid_to="2022-01-01")
    await memory.set_validity("ac", valid_from="2021-01-01")
    after = await last(memory)
    await memory.delete_connection("ab")
    for at, time, expected in (
        (None, "2021-06-01", {"ac"}),
        (after, "2021-06-01", {"ab", "ac"}),
        (after, "2020-06-01", {"ab"}),
        (after, "2022-01-01", {"ab", "ac"}),
        (after, "2022-01-02", {"ac"}),
        (after, None, {"ab", "ac"}),
        (before, "2019-01-01", {"ab", "ac"}),
    ):
        assert await walk_connections(memory, "a", as_of=at, valid_at=time) == expected
        neighbors = await memory.recall.get_neighbors("a", as_of=at, valid_at=time)
        assert {to.id for to in neighbors.outgoing} == expected


async def test_what_was_erased_is_not_walked_in_the_past_either(memory: Memory) -> None:
    await make(memory, "abc", "ab", "bc")
    before = await last(memory)
    await memory.delete_connection("ab")
    await memory.history.erase("c")
    assert await walk_connections(memory, "b", as_of=before) == {"ab"}


async def test_a_walk_beside_writers_misses_nothing_that_is_there_all_the_while(memory: Memory) -> None:
    stays = {"ab", "bc", "cd", "ae"}
    await make(memory, "abcde", *stays)
    then, is_done = await last(memory), False

    async def write() -> None:
        nonlocal is_done
        for number in range(25):
            await memory.execute_batch(
                [
                    *({"op": "update_connection", "connection_id": stay, "strength": number / 100} for stay in stays),
                    {**link("de"), "id": f"de{number}"},
                    *([{"op": "delete_connection", "connection_id": f"de{number - 1}"}] if number else []),
                    {"op": "update_node", "node_id": "b", "properties": {"turn": number}},
                ]
            )
        is_done = True

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        while not is_done:
            assert {text for text in await walk_connections(memory, "a") if not text.startswith("de")} == stays
            assert await walk_connections(memory, "a", as_of=then) == stays
            result = await memory.recall.traverse_memories("a", node_filter={"types": ["Note"]}, max_depth=4)
            assert len(result.nodes) == 5


@pytest.mark.parametrize("is_past", [False, True])
async def test_of_a_hub_the_last_changes_of_each_type_are_followed_and_what_is_known_is_found_all_the_same(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, is_past: bool
) -> None:
    leaves = "bcdefg"
    await make(memory, f"a{leaves}z", *(f"a{leave}" for leave in leaves), "bz")
    await memory.execute_batch([link("az", "To"), {"op": "update_connection", "connection_id": "ad", "strength": 0.9}])
    at = await last(memory) if is_past else None
    if is_past:
        await memory.execute_batch([{"op": "delete_connection", "connection_id": f"a{leave}"} for leave in leaves])
    monkeypatch.setattr(frontier, "MAX_WEIGHED", 2)
    monkeypatch.setattr(frontier, "MAX_CHANGES", 2)
    neighbors = await memory.recall.get_neighbors("a", as_of=at)
    assert {to.id for to in neighbors.outgoing} == {"ad", "ag", "az"}
    assert neighbors.left_out
    walk = await memory.recall.traverse_memories("a", max_depth=1, as_of=at, expansion="strongest_edges")
    assert {node.id for node in walk.nodes} == set("adgz")
    assert walk.left_out
    assert walk.left_out.hubs == ("a",)
    assert await walk_connections(memory, ["a", "b"], max_depth=0, as_of=at) == {"ab"}
    [path] = (await memory.recall.find_path("b", "a", types=["Link"], as_of=at)).paths
    assert [connection.id for connection in path.connections] == ["ab"]
