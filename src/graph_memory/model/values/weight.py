"""The weight of a connection: one number from 0 to 1 of how much it counts now. There is no other formula.

    strength = (semantic + structural) / 2 · confidence
    used     = strength + (1 − strength) · co_access / 2
    valued   = (used + importance) / 2, or used where no importance is set
    recency  = temporal · 2 ^ (−age / half_life)
    weight   = valued · recency

The age is the time since the connection was last changed. Nothing of it is ever written back: the same connection
weighs less each day, and what is stored stays what was said.

Neo4j computes the weight too, so that the connections of a hub need not be fetched. The statements `graph/weighed` and
`traversal/frontier` repeat the formula, because Cypher has no user functions without a plugin. A test compares them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

from graph_memory.model.values.strength import WHOLE_CONFIDENCE, WHOLE_TEMPORAL, Strength

UNSET = 0.5
"""What `semantic` and `structural` count where they are not set."""
HALF_LIFE = 365.0
"""Days after which a connection weighs half, where its type does not say."""
HALF_TOGETHER = 10
"""Number of replies about both ends of a connection with which its co-access is 0.5."""
LEAST_HALF_LIFE = 0.01
MOST_HALF_LIFE = 36_500.0
_DAY = timedelta(days=1)


class Weighable(Protocol):
    """What has a weight."""

    @property
    def strength(self) -> Strength:
        """How strong it is said to be."""
        ...

    @property
    def importance(self) -> float | None:
        """How important it is said to be, 0 to 1."""
        ...

    @property
    def modified(self) -> datetime:
        """When it was last changed."""
        ...


def weight(connection: Weighable, now: datetime, *, half_life: float | None = None, co_access: float = 0.0) -> float:
    """Return how much a connection counts at a time, 0 to 1.

    `half_life` is that of its type in days. `co_access`, 0 to 1, is how often its ends are recalled together.
    """
    said = connection.strength
    strength = strength_of(said)
    used = strength + (1 - strength) * co_access / 2
    value = used if connection.importance is None else (used + connection.importance) / 2
    age = max(0.0, (now - connection.modified) / _DAY)
    return value * _or(said.temporal, WHOLE_TEMPORAL) * 2.0 ** (-age / (half_life or HALF_LIFE))


def co_access_of(count: int) -> float:
    """Return the co-access, 0 to 1, for the number of replies that contain both ends of a connection (0.5 for ten)."""
    return count / (count + HALF_TOGETHER)


def strength_of(said: Strength) -> float:
    """Return the strength of the formula: what is said of it as one number."""
    meaning = (_or(said.semantic, UNSET) + _or(said.structural, UNSET)) / 2
    return meaning * _or(said.confidence, WHOLE_CONFIDENCE)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
