"""Observes and limits a server's calls. Over stdio, calls are not limited, because there is only one client."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING

from graph_memory.audit import REQUEST, AuditLog
from graph_memory.mcp_server.admission import Admission
from graph_memory.mcp_server.callers import Context, body_size_of, connection_session, key_of, session_of
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import Principal
from graph_memory.model.time.clock import rfc3339

if TYPE_CHECKING:
    from graph_memory.mcp_server.rate_limits import RateLimits

OK = "ok"
CANCELLED = "cancelled"
MAX_REQUEST_ID = 64
"""Maximum number of characters of a request id that is reported to observers."""


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A finished call with its outcome and duration."""

    operation: str
    outcome: str
    """`ok`, the code of the error, or `cancelled`."""
    seconds: float
    """Duration in seconds, including the time that the call waited."""
    request: str
    """The request id from the client, shortened."""
    key: str | None
    """The name of the request's key."""


def record_rejected_calls(audit: AuditLog) -> Callable[[FinishedCall], None]:
    """Return an observer that records calls rejected for missing rights in the audit log."""

    def observe(call: FinishedCall) -> None:
        if call.outcome == Code.INSUFFICIENT_RIGHTS:
            audit.record(act=call.operation, outcome=call.outcome, key=call.key, request=call.request)

    return observe


def slow_call_logger(seconds: float) -> Callable[[FinishedCall], None]:
    """Return an observer that logs each call of at least `seconds` seconds to stderr as a JSON line.

    The line contains neither the arguments nor the result of the call.
    """

    def observe(call: FinishedCall) -> None:
        if call.seconds < seconds:
            return
        entry = {
            "time": rfc3339(datetime.now(UTC)),
            "event": "slow_call",
            "request": call.request,
            "key": call.key,
            "operation": call.operation,
            "outcome": call.outcome,
            "milliseconds": round(call.seconds * 1000),
        }
        sys.stderr.write(f"{json.dumps(entry)}\n")
        sys.stderr.flush()

    return observe


class CallControl:
    """Counts running calls, reports finished calls to observers, and limits the calls of each caller."""

    def __init__(self, admission: Admission | None = None, rates: RateLimits | None = None) -> None:
        self._admission = admission
        self._rates = rates
        self.observers: list[Callable[[FinishedCall], None]] = []
        self.change_listeners: list[Callable[[Context, Collection[str]], Awaitable[None]]] = []
        """Functions to call after each call that writes. If the server has keys, they get the changed domains."""
        self.in_progress = 0
        """Number of calls that have begun but not ended, including waiting calls."""

    @property
    def waiting(self) -> int:
        """The number of waiting calls, or 0 if calls are not limited."""
        return self._admission.waiting if self._admission is not None else 0

    async def report_change(self, ctx: Context, domains: Collection[str]) -> None:
        """Notify the change listeners that a writing call has finished. `domains` are the changed domains, if known."""
        for listen in self.change_listeners:
            await listen(ctx, domains)

    @asynccontextmanager
    async def wait_for_turn(self, ctx: Context, principal: Principal | None) -> AsyncGenerator[None]:
        """Wait for the caller's turn, and run the block. Raises OVERLOADED if too many calls wait.

        Calls with the same key have the same caller. On a server without keys, calls in the same session do.
        """
        if self._admission is None:
            yield
            return
        caller = principal.name if principal is not None else session_of(ctx) or connection_session(ctx) or ""
        async with self._admission.wait_for_slot(caller):
            yield

    def count_result(self, ctx: Context, result: Mapping[str, object]) -> None:
        """Count the tokens of a result towards the limit of the caller's key."""
        if self._rates is not None and self._rates.needs_tokens and (key := key_of(ctx)) is not None:
            from graph_memory.memory.search.token_budget import tokens_of_text  # slow to import

            self._rates.count_tokens(key, tokens_of_text(json.dumps(result, ensure_ascii=False)))

    @contextmanager
    def observe_call(self, operation: str, ctx: Context) -> Generator[None]:
        """Count the call, run the block, and report its outcome and duration.

        Raises RATE_LIMITED if the caller's key has reached a limit.
        """
        start_time = perf_counter()
        outcome = CANCELLED
        request = str(ctx.request_id)[:MAX_REQUEST_ID]
        token = REQUEST.set(request)
        self.in_progress += 1
        try:
            if self._rates is not None and (key := key_of(ctx)) is not None:
                self._rates.count(key, body_size_of(ctx))
            yield
            outcome = OK
        except GraphError as error:
            outcome = str(error.code)
            raise
        finally:
            REQUEST.reset(token)
            self.in_progress -= 1
            call = FinishedCall(operation, outcome, perf_counter() - start_time, request, key_of(ctx))
            for observe in self.observers:
                observe(call)
