"""Background tasks that run while the memory is open, and task groups."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import anyio
from anyio.abc import TaskGroup

from graph_memory.model.errors import GraphError
from graph_memory.model.rights import service_context

CLOSE_SECONDS = 1.0
"""Maximum time in seconds for which `close` waits, so that tasks also make progress in short commands."""

_log = logging.getLogger(__name__)


class Background:
    """Background tasks, at most one per name. A task must be safe to cancel at any point and restart."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._endless: set[str] = set()
        self._rounds: dict[str, float] = {}

    def record_round(self, name: str) -> None:
        """Record that an endless task has completed a round of its work now."""
        self._rounds[name] = monotonic()

    def seconds_since_round(self, name: str) -> float | None:
        """Return the seconds since an endless task last completed a round, or None if it has not completed one."""
        return monotonic() - self._rounds[name] if name in self._rounds else None

    def start(self, name: str, work: Coroutine[Any, Any, None], *, is_endless: bool = False) -> None:
        """Start a task unless a task with that name is already running. `close` does not wait for endless tasks."""
        if is_endless:
            self._endless.add(name)
        if name in self._tasks:
            work.close()
            return
        task = self._tasks[name] = asyncio.create_task(_run_logged(name, work), name=name, context=service_context())

        def on_done(_: object) -> None:
            self._tasks.pop(name, None)
            work.close()  # a task that was cancelled before its start never awaited its work

        task.add_done_callback(on_done)

    def is_running(self, name: str) -> bool:
        """Return whether a task with this name is running."""
        return name in self._tasks

    async def close(self) -> None:
        """Cancel endless tasks. Wait up to `CLOSE_SECONDS` for other tasks, then cancel them too."""
        for name in self._endless & self._tasks.keys():
            self._tasks[name].cancel()
        if tasks := list(self._tasks.values()):
            _, pending = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)


class IdleBackground(Background):
    """Replaces `Background` in a transaction, where no task may start.

    Later calls outside the transaction start the tasks.
    """

    def start(self, name: str, work: Coroutine[Any, Any, None], *, is_endless: bool = False) -> None:
        """Close the coroutine without running it."""
        del is_endless
        work.close()


async def _run_logged(name: str, work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except GraphError as error:
        _log.warning("%s failed: %s", name, error)


@asynccontextmanager
async def task_group() -> AsyncGenerator[TaskGroup]:
    """Yield a task group that raises its first failure directly, not as an exception group.

    Callers can therefore check the error code. A failure cancels the other tasks. The exception group becomes the
    `__cause__` of the raised failure.
    """
    try:
        async with anyio.create_task_group() as tasks:
            yield tasks
    except ExceptionGroup as group:  # anyio makes a group even of a single failure
        raise group.exceptions[0] from group
