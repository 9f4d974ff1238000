"""A stdio server on a memory that is not there, to be run as a process: `stdio_server.py [how the memory opens]`."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import anyio.to_thread
from mcp_fakes import RecordingMemory

from graph_memory.mcp_server.transport.stdio import serve_stdio
from graph_memory.model.events import Origin
from graph_memory.settings import Settings


class TalkativeMemory(RecordingMemory):
    """Writes to standard output, as a careless library might, and shows what content it was given."""

    async def create_node(self, **arguments: Any) -> Any:
        print("stray output")  # noqa: T201
        sys.stderr.write(f"content={arguments['content']!a}\n")
        return self.answers["create_node"]


@asynccontextmanager
async def open_memory(
    _settings: Settings, *, progress: Any, origin: Origin, follows: bool
) -> AsyncIterator[TalkativeMemory]:
    assert follows
    progress("Starting", None)
    sys.stderr.write(f"{origin}\n")
    match sys.argv[1:]:
        case ["blocked"]:
            await anyio.to_thread.run_sync(time.sleep, 60, abandon_on_cancel=True)
        case ["slow"]:
            await anyio.sleep(60)
    sys.stderr.write("opened\n")
    try:
        yield TalkativeMemory()
    finally:
        await anyio.sleep(0.01)
        sys.stderr.write("closed\n")


app: Any = ModuleType("graph_memory.app")
app.open_memory = open_memory
sys.modules["graph_memory.app"] = app
threading.Thread(target=time.sleep, args=(30,)).start()  # a thread that nobody ends must not hold the process
SETTINGS = Settings(home=Path("/nowhere"), cache=Path("/nowhere"))
serve_stdio(SETTINGS, SETTINGS.toolsets)
