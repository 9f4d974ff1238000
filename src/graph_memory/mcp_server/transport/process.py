"""Code shared by servers over stdio and HTTP: opening the memory, handling signals, and exiting."""

from __future__ import annotations

import asyncio
import gc
import logging
import math
import os
import shlex
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
from graph_memory.mcp_server.startup import Opener
from graph_memory.mcp_server.table import tools_of
from graph_memory.memory.background import task_group
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Origin
from graph_memory.progress import Progress
from graph_memory.settings import Settings, missing_memory_file

if TYPE_CHECKING:
    from pathlib import Path

    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.transfer.results import MemoryImportResult

_log = logging.getLogger(__name__)
_NOT_IMPORTED = (
    "Did not import MEMORY_FILE_PATH (%s), because domain %s already has other data. For a separate memory, pass "
    "another --domain or set GRAPH_MEMORY_DOMAIN. To add the file to this domain, run: "
    "graph-memory import %s --domain %s"
)
BackgroundWork = Callable[["Memory"], Coroutine[Any, Any, None]]
"""Work that runs in the background while the memory is open."""
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
    "memory.traversal.communities.query",
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
"""Modules to import in the background. The modules that frequent calls need come first."""


def own_session(settings: Settings) -> str:
    """Return the session id of a process that serves one client: the id in the settings, or a new id."""
    return settings.session or f"session_{uuid.uuid4().hex}"


def opener_of(
    settings: Settings, session: str | None, toolsets: Sequence[str], background_work: BackgroundWork | None = None
) -> Opener:
    """Return a function that opens the memory. The log records changes with the given session.

    The function also imports the driver, which is slow. If only official tools are served, the memory does not update
    the search index in the background, because these tools do not use it. Raises INVALID_ARGUMENT for an unknown
    toolset.
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
                async with task_group() as background_tasks:
                    if background_work is not None:
                        background_tasks.start_soon(background_work, memory)
                    yield memory
                    background_tasks.cancel_scope.cancel()
            tasks.cancel_scope.cancel()

    return open_in_session


async def _import_facades() -> None:
    """Import the modules that calls need in a thread, so that the first calls do not wait.

    If an import fails, for example because too many files are open, the call that needs it retries it.
    """
    for facade in FACADES:
        try:
            await anyio.to_thread.run_sync(import_module, f"graph_memory.{facade}", abandon_on_cancel=True)
        except (ImportError, OSError) as error:
            _log.warning(
                "Cannot import graph_memory.%s, which the first call that needs it tries again: %s", facade, error
            )
    gc.freeze()  # loaded modules are never freed, so scanning them for garbage would only delay calls


async def _import_file(memory: Memory, settings: Settings, progress: Progress) -> None:
    """If the memory is new, import the official memory server's file at MEMORY_FILE_PATH."""
    if settings.memory_file_path is None:
        return
    if missing := missing_memory_file(settings):
        _log.warning(missing)
    path = settings.memory_file_path
    try:
        imported = await memory.transfer.import_once(path, progress=progress)
    except GraphError as error:
        if error.code is Code.INVALID_SOURCE:  # only the log names the path, because clients must not see it
            _log.warning("Cannot import MEMORY_FILE_PATH (%s): %s", path, error)
        raise
    if imported is not None:
        _report_import(imported, path)


def _report_import(imported: MemoryImportResult, path: Path) -> None:
    """Log what was imported, or that nothing was imported because the domain is in use.

    Both are warnings, because the default log level hides other messages, and the import happens only once.
    """
    new_counts = (imported.entities.new, imported.relations.new, imported.observations.new)
    if not imported.dry_run and any(new_counts):
        counts = "entities: {:,}, relations: {:,}, observations: {:,}".format(*new_counts)
        _log.warning("Imported MEMORY_FILE_PATH into domain %s (%s)", imported.domain, counts)
    elif imported.dry_run and imported.entities.new:
        _log.warning(_NOT_IMPORTED, path, imported.domain, shlex.quote(str(path)), shlex.quote(imported.domain))


def termination_signals() -> AsyncIterator[None]:
    """Return an iterator over the signals SIGTERM and SIGINT (Ctrl-C). They no longer end the process."""
    sender, signals = anyio.create_memory_object_stream[None](math.inf)
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        if sys.platform == "win32":  # its loops take no handlers
            signal.signal(signal_number, lambda _number, _frame: loop.call_soon_threadsafe(sender.send_nowait, None))
        else:
            loop.add_signal_handler(signal_number, sender.send_nowait, None)
    return signals


def exit_process(status: int = 0) -> NoReturn:
    """Exit the process, even if a thread still waits for input or for a cancelled start of Neo4j."""
    sys.stderr.flush()
    os._exit(status)
