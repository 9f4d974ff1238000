"""Work that goes on behind the calls, for as long as the memory is open, and several things done at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import TaskGroup

from graph_memory.model.errors import GraphError

PATIENCE = 1.0
"""Seconds for which closing waits for work to be done, so that a command that ends at once gets something done too."""

_log = logging.getLogger(__name__)


class Background:
    """Tasks by name, one of a name at a time. What one does must be safe to leave off anywhere and to begin again."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._endless: set[str] = set()

    def start(self, name: str, work: Coroutine[Any, Any, None], *, is_endless: bool = False) -> None:
        """Start work, unless some of that name is going on. Closing does not wait for what is endless."""
        if is_endless:
            self._endless.add(name)
        if name in self._tasks:
            work.close()
            return
        task = self._tasks[name] = asyncio.create_task(_logged(name, work), name=name)

        def ended(_: object) -> None:
            self._tasks.pop(name, None)
            work.close()  # of a task that was cancelled before it began, the work was never awaited

        task.add_done_callback(ended)

    async def close(self) -> None:
        """Give what is going on a moment to end, then leave it off."""
        for name in self._endless & self._tasks.keys():
            self._tasks[name].cancel()
        if tasks := list(self._tasks.values()):
            _, pending = await asyncio.wait(tasks, timeout=PATIENCE)
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)


class Idle(Background):
    """Nothing goes on behind a transaction: it is done behind the calls that come after it."""

    def start(self, name: str, work: Coroutine[Any, Any, None], *, is_endless: bool = False) -> None:
        """Leave the work off."""
        del is_endless
        work.close()


async def _logged(name: str, work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except GraphError as error:
        _log.warning("%s failed: %s", name, error)


@asynccontextmanager
async def task_group() -> AsyncGenerator[TaskGroup]:
    """Give a task group out of which the first failure comes as it is, not in a group of its own.

    Callers switch on the code of an error. The failure has ended the other tasks; one that failed in the same instant
    is kept as its cause.
    """
    try:
        async with anyio.create_task_group() as tasks:
            yield tasks
    except ExceptionGroup as group:  # anyio makes a group even of a single failure
        raise group.exceptions[0] from group
