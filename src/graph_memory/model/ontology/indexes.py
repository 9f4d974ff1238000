"""Indexes that types declare: their names, their entries, and ranges of entries.

An index looks up subjects by one property's value, or by the values of several properties in the order of another
property. An entry of an index of several properties is a sort key: text that sorts like the value of the last property.
Entries with equal values of the other properties have the same prefix, so an ordered page is a range of the index.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from graph_memory.model.ontology.types import AnyType
from graph_memory.model.values.arguments import invalid_cursor_error
from graph_memory.model.values.properties import SEPARATOR, PropertyValue, key_value, ordered_key

Index = tuple[str, ...]
"""The properties of an index. An index of several properties is ordered by the last property."""
_PREFIX_CHARACTERS = 32
_LONGEST_NAME = 256
"""Maximum number of bytes of an index's stored name. Longer names are hashed."""


def indexes_of(declared_type: AnyType | None) -> tuple[Index, ...]:
    """Return a type's indexes: its `indexed` and `unique` properties, and its declared `indexes`."""
    if declared_type is None:
        return ()
    return (*((rule.name,) for rule in declared_type.properties if rule.indexed or rule.unique), *declared_type.indexes)


def unique_properties(declared_type: AnyType | None) -> tuple[str, ...]:
    """Return a type's `unique` properties."""
    return tuple(rule.name for rule in declared_type.properties if rule.unique) if declared_type else ()


def properties_of(indexes: Iterable[Index]) -> list[str]:
    """Return the sorted names of all properties in the indexes."""
    return sorted({name for index in indexes for name in index})


def index_name(index: Index) -> str:
    """Return an index's unique stored name: its property or, for several properties, at most 256 bytes of text."""
    name = ", ".join(index)
    is_plain = len(index) == 1 or (len(name.encode()) <= _LONGEST_NAME and not any(", " in part for part in index))
    return name if is_plain else f"h:{hashlib.sha256(json.dumps(index).encode()).hexdigest()}"


def index_value(index: Index, state: Mapping[str, PropertyValue], owner: str) -> str:
    """Return the entry of a subject in an index: the key of its value or, for several properties, a sort key.

    A sort key consists of the prefix for all values but the last, the ordered key of the last value, and the id, which
    makes it unique.
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
    """Return the id of the subject that a sort key belongs to."""
    return sort_key.rpartition(SEPARATOR)[2]


def cursor_of(sort_key: str) -> str:
    """Return the cursor after a sort key: the key without its prefix, in URL-safe base64."""
    return urlsafe_b64encode(sort_key[_PREFIX_CHARACTERS:].encode()).decode()


@dataclass(frozen=True, slots=True)
class IndexRange:
    """The entries of an index with the given values, in ascending or descending order of the last property."""

    index: Index
    values: Mapping[str, PropertyValue]
    descending: bool

    @property
    def prefix(self) -> str:
        """The prefix shared by all sort keys in the range."""
        return key_prefix([self.values[name] for name in self.index[:-1]])

    @property
    def bounds(self) -> tuple[str, str]:
        """The exclusive bounds of the range: a string before its first sort key, and a string after its last."""
        low, high = self.prefix, f"{self.prefix}~"
        return (high, low) if self.descending else (low, high)

    def after(self, cursor: str) -> str:
        """Return the sort key after which the cursor's page begins. An empty cursor means the first page.

        Raises INVALID_ARGUMENT if the cursor is invalid.
        """
        try:
            return self.prefix + b64decode(cursor, b"-_", validate=True).decode() if cursor else self.bounds[0]
        except ValueError as error:
            raise invalid_cursor_error(cursor) from error

    def sort_key(self, state: Mapping[str, object], owner: str) -> str | None:
        """Return a subject's sort key in the range, or None if the subject does not have the last property."""
        values = cast("Mapping[str, PropertyValue]", state)
        return _sort_key(self.index, values, owner) if self.index[-1] in state else None

    def between(self, sort_keys: Iterable[str], after: str, until: str | None = None) -> list[str]:
        """Return the sort keys after `after`, up to and including `until` (default: all), in range order."""
        low, high = (until, after) if self.descending else (after, until)
        selected = [key for key in sort_keys if key != after and (low or "") <= key and (high is None or key <= high)]
        return sorted(selected, reverse=self.descending)
