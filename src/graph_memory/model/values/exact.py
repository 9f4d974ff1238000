"""Exact comparison of stored values: two values are the same if their types and values are equal.

In Python, `1`, `1.0` and `true` are equal, and so are `0.0` and `-0.0`. Here, all of them differ. Texts are compared by
code points, so two encodings of one letter differ. Times are compared as instants, whatever their zones. `=` in Cypher
is not exact either, so statements that compare states compare types and text too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, cast

_PLAIN = frozenset({str, int, bool, datetime, type(None)})
"""Types whose values are the same if they are equal in Python."""


class Exact(NamedTuple):
    """A value that is equal to another only if their types are equal too."""

    type: str
    value: object

    def __str__(self) -> str:
        return f"{self.value} ({self.type})"


def exact(value: object) -> object:
    """Return a comparison key. The keys of two values are equal exactly if the values are the same."""
    match value:
        case str() | datetime():
            return value
        case float():
            return Exact("float", repr(value))  # unique for every float, also for -0.0
        case list() | tuple():
            return tuple(map(exact, cast("Sequence[object]", value)))
        case _:
            return Exact(type(value).__name__, value)


def same_value(value: object, other: object) -> bool:
    """Return whether two values are the same."""
    if type(value) is type(other) and type(value) in _PLAIN:
        return value == other
    return exact(value) == exact(other)


def same_state(state: Mapping[str, object], other: Mapping[str, object], ignored: Collection[str] = ()) -> bool:
    """Return whether two states have the same values, without the ignored names."""
    names = {*state, *other}.difference(ignored)
    return all(name in state and name in other and same_value(state[name], other[name]) for name in names)
