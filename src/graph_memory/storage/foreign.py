"""Read-only access to a graph on any Neo4j server, as a stream of rows."""

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
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.connecting import SCHEMES, Address
from graph_memory.storage.driver_errors import LOST, graph_error_of, is_login_error
from graph_memory.storage.guarding import SourceCredentials
from graph_memory.storage.queries import Query
from graph_memory.storage.store import LONG_READ_SECONDS

R = TypeVar("R")

_FETCH_SIZE = 1_000
"""Number of rows that the server sends in one batch."""
_LOGIN = (
    "Set GRAPH_MEMORY_SOURCE_USERNAME and GRAPH_MEMORY_SOURCE_PASSWORD for the command (for the memory's own server, "
    "NEO4J_USERNAME and NEO4J_PASSWORD), or in Python pass Neo4jSource(uri, username=…, password=…)."
)
_ADDRESS = (
    "Pass an address of the form bolt://HOST:PORT or neo4j://HOST:PORT, with +s or +ssc after the scheme for TLS."
)
_FRACTION = re.compile(r"\.(\d+)")


@dataclass(frozen=True, slots=True)
class TextValue:
    """The text of a value whose Neo4j type a memory cannot store, and the name of that type."""

    type: str
    text: str


def is_server(source: str) -> bool:
    """Return whether the text is a Neo4j server's address."""
    return source.partition("://")[0] in SCHEMES and "://" in source


class Graph:
    """An open connection to a graph on a Neo4j server."""

    def __init__(self, session: Session, uri: str) -> None:
        self._session = session
        self._uri = uri

    def rows(self, query: Query[R], **params: object) -> Iterator[R]:
        """Yield a statement's rows as they arrive. Values of unsupported types are `TextValue`s.

        Raises STORE_UNAVAILABLE if the server cannot be reached, STORE_INCOMPATIBLE if it is older than Neo4j 5, and
        TIMEOUT after an hour.
        """
        with _translate_errors(self._uri):
            for record in self._session.run(neo4j.Query(query.text, timeout=LONG_READ_SECONDS), params):
                yield query.row(*map(_to_storable, record.values()))


@contextmanager
def open_graph(address: Address) -> Generator[Graph]:
    """Yield the graph at the address.

    Raises STORE_UNAVAILABLE if the server cannot be reached, and INVALID_ARGUMENT if the address has a login.
    """
    if without_credentials(address.uri) != address.uri:
        raise invalid_argument("source", "The address of the source contains a user name or password", _LOGIN)
    login = basic_auth(address.username, address.password) if address.password else None
    with _translate_errors(address.uri):
        driver = GraphDatabase.driver(
            address.uri,
            auth=SourceCredentials(address.guard, login) if login and address.guard else login,
            connection_timeout=5.0,
            keep_alive=True,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
            user_agent="graph-memory",
        )
    options = {
        "database": address.database,
        "default_access_mode": neo4j.READ_ACCESS,
        "fetch_size": _FETCH_SIZE,
    }
    with driver, driver.session(**options) as session:
        yield Graph(session, address.uri)


@contextmanager
def _translate_errors(uri: str) -> Generator[None]:
    """Convert the driver's errors in the `with` block to GraphErrors with hints about the source of a load."""
    try:
        yield
    except (DriverError, Neo4jError, OSError, ValueError) as error:
        code = (error.code or "") if isinstance(error, Neo4jError) else ""
        if "SyntaxError" in code or "UnknownFunction" in code:
            message = f"Neo4j at {uri} is too old to be read"
            raise GraphError(Code.STORE_INCOMPATIBLE, message, {"hint": "Use Neo4j 5 or newer."}) from error
        graph_error = graph_error_of(error, uri=uri)
        raise GraphError(
            graph_error.code,
            graph_error.message,
            {**graph_error.details, "hint": _choose_hint(error, code, graph_error)},
        ) from error


def _choose_hint(error: Exception, code: str, graph_error: GraphError) -> str:
    if is_login_error(error):
        return _LOGIN
    if "DatabaseNotFound" in code:
        return "Pass the name of an existing database with --database, or omit the option."
    if isinstance(error, (ConfigurationError, ValueError)):
        return _ADDRESS
    if isinstance(error, LOST) and "TLS" not in graph_error.message:
        return "Check the address, and that the server runs."
    return str(graph_error.hint)


def _to_storable(value: object) -> object:
    """Return the value with parts of unsupported types replaced by `TextValue`s."""
    match value:
        case list():
            return [_to_storable(item) for item in cast("list[object]", value)]
        case dict():
            return {key: _to_storable(item) for key, item in cast("Mapping[str, object]", value).items()}
        case Date():
            return TextValue("date", value.iso_format())
        case Time() | DateTime():
            name = "time" if isinstance(value, Time) else "datetime"
            return TextValue(name, _FRACTION.sub(_drop_trailing_zeros, value.iso_format()))
        case Duration():
            return TextValue("duration", value.iso_format())
        case Point():
            coordinates = zip("xyz", cast("tuple[float, ...]", value), strict=False)
            text = ", ".join(f"{name}: {coordinate}" for name, coordinate in coordinates)
            return TextValue("point", f"point({{srid: {value.srid}, {text}}})")
        case bytes() | bytearray():
            return TextValue("bytes", base64.b64encode(value).decode())
        case None | bool() | int() | float() | str():
            return value
        case _:
            return TextValue(type(value).__name__.lower(), str(value))


def _drop_trailing_zeros(fraction: re.Match[str]) -> str:
    fraction_digits = fraction[1].rstrip("0")
    return f".{fraction_digits}" if fraction_digits else ""
