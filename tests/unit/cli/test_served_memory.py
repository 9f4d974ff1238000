"""A command that a server runs for another process ends when that process is gone, and leaves the server idle."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast
from unittest.mock import MagicMock

import anyio
import anyio.to_thread
import pytest
from anyio.abc import SocketStream

from graph_memory import Memory
from graph_memory.cli import served
from graph_memory.cli.session import SERVED, ServedMemory, with_memory
from graph_memory.settings import Settings

pytestmark = pytest.mark.anyio


class Caller:
    """The connection of a process that waits for the result of its command until it goes away."""

    def __init__(self) -> None:
        self.closed = anyio.Event()

    async def send(self, data: bytes) -> None: ...

    async def receive(self, count: int) -> bytes:
        await self.closed.wait()
        raise anyio.EndOfStream


@pytest.fixture
def caller(monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.setattr(served, "_is_declined", MagicMock(return_value=False))
    return Caller()


@asynccontextmanager
async def lost_command(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, command: Callable[[], None], began: threading.Event
) -> AsyncGenerator[None]:
    """Serve a command whose caller goes away once the command has begun, and wait for the end of its answer."""

    def run(_: object, memory: ServedMemory) -> dict[str, Any]:
        SERVED.set(memory)
        command()
        return {}

    monkeypatch.setattr(served, "_run", run)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(answer, caller)
        await anyio.to_thread.run_sync(began.wait, 10)
        caller.closed.set()
        yield


async def answer(caller: Caller) -> None:
    connection, memory = cast("SocketStream", caller), cast("Memory", MagicMock())
    await served._answer_command(  # pyright: ignore[reportPrivateUsage]
        connection, MagicMock(), Settings(), memory, anyio.CapacityLimiter(1)
    )


async def tasks_left() -> int:
    """Return the number of tasks that still run after the current one had time to wait for them."""
    await anyio.sleep(0.1)
    return len(asyncio.all_tasks()) - 1


async def test_work_in_a_thread_that_cannot_be_cancelled_is_the_last_of_a_lost_command(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
):
    began, may_end = threading.Event(), threading.Event()
    later: list[str] = []

    async def use(_: Memory) -> None:
        async def compute() -> None:
            await anyio.to_thread.run_sync(int)
            later.append("computed")

        began.set()
        await anyio.to_thread.run_sync(may_end.wait)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(compute)

    before = await tasks_left()
    async with lost_command(caller, monkeypatch, lambda: with_memory(use), began):
        await anyio.sleep(0.05)
        may_end.set()
    assert not later
    assert await tasks_left() == before


async def test_a_command_whose_caller_is_gone_does_not_begin(caller: Caller, monkeypatch: pytest.MonkeyPatch):
    arrived, may_begin, has_ended = threading.Event(), threading.Event(), threading.Event()
    used: list[Memory] = []

    async def use(memory: Memory) -> None:
        used.append(memory)

    def command() -> None:
        arrived.set()
        may_begin.wait()
        try:
            with_memory(use)
        finally:
            has_ended.set()

    before = await tasks_left()
    async with lost_command(caller, monkeypatch, command, arrived):
        pass
    may_begin.set()
    assert await anyio.to_thread.run_sync(has_ended.wait, 10)
    assert not used
    assert await tasks_left() == before
