"""The working memory of a session: what it keeps, what it drops, and what it refuses."""

from __future__ import annotations

import threading

import anyio
import pytest

from graph_memory import Code, GraphError
from graph_memory.agent import working as module
from graph_memory.agent.working import Sessions, Working
from graph_memory.memory.search.token_budget import tokens_of_text
from graph_memory.model.rights import Caller, Grant, Principal, Right, run_as
from tables import for_rows

pytestmark = pytest.mark.anyio


NESTED: list[object] = []
for _ in range(300):
    NESTED = [NESTED]


@pytest.fixture
def sessions() -> Sessions:
    return Sessions({})


@pytest.fixture
def working(sessions: Sessions) -> Working:
    return Working(sessions, "work", "monday")


async def test_a_session_keeps_its_goal_its_outputs_and_its_notes(sessions: Sessions, working: Working) -> None:
    await working.set("goal", "Release 1.0")
    await working.set("tries", [1, {"by": "Ann"}])
    await working.set("recent_outputs", {"tool": "pytest", "failed": 3})
    memory = await working.set("recent_outputs", "passed")
    assert (memory.goal, memory.scratchpad) == ("Release 1.0", {"tries": [1, {"by": "Ann"}]})
    assert memory.recent_outputs == ({"tool": "pytest", "failed": 3}, "passed")
    assert 0 < memory.used_tokens < memory.context_window
    assert (await working.get("tries")).value == [1, {"by": "Ann"}]
    assert (await Working(sessions, "work", "tuesday").get()).goal is None
    assert (await Working(sessions, "home", "monday").get()).goal is None
    assert (await working.clear("goal")).goal is None
    assert (await working.clear()).used_tokens == 0


async def test_callers_with_different_keys_share_neither_a_session_nor_the_limit_of_sessions(
    sessions: Sessions, working: Working, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_SESSIONS", 2)
    ann, bob = (Caller(Principal(name, (Grant("*", Right.WRITE),))) for name in ("ann", "bob"))
    with run_as(ann):
        await working.set("goal", "Release")
    with run_as(bob):
        assert (await working.get()).goal is None
        for session in ("first", "second", "third"):
            await Working(sessions, "work", session).set("goal", session)
        assert (await Working(sessions, "work", "first").get()).goal is None
    with run_as(ann):
        memory = await working.get()
    assert (memory.session, memory.goal) == ("monday", "Release")


async def test_the_oldest_outputs_make_room_for_a_new_one(working: Working) -> None:
    await working.set("context_window", 100)
    await working.set("goal", "Release")
    memory = await working.get()
    for number in range(4):
        memory = await working.set("recent_outputs", f"output {number} " + "word " * 20)
    assert [str(output)[:8] for output in memory.recent_outputs or ()] == ["output 1", "output 2", "output 3"]
    assert [str(output)[:8] for output in memory.dropped or ()] == ["output 0"]
    assert memory.used_tokens <= 100


@for_rows(
    ("key", "value"),
    [
        ("", 1),
        ("goal", 5),
        ("note", float("nan")),
        ("note", object()),
        ("context_window", 0),
        ("context_window", True),
        ("context_window", "many"),
        ("recent_outputs", "word " * 10_000),
        ("note", "word " * 10_000),
        ("note", "x y" * 700_000),
        ("note", " " * 2_000_000),
        ("k" * 2_000_000, 1),
        ("note", "\ud800"),
        ("\ud800", 1),
        ("note", NESTED),
    ],
)
async def test_a_value_that_cannot_be_kept_changes_nothing(working: Working, key: str, value: object) -> None:
    await working.set("recent_outputs", "passed")
    before = await working.get()
    with pytest.raises(GraphError) as caught:
        await working.set(key, value)
    assert caught.value.code in (Code.INVALID_ARGUMENT, Code.CONTENT_TOO_LARGE)
    assert await working.get() == before


async def test_the_session_used_longest_ago_is_forgotten(sessions: Sessions, working: Working) -> None:
    await working.set("goal", "Release")
    for number in range(1_000):
        await Working(sessions, "work", str(number)).get()
    assert (await working.get()).goal is None
    with pytest.raises(GraphError):
        await working.get("goal")


async def test_a_value_of_null_is_returned(working: Working) -> None:
    await working.set("note", None)
    memory = await working.get("note")
    assert (memory.session, memory.value) == ("monday", None)


async def test_a_smaller_window_drops_many_outputs_with_few_counts_in_a_thread(
    working: Working, monkeypatch: pytest.MonkeyPatch
) -> None:
    await working.set("context_window", 20_000)
    for number in range(300):
        await working.set("recent_outputs", f"output {number}")
    threads: list[threading.Thread] = []

    def count_tokens(text: str) -> int:
        threads.append(threading.current_thread())
        return tokens_of_text(text)

    monkeypatch.setattr(module, "tokens_of_text", count_tokens)
    memory = await working.set("context_window", 200)
    assert len(memory.recent_outputs or ()) + len(memory.dropped or ()) == 300
    assert 190 < memory.used_tokens <= 200
    await working.get()
    await working.get("goal" if memory.goal else "context_window")
    assert len(threads) < 25
    assert threading.main_thread() not in threads


async def test_values_that_are_set_at_the_same_time_are_all_kept(working: Working) -> None:
    async with anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(working.set, f"key {number}", number)
        tasks.start_soon(working.clear, "key 99")
    assert len((await working.get()).scratchpad or {}) == 10
