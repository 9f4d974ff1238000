"""Doing several things at once, of which the first that fails is what went wrong."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup


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
