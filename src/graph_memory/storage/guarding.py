"""A new connection is given the credentials once its other end is proved to be the server that was found.

After a server's end, another program may listen on its port: the server of a copy of its home, of another home, or one
that waits for passwords. The driver asks for the credentials once a connection has been accepted and before it sends
them; that is where the server's process is looked at. It asks again each time that it takes a connection from its
pool, where nothing needs proof: a connection never changes its other end.
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

from graph_memory.storage.driver_errors import Moved

_is_new: ContextVar[bool] = ContextVar("_is_new", default=False)
"""Whether the task opens a connection: the driver resolves the address and asks for credentials in one task."""


class Guard(Protocol):
    """Knows the process of a server that was found. Either question may take some milliseconds."""

    def is_alive(self) -> bool:
        """Tell whether that process still runs."""
        ...

    def listens(self) -> bool:
        """Tell whether it runs and it is the one that listens at the server's address."""
        ...


class Credentials(AsyncAuthManager):
    """What the driver asks for the way to a guarded server and for the login."""

    def __init__(self, guard: Guard, auth: Auth) -> None:
        self._guard = guard
        self._auth = auth

    async def resolve(self, target: Target) -> Sequence[Target]:
        """Return the address as it is, for a new connection. Raises Moved, so that nothing at all is sent."""
        _is_new.set(True)
        await _require(self._guard.is_alive)
        return [target]

    async def get_auth(self) -> Auth:
        """Return the credentials. Raises Moved for a new connection that somebody else has accepted."""
        if _is_new.get():
            await _require(self._guard.listens)
            _is_new.set(False)
        return self._auth

    async def handle_security_exception(self, auth: object, error: Neo4jError) -> bool:
        """Leave it to the caller."""
        return False


class SourceCredentials(AuthManager):
    """The same for a driver that waits: it asks here before it sends a login over a connection that was accepted."""

    def __init__(self, guard: Guard, auth: Auth) -> None:
        self._guard = guard
        self._auth = auth

    def get_auth(self) -> Auth:
        """Return the credentials. Raises Moved where somebody else listens."""
        if not self._guard.listens():
            raise _moved()
        return self._auth

    def handle_security_exception(self, auth: object, error: Neo4jError) -> bool:
        """Leave it to the caller."""
        return False


async def _require(condition: Callable[[], bool]) -> None:
    if not await to_thread.run_sync(condition):
        raise _moved()


def _moved() -> Moved:
    return Moved("Couldn't connect: the server that was there has stopped")
