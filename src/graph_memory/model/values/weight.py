"""The weight of a connection: one number from 0 to 1, by this formula only.

    strength = (semantic + structural) / 2 · confidence
    used     = strength + (1 − strength) · co_access / 2
    valued   = (used + importance) / 2, or used if no importance is set
    recency  = temporal · 2 ^ (−age / half_life)
    weight   = valued · recency

The age is the time since the last change of the connection. The weight is never stored: a connection weighs less each
day, while its stored strength stays unchanged.

Neo4j computes the weight too, so that the connections of a hub need not be fetched. The statements `graph/weighed` and
`traversal/frontier` repeat the formula, because Cypher has no user functions without a plugin. A test compares them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

from graph_memory.model.values.strength import WHOLE_CONFIDENCE, WHOLE_TEMPORAL, Strength

UNSET = 0.5
"""The default of `semantic` and `structural` in the formula."""
HALF_LIFE = 365.0
"""Default half-life of a connection type: the number of days after which a connection's weight is halved."""
HALF_TOGETHER = 10
"""Number of replies with both endpoints of a connection that gives a co-access of 0.5."""
LEAST_HALF_LIFE = 0.01
MOST_HALF_LIFE = 36_500.0
_DAY = timedelta(days=1)


class Weighable(Protocol):
    """A connection with the data from which `weight` is computed."""

    @property
    def strength(self) -> Strength:
        """The connection's stored strength."""
        ...

    @property
    def importance(self) -> float | None:
        """The connection's stored importance from 0 to 1, or None if it is not set."""
        ...

    @property
    def modified(self) -> datetime:
        """The time of the connection's last change."""
        ...


def weight(connection: Weighable, now: datetime, *, half_life: float | None = None, co_access: float = 0.0) -> float:
    """Return a connection's weight at the time `now`, from 0 to 1.

    `half_life` is the half-life of its type in days. `co_access`, from 0 to 1, measures how often its endpoints are
    recalled together.
    """
    measures = connection.strength
    strength = strength_of(measures)
    used = strength + (1 - strength) * co_access / 2
    value = used if connection.importance is None else (used + connection.importance) / 2
    age = max(0.0, (now - connection.modified) / _DAY)
    return value * _or_default(measures.temporal, WHOLE_TEMPORAL) * 2.0 ** (-age / (half_life or HALF_LIFE))


def co_access_of(count: int) -> float:
    """Return the co-access from 0 to 1. `count` is the number of replies with both endpoints of a connection."""
    return count / (count + HALF_TOGETHER)


def strength_of(strength: Strength) -> float:
    """Return `strength` in the module's formula: a number from 0 to 1. Unset components have default values."""
    meaning = (_or_default(strength.semantic, UNSET) + _or_default(strength.structural, UNSET)) / 2
    return meaning * _or_default(strength.confidence, WHOLE_CONFIDENCE)


def _or_default(value: float | None, default: float) -> float:
    return default if value is None else value
