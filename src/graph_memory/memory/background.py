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
"""Maximum time in seconds that closing waits for tasks, so that they make progress in short commands too."""

_log = logging.getLogger(__name__)


class Background:
    """Background tasks, at most one per name. A task must be safe to cancel at any point and to restart."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._endless: set[str] = set()
        self._rounds: dict[str, float] = {}

    def note_round(self, name: str) -> None:
        """Note that an endless task has completed a round."""
        self._rounds[name] = monotonic()

    def seconds_since_round(self, name: str) -> float | None:
        """Return the seconds since an endless task last completed a round, or None if it never has."""
        return monotonic() - self._rounds[name] if name in self._rounds else None

    def start(self, name: str, work: Coroutine[Any, Any, None], *, is_endless: bool = False) -> None:
        """Start a task, unless one with that name is running. Closing does not wait for endless tasks."""
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

    async def close(self) -> None:
        """Wait a moment for the tasks to end, then cancel them."""
        for name in self._endless & self._tasks.keys():
            self._tasks[name].cancel()
        if tasks := list(self._tasks.values()):
            _, pending = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)


class Idle(Background):
    """A replacement for `Background` inside a transaction. It starts no tasks; calls after the transaction do."""

    def start(self, name: str, work: Coroutine[Any, Any, None], *, is_endless: bool = False) -> None:
        """Discard the work."""
        del is_endless
        work.close()


async def _run_logged(name: str, work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except GraphError as error:
        _log.warning("%s failed: %s", name, error)


@asynccontextmanager
async def task_group() -> AsyncGenerator[TaskGroup]:
    """Yield a task group that raises the first failure itself, not an exception group.

    This lets callers switch on the error code. A failure cancels the other tasks, and the group becomes its cause.
    """
    try:
        async with anyio.create_task_group() as tasks:
            yield tasks
    except ExceptionGroup as group:  # anyio makes a group even of a single failure
        raise group.exceptions[0] from group
