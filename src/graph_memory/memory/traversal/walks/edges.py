"""Connections as a walk sees them, and how it asks for those of its next nodes: many nodes in one question."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

R = TypeVar("R")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MOST = 1_000
"""Connections of one node that are asked for, those that count most."""
UNCUT = 5_000
"""Connections of a node that are all weighed as they are now: as long as it takes to look at its last changes."""
LOOKED = 2_000
"""Of a node with more, those that changed last of each type and direction; and of one with so many past changes."""
AT_ONCE = 100
"""Nodes whose connections one question asks for."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection: its ends as it is stored, how much it counts, and what that is made of."""

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
    """When it ceases to hold, in milliseconds since 1970."""
    begins: int | None = None
    """When it begins to hold, else when it was created, in milliseconds since 1970."""

    @property
    def since(self) -> date | None:
        """The day on which it begins to hold, else on which it was created."""
        return None if self.begins is None else instant(self.begins).date()

    @property
    def until(self) -> date | None:
        """The last day on which it holds."""
        return None if self.ends is None else (instant(self.ends) - datetime.resolution).date()

    def other(self, node: str) -> str:
        """Return the end that is not the node."""
        return self.to_id if self.from_id == node else self.from_id


Rank = Callable[[Edge, int], float]
"""Gives how much a connection counts that leads to a node of a depth."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Nodes whose connections are asked for: so many of each, those that count most."""

    nodes: tuple[str, ...]
    most: int = MOST
    known: tuple[str, ...] = ()
    """Nodes that connections need not lead to."""
    towards: tuple[str, ...] | None = None
    """Nodes to which connections must lead."""
    backward: bool = False
    """Whether connections are followed against the direction of the walk."""


@dataclass(frozen=True, slots=True)
class Found:
    """The connections of nodes that were asked for, and which nodes have more."""

    edges: Mapping[str, Sequence[Edge]]
    cut: frozenset[str] = frozenset()
    hubs: frozenset[str] = frozenset()
    """Of these the ones with so many connections that not all were weighed."""
    degrees: Mapping[str, int] = field(default_factory=dict[str, int])
    """About how many connections each node has."""


Steps = Generator[Asked, Found, R]
"""A walk: it asks for connections as it needs them, and ends with what it came to."""


def instant(milliseconds: int) -> datetime:
    """Return a time that a statement gave in milliseconds since 1970."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def chunks(nodes: Sequence[str]) -> list[tuple[str, ...]]:
    """Return nodes in parts that are asked for at once."""
    return [tuple(nodes[start : start + AT_ONCE]) for start in range(0, len(nodes), AT_ONCE)]


def better(one: Edge | None, other: Edge) -> Edge:
    """Return which of two connections counts more, by its id where they count the same."""
    return other if one is None or (-other.weight, other.id) < (-one.weight, one.id) else one
