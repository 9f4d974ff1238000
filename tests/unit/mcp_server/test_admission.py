"""Which call runs next, and which call is rejected."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio import wait_all_tasks_blocked
from anyio.abc import TaskGroup
from anyio.lowlevel import checkpoint
from mcp import Client

from graph_memory.mcp_server.admission import Admission
from graph_memory.mcp_server.control import CallControl
from graph_memory.mcp_server.server import build_server
from graph_memory.model.errors import Code, GraphError
from graph_memory.settings import Settings
from unit.mcp_server.mcp_fakes import ARGUMENTS, RecordingMemory, error_of, opens
from unit.mcp_server.test_mcp_http import running

pytestmark = pytest.mark.anyio


class Calls:
    """Calls that run until they are told to end."""

    def __init__(self, admission: Admission, tasks: TaskGroup) -> None:
        self.admission = admission
        self.tasks = tasks
        self.running: list[str] = []
        self.began: list[str] = []
        self.rejected: list[str] = []
        self.codes: set[Code] = set()
        self.scopes: dict[str, anyio.CancelScope] = {}
        self._ends: dict[str, anyio.Event] = {}

    async def begin(self, *names: str) -> None:
        """Begin calls, each by the caller of its first letter."""
        for name in names:
            self.scopes[name], self._ends[name] = anyio.CancelScope(), anyio.Event()
            self.tasks.start_soon(self._run, name)
            await wait_all_tasks_blocked()

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await wait_all_tasks_blocked()

    async def cancel(self, name: str) -> None:
        self.scopes[name].cancel()
        await wait_all_tasks_blocked()

    async def _run(self, name: str) -> None:
        with self.scopes[name]:
            try:
                async with self.admission.wait_for_slot(name[0]):
                    self.running.append(name)
                    self.began.append(name)
                    try:
                        await self._ends[name].wait()
                    finally:
                        self.running.remove(name)
            except GraphError as error:
                self.rejected.append(name)
                self.codes.add(error.code)


@asynccontextmanager
async def calls_of(running: int, waiting: int, seconds: float = 60) -> AsyncIterator[Calls]:
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            yield Calls(Admission(running, waiting, seconds), tasks)
            tasks.cancel_scope.cancel()


async def test_as_many_calls_run_as_may_and_callers_take_turns():
    async with calls_of(2, 10) as calls:
        await calls.begin("a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1")
        assert (calls.running, calls.admission.waiting) == (["a1", "a2"], 6)
        for name in ("a1", "a2", "a3", "b1", "c1", "a4"):
            await calls.end(name)
            assert len(calls.running) == 2
        assert calls.began == ["a1", "a2", "a3", "b1", "c1", "a4", "b2", "a5"]
        assert (calls.rejected, calls.admission.waiting) == ([], 0)


async def test_a_caller_with_few_calls_displaces_one_of_the_caller_with_the_most():
    async with calls_of(1, 4) as calls:
        await calls.begin("a1", "a2", "a3", "a4", "a5", "a6")
        assert calls.rejected == ["a6"]
        await calls.begin("b1", "b2", "b3", "c1")
        assert calls.rejected == ["a6", "a5", "a4", "b3", "a3"]
        for name in ("a1", "a2", "b1", "c1"):
            await calls.end(name)
        assert calls.began == ["a1", "a2", "b1", "c1", "b2"]


async def test_without_places_to_wait_further_calls_are_rejected():
    async with calls_of(1, 0) as calls:
        await calls.begin("a1", "b1")
        assert (calls.rejected, calls.codes) == (["b1"], {Code.OVERLOADED})
        await calls.end("a1")
        await calls.begin("b2")
        assert calls.running == ["b2"]


async def test_a_call_does_not_wait_for_ever():
    async with calls_of(1, 1, seconds=0.02) as calls:
        await calls.begin("a1", "b1")
        await anyio.sleep(0.1)
        assert (calls.rejected, calls.running, calls.admission.waiting) == (["b1"], ["a1"], 0)


async def test_a_cancelled_call_gives_up_its_place():
    async with calls_of(1, 2) as calls:
        await calls.begin("a1", "b1", "c1")
        await calls.cancel("b1")
        assert calls.admission.waiting == 1
        await calls.cancel("a1")
        assert (calls.running, calls.admission.waiting) == (["c1"], 0)


async def test_a_call_that_is_cancelled_on_its_turn_passes_the_turn_on():
    async with calls_of(1, 2) as calls:
        async with calls.admission.wait_for_slot("a"):
            await calls.begin("b1", "c1")
        await calls.cancel("b1")
        assert calls.running == ["c1"]


async def test_no_call_is_lost_among_many_callers():
    admission, most, done = Admission(5, 1000), [0], [0]
    running = 0

    async def call(caller: str) -> None:
        nonlocal running
        async with admission.wait_for_slot(caller):
            running += 1
            most[0] = max(most[0], running)
            await checkpoint()
            running -= 1
            done[0] += 1

    async with anyio.create_task_group() as tasks:
        for number in range(1000):
            tasks.start_soon(call, f"caller {number % 50}")
    assert (most, done, admission.waiting) == ([5], [1000], 0)


async def test_a_tool_says_that_the_server_is_overloaded_and_what_to_do():
    control = CallControl(Admission(1, 0))
    memory = RecordingMemory()
    server = build_server(opens(memory), Settings(), ["graph"], control=control)
    assert control._admission is not None
    async with Client(server) as client, control._admission.wait_for_slot("other"):
        error = error_of(await client.call_tool("create_node", ARGUMENTS["create_node"]))
    assert (error["code"], error["details"]["retry_after"]) == ("OVERLOADED", 1)
    assert "Try again in 1 s" in error["details"]["hint"]
    assert memory.calls == []


@pytest.mark.parametrize("by_session", [False, True])
def test_an_overloaded_server_answers_calls_and_still_lives(by_session: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GRAPH_MEMORY_MAX_CALLS", "1")
    monkeypatch.setenv("GRAPH_MEMORY_MAX_WAITING", "0")
    with running() as server, ThreadPoolExecutor(1) as thread:
        session = server.session() if by_session else {}
        slow = thread.submit(server.call, '"slow"', **session)
        assert server.process.stderr is not None
        while not server.process.stderr.readline().startswith(b"content='slow'"):
            pass
        refused = server.call('"quick"', **session)
        assert refused.status == 200
        assert json.loads(refused.text)["result"]["structuredContent"]["code"] == "OVERLOADED"
        assert server.answer("GET", "/health/live").status == 200
        server.end()
        assert slow.result().status == 503
