"""Describes a subject's states before and after a change as text, one line per value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from graph_memory.cli.output.printing import escape_line, format_local_time
from graph_memory.model.subjects.protection import PROTECTION, describe_protection

_NAMES = {
    "_content_size": "content bytes",
    "_content_sha256": "content SHA-256",
    "_content_summary": "summary",
    "_summary_timestamp": "summarized",
    "_valid_from": "valid from",
    "_valid_to": "valid until",
}
_TIMES = ("_created", "_modified", "_valid_from", "_valid_to", "_summary_timestamp")


def state_lines(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    """Yield a line for each value of the subject before or after the change. User properties come first."""
    names = sorted({*before, *after}, key=lambda name: (name.startswith("_"), name))
    width = max((len(_display_name(name)) for name in names), default=0)
    for name in names:
        old, new = (_display_value(name, state.get(name)) for state in (before, after))
        changed = before and after and old != new
        yield f"{escape_line(_display_name(name)):<{width}}  {f'{old} → {new}' if changed else new if after else old}"


def _display_name(name: str) -> str:
    return _NAMES.get(name) or name.removeprefix("_").replace("_", " ") if name.startswith("_") else name


def _display_value(name: str, value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, str) and name in _TIMES:
        return format_local_time(datetime.fromisoformat(value))
    if name == PROTECTION:
        return escape_line(describe_protection(str(value)))
    if name == "_content_sha256":
        return f"{str(value)[:12]}…"
    if isinstance(value, list | tuple):
        return ", ".join(map(escape_line, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return escape_line(value)
