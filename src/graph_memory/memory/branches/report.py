"""Renders the conflicts of a merge for results and errors, and parses resolutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from graph_memory.memory.branches.diff3 import Chunk
from graph_memory.memory.branches.results import LineConflict, MergeConflict, Side
from graph_memory.memory.branches.values import Choices, Conflict, ConflictSide, MergeItem, Resolution, Strategy
from graph_memory.memory.history.comparison import output_value
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import CONTENT
from graph_memory.model.text.wording import join_names, printable, quote, suggestion, with_title
from graph_memory.model.values.arguments import invalid_argument, is_encodable
from graph_memory.model.values.content import check_content_format
from graph_memory.model.values.fields import check_namespace, check_path, check_title
from graph_memory.model.values.properties import PropertyValue, check_key, check_value
from graph_memory.model.values.strength import NUMBERS, check_fraction

MOST_CHANGES = 100
MOST_CONFLICTS = 20
"""Maximum number of conflicts that the result of a merge lists."""
_MAX_CHUNKS = 10
_MAX_LINE_CHARACTERS = 500
_TEXT_VALUES = frozenset({CONTENT, "_text"})
_VALUE_CHECKS = {
    "_path": check_path,
    "_namespace": check_namespace,
    "_given_title": check_title,
    "_content_format": check_content_format,
}
"""The functions that check the new values in resolutions, keyed by attribute."""


def render_conflicts(
    conflicts: Sequence[Conflict], items: Mapping[str, MergeItem]
) -> tuple[tuple[MergeConflict, ...], int]:
    """Return the first `MOST_CONFLICTS` conflicts as results, and the number of further conflicts."""
    rendered = tuple(_render_conflict(conflict, items[conflict.subject]) for conflict in conflicts[:MOST_CONFLICTS])
    return rendered, len(conflicts) - len(rendered)


def merge_conflict_error(conflicts: Sequence[Conflict], items: Mapping[str, MergeItem]) -> GraphError:
    """Return the error for a merge with unresolved conflicts."""
    rendered, more = render_conflicts(conflicts, items)
    first = rendered[0]
    count = len(conflicts) - 1
    others = "" if count < 1 else " 1 more conflict exists." if count == 1 else f" {count:,} more conflicts exist."
    title = with_title(first.subject, first.title)
    message = f"{title} cannot be merged: {first.reason}.{others} Nothing was changed"
    hint = (
        'Pass a resolution for each conflict, such as {"subject": ID, "take": "theirs"}, or the strategy ours or '
        "theirs. Preview the merge first."
    )
    details = {"conflicts": [conflict.to_dict() for conflict in rendered], "more": more, "hint": hint}
    return GraphError(Code.MERGE_CONFLICT, message, details)


def unknown_subject_error(subject: str, conflicts: Sequence[Conflict]) -> GraphError:
    """Return the error for a resolution of a subject that has never existed in either domain."""
    subjects = sorted({conflict.subject for conflict in conflicts})
    in_conflict = (
        f"Pass a subject in conflict: {join_names(subjects)}."
        if subjects
        else "No subject is in conflict: omit this resolution."
    )
    hint = suggestion(subject, subjects, in_conflict)
    return invalid_argument("resolutions", f"Neither domain has ever contained {quote(subject)}", hint)


def _render_conflict(conflict: Conflict, item: MergeItem) -> MergeConflict:
    version = item.ours or item.theirs or item.base
    title = version.state.get("_title", version.state.get("_text")) if version else None
    sides = (conflict.base, conflict.ours, conflict.theirs)
    takes: tuple[Side, ...] = tuple(cast("Side", str(take)) for take in ConflictSide if take in conflict.takes)
    target = {"subject": conflict.subject} | ({"property": conflict.name} if conflict.name else {})
    base, ours, theirs = (None if conflict.name == CONTENT else output_value(value) for value in sides)
    return MergeConflict(
        subject=conflict.subject,
        kind=conflict.kind,
        type=version.type if version else None,
        title=str(title) if title is not None else None,
        conflict=conflict.clash.value,
        reason=conflict.reason,
        property=conflict.name,
        base=base,
        ours=ours,
        theirs=theirs,
        lines=tuple(map(_line_conflict, conflict.chunks[:_MAX_CHUNKS])) or None,
        takes=takes,
        resolve=tuple({**target, "take": take} for take in takes),
    )


def _line_conflict(chunk: Chunk) -> LineConflict:
    base, ours, theirs = ("\n".join(lines)[:_MAX_LINE_CHARACTERS] for lines in (chunk.base, chunk.ours, chunk.theirs))
    return LineConflict(line=chunk.before[1] + 1, base=base, ours=ours, theirs=theirs)


def parse_choices(strategy: str, requested_resolutions: Sequence[Mapping[str, object]] | None) -> Choices:
    """Parse the strategy and resolutions of a call. Raises INVALID_ARGUMENT or INVALID_PROPERTY if one is invalid."""
    try:
        chosen_strategy = Strategy(strategy)
    except ValueError:
        raise invalid_argument(
            "strategy", f"{quote(strategy)} is not a strategy", "Use manual, ours or theirs."
        ) from None
    resolutions = [_parse_resolution(entry) for entry in requested_resolutions or ()]
    if len({(resolution.subject, resolution.name) for resolution in resolutions}) < len(resolutions):
        raise invalid_argument(
            "resolutions",
            "Two resolutions are about the same conflict",
            "Pass one resolution per subject and property.",
        )
    return Choices.of(chosen_strategy, resolutions)


_RESOLUTION_KEYS = frozenset({"subject", "property", "take", "value"})


def _parse_resolution(value: object) -> Resolution:
    if not isinstance(value, Mapping):
        raise _invalid_resolution_error(value)
    entry = cast("Mapping[str, object]", value)
    subject, name, take = entry.get("subject"), entry.get("property"), entry.get("take")
    if not isinstance(subject, str) or entry.keys() - _RESOLUTION_KEYS or not isinstance(name, str | None):
        raise _invalid_resolution_error(entry)
    if (take is None) == (entry.get("value") is None) or take not in (None, *ConflictSide):
        raise _invalid_resolution_error(entry)
    if take is not None:
        return Resolution(subject=subject, name=name, take=ConflictSide(str(take)))
    if name is None:
        raise _invalid_resolution_error(entry)
    return Resolution(subject=subject, name=name, value=_check_value(name, entry["value"]))


def _check_value(name: str, value: object) -> PropertyValue:
    if not name.startswith("_"):
        return check_value(check_key(name), value)
    if name in NUMBERS:
        return check_fraction(name, value)
    if not isinstance(value, str) or not is_encodable(value):
        raise invalid_argument(
            "resolutions", f"The value of {printable(name)} is not a string", "Pass the new text as a string."
        )
    if name in _VALUE_CHECKS:
        return _VALUE_CHECKS[name](value)
    if name not in _TEXT_VALUES:
        message = f"{printable(name)} cannot be set to a new value"
        raise invalid_argument("resolutions", message, "Pass ours or theirs as take.")
    return value


def _invalid_resolution_error(entry: object) -> GraphError:
    hint = 'Pass {"subject": ID, "take": "ours" or "theirs"}, with "property" for one value; or "property" and "value".'
    return invalid_argument("resolutions", f"{quote(entry)} is not a resolution", hint)
