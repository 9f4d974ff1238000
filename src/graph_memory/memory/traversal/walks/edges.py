"""Edges of walks, and the requests with which walks read many nodes' edges at once."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

R = TypeVar("R")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MAX_EDGES = 1_000
"""Maximum number of connections that are read per node, strongest first."""
MAX_WEIGHED = 5_000
"""Number of connections up to which all connections of a node are weighed. This is as fast as reading the last changes.
"""
MAX_CHANGES = 2_000
"""If a node has more connections, the maximum number of its last changes that are read per type and direction."""
AT_ONCE = 100
"""Maximum number of nodes per request for connections."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection: its stored endpoints, its weight, and the weight's components."""

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
    """The start of the connection's validity, or its creation if there is no start, in milliseconds since 1970."""

    @property
    def since(self) -> date | None:
        """The first day on which the connection is valid, or the day of its creation if its validity has no start."""
        return None if self.begins is None else to_datetime(self.begins).date()

    @property
    def until(self) -> date | None:
        """The last day on which the connection is valid, or None if its validity has no end."""
        return None if self.ends is None else (to_datetime(self.ends) - datetime.resolution).date()

    def other(self, node: str) -> str:
        """Return the connection's other endpoint."""
        return self.to_id if self.from_id == node else self.from_id


Rank = Callable[[Edge, int], float]
"""A function that returns a connection's rank, given the depth of the node that it leads to."""


@dataclass(frozen=True, slots=True)
class EdgeRequest:
    """A request for nodes' strongest connections."""

    nodes: tuple[str, ...]
    most: int = MAX_EDGES
    known: tuple[str, ...] = ()
    """Nodes that are already known. Connections to them are excluded."""
    towards: tuple[str, ...] | None = None
    """The only nodes to which connections can lead. None allows any node."""
    backward: bool = False
    """Whether connections are followed in the opposite direction."""


@dataclass(frozen=True, slots=True)
class EdgeReply:
    """The requested connections, and the nodes with more connections than requested."""

    edges: Mapping[str, Sequence[Edge]]
    cut: frozenset[str] = frozenset()
    hubs: frozenset[str] = frozenset()
    """Nodes with so many connections that not all of them were weighed."""
    degrees: Mapping[str, int] = field(default_factory=dict[str, int])
    """The approximate number of connections per node."""


Steps = Generator[EdgeRequest, EdgeReply, R]
"""A walk as a generator. It yields requests for connections, and returns the walk's result."""


def to_datetime(milliseconds: int) -> datetime:
    """Return the time for milliseconds since 1970."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def split_into_requests(nodes: Sequence[str]) -> list[tuple[str, ...]]:
    """Split nodes into chunks of at most `AT_ONCE` nodes, one per request."""
    return [tuple(nodes[start : start + AT_ONCE]) for start in range(0, len(nodes), AT_ONCE)]


def heavier_edge(first: Edge | None, second: Edge) -> Edge:
    """Return the heavier of two connections. On a tie, return the connection with the smaller id."""
    return second if first is None or (-second.weight, second.id) < (-first.weight, first.id) else first
