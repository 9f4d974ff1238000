"""The address of a Neo4j server, and the driver for it."""

# The driver leaves the types of its configuration open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from neo4j import AsyncDriver, AsyncGraphDatabase, basic_auth

from graph_memory.model.text.wording import without_credentials
from graph_memory.storage.driver_errors import unavailable
from graph_memory.storage.guarding import Credentials, Guard

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


@dataclass(frozen=True, slots=True)
class Address:
    """The address and credentials of a Neo4j server, and the guard of its process if that is known."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None
    guard: Guard | None = None


Find = Callable[[], Awaitable[Address]]
"""Returns the address of a running Neo4j, after starting it if it is local and does not run."""


def driver_of(address: Address) -> AsyncDriver:
    """Return the driver for a server. Raises STORE_UNAVAILABLE for an invalid address."""
    if without_credentials(address.uri) != address.uri:
        hint = "Move them to NEO4J_USERNAME and NEO4J_PASSWORD."
        raise unavailable("NEO4J_URI contains a user name or password", hint)
    if address.uri.partition("://")[0] not in SCHEMES:
        hint = f"NEO4J_URI must start with one of {', '.join(f'{scheme}://' for scheme in SCHEMES)}"
        raise unavailable(f"{without_credentials(address.uri)} is not the address of a Neo4j server", hint)
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
