"""MCP over standard input and output, from the first line to a clean end."""

from __future__ import annotations

import os
import re
import signal
import sys
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn, cast

import anyio
import anyio.to_thread
from mcp.server import Server
from mcp.server.stdio import stdio_server

from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.startup import Opener, Progress, Startup
from graph_memory.model.events import Origin
from graph_memory.settings import Settings

if TYPE_CHECKING:
    from graph_memory.memory.api import Memory

_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<lone>u[dD][89a-fA-F]\w\w)|.)")


def serve_stdio(settings: Settings, toolsets: Sequence[str]) -> NoReturn:
    """Serve until the client closes standard input, or SIGTERM or SIGINT; then close the memory and end the process.

    Raises INVALID_ARGUMENT, before anything is started, for a toolset that there is not.
    """
    anyio.run(_serve, build_server(opener_of(settings), settings, toolsets))
    sys.stderr.flush()
    os._exit(0)  # a thread that still waits for input, or for a start of Neo4j given up on, would hold the process


def opener_of(settings: Settings) -> Opener:
    """Return what opens the memory of these settings. The driver is imported behind too: it takes a while."""

    @asynccontextmanager
    async def opened(progress: Progress) -> AsyncGenerator[Memory]:
        await anyio.to_thread.run_sync(import_module, "graph_memory.app")
        from graph_memory.app import open_memory

        origin = Origin(session=f"session_{uuid.uuid4().hex}", source="agent")
        async with open_memory(settings, progress=progress, origin=origin) as memory:
            yield memory

    return opened


async def _serve(server: Server[Startup]) -> None:
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_on_signal, tasks.cancel_scope)
            lines = cast("anyio.AsyncFile[str]", Lines(_claim_stdin()))
            async with stdio_server(stdin=lines) as (read, write):
                await server.run(read, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* BrokenPipeError:
        pass  # the client has gone without saying so


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()


def _claim_stdin() -> TextIOWrapper:
    """Return standard input from a descriptor of its own; whoever else reads standard input finds it empty."""
    private = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return TextIOWrapper(os.fdopen(private, "rb", closefd=False), encoding="utf-8", errors="replace")


class Lines:
    """The lines of a file, as the SDK's transport reads them; a wait for the next one can be given up."""

    def __init__(self, file: TextIOWrapper) -> None:
        self._file = file

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        line = await anyio.to_thread.run_sync(self._file.readline, abandon_on_cancel=True)
        if not line:
            raise StopAsyncIteration
        return well_formed(line)


def well_formed(line: str) -> str:
    r"""Return a line of JSON with U+FFFD in place of every half of a character pair that stands alone, as `\ud83d`.

    JavaScript writes these when it cuts a text inside an emoji. The SDK drops such a line without an answer.
    """
    if "\\ud" not in line and "\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda found: "\\ufffd" if found["lone"] else found[0], line)
