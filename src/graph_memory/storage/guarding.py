"""Credentials that are sent only to the expected server process.

After a server has ended, another program may listen on its port: a server of another home folder, or a program that
collects passwords. The driver asks for the credentials after a connection is accepted and before it sends them, so the
server's process is checked then. When the driver reuses a connection from its pool, it asks again, but no check is
needed.
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

_is_new: ContextVar[bool] = ContextVar("_is_new", default=False)
"""Whether the task opens a connection: the driver resolves the address and asks for credentials in one task."""


class Guard(Protocol):
    """Checks the process of a server. Each check may take a few milliseconds."""

    def is_alive(self) -> bool:
        """Return whether the process still runs."""
        ...

    def listens(self) -> bool:
        """Return whether the process runs and listens at the server's address."""
        ...


class Credentials(AsyncAuthManager):
    """The address resolver and the credentials for the asynchronous driver, given only after a check of the server."""

    def __init__(self, guard: Guard, auth: Auth) -> None:
        self._guard = guard
        self._auth = auth

    async def resolve(self, target: Target) -> Sequence[Target]:
        """Return the address unchanged, if the server's process runs. Raises ServerMoved before anything is sent."""
        _is_new.set(True)
        await _require(self._guard.is_alive)
        return [target]

    async def get_auth(self) -> Auth:
        """Return the credentials. Raises ServerMoved if the server no longer listens at its address."""
        if _is_new.get():
            await _require(self._guard.listens)
            _is_new.set(False)
        return self._auth

    async def handle_security_exception(self, auth: object, error: Neo4jError) -> bool:
        """Leave it to the caller."""
        return False


class SourceCredentials(AuthManager):
    """The credentials for the synchronous driver, given only after a check of the server."""

    def __init__(self, guard: Guard, auth: Auth) -> None:
        self._guard = guard
        self._auth = auth

    def get_auth(self) -> Auth:
        """Return the credentials. Raises ServerMoved if the server does not listen at its address."""
        if not self._guard.listens():
            raise _server_moved()
        return self._auth

    def handle_security_exception(self, auth: object, error: Neo4jError) -> bool:
        """Leave it to the caller."""
        return False


async def _require(condition: Callable[[], bool]) -> None:
    if not await to_thread.run_sync(condition):
        raise _server_moved()


def _server_moved() -> ServerMoved:
    return ServerMoved("Couldn't connect: the server that was there has stopped")
