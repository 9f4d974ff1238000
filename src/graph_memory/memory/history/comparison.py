"""Two states of a subject compared: value by value, and text line by line."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from graph_memory.memory.history.diff_results import ContentChange, Value, ValueChange
from graph_memory.model.events import HEADER
from graph_memory.model.ontology.ontology_diff import told_values
from graph_memory.model.projection import declared_in
from graph_memory.model.results import rfc3339
from graph_memory.model.subjects.kinds import DECLARED
from graph_memory.model.subjects.protection import PROTECTION, told_protection
from graph_memory.model.subjects.subjects import State, StoredValue, content_ref
from graph_memory.model.values.exact import same_value

MOST_VALUES = 100
"""Values that one entry tells of; the rest are counted."""
LONGEST_VALUE = 1_000
"""Characters of a value that are told."""
MOST_LINES = 200
MOST_CHARACTERS = 20_000
"""What is told of a text diff."""
COMPARED_LINES = 5_000
COMPARED_BYTES = 500_000
"""Longer text is not compared line by line: that could take minutes."""

_TIMES = frozenset({"_created", "_modified", "_summary_timestamp"})
_UNTOLD = frozenset({"_content_sha256", "_content_size", "_content_encoding", "_derived_title"})
"""What is not told by itself: the content is told as a whole, and a title as it is shown."""
IGNORED = HEADER | _TIMES | {DECLARED}
"""Names on an event that make no difference: what the log says of it, and when its subject was written."""


@dataclass(frozen=True, slots=True)
class Values:
    """The values that differ: the user's properties, and what else a state holds; and how many more there are."""

    properties: tuple[ValueChange, ...] = ()
    attributes: tuple[ValueChange, ...] = ()
    more: int | None = None


def differing(before: State, after: State) -> Values:
    """Return the values of two states that differ, in the order of their names; content is left to `content_change`.

    Of a type it is told what it declares otherwise.
    """
    if "_definition" in before and "_definition" in after:
        return Values(attributes=_declared_otherwise(before, after))
    names = [
        name
        for name in sorted({*before, *after}, key=lambda name: (name.startswith("_"), name))
        if name not in IGNORED | _UNTOLD and not same_value(before.get(name), after.get(name))
    ]
    pairs = [(name, _value_change(name, before, after)) for name in names[:MOST_VALUES]]
    return Values(
        properties=tuple(change for name, change in pairs if not name.startswith("_")),
        attributes=tuple(change for name, change in pairs if name.startswith("_")),
        more=len(names) - len(pairs) or None,
    )


def _declared_otherwise(before: State, after: State) -> tuple[ValueChange, ...]:
    one, other = (told_values(declared_in(str(state["_definition"]))) for state in (before, after))
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return tuple(
        ValueChange(name=n, before=_short(one.get(n)), after=_short(other.get(n))) for n in names[:MOST_VALUES]
    )


def content_change(before: State | None, after: State | None) -> ContentChange | None:
    """Return how the content of two states differs in size, None where it is the same."""
    ref, other = content_ref(before or {}), content_ref(after or {})
    if ref.is_same(other) if ref else other is None:
        return None
    return ContentChange(before_bytes=ref.size if ref else None, after_bytes=other.size if other else None)


def why_not_compared(before: State | None, after: State | None) -> str | None:
    """Return why contents are told by their size only, None when they can be compared line by line."""
    refs = [ref for state in (before, after) if (ref := content_ref(state or {}))]
    if not all(ref.is_text for ref in refs):
        return "binary"
    return _TOO_LONG if any(ref.size > COMPARED_BYTES for ref in refs) else None


def text_diff(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Return a unified diff of two texts, None for no content; and a note when it is absent or cut."""
    one, other = _lines(before), _lines(after)
    if max(len(one), len(other)) > COMPARED_LINES:
        return None, _TOO_LONG
    return _fitting(list(islice(difflib.unified_diff(one, other, "before", "after", lineterm=""), MOST_LINES + 1)))


_TOO_LONG = "too long to compare"


def _lines(text: str | None) -> list[str]:
    """Return the lines, so that the empty one behind a last line break tells of it."""
    return [] if text is None else text.split("\n")


def _fitting(lines: Sequence[str]) -> tuple[str, str | None]:
    text = "\n".join(lines[:MOST_LINES])
    is_cut = len(lines) > MOST_LINES or len(text) > MOST_CHARACTERS
    note = f"cut after {MOST_LINES} lines or {MOST_CHARACTERS:,} characters" if is_cut else None
    return text[:MOST_CHARACTERS], note


def _value_change(name: str, before: State, after: State) -> ValueChange:
    one, other = (_told(_in_words(name, state.get(name))) for state in (before, after))
    is_cut = any(isinstance(value, str) and len(value) > LONGEST_VALUE for value in (one, other))
    return ValueChange(name=_shown_name(name), before=_short(one), after=_short(other), cut=is_cut or None)


def _in_words(name: str, value: StoredValue | None) -> StoredValue | None:
    return told_protection(value) if name == PROTECTION and isinstance(value, str) else value


def _shown_name(name: str) -> str:
    """Return a user's name as it is, and one of the service in words, as the log tells it: `valid from`, `format`."""
    if not name.startswith("_"):
        return name
    return name.removeprefix("_content").removeprefix("_").replace("_", " ")


def _told(value: StoredValue | None) -> Value | None:
    match value:
        case datetime():
            return rfc3339(value)
        case None | str() | int() | float():
            return value
        case _:
            return tuple(value)


def told_value(value: StoredValue | None) -> Value | None:
    """Return a value as it is told: long text is cut."""
    return _short(_told(value))


def _short(value: Value | None) -> Value | None:
    return f"{value[: LONGEST_VALUE - 1]}…" if isinstance(value, str) and len(value) > LONGEST_VALUE else value
