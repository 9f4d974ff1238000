"""The parts that servers over stdio and HTTP share: opening the memory, handling signals, and exiting."""

from __future__ import annotations

import asyncio
import gc
import logging
import math
import os
import signal
import sys
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import anyio
import anyio.to_thread

from graph_memory.mcp_server.official import are_official
from graph_memory.mcp_server.startup import Opener, Progress
from graph_memory.mcp_server.table import tools_of
from graph_memory.memory.background import task_group
from graph_memory.model.events import Origin
from graph_memory.settings import Settings, missing_memory_file

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

_log = logging.getLogger(__name__)
Beside = Callable[["Memory"], Coroutine[Any, Any, None]]
"""Work that runs in parallel with the calls, while the memory is open."""
FACADES = (
    "memory.api.entities",
    "memory.api.recall",
    "memory.recall.memory_query",
    "memory.recall.multi_domain",
    "memory.recall.corrections",
    "memory.remember.remember",
    "memory.sessions.sessions",
    "memory.sessions.model_summary",
    "memory.api.history",
    "memory.batch.run",
    "agent.layer",
    "memory.remember.decide",
    "memory.entities.forgetting",
    "memory.entities.cleaning.entity_lists",
    "memory.entities.cleaning.similar",
    "memory.recall.synthesis",
    "memory.api.links",
    "memory.api.transfer",
    "memory.api.upkeep",
    "memory.inference.inference",
    "memory.revert.pages",
    "memory.revert.selection",
    "memory.branches.merge",
    "memory.branches.report",
    "memory.branches.branch",
    "memory.sessions.past",
    "memory.retention.compaction",
    "memory.retention.erasure",
    "memory.api.keys",
    "memory.retention.scan",
    "memory.retention.logged_nodes",
    "memory.batch.parsing",
    "memory.domains.deletion",
    "memory.search.index.following",
    "memory.cypher.query",
)
"""Modules that are imported in the background, modules of frequent calls first."""


def own_session(settings: Settings) -> str:
    """Return the session for a process that serves one client, from the settings or newly created."""
    return settings.session or f"session_{uuid.uuid4().hex}"


def opener_of(settings: Settings, session: str | None, toolsets: Sequence[str], beside: Beside | None = None) -> Opener:
    """Return a function that opens the memory. Changes are recorded with the given session.

    The function also imports the driver, which takes a while. If only official tools are served, it does not follow the
    logs, because these tools do not use the search index. Raises INVALID_ARGUMENT for an unknown toolset.
    """
    follows = not are_official(tools_of(toolsets).values())

    @asynccontextmanager
    async def open_in_session(progress: Progress) -> AsyncGenerator[Memory]:
        await anyio.to_thread.run_sync(import_module, "graph_memory.app")
        from graph_memory.app import open_memory

        origin = Origin(session=session, source="agent", actor=settings.actor)
        async with task_group() as tasks:
            tasks.start_soon(_import_facades)
            async with open_memory(settings, progress=progress, origin=origin, follows=follows) as memory:
                await _import_file(memory, settings, progress)
                async with task_group() as others:
                    if beside is not None:
                        others.start_soon(beside, memory)
                    yield memory
                    others.cancel_scope.cancel()
            tasks.cancel_scope.cancel()

    return open_in_session


async def _import_facades() -> None:
    """Import the modules that calls need in a thread, so that the first calls need not wait.

    If an import fails, for example because too many files are open, the call that needs it tries again.
    """
    for facade in FACADES:
        try:
            await anyio.to_thread.run_sync(import_module, f"graph_memory.{facade}", abandon_on_cancel=True)
        except (ImportError, OSError) as error:
            _log.warning(
                "Cannot import graph_memory.%s, which the first call that needs it tries again: %s", facade, error
            )
    gc.freeze()  # loaded modules stay, so scanning them for garbage would only delay calls


async def _import_file(memory: Memory, settings: Settings, progress: Progress) -> None:
    """If the memory is new, import the official memory server's file that the environment names."""
    if settings.memory_file_path is None:
        return
    if missing := missing_memory_file(settings):
        _log.warning(missing)
    imported = await memory.transfer.import_once(settings.memory_file_path, tell=progress)
    if imported is not None and imported.entities.new + imported.relations.new + imported.observations.new:
        text = f"{imported.entities.new:,} entities and {imported.relations.new:,} relations"
        _log.warning("Imported %s of MEMORY_FILE_PATH into domain %s", text, imported.domain)


def termination_signals() -> AsyncIterator[None]:
    """Return an iterator over SIGTERM and SIGINT (Ctrl-C) signals. They no longer end the process."""
    sender, signals = anyio.create_memory_object_stream[None](math.inf)
    for number in (signal.SIGTERM, signal.SIGINT):
        _on_signal(number, lambda: sender.send_nowait(None))
    return signals


def _on_signal(number: signal.Signals, act: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":  # its loops take no handlers
        signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(act))
    else:
        loop.add_signal_handler(number, act)


def exit_process(status: int = 0) -> NoReturn:
    """End the process, even if a thread still waits for input, or for a cancelled start of Neo4j."""
    sys.stderr.flush()
    os._exit(status)
