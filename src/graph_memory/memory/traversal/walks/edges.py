"""Edges of walks, and the requests by which walks read the edges of many nodes at once."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

R = TypeVar("R")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MAX_EDGES = 1_000
"""Maximum number of connections per node, the heaviest ones."""
MAX_WEIGHED = 5_000
"""Maximum number of connections of a node up to which all are weighed, as fast as the last changes can be read."""
MAX_CHANGES = 2_000
"""Maximum number of last changes per type and direction that are read for a node with more connections."""
AT_ONCE = 100
"""Maximum number of nodes per request."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection: its ends as stored, its weight, and the components of the weight."""

    id: str
    type: str
    from_id: str
    to_id: str
    weight: float
    strength: float = 0.0
    importance: float = 0.0
    age_days: float = 0.0
    properties: Mapping[str, object] = field(default_factory=dict[str, object])
    ends: int | None = None
    """The end of the connection's validity, in milliseconds since 1970."""
    begins: int | None = None
    """The start of the connection's validity or, if it has none, its creation, in milliseconds since 1970."""

    @property
    def since(self) -> date | None:
        """The first day on which the connection is valid or, without a start, the day of its creation."""
        return None if self.begins is None else instant(self.begins).date()

    @property
    def until(self) -> date | None:
        """The last day on which the connection is valid, or None if it has no end."""
        return None if self.ends is None else (instant(self.ends) - datetime.resolution).date()

    def other(self, node: str) -> str:
        """Return the end of the connection that is not the given node."""
        return self.to_id if self.from_id == node else self.from_id


Rank = Callable[[Edge, int], float]
"""Returns the rank of a connection that leads to a node at a depth."""


@dataclass(frozen=True, slots=True)
class EdgeRequest:
    """A request for the heaviest connections of nodes."""

    nodes: tuple[str, ...]
    most: int = MAX_EDGES
    known: tuple[str, ...] = ()
    """Nodes that are known already. Connections to them are left out."""
    towards: tuple[str, ...] | None = None
    """The only nodes to which connections may lead. None allows any node."""
    backward: bool = False
    """Whether connections are followed in the opposite direction."""


@dataclass(frozen=True, slots=True)
class EdgeReply:
    """The requested connections, and the nodes that have more."""

    edges: Mapping[str, Sequence[Edge]]
    cut: frozenset[str] = frozenset()
    hubs: frozenset[str] = frozenset()
    """Nodes with so many connections that not all of them were weighed."""
    degrees: Mapping[str, int] = field(default_factory=dict[str, int])
    """The approximate number of connections of each node."""


Steps = Generator[EdgeRequest, EdgeReply, R]
"""A walk: it yields requests for connections, and returns its result."""


def instant(milliseconds: int) -> datetime:
    """Return the time for milliseconds since 1970."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def chunks(nodes: Sequence[str]) -> list[tuple[str, ...]]:
    """Split nodes into chunks, one for each request."""
    return [tuple(nodes[start : start + AT_ONCE]) for start in range(0, len(nodes), AT_ONCE)]


def heavier(first: Edge | None, second: Edge) -> Edge:
    """Return the heavier of two connections. If their weights are equal, return the first by id."""
    return second if first is None or (-second.weight, second.id) < (-first.weight, first.id) else first
