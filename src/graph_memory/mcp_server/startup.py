"""The memory is opened behind the server's back, so that a client is answered while Neo4j starts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup

from graph_memory.mcp_server.errors import masking
from graph_memory.model.errors import Code, GraphError

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

Progress = Callable[[str, float | None], None]
Opener = Callable[[Progress], AbstractAsyncContextManager["Memory"]]
"""Opens a memory; tells, from whatever thread, the stage it is at."""
Tell = Callable[[float, str], Awaitable[None]]
"""Tells a waiting client for how many seconds it has waited, and for what."""

TELL_EVERY = 1.0
CLOSE_WITHIN = 5.0


class Attempt:
    """One try to open the memory: under way until it is settled with a memory or an error."""

    def __init__(self) -> None:
        self.settled = anyio.Event()
        self.stage = "Neo4j is starting"
        self._scope = anyio.CancelScope(shield=True)
        self._closing = anyio.Event()
        self._memory: Memory | None = None
        self._error: GraphError | None = None

    @property
    def failed(self) -> bool:
        """Whether it ended in an error."""
        return self._error is not None

    def result(self) -> Memory:
        """Return the memory; raises STARTING, or the error that opening it ended in."""
        if self._error is not None:
            raise GraphError(self._error.code, self._error.message, self._error.details)
        if self._memory is None:
            hint = "Try again in a few seconds. Only the first start takes long: it fetches Neo4j."
            raise GraphError(Code.STARTING, f"The memory is not ready yet: {self.stage}", {"hint": hint})
        return self._memory

    async def keep(self, opener: Opener) -> None:
        """Open the memory and keep it open until `close`; whoever else is cancelled meanwhile, it closes cleanly."""
        with self._scope:
            try:
                with masking():
                    async with opener(self._note) as self._memory:
                        self.settled.set()
                        await self._closing.wait()
            except GraphError as error:
                self._error = error
                self.settled.set()

    def _note(self, stage: str, _done: float | None) -> None:
        self.stage = stage

    def close(self) -> None:
        """Close the memory, or give up opening it."""
        self._closing.set()
        grace = CLOSE_WITHIN if self.settled.is_set() else 0.0
        self._scope.deadline = anyio.current_time() + grace


class Startup:
    """A memory that is opened in the background: at once, and again when a call comes after a failure."""

    def __init__(self, opener: Opener, wait: float) -> None:
        self._opener = opener
        self._wait = wait
        self._attempt: Attempt | None = None
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Startup]:
        """Open the memory behind the context, and close it at its end."""
        async with anyio.create_task_group() as self._tasks:
            attempt = self._current()
            try:
                yield self
            finally:
                (self._attempt or attempt).close()
                self._tasks.cancel_scope.cancel()

    def _current(self) -> Attempt:
        """Return the attempt under way or the one that succeeded; begin another when the last one failed."""
        tasks = self._running
        if self._attempt is None or self._attempt.failed:
            self._attempt = Attempt()
            tasks.start_soon(self._attempt.keep, self._opener)
        return self._attempt

    @property
    def _running(self) -> TaskGroup:
        if self._tasks is None:
            raise RuntimeError("the memory is asked for outside of running()")
        return self._tasks

    def behind(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Do work behind the calls. It is left off where the server ends."""
        self._running.start_soon(work)

    async def memory(self, tell: Tell) -> Memory:
        """Return the memory; wait for it up to the limit, telling of it meanwhile.

        Raises STARTING when that was not long enough, or what opening it failed with; the next call then tries again.
        """
        attempt = self._current()
        if not attempt.settled.is_set():
            with anyio.move_on_after(self._wait):
                await _tell_until_settled(attempt, tell)
        return attempt.result()


async def _tell_until_settled(attempt: Attempt, tell: Tell) -> None:
    began = anyio.current_time()
    while not attempt.settled.is_set():
        await tell(round(anyio.current_time() - began, 1), attempt.stage)
        with anyio.move_on_after(TELL_EVERY):
            await attempt.settled.wait()
