"""Replies of walks: contents, duplicates, limits, missing nodes, and refused arguments."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.search.token_budget import tokens_of
from tables import for_rows

pytestmark = pytest.mark.anyio

LONG = "Tiles and paint. " * 60
ONTOLOGY = ontology_from({"node_types": ["Note"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]})


async def make(memory: Memory, **texts: str) -> None:
    await memory.create_ontology(ONTOLOGY)
    for name, text in texts.items():
        await memory.create_node("Note", text, id=name, title=name, properties={"rank": len(name)})
    first, *others = texts
    for number, name in enumerate(others):
        await memory.create_connection("Link", first, name, id=f"to-{name}", strength=0.9 - number / 10)


async def test_contents_are_whole_in_short_or_as_fits(memory: Memory) -> None:
    await make(memory, hub=LONG, near="Grout", far=LONG)
    await memory.update_node("far", content_summary="About tiles")

    async def texts_by_id(**arguments: Any) -> dict[str, str | None]:
        walked = await memory.recall.traverse_memories("hub", **arguments)
        return {node.id: node.content for node in walked.nodes}

    short = await texts_by_id()
    assert short["near"] == "Grout"
    assert short["far"] == "About tiles"
    assert short["hub"] == f"{LONG[:200].rstrip()}…"
    assert (await texts_by_id(return_mode="full_content")) == {"hub": LONG, "near": "Grout", "far": LONG}
    assert (await texts_by_id(return_mode="adaptive"))["hub"] == LONG
    result = await memory.recall.traverse_memories("hub", return_mode="full_content", max_tokens=250)
    assert result.tokens == tokens_of([*result.nodes, *result.connections])
    assert result.tokens <= 250
    few = await memory.recall.traverse_memories("hub", max_tokens=60)
    assert [node.id for node in few.nodes] == ["hub"]
    assert few.connections == ()
    assert few.left_out is not None
    assert few.left_out.max_tokens == 2


async def test_where_there_is_no_room_for_a_node_it_is_said_how_many_tokens_that_takes(memory: Memory) -> None:
    await make(memory, hub="Kitchen")
    await memory.create_connection("Link", "hub", "hub")
    walked = await memory.recall.traverse_memories("hub", max_tokens=50)
    assert (walked.nodes, walked.connections) == ((), ())
    assert walked.tokens is not None
    assert walked.tokens <= 50
    [warning] = walked.warnings or ()
    least = int(warning.split()[-2])
    assert [node.id for node in (await memory.recall.traverse_memories("hub", max_tokens=least)).nodes] == ["hub"]


async def test_nodes_that_say_the_same_are_told_once(memory: Memory) -> None:
    await make(memory, hub="Kitchen", one="Buy tiles", two="Buy tiles", three="")
    walked = await memory.recall.traverse_memories("hub", deduplication="content_hash")
    assert {node.id: node.duplicates for node in walked.nodes} == {"hub": None, "one": ("two",), "three": None}
    assert {edge.id for edge in walked.connections} == {"to-one", "to-three"}
    assert walked.left_out is not None
    assert walked.left_out.duplicates == 1
    alike = await memory.recall.traverse_memories("hub", deduplication="semantic_similarity")
    assert "two" not in {node.id for node in alike.nodes}


async def test_a_name_that_is_no_type_and_a_path_that_is_not_there_are_told(memory: Memory) -> None:
    await make(memory, hub="Kitchen", one="Tiles")
    await memory.create_node("Note", "Alone", id="alone")
    walked = await memory.recall.traverse_memories("hub", edge_filter={"types": ["Linc"]})
    assert [node.id for node in walked.nodes] == ["hub"]
    assert walked.warnings
    assert "Link" in walked.warnings[0]
    missing = await memory.recall.find_path("hub", "alone")
    assert missing.paths == ()
    assert missing.tried
    assert missing.tried.startswith("No path of at most 5 connections, in either direction")
    [itself] = (await memory.recall.find_path("hub", "hub")).paths
    assert (itself.length, [node.id for node in itself.nodes]) == (0, ["hub"])


@for_rows(
    ("arguments", "argument"),
    [
        ({"start": []}, "start"),
        ({"start": ["hub"] * 3, "strategy": "bidirectional"}, "start"),
        ({"strategy": "sideways"}, "strategy"),
        ({"max_depth": 11}, "max_depth"),
        ({"max_nodes": 0}, "max_nodes"),
        ({"edge_filter": {"type": "Link"}}, "edge_filter"),
        ({"node_filter": {"properties": 1}}, "node_filter"),
        ({"edge_filter": {"direction": "up"}}, "direction"),
        ({"weight": "__import__('os')"}, "weight"),
        ({"max_tokens": 1}, "max_tokens"),
    ],
)
async def test_what_cannot_be_asked_is_refused(memory: Memory, arguments: dict[str, Any], argument: str) -> None:
    with pytest.raises(GraphError) as refused:
        await memory.recall.traverse_memories(**{"start": "hub", **arguments})
    assert (refused.value.code, refused.value.details["argument"]) == (Code.INVALID_ARGUMENT, argument)


async def test_a_node_that_is_not_there_is_named_now_and_then(memory: Memory) -> None:
    await make(memory, hub="Kitchen", one="Tiles")
    seq = (await memory.history.log(limit=1)).entries[0].seq
    await memory.delete_node("one")
    for call in (
        memory.recall.traverse_memories(["hub", "one"]),
        memory.recall.find_path("hub", "one"),
        memory.recall.get_neighbors("one"),
        memory.recall.get_neighbors("never", as_of=seq),
    ):
        with pytest.raises(GraphError) as refused:
            await call
        assert refused.value.code == Code.NODE_NOT_FOUND
    then = await memory.recall.get_neighbors("one", as_of=seq)
    assert [(to.id, to.from_title) for to in then.incoming] == [("to-one", "hub")]


async def test_walks_paths_and_neighbors_say_since_when_a_connection_holds(memory: Memory) -> None:
    await make(memory, hub="Kitchen", near="Grout", far="Tiles")
    await memory.set_validity("to-far", valid_from="2020-05-08", valid_to="2031-06-30")
    today = (await memory.get_connection("to-near")).created.date()
    period = {"to-near": (today, None), "to-far": (date(2020, 5, 8), date(2031, 6, 30))}
    walked = await memory.recall.traverse_memories("hub")
    beside = await memory.recall.get_neighbors("hub")
    path = (await memory.recall.find_path("near", "far")).paths[0]
    for results in (walked.connections, beside.outgoing, path.connections):
        assert {followed.id: (followed.since, followed.until) for followed in results} == period
