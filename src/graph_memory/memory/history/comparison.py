"""Comparison of two states of a subject: value by value, and text line by line."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from graph_memory.memory.history.diff_results import ContentChange, Value, ValueChange
from graph_memory.model.events import HEADER
from graph_memory.model.ontology.ontology_diff import describe_values
from graph_memory.model.projection import type_from_json
from graph_memory.model.subjects.kinds import DECLARED
from graph_memory.model.subjects.protection import PROTECTION, describe_protection
from graph_memory.model.subjects.subjects import State, StoredValue, content_ref
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.exact import same_value

MAX_VALUES = 100
"""Maximum number of values per entry. Further ones are only counted."""
MAX_VALUE_CHARACTERS = 1_000
"""Maximum number of characters of a value."""
MAX_LINES = 200
MAX_CHARACTERS = 20_000
"""Maximum size of a text diff, in lines and characters."""
COMPARED_LINES = 5_000
COMPARED_BYTES = 500_000
"""Maximum size of a text that is compared line by line. Longer ones could take minutes."""

_TIMES = frozenset({"_created", "_modified", "_summary_timestamp"})
_NOT_COMPARED = frozenset({"_content_sha256", "_content_size", "_content_encoding", "_derived_title"})
"""Attributes that are not compared, because they belong to the content or the title."""
IGNORED = HEADER | _TIMES | {DECLARED}
"""Properties of events that are not differences of the subject, such as times."""


@dataclass(frozen=True, slots=True)
class Values:
    """The properties and attributes that differ, and the number of differing values beyond the maximum."""

    properties: tuple[ValueChange, ...] = ()
    attributes: tuple[ValueChange, ...] = ()
    more: int | None = None


def compare_states(before: State, after: State) -> Values:
    """Return the values of two states that differ, in the order of their names, without content.

    For types, these are the values of their definitions.
    """
    if "_definition" in before and "_definition" in after:
        return Values(attributes=_definition_changes(before, after))
    names = [
        name
        for name in sorted({*before, *after}, key=lambda name: (name.startswith("_"), name))
        if name not in IGNORED | _NOT_COMPARED and not same_value(before.get(name), after.get(name))
    ]
    pairs = [(name, _value_change(name, before, after)) for name in names[:MAX_VALUES]]
    return Values(
        properties=tuple(change for name, change in pairs if not name.startswith("_")),
        attributes=tuple(change for name, change in pairs if name.startswith("_")),
        more=len(names) - len(pairs) or None,
    )


def _definition_changes(before: State, after: State) -> tuple[ValueChange, ...]:
    earlier, later = (describe_values(type_from_json(str(state["_definition"]))) for state in (before, after))
    names = [name for name in {**earlier, **later} if earlier.get(name) != later.get(name)]
    return tuple(
        ValueChange(name=n, before=_short(earlier.get(n)), after=_short(later.get(n))) for n in names[:MAX_VALUES]
    )


def content_change(before: State | None, after: State | None) -> ContentChange | None:
    """Return the sizes of the contents of two states, or None if the contents are equal."""
    ref, other = content_ref(before or {}), content_ref(after or {})
    if ref.is_same(other) if ref else other is None:
        return None
    return ContentChange(before_bytes=ref.size if ref else None, after_bytes=other.size if other else None)


def why_not_compared(before: State | None, after: State | None) -> str | None:
    """Return the reason why contents cannot be compared line by line, or None."""
    refs = [ref for state in (before, after) if (ref := content_ref(state or {}))]
    if not all(ref.is_text for ref in refs):
        return "binary"
    return _TOO_LONG if any(ref.size > COMPARED_BYTES for ref in refs) else None


def text_diff(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Return a unified diff of two texts, and a note if it is absent or cut. A text of None means no content."""
    old_lines, new_lines = _lines(before), _lines(after)
    if max(len(old_lines), len(new_lines)) > COMPARED_LINES:
        return None, _TOO_LONG
    return _fitting(
        list(islice(difflib.unified_diff(old_lines, new_lines, "before", "after", lineterm=""), MAX_LINES + 1))
    )


_TOO_LONG = "too long to compare"


def _lines(text: str | None) -> list[str]:
    """Return the lines of a text. After a final line break, there is one empty line."""
    return [] if text is None else text.split("\n")


def _fitting(lines: Sequence[str]) -> tuple[str, str | None]:
    text = "\n".join(lines[:MAX_LINES])
    is_cut = len(lines) > MAX_LINES or len(text) > MAX_CHARACTERS
    note = f"cut after {MAX_LINES} lines or {MAX_CHARACTERS:,} characters" if is_cut else None
    return text[:MAX_CHARACTERS], note


def _value_change(name: str, before: State, after: State) -> ValueChange:
    old, new = (_as_output(_in_words(name, state.get(name))) for state in (before, after))
    is_cut = any(isinstance(value, str) and len(value) > MAX_VALUE_CHARACTERS for value in (old, new))
    return ValueChange(name=_shown_name(name), before=_short(old), after=_short(new), cut=is_cut or None)


def _in_words(name: str, value: StoredValue | None) -> StoredValue | None:
    return describe_protection(value) if name == PROTECTION and isinstance(value, str) else value


def _shown_name(name: str) -> str:
    """Return the name of a property as it is, and the name of an attribute in words, such as `valid from`."""
    if not name.startswith("_"):
        return name
    return name.removeprefix("_content").removeprefix("_").replace("_", " ")


def _as_output(value: StoredValue | None) -> Value | None:
    match value:
        case datetime():
            return rfc3339(value)
        case None | str() | int() | float():
            return value
        case _:
            return tuple(value)


def output_value(value: StoredValue | None) -> Value | None:
    """Return a stored value in the form for results. Long text is cut."""
    return _short(_as_output(value))


def _short(value: Value | None) -> Value | None:
    return (
        f"{value[: MAX_VALUE_CHARACTERS - 1]}…"
        if isinstance(value, str) and len(value) > MAX_VALUE_CHARACTERS
        else value
    )
