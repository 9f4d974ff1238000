"""Whether a memory can serve: Neo4j answers, its schema is current, and how much is not indexed."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from graph_memory import Code, GraphError, Memory, Settings, open_memory
from graph_memory.memory.api import upkeep
from graph_memory.memory.search.index import following
from graph_memory.memory.search.index.backlog import Backlog, read_backlogs
from graph_memory.storage import schema
from graph_memory.storage.schema import Step, steps
from graph_memory.storage.store import Reader

pytestmark = pytest.mark.anyio


async def not_indexed(memory: Memory) -> int:
    return sum(domain.not_indexed for domain in await memory.upkeep.check_ready())


async def test_a_memory_tells_how_many_events_are_not_indexed(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
):
    async def backlog_of_domain(reader: Reader) -> list[Backlog]:  # other tests write to the database meanwhile
        return [row for row in await read_backlogs(reader) if row.domain == domain]

    monkeypatch.setattr(upkeep, "read_backlogs", backlog_of_domain)
    await memory.entities.create_entities([{"name": "Ann", "entityType": "person", "observations": ["likes tea"]}])
    await memory.recall.search_memories("tea")
    assert await not_indexed(memory) == 0
    await memory.entities.create_entities([{"name": "Bob", "entityType": "person", "observations": ["likes milk"]}])
    assert await not_indexed(memory) > 0
    await memory.recall.search_memories("milk")
    assert await not_indexed(memory) == 0


async def test_a_database_without_the_newest_schema_is_not_ready(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    newest = Step(len(steps()) + 1, "newest", "", ())
    monkeypatch.setattr(schema, "steps", lambda: (*steps(), newest))
    with pytest.raises(GraphError, match=f"schema version {newest.version}") as caught:
        await memory.upkeep.check_ready()
    assert caught.value.code is Code.STORE_INCOMPATIBLE


async def test_the_activity_of_a_memory_shows_its_sessions_and_its_log_follower(settings: Settings):
    following_settings = settings.model_copy(update={"background_index": True})
    async with open_memory(following_settings, follows=True) as memory:
        assert memory.upkeep.activity().follower_seconds is None
        with anyio.fail_after(20):
            while (activity := memory.upkeep.activity()).follower_seconds is None:  # noqa: ASYNC110 - it tells nobody
                await anyio.sleep(0.05)
        assert 0 <= activity.follower_seconds < following.INTERVAL

        async def read() -> None:
            await memory.list_domains()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            with anyio.fail_after(10):
                while memory.upkeep.activity().sessions == 0:
                    await anyio.lowlevel.checkpoint()
    assert memory.upkeep.activity().sessions == 0
