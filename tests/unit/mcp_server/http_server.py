"""An HTTP server on a memory that is not there, to be run as a process; `slow` as content makes a call last.

Its arguments say what its limits are, as `calls=0.5`.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
from mcp_fakes import RecordingMemory

from graph_memory.cli.log import log_to_stderr
from graph_memory.mcp_server.transport.http import Limits, serve_http
from graph_memory.model.events import Origin
from graph_memory.settings import Settings


class SlowMemory(RecordingMemory):
    """Shows what content it was given, and takes its time when that says so."""

    async def create_node(self, **arguments: Any) -> Any:
        sys.stderr.write(f"content={arguments['content'][:20]!a}\n")
        sys.stderr.flush()
        if arguments["content"] == "slow":
            await anyio.sleep(60)
        return self.answers["create_node"]


@asynccontextmanager
async def open_memory(
    _settings: Settings, *, progress: Any, origin: Origin, follows: bool
) -> AsyncIterator[SlowMemory]:
    assert follows
    progress("Starting", None)
    sys.stderr.write(f"opened {origin}\n")
    try:
        yield SlowMemory()
    finally:
        await anyio.sleep(0.01)
        sys.stderr.write("closed\n")


app: Any = ModuleType("graph_memory.app")
app.open_memory = open_memory
sys.modules["graph_memory.app"] = app

settings = Settings(home=Path("/nowhere"), cache=Path("/nowhere"), mcp_content_bytes=1000)
limits: dict[str, Any] = {
    name: float(value) if "." in value else int(value)
    for name, _, value in (word.partition("=") for word in sys.argv[1:])
}
log_to_stderr(settings.log_level)
serve_http(settings, ["graph", "get_environment"], port=0, limits=Limits(**limits))
