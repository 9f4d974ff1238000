"""Compares two states of a subject value by value, and their text line by line."""

from __future__ import annotations

import difflib
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
"""Maximum number of differing values that an entry lists. Further values are only counted."""
MAX_VALUE_CHARACTERS = 1_000
"""Maximum length of a text value, in characters. Longer texts are truncated."""
MAX_LINES = 200
MAX_CHARACTERS = 20_000
"""Maximum size of a text diff, in lines and characters."""
COMPARED_LINES = 5_000
COMPARED_BYTES = 500_000
"""Maximum size of a text that is compared line by line. Comparing longer texts could take minutes."""

_TIMES = frozenset({"_created", "_modified", "_summary_timestamp"})
_NOT_COMPARED = frozenset({"_content_sha256", "_content_size", "_content_encoding", "_derived_title"})
"""Attributes that are not compared as values, because they describe the content or are derived from it."""
IGNORED = HEADER | _TIMES | {DECLARED}
"""Event properties that are not compared, such as times."""


@dataclass(frozen=True, slots=True)
class Values:
    """The properties and attributes that differ between two states. `more` counts differences beyond `MAX_VALUES`."""

    properties: tuple[ValueChange, ...] = ()
    attributes: tuple[ValueChange, ...] = ()
    more: int | None = None


def compare_states(before: State, after: State) -> Values:
    """Return the values that differ between two states, in the order of their names. Omits the content.

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
        ValueChange(name=name, before=_shorten(earlier.get(name)), after=_shorten(later.get(name)))
        for name in names[:MAX_VALUES]
    )


def content_change(before: State | None, after: State | None) -> ContentChange | None:
    """Return the sizes of the contents of two states, in bytes, or None if the contents are equal."""
    ref_before, ref_after = content_ref(before or {}), content_ref(after or {})
    if ref_before.is_same(ref_after) if ref_before else ref_after is None:
        return None
    return ContentChange(
        before_bytes=ref_before.size if ref_before else None, after_bytes=ref_after.size if ref_after else None
    )


def reason_not_compared(before: State | None, after: State | None) -> str | None:
    """Return the reason why the contents of two states cannot be compared line by line, or None if they can."""
    refs = [ref for state in (before, after) if (ref := content_ref(state or {}))]
    if not all(ref.is_text for ref in refs):
        return "binary"
    return _TOO_LONG if any(ref.size > COMPARED_BYTES for ref in refs) else None


def text_diff(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Return a unified diff of two texts, and a note if the diff is absent or cut. None stands for missing content."""
    old_lines, new_lines = _split_lines(before), _split_lines(after)
    if max(len(old_lines), len(new_lines)) > COMPARED_LINES:
        return None, _TOO_LONG
    diff_lines = difflib.unified_diff(old_lines, new_lines, "before", "after", lineterm="")
    lines = list(islice(diff_lines, MAX_LINES + 1))
    text = "\n".join(lines[:MAX_LINES])
    is_cut = len(lines) > MAX_LINES or len(text) > MAX_CHARACTERS
    note = f"cut after {MAX_LINES} lines or {MAX_CHARACTERS:,} characters" if is_cut else None
    return text[:MAX_CHARACTERS], note


_TOO_LONG = "too long to compare"


def _split_lines(text: str | None) -> list[str]:
    """Split a text into lines. A line break at the end yields a final empty line. None yields no lines."""
    return [] if text is None else text.split("\n")


def _value_change(name: str, before: State, after: State) -> ValueChange:
    old, new = (_as_output(_describe_value(name, state.get(name))) for state in (before, after))
    is_cut = any(isinstance(value, str) and len(value) > MAX_VALUE_CHARACTERS for value in (old, new))
    return ValueChange(name=_display_name(name), before=_shorten(old), after=_shorten(new), cut=is_cut or None)


def _describe_value(name: str, value: StoredValue | None) -> StoredValue | None:
    return describe_protection(value) if name == PROTECTION and isinstance(value, str) else value


def _display_name(name: str) -> str:
    """Return the name of a property unchanged, or the name of an attribute in words, such as `valid from`."""
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
    """Convert a stored value for a result. Truncates text that is longer than `MAX_VALUE_CHARACTERS`."""
    return _shorten(_as_output(value))


def _shorten(value: Value | None) -> Value | None:
    return (
        f"{value[: MAX_VALUE_CHARACTERS - 1]}…"
        if isinstance(value, str) and len(value) > MAX_VALUE_CHARACTERS
        else value
    )
