"""Limits the number of client connections, and how long clients may be idle."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from graph_memory.mcp_server.callers import CONNECTION_SESSION as SESSION

MAX_CONNECTIONS = 512
"""Maximum number of connections, if the process may open enough file descriptors."""
MIN_CONNECTIONS = 8

_RETRY_SECONDS = 0.1
"""Time in seconds before another attempt to accept a connection, if no file descriptor is free and no connection can be
closed."""
_TOO_MANY_RESPONSE = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 25\r\n"
    b"Retry-After: 1\r\nConnection: close\r\n\r\nToo many open connections"
)

_log = logging.getLogger(__name__)


def connection_limit() -> int:
    """Return the maximum number of connections. It is at most half of the process's limit on file descriptors."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS
    import resource

    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if descriptors == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, descriptors // 2))


class WaitQueue:
    """The connections that wait for their clients to send a request or read a response, longest wait first."""

    def __init__(self) -> None:
        self._connections: dict[Connection, None] = {}

    def note(self, connection: Connection, *, waits: bool) -> None:
        """Record whether the connection waits. A connection that was already waiting keeps its place."""
        if not waits:
            self._connections.pop(connection, None)
        else:
            self._connections.setdefault(connection)

    def drop_oldest(self) -> bool:
        """Close the connection that has waited longest. Return whether there was one."""
        connection = next(iter(self._connections), None)
        if connection is not None:
            self.note(connection, waits=False)
            connection.transport.abort()
        return connection is not None


class Connection(H11Protocol):
    """A uvicorn connection that is closed if its client is too slow.

    A client may take `headers` seconds to send the headers of a request. For the first request, the time starts with
    the connection. For later requests, it starts with the first byte. The client may take `answer` seconds to read any
    part of a response. The application limits the time for bodies, and uvicorn closes idle connections.
    """

    def __init__(
        self, config: Config, state: ServerState, app_state: dict[str, object], *, waiting: WaitQueue, headers: float,
        answer: float,
    ) -> None:  # fmt: skip
        super().__init__(config, state, {**app_state, SESSION: f"session_{secrets.token_hex(16)}"})
        self._waiting = waiting
        self._headers = headers
        self._answer = answer
        self._header_timer: asyncio.TimerHandle | None = None
        self._answer_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as uvicorn's
        """Start the timer for the headers of the first request."""
        super().connection_made(transport)
        self._header_timer = self._start_header_timer()
        transport.set_write_buffer_limits(high=0)  # so that pause_writing is called for every unread byte
        self._update_timers()

    def data_received(self, data: bytes) -> None:
        """Receive data from the client. If a request begins, start the timer for its headers."""
        super().data_received(data)
        self._update_timers(is_begun=True)

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it has already begun."""
        self._waiting.note(self, waits=False)
        super().on_response_complete()
        self._update_timers(is_begun=bool(self.conn.trailing_data[0]))

    def pause_writing(self) -> None:
        """Start the timer for the client to read the response."""
        super().pause_writing()
        self._start_answer_timer()
        self._update_timers()

    def resume_writing(self) -> None:
        """Stop the timer after the client has read the whole response."""
        super().resume_writing()
        self._answer_timer = _cancel(self._answer_timer)
        self._update_timers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers, and remove the connection from the queue."""
        super().connection_lost(exc)
        self._header_timer = _cancel(self._header_timer)
        self._answer_timer = _cancel(self._answer_timer)
        self._waiting.note(self, waits=False)

    def _start_header_timer(self) -> asyncio.TimerHandle:
        return self.loop.call_later(self._headers, self.timeout_keep_alive_handler)

    def _update_timers(self, *, is_begun: bool = False) -> None:
        """Update the timer for headers, and record whether the connection waits for its client."""
        is_served = self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison] - it begins as None
        self._waiting.note(self, waits=not is_served or self.cycle.more_body or self.flow.write_paused)
        if is_served:
            self._header_timer = _cancel(self._header_timer)
        elif is_begun and self._header_timer is None:
            self._header_timer = self._start_header_timer()

    def _start_answer_timer(self) -> None:
        unsent = self.transport.get_write_buffer_size()

        def check() -> None:
            if self.transport.get_write_buffer_size() < unsent:
                self._start_answer_timer()
            else:
                self.transport.abort()

        self._answer_timer = self.loop.call_later(self._answer, check)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class Acceptor:
    """Accepts connections one at a time, up to a maximum number.

    Above the maximum, it closes the connection that has waited longest for its client. If no connection waits, it
    answers the new connection with status 503.
    """

    def __init__(
        self, create_connection: Callable[[], Connection], state: ServerState, waiting: WaitQueue, limit: int
    ) -> None:
        self._create_connection = create_connection
        self._connections = state.connections
        self._waiting = waiting
        self._limit = limit

    async def accept(self, listener: socket.socket) -> NoReturn:
        """Accept connections on a listening socket until cancelled."""
        loop = asyncio.get_running_loop()
        listener.setblocking(False)  # noqa: FBT003 - its only form
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except ConnectionAbortedError:
                continue
            except OSError as error:  # no descriptor is free; the client stays in the backlog
                _log.warning("Could not accept a connection: %s", error.strerror)
                await asyncio.sleep(0 if self._waiting.drop_oldest() else _RETRY_SECONDS)
                continue
            if not await self._make_capacity():
                with connection, suppress(OSError):
                    connection.send(_TOO_MANY_RESPONSE)
                continue
            try:
                await loop.connect_accepted_socket(self._create_connection, connection)
            except OSError:  # the client has disconnected
                connection.close()

    async def _make_capacity(self) -> bool:
        if len(self._connections) < self._limit:
            return True
        _log.warning("All %d connections are in use; closing an idle one to make room", self._limit)
        while len(self._connections) >= self._limit:
            if not self._waiting.drop_oldest():
                return False
            await asyncio.sleep(0)
        return True
