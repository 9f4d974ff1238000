"""Creates the driver for a Neo4j server from its address."""

# The driver leaves the types of its configuration open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from neo4j import READ_ACCESS, WRITE_ACCESS, AsyncDriver, AsyncGraphDatabase, basic_auth

from graph_memory.model.databases import SCHEMES
from graph_memory.model.text.wording import without_credentials
from graph_memory.storage.driver_errors import unavailable_error
from graph_memory.storage.guarding import Credentials, Guard


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits in seconds: for read statements, for write statements, and for the retries of a write."""

    read: float = 30.0
    write: float = 60.0
    retry: float = 30.0


@dataclass(frozen=True, slots=True)
class Address:
    """A Neo4j server's address and credentials and, if its process is known, the guard of the process."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None
    read_from: Literal["leader", "any"] = "leader"
    guard: Guard | None = None

    @property
    def read_access(self) -> str:
        """The access mode for statements that only read.

        With a `neo4j` scheme, WRITE sends them to the leader of a cluster, which has the commits of all processes.
        """
        return WRITE_ACCESS if self.read_from == "leader" and self.uri.startswith("neo4j") else READ_ACCESS


FindServer = Callable[[], Awaitable[Address]]
"""Returns the address of a running Neo4j server. A local Neo4j is started first if it is not running."""


def driver_of(address: Address) -> AsyncDriver:
    """Return a server's driver, without connecting. Raises STORE_UNAVAILABLE for an invalid address."""
    if without_credentials(address.uri) != address.uri:
        hint = "Move them to NEO4J_USERNAME and NEO4J_PASSWORD."
        raise unavailable_error("NEO4J_URI contains a user name or password", hint)
    if address.uri.partition("://")[0] not in SCHEMES:
        hint = f"Start NEO4J_URI with one of {', '.join(f'{scheme}://' for scheme in SCHEMES)}"
        raise unavailable_error(f"{without_credentials(address.uri)} is not the address of a Neo4j server", hint)
    login = basic_auth(address.username, address.password)
    credentials = Credentials(address.guard, login) if address.guard else None
    return AsyncGraphDatabase.driver(
        address.uri,
        auth=credentials or login,
        resolver=credentials.resolve if credentials else None,
        connection_timeout=5.0,
        connection_acquisition_timeout=30.0,
        keep_alive=True,
        liveness_check_timeout=1.0,  # an idle connection that broke must not leave a write in doubt
        max_connection_pool_size=64,
        notifications_min_severity="OFF",
        telemetry_disabled=True,
        user_agent="graph-memory",
    )
