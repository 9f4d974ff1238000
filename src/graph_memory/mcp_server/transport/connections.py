"""Connections of clients, as many as there is room for, and none that its client leaves waiting for long."""

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

from graph_memory.mcp_server.callers import CONNECTION as SESSION

MOST = 512
"""Connections at once, where the process may have descriptors for them."""
FEWEST = 8

_OUT_OF_DESCRIPTORS = 0.1
"""Seconds until the next try after one that found no descriptor, and no connection to close for one."""
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 25\r\n"
    b"Retry-After: 1\r\nConnection: close\r\n\r\nToo many open connections"
)

_log = logging.getLogger(__name__)


def room() -> int:
    """Return how many connections the process may hold: half of its descriptors are for everything else."""
    if sys.platform == "win32":
        return MOST
    import resource

    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if descriptors == resource.RLIM_INFINITY else max(FEWEST, min(MOST, descriptors // 2))


class Waiting:
    """The connections that wait for their clients: for a request, the rest of one, or to take an answer."""

    def __init__(self) -> None:
        self._since: dict[Connection, None] = {}

    def note(self, connection: Connection, *, waits: bool) -> None:
        """Note whether a connection waits; one that does so already keeps its place."""
        if not waits:
            self._since.pop(connection, None)
        else:
            self._since.setdefault(connection)

    def drop_oldest(self) -> bool:
        """Close the connection that has waited longest; say whether there was one."""
        connection = next(iter(self._since), None)
        if connection is not None:
            self.note(connection, waits=False)
            connection.transport.abort()
        return connection is not None


class Connection(H11Protocol):
    """Uvicorn's connection, but for clients that do not go on: it is closed after so many seconds.

    A client may take `headers` seconds from its first byte, or from connecting, to the end of the headers, and may
    leave an answer untaken for `answer` seconds. Bodies are the application's matter, idle connections uvicorn's.
    """

    def __init__(
        self, config: Config, state: ServerState, app_state: dict[str, object], *, waiting: Waiting, headers: float,
        answer: float,
    ) -> None:  # fmt: skip
        super().__init__(config, state, {**app_state, SESSION: f"session_{secrets.token_hex(16)}"})
        self._waiting = waiting
        self._headers = headers
        self._answer = answer
        self._header_timer: asyncio.TimerHandle | None = None
        self._answer_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as uvicorn's
        """Wait for the first request."""
        super().connection_made(transport)
        self._header_timer = self._time_for_headers()
        transport.set_write_buffer_limits(high=0)  # so that we are told of every byte that is not taken
        self._settle()

    def data_received(self, data: bytes) -> None:
        """Take what the client sends."""
        super().data_received(data)
        self._settle(is_begun=True)

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        self._waiting.note(self, waits=False)
        super().on_response_complete()
        self._settle(is_begun=bool(self.conn.trailing_data[0]))

    def pause_writing(self) -> None:
        """Wait for the client to take what was written."""
        super().pause_writing()
        self._await_taking()
        self._settle()

    def resume_writing(self) -> None:
        """Go on, now that everything was taken."""
        super().resume_writing()
        self._answer_timer = _cancelled(self._answer_timer)
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._header_timer = _cancelled(self._header_timer)
        self._answer_timer = _cancelled(self._answer_timer)
        self._waiting.note(self, waits=False)

    def _time_for_headers(self) -> asyncio.TimerHandle:
        return self.loop.call_later(self._headers, self.timeout_keep_alive_handler)

    def _settle(self, *, is_begun: bool = False) -> None:
        """See whose turn it is: a client that has begun a request has a time for its headers."""
        is_served = self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison] - it begins as None
        self._waiting.note(self, waits=not is_served or self.cycle.more_body or self.flow.write_paused)
        if is_served:
            self._header_timer = _cancelled(self._header_timer)
        elif is_begun and self._header_timer is None:
            self._header_timer = self._time_for_headers()

    def _await_taking(self) -> None:
        left = self.transport.get_write_buffer_size()

        def look() -> None:
            if self.transport.get_write_buffer_size() < left:
                self._await_taking()
            else:
                self.transport.abort()

        self._answer_timer = self.loop.call_later(self._answer, look)


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class Acceptor:
    """Takes connections one by one, so that there are never more than there is room for.

    When all are taken, the one that has waited longest for its client makes room; when none waits, the new one is
    answered 503.
    """

    def __init__(self, make: Callable[[], Connection], state: ServerState, waiting: Waiting, most: int) -> None:
        self._make = make
        self._connections = state.connections
        self._waiting = waiting
        self._most = most

    async def accept(self, listener: socket.socket) -> NoReturn:
        """Take connections until it is cancelled."""
        loop = asyncio.get_running_loop()
        listener.setblocking(False)  # noqa: FBT003 - its only form
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except ConnectionAbortedError:
                continue
            except OSError as error:  # no descriptor is left; the client waits in line
                _log.warning("Could not accept a connection: %s", error.strerror)
                await asyncio.sleep(0 if self._waiting.drop_oldest() else _OUT_OF_DESCRIPTORS)
                continue
            if not await self._has_room():
                _refuse(connection)
                continue
            try:
                await loop.connect_accepted_socket(self._make, connection)
            except OSError:  # its client has gone
                connection.close()

    async def _has_room(self) -> bool:
        if len(self._connections) < self._most:
            return True
        _log.warning("All %d connections are in use; one that waits for its client makes room", self._most)
        while len(self._connections) >= self._most:
            if not self._waiting.drop_oldest():
                return False
            await asyncio.sleep(0)
        return True


def _refuse(connection: socket.socket) -> None:
    with connection, suppress(OSError):
        connection.send(_FULL)
