"""Whether a memory can serve: Neo4j answers, its schema is current, and how much is not indexed."""

from __future__ import annotations

import pytest

from graph_memory import Code, GraphError, Memory
from graph_memory.memory.api import upkeep
from graph_memory.memory.search.index.backlog import Backlog, backlog
from graph_memory.storage import schema
from graph_memory.storage.schema import Step, steps
from graph_memory.storage.store import Reader

pytestmark = pytest.mark.anyio


async def test_a_memory_tells_how_many_events_are_not_indexed(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
):
    async def backlog_of_domain(reader: Reader) -> list[Backlog]:  # other tests write to the database meanwhile
        return [row for row in await backlog(reader) if row.domain == domain]

    monkeypatch.setattr(upkeep, "backlog", backlog_of_domain)
    await memory.entities.create_entities([{"name": "Ann", "entityType": "person", "observations": ["likes tea"]}])
    await memory.recall.search_memories("tea")
    assert await memory.upkeep.check_ready() == 0
    await memory.entities.create_entities([{"name": "Bob", "entityType": "person", "observations": ["likes milk"]}])
    assert await memory.upkeep.check_ready() > 0
    await memory.recall.search_memories("milk")
    assert await memory.upkeep.check_ready() == 0


async def test_a_database_without_the_newest_schema_is_not_ready(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    newest = Step(len(steps()) + 1, "newest", "", ())
    monkeypatch.setattr(schema, "steps", lambda: (*steps(), newest))
    with pytest.raises(GraphError, match=f"schema version {newest.version}") as caught:
        await memory.upkeep.check_ready()
    assert caught.value.code is Code.STORE_INCOMPATIBLE
