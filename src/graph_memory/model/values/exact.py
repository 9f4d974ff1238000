"""Compares stored values exactly: two values are the same if their types and values are equal.

In Python, `1`, `1.0` and `true` are equal, and so are `0.0` and `-0.0`. Here, they all differ. Strings are compared by
code points, so two encodings of a letter differ. Times are compared as instants, regardless of their zones. `=` in
Cypher is not exact either, so statements that compare states compare types and text too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, cast

_EXACT_TYPES = frozenset({str, int, bool, datetime, type(None)})
"""Types for which Python's `==` is already exact."""


class ExactValue(NamedTuple):
    """A value with its type. Two instances are equal only if both the values and the types are equal."""

    type: str
    value: object

    def __str__(self) -> str:
        return f"{self.value} ({self.type})"


def exact_key(value: object) -> object:
    """Return a value's key for exact comparison. Keys are equal if and only if their values are the same."""
    match value:
        case str() | datetime():
            return value
        case float():
            return ExactValue("float", repr(value))  # unique for every float, also for -0.0
        case list() | tuple():
            return tuple(map(exact_key, cast("Sequence[object]", value)))
        case _:
            return ExactValue(type(value).__name__, value)


def same_value(value: object, other: object) -> bool:
    """Return whether two values are the same in type and value."""
    if type(value) is type(other) and type(value) in _EXACT_TYPES:
        return value == other
    return exact_key(value) == exact_key(other)


def same_state(state: Mapping[str, object], other: Mapping[str, object], ignored: Collection[str] = ()) -> bool:
    """Return whether two states have the same properties and values, except for the `ignored` properties."""
    names = {*state, *other}.difference(ignored)
    return all(name in state and name in other and same_value(state[name], other[name]) for name in names)
