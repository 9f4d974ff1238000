"""Indexes of types: by the value of one property, or by equal values of some in the order of another.

What has a key in an index of several properties has its place there: text that sorts as the value of the last property
does. Places of equal values of the others begin alike, so a page in an order is a part of the index.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from graph_memory.model.arguments import not_a_cursor
from graph_memory.model.ontology.types import AnyType
from graph_memory.model.properties import SEPARATOR, PropertyValue, key_value, ordered_key

Index = tuple[str, ...]
"""The properties of an index; of several, the last is what it orders by."""
_PREFIX_CHARACTERS = 32
_LONGEST_NAME = 256
"""Bytes of the name of an index of several properties: longer ones are told by their hash."""


def indexes_of(declared: AnyType | None) -> tuple[Index, ...]:
    """Return all indexes of a type: each property that is `indexed` or `unique`, and the declared ones of several."""
    if declared is None:
        return ()
    return (*((rule.name,) for rule in declared.properties if rule.indexed or rule.unique), *declared.indexes)


def unique_properties(declared: AnyType | None) -> tuple[str, ...]:
    """Return the properties of a type that are `unique`."""
    return tuple(rule.name for rule in declared.properties if rule.unique) if declared else ()


def properties_of(indexes: Iterable[Index]) -> list[str]:
    """Return the properties that indexes are made of, in the order of their names."""
    return sorted({name for index in indexes for name in index})


def index_name(index: Index) -> str:
    """Return the name under which the entries of an index are kept: a short one, that no other index has."""
    name = ", ".join(index)
    is_plain = len(index) == 1 or (len(name.encode()) <= _LONGEST_NAME and not any(", " in one for one in index))
    return name if is_plain else f"h:{hashlib.sha256(json.dumps(index).encode()).hexdigest()}"


def index_value(index: Index, state: Mapping[str, PropertyValue], owner: str) -> str:
    """Return what an index has of a subject: the key of its value, or in an index of several properties its place.

    A place begins with the `place_prefix` of the values of all but the last, and ends with the id, by which equal
    values are told apart.
    """
    *others, last = index
    return _place(index, state, owner) if others else key_value(state[last])


def _place(index: Index, state: Mapping[str, PropertyValue], owner: str) -> str:
    *others, last = index
    return f"{place_prefix([state[name] for name in others])}{ordered_key(state[last])}{SEPARATOR}{owner}"


def place_prefix(values: Sequence[PropertyValue]) -> str:
    """Return how the places of all begin that have these values: always of one length."""
    data = json.dumps([key_value(value) for value in values]).encode()
    return hashlib.sha256(data).hexdigest()[:_PREFIX_CHARACTERS]


def owner_of(place: str) -> str:
    """Return the id of what has a place."""
    return place.rpartition(SEPARATOR)[2]


def cursor_of(place: str) -> str:
    """Return where a page goes on after a place, in digits and letters, without what is asked for anyway."""
    return urlsafe_b64encode(place[_PREFIX_CHARACTERS:].encode()).decode()


@dataclass(frozen=True, slots=True)
class Part:
    """The part of an index that has some values, in the order of its last property or in the reverse order."""

    index: Index
    values: Mapping[str, PropertyValue]
    descending: bool

    @property
    def prefix(self) -> str:
        """How all places in it begin."""
        return place_prefix([self.values[name] for name in self.index[:-1]])

    @property
    def bounds(self) -> tuple[str, str]:
        """What is before the first place, and what is after the last."""
        low, high = self.prefix, f"{self.prefix}~"
        return (high, low) if self.descending else (low, high)

    def after(self, cursor: str) -> str:
        """Return after which place a page begins, empty text being the first page. Raises INVALID_ARGUMENT."""
        try:
            return self.prefix + b64decode(cursor, b"-_", validate=True).decode() if cursor else self.bounds[0]
        except ValueError as error:
            raise not_a_cursor(cursor) from error

    def place(self, state: Mapping[str, object], owner: str) -> str | None:
        """Return the place of a subject that has the values, None where it lacks what is ordered by."""
        values = cast("Mapping[str, PropertyValue]", state)
        return _place(self.index, values, owner) if self.index[-1] in state else None

    def between(self, places: Iterable[str], after: str, until: str | None = None) -> list[str]:
        """Return the places after one and up to another, in order."""
        first, last = (until, after) if self.descending else (after, until)
        found = [one for one in places if one != after and (first or "") <= one and (last is None or one <= last)]
        return sorted(found, reverse=self.descending)
