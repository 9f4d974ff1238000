"""MCP over standard input and output, from the first line to a clean end."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn, Protocol, cast

import anyio
import anyio.to_thread
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from graph_memory.mcp_server.process import leave, opener_of, requests_to_end
from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.startup import Startup
from graph_memory.mcp_server.surrogates import well_formed
from graph_memory.mcp_server.unreadable import refusal
from graph_memory.settings import Settings


def serve_stdio(settings: Settings, toolsets: Sequence[str]) -> NoReturn:
    """Serve until the client closes standard input, or SIGTERM or SIGINT; then close the memory and end the process.

    Raises INVALID_ARGUMENT, before anything is started, for a toolset that there is not.
    """
    anyio.run(_serve, build_server(opener_of(settings), settings, toolsets))
    leave()


async def _serve(server: Server[Startup]) -> None:
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_on_signal, tasks.cancel_scope)
            lines = Lines(_claim_stdin())
            async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (read, write):
                lines.answer_on(write)
                await server.run(read, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* BrokenPipeError:
        pass  # the client has gone without saying so


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    async for _ in requests_to_end():
        scope.cancel()


def _claim_stdin() -> TextIOWrapper:
    """Return standard input from a descriptor of its own; whoever else reads standard input finds it empty."""
    private = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return TextIOWrapper(os.fdopen(private, "rb", closefd=False), encoding="utf-8", errors="replace")


class Answers(Protocol):
    """Where messages to the client go."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send one."""
        ...


class Lines:
    """The lines of a file that are messages, as the SDK's transport reads them; the others are answered here.

    A wait for the next line can be given up.
    """

    def __init__(self, file: TextIOWrapper) -> None:
        self._file = file
        self._answers: Answers | None = None

    def answer_on(self, answers: Answers) -> None:
        """Answer lines that are no messages on this stream, from now on; the SDK drops them without a word."""
        self._answers = answers

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        while True:
            line = await anyio.to_thread.run_sync(self._file.readline, abandon_on_cancel=True)
            if not line:
                raise StopAsyncIteration
            line = well_formed(line)
            refused = refusal(line)
            if refused is None or self._answers is None:
                return line
            await self._answers.send(SessionMessage(refused))
