"""Streams of server-sent events: one message each time a domain's log has grown."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from graph_memory.mcp_server.access import KeyToken, Verifier
from graph_memory.mcp_server.callers import Context
from graph_memory.mcp_server.errors import mask_internal_errors
from graph_memory.mcp_server.running import CallRunner
from graph_memory.mcp_server.startup import Startup, report_nothing
from graph_memory.mcp_server.viewer.gate import cookie_of
from graph_memory.mcp_server.viewer.logins import Logins
from graph_memory.mcp_server.viewer.statuses import SAFE_HEADERS
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.rights import Right, require, run_as
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import check_domain

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

POLL_SECONDS = 1.0
"""Time in seconds between two reads of all watched logs' positions. Each read is one statement."""
CHECK_SECONDS = 2.0
"""Time in seconds between two checks of an open stream's rights."""
HEARTBEAT_SECONDS = 15.0
MAX_STREAMS = 128
"""Maximum number of open streams per server."""
_HEADERS = {**SAFE_HEADERS, "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class DomainWatch:
    """The last known position of a domain's log, and an event that is set when the log grows."""

    domain: str
    position: int
    moved: anyio.Event = field(default_factory=anyio.Event)

    def update(self, position: int | None) -> None:
        """Update the position, and wake the stream if it has changed. None, for a missing domain, changes nothing."""
        if position is not None and position != self.position:
            self.position = position
            self.moved.set()


class ChangeEvents:
    """Answers requests for a domain's changes. All streams share one read of the logs."""

    def __init__(self, runner: CallRunner, logins: Logins, verifier: Verifier | None, default_domain: str) -> None:
        self._runner = runner
        self._logins = logins
        self._verifier = verifier
        self._default_domain = default_domain
        self._watches: set[DomainWatch] = set()
        self._is_polling = False

    async def respond(self, ctx: Context, request: Request) -> Response:
        """Return a stream of events.

        Raises INSUFFICIENT_RIGHTS if the sender may not read the domain, ONTOLOGY_NOT_FOUND if the domain does not
        exist, and OVERLOADED if too many streams are open.
        """
        domain = check_domain(request.query_params.get("domain") or self._default_domain)
        with self._runner.control.observe_call("events", ctx), self._runner.access.run_as_caller(ctx):
            require(domain, Right.READ)
            if len(self._watches) >= MAX_STREAMS:
                raise GraphError(Code.OVERLOADED, "Too many event streams are open", {"retry_after": 5})
            memory = await ctx.lifespan_context.memory(report_nothing)
            position = (await memory.history.positions([domain])).get(domain)
        if position is None:
            hint = Hint("List the domains with {list_domains}.")
            message = f"Domain {quote(domain)} does not exist"
            raise GraphError(Code.ONTOLOGY_NOT_FOUND, message, {"domain": domain, "hint": hint})
        watch = DomainWatch(domain, position)
        last_event_id = request.headers.get("last-event-id", "")
        if last_event_id.isdecimal() and int(last_event_id) != position:
            watch.moved.set()
        events = self._events(watch, self._check_of(request, domain), ctx.lifespan_context)
        return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)

    def _check_of(self, request: Request, domain: str) -> Callable[[], Awaitable[bool]]:
        """Return a function that checks whether the sender may still read the domain."""
        cookie = "" if "authorization" in request.headers else cookie_of(request.headers)
        token: KeyToken | None = getattr(request.scope.get("user"), "access_token", None)

        async def may_read() -> bool:
            if cookie and not self._logins.is_open(cookie):
                return False
            if self._verifier is None or token is None:
                return True
            try:
                current = await self._verifier.verify_hash(token.hash)
            except GraphError:
                return True  # the key cannot be read now, and neither can the log
            return current is not None and current.principal.allows(domain, Right.READ)

        return may_read

    async def _events(
        self, watch: DomainWatch, may_read: Callable[[], Awaitable[bool]], startup: Startup
    ) -> AsyncGenerator[str]:
        self._watches.add(watch)
        if not self._is_polling:
            self._is_polling = True
            startup.start_task(lambda: self._poll(startup))
        try:
            yield f"retry: 2000\nid: {watch.position}\n\n"
            silent_since = anyio.current_time()
            while await may_read():
                if watch.moved.is_set():
                    watch.moved = anyio.Event()
                    data = json.dumps({"domain": watch.domain, "position": watch.position})
                    yield f"event: change\nid: {watch.position}\ndata: {data}\n\n"
                    silent_since = anyio.current_time()
                elif anyio.current_time() - silent_since >= HEARTBEAT_SECONDS:
                    yield ": alive\n\n"
                    silent_since = anyio.current_time()
                with anyio.move_on_after(CHECK_SECONDS):
                    await watch.moved.wait()
        finally:
            self._watches.discard(watch)

    async def _poll(self, startup: Startup) -> None:
        """Read the positions of the watched logs at intervals until all streams are closed."""
        try:
            with run_as(None):
                while self._watches:
                    await self._read_positions(startup)
                    await anyio.sleep(POLL_SECONDS)
        finally:
            self._is_polling = False

    async def _read_positions(self, startup: Startup) -> None:
        try:
            with mask_internal_errors():
                memory: Memory = startup.present_memory()
                positions = await memory.history.positions({watch.domain for watch in self._watches})
        except GraphError as error:
            _log.info("The positions of the logs cannot be read: %s", error)
            return
        for watch in self._watches:
            watch.update(positions.get(watch.domain))
