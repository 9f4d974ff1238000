"""Sessions of the OpenAI Agents SDK on the graph, beside the SDK's sessions in SQLite: the same calls and answers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import anyio
import pytest
from agents import SQLiteSession
from agents.memory import Session, SessionSettings
from hypothesis import given
from hypothesis import strategies as st

from graph_memory import Memory
from graph_memory.adapters.openai_agents import GraphSession
from graph_memory.sync import SyncMemory
from profiles import profile

texts = st.sampled_from(["Hello", "", "é 🧠", "two\nlines", "\ud800", "x" * 70_000])
items = st.one_of(
    st.builds(lambda text: {"role": "user", "content": text}, texts),
    st.builds(lambda text: {"role": "assistant", "content": [{"type": "output_text", "text": text}]}, texts),
    st.builds(lambda text: {"type": "function_call_output", "call_id": "1", "output": text}, texts),
    st.sampled_from([{}, {"number": 2**70, "float": 0.1, "none": None}, {"role": "\n", "content": "x"}]),
)
calls = st.one_of(
    st.tuples(st.just("add_items"), st.lists(items, max_size=3)),
    st.tuples(st.just("get_items"), st.none() | st.integers(-2, 4)),
    st.tuples(st.just("pop_item")),
    st.tuples(st.just("clear_session")),
)


@profile(examples=60)
@given(st.lists(st.tuples(st.sampled_from(["one", "two"]), calls), min_size=1, max_size=12))
def test_answers_equal_those_of_sessions_in_sqlite(
    memory_sync: SyncMemory, tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, tuple[Any, ...]]]
) -> None:
    async def compare() -> None:
        domain, path = f"test-{uuid4().hex[:20]}", tmp_path_factory.mktemp("sqlite") / "sessions.db"
        pairs = {
            name: (SQLiteSession(name, path), GraphSession(name, memory_sync, domain=domain)) for name in ("one", "two")
        }
        for name, (method, *arguments) in history:
            expected, answer = [await getattr(session, method)(*arguments) for session in pairs[name]]
            assert answer == expected, (method, arguments)
        for reference, session in pairs.values():
            assert await session.get_items() == await reference.get_items()
            reference.close()

    with ThreadPoolExecutor() as threads:  # the loop of other tests may run in this thread
        threads.submit(anyio.run, compare).result()


@pytest.mark.anyio
async def test_items_are_found_by_search_and_their_session_is_in_the_log(memory: Memory) -> None:
    session = GraphSession("ann-1", memory)
    assert isinstance(session, Session)
    await session.add_items([{"role": "user", "content": "The kitchen is to be blue."}])
    [node_id] = (await memory.search_content("kitchen")).node_ids
    assert (await memory.get_node(node_id)).properties == {"session": "ann-1", "position": 1, "is_large": False}
    assert {entry.actor for entry in (await memory.history.log(session="ann-1")).entries} == {"openai-agents"}


@pytest.mark.anyio
async def test_settings_limit_the_items_that_are_read(memory: Memory) -> None:
    session = GraphSession("ann-1", memory, session_settings=SessionSettings(limit=2))
    await session.add_items([{"role": "user", "content": str(number)} for number in range(4)])
    assert [item.get("content") for item in await session.get_items()] == ["2", "3"]
    assert len(await session.get_items(3)) == 3


@pytest.mark.anyio
async def test_concurrent_calls_lose_no_item_and_return_each_once(memory: Memory) -> None:
    sessions = [GraphSession("shared", memory) for _ in range(2)]
    popped: list[Any] = []

    async def pop(session: GraphSession) -> None:
        popped.append(await session.pop_item())

    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(sessions[number % 2].add_items, [{"role": "user", "content": str(number)}])
    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(pop, sessions[number % 2])
    left = await sessions[0].get_items()
    assert sorted(item["content"] for item in [*popped, *left]) == [*map(str, range(6))]
