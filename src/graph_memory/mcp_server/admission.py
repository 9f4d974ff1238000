"""Limits the number of calls that run at once. Further calls wait, and their callers take turns."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from graph_memory.model.errors import Code, GraphError

WAIT_SECONDS = 30.0
"""Maximum time in seconds for which a call waits."""
RETRY_SECONDS = 1
"""Time in seconds after which a rejected caller should try again."""


@dataclass(eq=False, slots=True)
class Ticket:
    """A call that runs, waits or was rejected."""

    settled: anyio.Event = field(default_factory=anyio.Event)
    is_admitted: bool = False


class Admission:
    """Runs up to `most_running` calls at once, and lets up to `most_waiting` calls wait.

    Among the callers that wait, each in turn runs one call. If too many calls wait, the caller with the most waiting
    calls loses its last one, unless it has hardly more than the new caller. A rejected call has changed nothing.
    """

    def __init__(self, most_running: int, most_waiting: int, wait_seconds: float = WAIT_SECONDS) -> None:
        self._most_running = most_running
        self._most_waiting = most_waiting
        self._wait_seconds = wait_seconds
        self._running = 0
        self._queues: dict[str, deque[Ticket]] = {}
        """The waiting calls of each caller. The callers are in the order of their turns."""

    @property
    def waiting(self) -> int:
        """The number of waiting calls."""
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def slot(self, caller: str) -> AsyncGenerator[None]:
        """Run the block at the caller's turn. Raises OVERLOADED if too many calls wait, or the call waits too long."""
        ticket = self._register(caller)
        try:
            with anyio.move_on_after(self._wait_seconds):
                await ticket.settled.wait()
            if not ticket.is_admitted:
                raise _overload_error()
            yield
        finally:
            self._release(caller, ticket)

    def _register(self, caller: str) -> Ticket:
        ticket = Ticket()
        if self._running < self._most_running:
            self._admit(ticket)
            return ticket
        if self.waiting >= self._most_waiting:
            self._make_room(caller)
        self._queues.setdefault(caller, deque()).append(ticket)
        return ticket

    def _admit(self, ticket: Ticket) -> None:
        self._running += 1
        ticket.is_admitted = True
        ticket.settled.set()

    def _make_room(self, caller: str) -> None:
        longest = max(self._queues.values(), key=len, default=deque[Ticket]())
        if len(longest) <= len(self._queues.get(caller, ())) + 1:
            raise _overload_error()
        longest.pop().settled.set()

    def _release(self, caller: str, ticket: Ticket) -> None:
        """End the call, and admit the next one if it was running."""
        queue = self._queues.get(caller, deque[Ticket]())
        if not ticket.is_admitted:
            if ticket in queue:
                queue.remove(ticket)
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
    hint = f"Nothing was changed. Try again in {RETRY_SECONDS} s, with fewer calls at once."
    return GraphError(
        Code.OVERLOADED, "The server has too many calls to run", {"retry_after": RETRY_SECONDS, "hint": hint}
    )
