"""Passes credentials to the driver only if the expected server process listens at the address.

After a server has ended, another program may listen on its port: a server of another home folder, or a program that
collects passwords. The driver requests the credentials after a connection is accepted and before it sends them, so the
server's process is checked at that time. When the driver reuses a connection from its pool, it requests them again, but
no check is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Protocol

from anyio import to_thread
from neo4j import Address as Target
from neo4j import Auth
from neo4j.auth_management import AsyncAuthManager, AuthManager
from neo4j.exceptions import Neo4jError

from graph_memory.storage.driver_errors import ServerMoved

_opens_connection: ContextVar[bool] = ContextVar("_opens_connection", default=False)
"""Whether the current task is opening a connection. The driver resolves the address and requests the credentials in the
same task."""


class Guard(Protocol):
    """Checks whether a server's process is running and listening. A check may take a few milliseconds."""

    def is_alive(self) -> bool:
        """Return whether the server's process is still running."""
        ...

    def listens(self) -> bool:
        """Return whether the server's process is running, and listens at the server's address."""
        ...


class Credentials(AsyncAuthManager):
    """The asynchronous driver's address resolver and credentials. Both check the server first."""

    def __init__(self, guard: Guard, auth: Auth) -> None:
        self._guard = guard
        self._auth = auth

    async def resolve(self, target: Target) -> Sequence[Target]:
        """Return the address unchanged if the server's process is running.

        Raises ServerMoved before anything is sent.
        """
        _opens_connection.set(True)
        await _require(self._guard.is_alive)
        return [target]

    async def get_auth(self) -> Auth:
        """Return the credentials. Raises ServerMoved if the server no longer listens at its address."""
        if _opens_connection.get():
            await _require(self._guard.listens)
            _opens_connection.set(False)
        return self._auth

    async def handle_security_exception(self, auth: object, error: Neo4jError) -> bool:
        """Return False, so that the driver raises the error."""
        return False


class SourceCredentials(AuthManager):
    """The synchronous driver's credentials. They are returned only after a check of the server."""

    def __init__(self, guard: Guard, auth: Auth) -> None:
        self._guard = guard
        self._auth = auth

    def get_auth(self) -> Auth:
        """Return the credentials. Raises ServerMoved if the server does not listen at its address."""
        if not self._guard.listens():
            raise _server_moved()
        return self._auth

    def handle_security_exception(self, auth: object, error: Neo4jError) -> bool:
        """Return False, so that the driver raises the error."""
        return False


async def _require(condition: Callable[[], bool]) -> None:
    if not await to_thread.run_sync(condition):
        raise _server_moved()


def _server_moved() -> ServerMoved:
    return ServerMoved("Couldn't connect: the server that was there has stopped")
