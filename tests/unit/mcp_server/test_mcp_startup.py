"""The server answers while its memory is being opened, and opens it again after a failure."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from graph_memory import Settings
from graph_memory.mcp_server import startup
from graph_memory.mcp_server.table import tools_of
from graph_memory.model.errors import Code, GraphError
from unit.mcp_server.mcp_fakes import RecordingMemory, client_of, error_of

pytestmark = pytest.mark.anyio
CALL = ("get_node", {"node_id": "mem_1"})


class Opening:
    """An opener that does at each try what it is told: raise, or wait for `go`, then give the memory."""

    def __init__(self, *outcomes: Exception | None) -> None:
        self.outcomes = list(outcomes)
        self.go = anyio.Event()
        self.memory = RecordingMemory()
        self.tries = 0
        self.closed = False

    @asynccontextmanager
    async def __call__(self, progress: Any) -> AsyncIterator[RecordingMemory]:
        self.tries += 1
        progress("Fetching Neo4j", 0.5)
        outcome = self.outcomes.pop(0) if self.outcomes else None
        if outcome is not None:
            raise outcome
        await self.go.wait()
        try:
            yield self.memory
        finally:
            await anyio.lowlevel.checkpoint()  # whoever closes may have to wait
            self.closed = True


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_tools_are_listed_and_faults_told_while_the_memory_is_being_opened(mode: str):
    with anyio.fail_after(5):
        async with client_of(Opening(), mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(tools_of(Settings().toolsets))
            assert error_of(await client.call_tool("get_node", {}))["code"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_call_waits_telling_of_it_and_then_answers_starting(mode: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(startup, "REPORT_EVERY", 0.02)
    lines: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        lines.append((progress, total, message))

    with anyio.fail_after(5):
        async with client_of(Opening(), mode, starting_wait=0.2) as client:
            error = error_of(await client.call_tool(*CALL, progress_callback=note))
    assert error["code"] == "STARTING"
    assert error["details"]["hint"]
    assert "Fetching Neo4j" in error["message"]
    assert len(lines) > 1
    assert lines == sorted(lines)
    assert lines[0] == (0.0, 0.2, "Fetching Neo4j")


async def test_calls_that_waited_are_made_once_the_memory_is_open():
    opening = Opening()

    async def ask() -> None:
        assert not (await client.call_tool(*CALL)).is_error

    with anyio.fail_after(5):
        async with client_of(opening) as client, anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(ask)
            await anyio.sleep(0.02)
            assert opening.memory.calls == []
            opening.go.set()
    assert len(opening.memory.calls) == 3
    assert opening.tries == 1


async def test_a_memory_that_cannot_be_opened_is_told_and_the_next_call_tries_again():
    wrong = GraphError(Code.STORE_UNAVAILABLE, "Wrong password", {"hint": "Set NEO4J_PASSWORD."})
    opening = Opening(wrong, wrong)
    opening.go.set()
    with anyio.fail_after(5):
        async with client_of(opening) as client:
            await anyio.sleep(0.02)  # the first try, before any call, has failed
            error = error_of(await client.call_tool(*CALL))
            assert error == wrong.to_dict()
            assert not (await client.call_tool(*CALL)).is_error
    assert opening.tries == 3
    assert opening.closed


async def test_an_unexpected_failure_to_open_is_masked(caplog: pytest.LogCaptureFixture):
    opening = Opening(RuntimeError("secret"), RuntimeError("secret"))
    with caplog.at_level(logging.ERROR, "graph_memory"), anyio.fail_after(5):
        async with client_of(opening) as client:
            error = error_of(await client.call_tool(*CALL))
    assert error["code"] == "INTERNAL"
    assert "secret" not in str(error)
    assert error["details"]["id"] in caplog.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_memory_is_closed_when_the_client_leaves(mode: str):
    opening = Opening()
    opening.go.set()
    with anyio.fail_after(5):
        async with client_of(opening, mode) as client:
            await client.call_tool(*CALL)
            assert not opening.closed
    assert opening.closed


async def test_the_memory_is_closed_cleanly_when_the_server_is_cancelled():
    opening = Opening()
    opening.go.set()
    with anyio.fail_after(5), anyio.CancelScope() as scope:
        async with startup.Startup(opening, 1).open_in_background() as running:
            await running.memory(no_tell)
            scope.cancel()
            await anyio.sleep(10)
    assert opening.closed


async def test_opening_is_given_up_when_the_client_leaves():
    opening = Opening()
    with anyio.fail_after(2):
        async with client_of(opening, "legacy") as client:
            await client.list_tools()
    assert (opening.tries, opening.closed) == (1, False)


async def test_a_memory_that_does_not_close_is_left_in_the_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(startup, "CLOSE_WITHIN", 0.05)

    @asynccontextmanager
    async def open_slowly(_progress: object) -> AsyncIterator[RecordingMemory]:
        yield RecordingMemory()
        await anyio.sleep(60)

    with anyio.fail_after(2):
        async with startup.Startup(open_slowly, 1).open_in_background() as running:
            memory = await running.memory(no_tell)
    assert isinstance(memory, RecordingMemory)


async def no_tell(_seconds: float, _stage: str) -> None:
    return None


async def test_the_instructions_say_that_the_memory_file_is_missing(tmp_path: Path):
    missing = tmp_path / "gone.jsonl"
    async with client_of(Opening(), memory_file_path=missing) as client:
        assert "MEMORY_FILE_PATH is not the name of a file" in (client.instructions or "")
        assert str(tmp_path) not in (client.instructions or "")
    async with client_of(Opening()) as client:
        assert "MEMORY_FILE_PATH" not in (client.instructions or "")
