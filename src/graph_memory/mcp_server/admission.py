"""Limits how many calls run at once. Further calls wait, and their callers take turns."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from graph_memory.model.errors import Code, GraphError

WAIT_SECONDS = 30.0
"""Maximum time in seconds for which a call waits to be admitted."""
RETRY_SECONDS = 1
"""Time in seconds after which a rejected caller should try again."""


@dataclass(eq=False, slots=True)
class QueuedCall:
    """A waiting, running or rejected call."""

    decided: anyio.Event = field(default_factory=anyio.Event)
    is_admitted: bool = False


class Admission:
    """Runs up to `most_running` calls at once, and queues up to `most_waiting` calls.

    The waiting callers take turns, one call at a time. If too many calls wait, the last call of the caller with the
    most waiting calls is rejected. If that caller has at most one more waiting call than the new caller, the new call
    is rejected instead. A rejected call has changed nothing.
    """

    def __init__(self, most_running: int, most_waiting: int, wait_seconds: float = WAIT_SECONDS) -> None:
        self._most_running = most_running
        self._most_waiting = most_waiting
        self._wait_seconds = wait_seconds
        self._running = 0
        self._queues: dict[str, deque[QueuedCall]] = {}
        """The waiting calls by caller. The callers are in the order in which they get a turn."""

    @property
    def waiting(self) -> int:
        """The number of waiting calls of all callers."""
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def wait_for_slot(self, caller: str) -> AsyncGenerator[None]:
        """Wait for the caller's turn, and run the block.

        Raises OVERLOADED if too many calls wait, or this call waits too long.
        """
        call = self._register(caller)
        try:
            with anyio.move_on_after(self._wait_seconds):
                await call.decided.wait()
            if not call.is_admitted:
                raise _overload_error()
            yield
        finally:
            self._release(caller, call)

    def _register(self, caller: str) -> QueuedCall:
        call = QueuedCall()
        if self._running < self._most_running:
            self._admit(call)
            return call
        if self.waiting >= self._most_waiting:
            self._evict_queued_call(caller)
        self._queues.setdefault(caller, deque()).append(call)
        return call

    def _admit(self, call: QueuedCall) -> None:
        self._running += 1
        call.is_admitted = True
        call.decided.set()

    def _evict_queued_call(self, caller: str) -> None:
        longest = max(self._queues.values(), key=len, default=deque[QueuedCall]())
        if len(longest) <= len(self._queues.get(caller, ())) + 1:
            raise _overload_error()
        longest.pop().decided.set()

    def _release(self, caller: str, call: QueuedCall) -> None:
        """Remove a call that has ended or stopped waiting. If it was running, admit the next waiting call."""
        queue = self._queues.get(caller, deque[QueuedCall]())
        if not call.is_admitted:
            if call in queue:
                queue.remove(call)
            if not queue:
                self._queues.pop(caller, None)
            return
        self._running -= 1
        if (next_caller := next(iter(self._queues), None)) is not None:
            waiting = self._queues.pop(next_caller)
            self._admit(waiting.popleft())
            if waiting:
                self._queues[next_caller] = waiting


def _overload_error() -> GraphError:
    hint = f"Nothing was changed. Try again in {RETRY_SECONDS} s, with fewer parallel calls."
    return GraphError(
        Code.OVERLOADED, "The server is overloaded with calls", {"retry_after": RETRY_SECONDS, "hint": hint}
    )
