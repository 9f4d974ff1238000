"""The limit of a text: every write path refuses a longer observation, name or property, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from graph_memory import Code, GraphError, Memory, Settings, open_memory
from profiles import some
from support import last

pytestmark = pytest.mark.anyio

LARGE = "é" * 501
ENTITY = {"name": "Ann", "entityType": "person", "observations": ["likes tea"]}


@pytest.fixture
async def strict(settings: Settings, domain: str) -> AsyncIterator[Memory]:
    async with open_memory(settings.model_copy(update={"domain": domain, "text_content_bytes": 1_000})) as memory:
        await memory.entities.create_entities([ENTITY])
        yield memory


async def _import(memory: Memory, folder: Path) -> object:
    line = {"type": "entity", "name": "Bob", "entityType": "person", "observations": ["short", LARGE]}
    (folder / "memory.jsonl").write_text(json.dumps(line))
    return await memory.transfer.import_memory(folder / "memory.jsonl")


async def _import_name(memory: Memory, folder: Path) -> object:
    (folder / "memory.jsonl").write_text(
        json.dumps({"type": "entity", "name": LARGE, "entityType": "t", "observations": []})
    )
    return await memory.transfer.import_memory(folder / "memory.jsonl")


async def _revert(memory: Memory, _: Path) -> object:
    """Write a long observation without the limit, delete it, and revert that."""
    memory._core.log.text_limit = 10_000
    await memory.entities.add_observations([{"entityName": "Ann", "contents": [LARGE]}])
    await memory.entities.delete_observations([{"entityName": "Ann", "observations": [LARGE]}])
    memory._core.log.text_limit = 1_000
    return await memory.history.revert(event_ids=[await last(memory)])


async def _merge(memory: Memory, _: Path) -> object:
    made = await memory.history.branch("text-limit-branch")
    branch = memory.in_domain(made.domain)
    memory._core.log.text_limit = 10_000
    await branch.entities.add_observations([{"entityName": "Ann", "contents": [LARGE]}])
    memory._core.log.text_limit = 1_000
    return await memory.history.merge(made.domain)


PATHS: dict[str, Callable[[Memory, Path], Awaitable[object]]] = {
    "create_entities": lambda memory, _: memory.entities.create_entities(
        [{**ENTITY, "name": "Bob", "observations": [LARGE]}]
    ),
    "name of create_entities": lambda memory, _: memory.entities.create_entities([{**ENTITY, "name": LARGE}]),
    "add_observations": lambda memory, _: memory.entities.add_observations(
        [{"entityName": "Ann", "contents": [LARGE]}]
    ),
    "remember": lambda memory, _: memory.entities.remember(observations=[LARGE], name="Ann"),
    "remember of another name": lambda memory, _: memory.entities.remember(observations=["short"], name=LARGE),
    "create_relations": lambda memory, _: memory.entities.create_relations(
        [{"from": "Ann", "to": "Ann", "relationType": "is", "properties": {"why": LARGE}}]
    ),
    "create_node": lambda memory, _: memory.create_node("person", "", properties={"about": LARGE}),
    "update_node": lambda memory, _: _update(memory),
    "execute_batch": lambda memory, _: memory.execute_batch(
        [{"op": "create_node", "type": "person", "content": "", "properties": {"about": LARGE}}]
    ),
    "import_memory": _import,
    "name of import_memory": _import_name,
    "revert": _revert,
    "merge": _merge,
}


async def _update(memory: Memory) -> object:
    [node] = (await memory.query_nodes(type="person")).node_ids
    return await memory.update_node(node, properties={"about": LARGE})


@pytest.mark.parametrize("path", some([*PATHS]))
async def test_a_text_over_the_limit_is_refused_and_nothing_is_changed(
    strict: Memory, path: str, tmp_path: Path
) -> None:
    before = await strict.entities.read_graph()
    with pytest.raises(GraphError) as caught:
        await PATHS[path](strict, tmp_path)
    of_a_line = caught.value.code is Code.INVALID_SOURCE and "is over the limit of 1,000" in caught.value.message
    assert caught.value.code is Code.CONTENT_TOO_LARGE or of_a_line
    assert caught.value.hint
    assert await strict.entities.read_graph() == before
    await strict.entities.create_entities([{**ENTITY, "name": "Bob", "observations": ["é" * 500]}])


async def test_a_text_that_was_there_before_the_limit_can_be_kept_ended_and_deleted(
    strict: Memory, domain: str
) -> None:
    strict._core.log.text_limit = 10_000
    await strict.entities.add_observations([{"entityName": "Ann", "contents": [LARGE]}])
    strict._core.log.text_limit = 1_000
    branch = strict.in_domain((await strict.history.branch(f"{domain}-b")).domain)
    assert (await branch.upkeep.verify()).clean
    await strict.entities.update_observation("Ann", LARGE, confidence=0.5)
    assert (await strict.upkeep.rebuild()).unmended == ()
    await strict.entities.delete_observations([{"entityName": "Ann", "observations": [LARGE]}])
    assert (await strict.entities.open_nodes(["Ann"])).entities[0].observations == ("likes tea",)
