"""Entities, relations and blocks as they were at a point of the log."""

from __future__ import annotations

import pytest

from graph_memory import Code, GraphError, Memory
from graph_memory.operations.toolsets.history import memory_as_of
from support import last

pytestmark = pytest.mark.anyio


async def test_the_past_has_entities_relations_and_blocks_as_they_were(memory: Memory) -> None:
    entities = memory.entities
    await entities.create_entities(
        [
            {"name": "Ann", "entityType": "person", "observations": ["lives in Leeds", "speaks Finnish"]},
            {"name": "Ben", "entityType": "person", "observations": ["plays chess"]},
        ]
    )
    await entities.create_relations([{"from": "Ann", "to": "Ben", "relationType": "knows"}])
    await entities.create_relations([{"from": "Ben", "to": "Nobody yet", "relationType": "waits for"}])
    await entities.update_entity("Ann", aliases=["Annie"])
    await entities.edit_block("project", "Ships in May.")
    point = await last(memory)
    before = [await entities.read_graph(), await entities.open_nodes(["Ann"]), await entities.search_nodes("finnish")]
    blocks = await entities.get_block("project")

    await entities.remember(name="Ann", observations=["lives in York"], replaces="lives in Leeds")
    await entities.delete_observations([{"entityName": "Ann", "observations": ["speaks Finnish"]}])
    await entities.delete_entities(["Ben"])
    await entities.create_entities([{"name": "Cid"}])
    await entities.edit_block("project", "Ships in June.", mode="replace")

    past = await memory.history.as_of(point)
    assert [await past.read_graph(), await past.open_nodes(["Ann"]), await past.search_nodes("finnish")] == before
    assert await past.open_nodes(["Annie"]) == before[1]
    assert (await past.get_block("project")).blocks[0].text == blocks.blocks[0].text == "Ships in May."
    first = await past.read_graph(limit=1)
    rest = await past.read_graph(cursor=first.next_cursor)
    assert first.entities + rest.entities == before[0].entities
    assert await past.search_nodes("chess leeds finnish") == await past.open_nodes([])
    answer = await memory_as_of(memory, {"at": point, "tool": "open_nodes", "arguments": {"names": ["Ben"]}})
    assert answer.result["entities"][0]["observations"] == ["plays chess"]
    with pytest.raises(GraphError) as refusal:
        await past.open_nodes(["Ann"], detail=True)
    assert refusal.value.code is Code.INVALID_ARGUMENT
