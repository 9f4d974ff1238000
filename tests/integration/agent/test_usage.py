"""Calls that add events, patterns or documents warn near the limit of a domain, and are refused at it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, Settings, open_memory
from support import agrees

pytestmark = pytest.mark.anyio
LONG_AGO = "2026-01-01T09:00:00Z"


@pytest.fixture
def limited_settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"agent_limits": {"events": 20, "patterns": 1, "documents": 1}})


@pytest.fixture
async def memory(limited_settings: Settings, domain: str) -> AsyncIterator[Memory]:
    async with open_memory(limited_settings) as opened:
        yield opened.in_domain(domain)


def events(number: int) -> list[dict[str, object]]:
    return [{"type": "note", "content": "x", "session": "old", "timestamp": LONG_AGO} for _ in range(number)]


async def test_a_call_warns_near_the_limit_and_is_refused_at_it(memory: Memory):
    agent = memory.agent
    [*_, last] = await agent.record_events(events(18))
    assert last.warnings is None
    near = await agent.record_event({"type": "note"})
    [warning] = near.warnings or ()
    assert warning.startswith(
        "The domain has 19 of at most 20 events. Archive the oldest with graph-memory agent prune"
    )
    with pytest.raises(GraphError) as caught:
        await agent.record_events(events(2))
    assert caught.value.code is Code.MEMORY_LIMIT_REACHED
    assert caught.value.message == "The domain would have 21 events, over its limit of 20"
    assert "agent prune" in str(caught.value.details["hint"])
    await agent.record_event({"type": "note"})
    with pytest.raises(GraphError):
        await agent.episodic.record("note")
    await agent.prune(dry_run=False, limits={"events": 5})
    assert (await agent.prune(dry_run=False)).archived == {}
    assert (await agent.record_event({"type": "note"})).warnings is None
    await agrees(memory)


@pytest.mark.long
async def test_concurrent_calls_do_not_exceed_the_limit(memory: Memory):
    await memory.agent.record_events(events(12))
    outcomes: list[bool] = []

    async def record() -> None:
        try:
            await memory.agent.record_event({"type": "note"})
        except GraphError as error:
            outcomes.append(error.code is not Code.MEMORY_LIMIT_REACHED)
        else:
            outcomes.append(True)

    async with anyio.create_task_group() as tasks:
        for _ in range(16):
            tasks.start_soon(record)
    assert outcomes.count(True) <= 8
    assert outcomes.count(True) + 12 == len((await memory.query_nodes(type="Event")).node_ids)


async def test_patterns_and_documents_have_limits_too(memory: Memory):
    agent, when = memory.agent, [{"value": "disk"}]
    assert (await agent.procedural.record("Restart", conditions=when)).warnings
    assert (await agent.contextual.index("A page", "https://example.org")).warnings
    for call in (
        agent.procedural.record("Reboot", conditions=when),
        agent.contextual.index("Another page", "https://example.org"),
    ):
        with pytest.raises(GraphError) as caught:
            await call
        assert caught.value.code is Code.MEMORY_LIMIT_REACHED


async def test_what_another_process_adds_counts(memory: Memory, limited_settings: Settings, domain: str):
    await memory.agent.record_events(events(10))
    async with open_memory(limited_settings) as other:
        await other.in_domain(domain).agent.record_events(events(10))
    assert (await memory.history.log(limit=1)).entries[0].seq > 20
    with pytest.raises(GraphError) as caught:
        await memory.agent.record_events(events(11))
    assert caught.value.message == "The domain would have 31 events, over its limit of 20"


async def test_a_branch_counts_what_it_began_with(memory: Memory, domain: str):
    await memory.agent.record_events(events(20))
    await memory.history.branch(f"{domain}-b")
    with pytest.raises(GraphError):
        await memory.in_domain(f"{domain}-b").agent.record_event({"type": "note"})


async def test_a_domain_is_pruned_in_the_background_if_the_settings_say_so(limited_settings: Settings, domain: str):
    async with open_memory(limited_settings.model_copy(update={"agent_prune": "at_limit"})) as opened:
        agent = opened.in_domain(domain).agent
        await agent.record_events(events(19))
        await agent.record_event({"type": "note"})
        kept = 19
        for _ in range(600):
            if kept == 0:  # sessions are archived whole
                break
            await anyio.sleep(0.1)
            kept = len((await agent.episodic.get_recent("old", limit=50)).events)
        assert kept == 0
    assert list((limited_settings.home / "archives").glob(f"{domain}-pruned-*"))
