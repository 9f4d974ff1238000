"""Observes and limits the calls of a server. Over stdio, which has one client, calls are not limited."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from graph_memory.audit import REQUEST, AuditLog
from graph_memory.mcp_server.admission import Admission
from graph_memory.mcp_server.callers import Context, connection_session, key_of, session_of
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import Principal

if TYPE_CHECKING:
    from graph_memory.mcp_server.rate_limits import RateLimits

OK = "ok"
CANCELLED = "cancelled"
MOST_OF_ID = 64
"""Maximum number of characters of a request's id that are reported."""


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A call that has ended."""

    operation: str
    outcome: str
    """`ok`, the code of the error, or `cancelled`."""
    seconds: float
    """Duration in seconds, including the time that the call waited."""
    request: str
    """The id that the client gave the request, shortened."""
    key: str | None
    """The name of the key with which the request was sent."""


def refusal_recorder(audit: AuditLog) -> Callable[[FinishedCall], None]:
    """Return an observer that records the calls that were refused for lack of rights."""

    def observe(call: FinishedCall) -> None:
        if call.outcome == Code.INSUFFICIENT_RIGHTS:
            audit.record(act=call.operation, outcome=call.outcome, key=call.key, request=call.request)

    return observe


class CallControl:
    """Counts the running calls, reports finished calls to observers, and limits the calls of each caller."""

    def __init__(self, admission: Admission | None = None, rates: RateLimits | None = None) -> None:
        self._admission = admission
        self._rates = rates
        self.observers: list[Callable[[FinishedCall], None]] = []
        self.in_progress = 0
        """Number of calls that have begun and not ended, including the ones that wait."""

    @property
    def waiting(self) -> int:
        """Number of calls that wait for their turn."""
        return self._admission.waiting if self._admission is not None else 0

    @asynccontextmanager
    async def admitting(self, ctx: Context, principal: Principal | None) -> AsyncGenerator[None]:
        """Run the block at the caller's turn. Raises OVERLOADED.

        Calls with the same key have one caller. Without keys, calls of the same session have one.
        """
        if self._admission is None:
            yield
            return
        caller = principal.name if principal is not None else session_of(ctx) or connection_session(ctx) or ""
        async with self._admission.slot(caller):
            yield

    @contextmanager
    def observing(self, operation: str, ctx: Context) -> Generator[None]:
        """Count the call, and report its outcome and duration. Raises RATE_LIMITED."""
        began = perf_counter()
        outcome = CANCELLED
        request = str(ctx.request_id)[:MOST_OF_ID]
        running = REQUEST.set(request)
        self.in_progress += 1
        try:
            if self._rates is not None and (key := key_of(ctx)) is not None:
                self._rates.count(key)
            yield
            outcome = OK
        except GraphError as error:
            outcome = str(error.code)
            raise
        finally:
            REQUEST.reset(running)
            self.in_progress -= 1
            call = FinishedCall(operation, outcome, perf_counter() - began, request, key_of(ctx))
            for observe in self.observers:
                observe(call)
