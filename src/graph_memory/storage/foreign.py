"""Reading a graph from a Neo4j that need not be ours: a stream of rows, and nothing but reads."""

# The driver leaves the types of its configuration open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import base64
import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar, cast

import neo4j
from neo4j import GraphDatabase, Session, basic_auth
from neo4j.exceptions import ConfigurationError, DriverError, Neo4jError
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import without_credentials
from graph_memory.model.values.arguments import fault
from graph_memory.storage.connecting import SCHEMES, Address
from graph_memory.storage.driver_errors import LOST, is_refused, ours
from graph_memory.storage.guarding import SourceCredentials
from graph_memory.storage.queries import Query
from graph_memory.storage.store import PATIENCE

R = TypeVar("R")

_ROWS = 1_000
"""Rows that the server sends ahead."""
_LOGIN = (
    "Set GRAPH_MEMORY_SOURCE_USERNAME and GRAPH_MEMORY_SOURCE_PASSWORD for the command (for the memory's own server, "
    "NEO4J_USERNAME and NEO4J_PASSWORD), or in Python give Neo4jSource(uri, username=…, password=…)."
)
_ADDRESS = "An address is bolt://HOST:PORT or neo4j://HOST:PORT, with +s or +ssc after the scheme for TLS."
_FRACTION = re.compile(r"\.(\d+)")


@dataclass(frozen=True, slots=True)
class AsText:
    """A value of a type that Neo4j has and Python or a memory has not, as text, and the name of that type."""

    type: str
    text: str


def is_server(source: str) -> bool:
    """Say whether a text is the address of a server."""
    return source.partition("://")[0] in SCHEMES and "://" in source


class Graph:
    """An open graph."""

    def __init__(self, session: Session, uri: str) -> None:
        self._session = session
        self._uri = uri

    def rows(self, query: Query[R], **params: object) -> Iterator[R]:
        """Yield what a statement gives, as it comes. Values that have no like are `AsText`.

        Raises STORE_UNAVAILABLE, STORE_INCOMPATIBLE for a server that is too old, and TIMEOUT after an hour.
        """
        with _told(self._uri):
            for record in self._session.run(neo4j.Query(query.text, timeout=PATIENCE), params):
                yield query.row(*map(_plain, record.values()))


@contextmanager
def open_graph(address: Address) -> Generator[Graph]:
    """Give the graph at an address. Raises INVALID_ARGUMENT for one with a login in it, STORE_UNAVAILABLE for none."""
    if without_credentials(address.uri) != address.uri:
        raise fault("source", "The address of the source contains a user name or password", _LOGIN)
    login = basic_auth(address.username, address.password) if address.password else None
    with _told(address.uri):
        driver = GraphDatabase.driver(
            address.uri,
            auth=SourceCredentials(address.guard, login) if login and address.guard else login,
            connection_timeout=5.0,
            keep_alive=True,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
            user_agent="graph-memory",
        )
    reading = {"database": address.database, "default_access_mode": neo4j.READ_ACCESS, "fetch_size": _ROWS}
    with driver, driver.session(**reading) as session:
        yield Graph(session, address.uri)


@contextmanager
def _told(uri: str) -> Generator[None]:
    """Turn the driver's errors into ours, with hints about a source."""
    try:
        yield
    except (DriverError, Neo4jError, OSError, ValueError) as error:
        code = (error.code or "") if isinstance(error, Neo4jError) else ""
        if "SyntaxError" in code or "UnknownFunction" in code:
            message = f"Neo4j at {uri} is too old to be read"
            raise GraphError(Code.STORE_INCOMPATIBLE, message, {"hint": "Use Neo4j 5 or newer."}) from error
        found = ours(error, uri=uri)
        raise GraphError(found.code, found.message, {**found.details, "hint": _hint(error, code, found)}) from error


def _hint(error: Exception, code: str, found: GraphError) -> str:
    if is_refused(error):
        return _LOGIN
    if "DatabaseNotFound" in code:
        return "Give the name of one that exists with --database, or leave that out."
    if isinstance(error, (ConfigurationError, ValueError)):
        return _ADDRESS
    if isinstance(error, LOST) and "TLS" not in found.message:
        return "Check the address, and that the server runs."
    return str(found.hint)


def _plain(value: object) -> object:
    """Return a value with what a memory cannot hold as text."""
    match value:
        case list():
            return [_plain(item) for item in cast("list[object]", value)]
        case dict():
            return {key: _plain(item) for key, item in cast("Mapping[str, object]", value).items()}
        case Date():
            return AsText("date", value.iso_format())
        case Time() | DateTime():
            name = "time" if isinstance(value, Time) else "datetime"
            return AsText(name, _FRACTION.sub(_shortened, value.iso_format()))
        case Duration():
            return AsText("duration", value.iso_format())
        case Point():
            places = zip("xyz", cast("tuple[float, ...]", value), strict=False)
            told = ", ".join(f"{name}: {place}" for name, place in places)
            return AsText("point", f"point({{srid: {value.srid}, {told}}})")
        case bytes() | bytearray():
            return AsText("bytes", base64.b64encode(value).decode())
        case None | bool() | int() | float() | str():
            return value
        case _:
            return AsText(type(value).__name__.lower(), str(value))


def _shortened(fraction: re.Match[str]) -> str:
    """Return the fraction of a second without the zeros at its end."""
    digits = fraction[1].rstrip("0")
    return f".{digits}" if digits else ""
