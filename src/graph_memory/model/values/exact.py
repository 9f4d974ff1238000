"""The one comparison of what is stored: two values are the same in type and value, or they differ.

Python takes `1`, `1.0` and `true` for equal, and `0.0` and `-0.0`; here all of these differ. Texts are compared
character by character, so two spellings of one letter differ; times are moments, whatever zone they were written in.
`$one = $other` in Cypher is no better, so a statement that compares states says so by type and text as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, cast

_PLAIN = frozenset({str, int, bool, datetime, type(None)})
"""Types whose values are the same where Python takes them for equal."""


class Exact(NamedTuple):
    """A value that equals another only if its type is the same as well."""

    type: str
    value: object

    def __str__(self) -> str:
        return f"{self.value} ({self.type})"


def exact(value: object) -> object:
    """Return what is equal for two values exactly when they are the same."""
    match value:
        case str() | datetime():
            return value
        case float():
            return Exact("float", repr(value))  # that of -0.0 differs, and no two others share one
        case list() | tuple():
            return tuple(map(exact, cast("Sequence[object]", value)))
        case _:
            return Exact(type(value).__name__, value)


def same_value(one: object, other: object) -> bool:
    """Say whether two values are the same."""
    if type(one) is type(other) and type(one) in _PLAIN:
        return one == other
    return exact(one) == exact(other)


def same_state(one: Mapping[str, object], other: Mapping[str, object], ignored: Collection[str] = ()) -> bool:
    """Say whether two states have the same names with the same values, but for the names that are ignored."""
    names = {*one, *other}.difference(ignored)
    return all(name in one and name in other and same_value(one[name], other[name]) for name in names)
