"""Opens the memory in the background, so that the server can answer while Neo4j starts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup

from graph_memory.mcp_server.errors import mask_internal_errors
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import run_as
from graph_memory.progress import Progress

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

Opener = Callable[[Progress], AbstractAsyncContextManager["Memory"]]
"""Opens a memory, and reports the current stage from any thread."""
Report = Callable[[float, str], Awaitable[None]]
"""Reports the waiting time in seconds and the current stage to a waiting client."""

REPORT_EVERY = 1.0
"""Time in seconds between two reports to a waiting client."""
CLOSE_WITHIN = 5.0
"""Maximum time in seconds for the memory to close."""


async def report_nothing(_seconds: float, _stage: str) -> None:
    """Report no progress, because the response has not begun."""


class Attempt:
    """An attempt to open the memory. It results in a memory or an error."""

    def __init__(self) -> None:
        self.settled = anyio.Event()
        self.stage = "Neo4j is starting"
        self._scope = anyio.CancelScope(shield=True)
        self._closing = anyio.Event()
        self._memory: Memory | None = None
        self._error: GraphError | None = None

    @property
    def failed(self) -> bool:
        """Whether opening the memory has failed."""
        return self._error is not None

    def result(self) -> Memory:
        """Return the memory. Raises STARTING while it is opening, or the error if opening failed."""
        if self._error is not None:
            raise GraphError(self._error.code, self._error.message, self._error.details)
        if self._memory is None:
            hint = "Try again in a few seconds. Only the first start takes long, because it downloads Neo4j."
            raise GraphError(Code.STARTING, f"The memory is not ready yet: {self.stage}", {"hint": hint})
        return self._memory

    async def keep_open(self, opener: Opener) -> None:
        """Open the memory, and keep it open until `close` is called, even if a caller is cancelled."""
        with self._scope:
            try:
                with mask_internal_errors():
                    async with opener(self._note) as self._memory:
                        self.settled.set()
                        await self._closing.wait()
            except GraphError as error:
                self._error = error
                self.settled.set()

    def _note(self, stage: str, _done: float | None) -> None:
        self.stage = stage

    def close(self) -> None:
        """Close the memory or, if it is still opening, cancel the opening."""
        self._closing.set()
        grace = CLOSE_WITHIN if self.settled.is_set() else 0.0
        self._scope.deadline = anyio.current_time() + grace


class Startup:
    """Opens a memory in the background. If opening fails, the next call tries again."""

    def __init__(self, opener: Opener, wait: float) -> None:
        self._opener = opener
        self._wait = wait
        self._attempt: Attempt | None = None
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def open_in_background(self) -> AsyncGenerator[Startup]:
        """Open the memory in the background, and close it at the end of the block."""
        async with anyio.create_task_group() as self._tasks:
            attempt = self._current_attempt()
            try:
                yield self
            finally:
                (self._attempt or attempt).close()
                self._tasks.cancel_scope.cancel()

    def _current_attempt(self) -> Attempt:
        """Return the current attempt. If the last attempt failed, start a new one."""
        tasks = self._running
        if self._attempt is None or self._attempt.failed:
            self._attempt = Attempt()
            with run_as(None):  # the memory outlives the call that opens it
                tasks.start_soon(self._attempt.keep_open, self._opener)
        return self._attempt

    def present_memory(self) -> Memory:
        """Return the memory without waiting. Raises STARTING while it is opening.

        If the last attempt failed, raise its error and start a new attempt.
        """
        attempt = self._attempt or self._current_attempt()
        if attempt.failed:
            self._current_attempt()
        return attempt.result()

    @property
    def _running(self) -> TaskGroup:
        if self._tasks is None:
            raise RuntimeError("the memory can be used only within running()")
        return self._tasks

    def start_task(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Run a function in the background. It is cancelled when the server stops."""
        self._running.start_soon(work)

    async def memory(self, report: Report) -> Memory:
        """Wait until the memory is open, and return it. Reports progress to the client in the meantime.

        Raises STARTING after the time limit, or the error if opening failed. After an error, the next call tries again.
        """
        attempt = self._current_attempt()
        if not attempt.settled.is_set():
            with anyio.move_on_after(self._wait):
                await _report_until_settled(attempt, report)
        return attempt.result()


async def _report_until_settled(attempt: Attempt, report: Report) -> None:
    started = anyio.current_time()
    while not attempt.settled.is_set():
        await report(round(anyio.current_time() - started, 1), attempt.stage)
        with anyio.move_on_after(REPORT_EVERY):
            await attempt.settled.wait()
