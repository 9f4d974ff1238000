"""Indexes of types.

An index finds subjects by the value of one property, or by the values of some properties in the order of another.

An entry of an index of several properties is a sort key: text that sorts as the value of the last property. Entries
with equal values of the other properties have the same prefix, so an ordered page is a range of the index.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from graph_memory.model.ontology.types import AnyType
from graph_memory.model.values.arguments import invalid_cursor
from graph_memory.model.values.properties import SEPARATOR, PropertyValue, key_value, ordered_key

Index = tuple[str, ...]
"""The properties of an index. An index of several properties is ordered by the last."""
_PREFIX_CHARACTERS = 32
_LONGEST_NAME = 256
"""Maximum number of bytes of the stored name of an index. A longer name is stored as its hash."""


def indexes_of(declared: AnyType | None) -> tuple[Index, ...]:
    """Return the indexes of a type: its `indexed` and `unique` properties, and its declared `indexes`."""
    if declared is None:
        return ()
    return (*((rule.name,) for rule in declared.properties if rule.indexed or rule.unique), *declared.indexes)


def unique_properties(declared: AnyType | None) -> tuple[str, ...]:
    """Return the properties of a type that are `unique`."""
    return tuple(rule.name for rule in declared.properties if rule.unique) if declared else ()


def properties_of(indexes: Iterable[Index]) -> list[str]:
    """Return the sorted names of all properties in the indexes."""
    return sorted({name for index in indexes for name in index})


def index_name(index: Index) -> str:
    """Return the unique stored name of an index, at most 256 bytes for several properties."""
    name = ", ".join(index)
    is_plain = len(index) == 1 or (len(name.encode()) <= _LONGEST_NAME and not any(", " in part for part in index))
    return name if is_plain else f"h:{hashlib.sha256(json.dumps(index).encode()).hexdigest()}"


def index_value(index: Index, state: Mapping[str, PropertyValue], owner: str) -> str:
    """Return the entry of a subject in an index: the key of its value, or the sort key for several properties.

    A sort key consists of the prefix for all values but the last, the ordered key of the last value, and the id as
    tie-breaker.
    """
    *others, last = index
    return _sort_key(index, state, owner) if others else key_value(state[last])


def _sort_key(index: Index, state: Mapping[str, PropertyValue], owner: str) -> str:
    *others, last = index
    return f"{key_prefix([state[name] for name in others])}{ordered_key(state[last])}{SEPARATOR}{owner}"


def key_prefix(values: Sequence[PropertyValue]) -> str:
    """Return the prefix of the sort keys with these values. All prefixes have the same length."""
    data = json.dumps([key_value(value) for value in values]).encode()
    return hashlib.sha256(data).hexdigest()[:_PREFIX_CHARACTERS]


def owner_of(sort_key: str) -> str:
    """Return the id of the subject to which a sort key belongs."""
    return sort_key.rpartition(SEPARATOR)[2]


def cursor_of(sort_key: str) -> str:
    """Return the cursor after a sort key: the key without its prefix, in URL-safe base64."""
    return urlsafe_b64encode(sort_key[_PREFIX_CHARACTERS:].encode()).decode()


@dataclass(frozen=True, slots=True)
class IndexRange:
    """The entries of an index with given values, in ascending or descending order of the last property."""

    index: Index
    values: Mapping[str, PropertyValue]
    descending: bool

    @property
    def prefix(self) -> str:
        """The prefix of all sort keys in the range."""
        return key_prefix([self.values[name] for name in self.index[:-1]])

    @property
    def bounds(self) -> tuple[str, str]:
        """The exclusive bounds before the first and after the last sort key."""
        low, high = self.prefix, f"{self.prefix}~"
        return (high, low) if self.descending else (low, high)

    def after(self, cursor: str) -> str:
        """Return the sort key after which a page begins. An empty cursor is the first page. Raises INVALID_ARGUMENT."""
        try:
            return self.prefix + b64decode(cursor, b"-_", validate=True).decode() if cursor else self.bounds[0]
        except ValueError as error:
            raise invalid_cursor(cursor) from error

    def sort_key(self, state: Mapping[str, object], owner: str) -> str | None:
        """Return the sort key of a subject in the range, or None if the subject lacks the last property."""
        values = cast("Mapping[str, PropertyValue]", state)
        return _sort_key(self.index, values, owner) if self.index[-1] in state else None

    def between(self, sort_keys: Iterable[str], after: str, until: str | None = None) -> list[str]:
        """Return the sort keys after one key and up to another, in order."""
        low, high = (until, after) if self.descending else (after, until)
        selected = [key for key in sort_keys if key != after and (low or "") <= key and (high is None or key <= high)]
        return sorted(selected, reverse=self.descending)
