"""What a server process has, whichever way its clients reach it: a memory that opens, signals, an end."""

from __future__ import annotations

import os
import signal
import sys
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import anyio
import anyio.to_thread

from graph_memory.mcp_server.startup import Opener, Progress
from graph_memory.model.events import Origin
from graph_memory.settings import Settings

if TYPE_CHECKING:
    from graph_memory.memory.api import Memory


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


async def requests_to_end() -> AsyncGenerator[None]:
    """Give every SIGTERM and SIGINT that the process gets; on Windows, where Ctrl-C cancels instead, none."""
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            yield


def leave() -> NoReturn:
    """End the process, though a thread may still wait for input, or for a start of Neo4j that was given up."""
    sys.stderr.flush()
    os._exit(0)
