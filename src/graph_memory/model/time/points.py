"""Parses log positions from people and agents: a number, an event id, or a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import quote
from graph_memory.model.time.clock import in_utc
from graph_memory.model.time.times import EXAMPLES, Span, Toward, read_span
from graph_memory.model.values.arguments import invalid_argument, is_encodable

_MAX_SEQ = 2**53
_END_ARGUMENTS = frozenset({"until", "at", "as-of", "as_of"})
"""Arguments in which a day, month or minute stands for its end. In other arguments, it stands for its start."""

_SESSION = re.compile(
    r"(?:since |the |our |my )*(?:last|previous) (?:session|time)(?: of (?P<whose>.+))?", re.IGNORECASE
)

_DAY = timedelta(hours=23)
"""The minimum length of a whole day. A day on which clocks go forward has 23 hours."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """A log position: exactly one of a number, an event id, and a time."""

    seq: int | None = None
    event: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NamedSession:
    """A log position given as the last session. `owner` is its project, actor or id, or None if not given."""

    owner: str | None = None


def parse_session_reference(text: object) -> NamedSession | None:
    """Parse `last session` or `last session of Apollo`. Returns None for other text."""
    match = _SESSION.fullmatch(" ".join(text.split())) if isinstance(text, str) else None
    return None if match is None else NamedSession(match["whose"])


def parse_log_position(argument: str, value: int | str, now: datetime, zone: tzinfo | None = UTC) -> LogPosition:
    """Parse a log position. Raises INVALID_ARGUMENT if the value has none of the three forms.

    The value is a log number, an event id (`evt_…`), or a time as in `times`. A time without an offset is in `zone`.
    None means the machine's zone. See `_END_ARGUMENTS` for whole days, months and minutes.
    """
    if not isinstance(value, str):
        return _numbered_position(argument, value)
    text = value.strip()
    if text.isascii() and text.isdigit() and len(text) < 20:
        return _numbered_position(argument, int(text))
    if text.startswith("evt_") and is_encodable(text):
        return LogPosition(event=text)
    span = _parse_span(text, now, zone)
    if span is None:
        raise _invalid_position_error(argument, text, zone)
    return LogPosition(at=span.last if argument.lstrip("-") in _END_ARGUMENTS else span.start)


def parse_instant(argument: str, value: datetime | str, now: datetime, zone: tzinfo | None = UTC) -> datetime:
    """Parse a time, and return it in UTC. Raises INVALID_ARGUMENT if the value is not a time.

    A whole day, month or year stands for its start. In `valid_to`, it stands for its end: a fact valid to 26 May is
    valid on that day. A month or day without a year is the nearest one.
    """
    if isinstance(value, datetime):
        return in_utc(value)
    span = _parse_span(value, now, zone, "nearest") if isinstance(value, str) else None  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
    if span is None:
        text = quote(value) if isinstance(value, str) else value  # pyright: ignore[reportUnnecessaryIsInstance] - as above
        raise invalid_argument(argument, f"{text} is not a time", f"Pass {_time_example(zone)}, now, or {EXAMPLES}.")
    is_end = argument.endswith("valid_to") and span.end - span.start >= _DAY
    return span.end if is_end else span.start


def _parse_span(text: str, now: datetime, zone: tzinfo | None, toward: Toward = "past") -> Span | None:
    try:
        return read_span(text, now, zone, toward)
    except (ValueError, OverflowError):
        return None


def _numbered_position(argument: str, seq: int) -> LogPosition:
    if type(seq) is not int or not 0 <= seq <= _MAX_SEQ:
        raise _invalid_position_error(argument, seq, UTC)
    return LogPosition(seq=seq)


def _invalid_position_error(argument: str, value: object, zone: tzinfo | None) -> GraphError:
    hint = f"Pass a log number, an event id (evt_…), {_time_example(zone)}, or {EXAMPLES}."
    return invalid_argument(argument, f"{quote(value)} is not a position in the log", hint)


def _time_example(zone: tzinfo | None) -> str:
    return f"a time such as 2026-03-01 09:00 ({'your time zone' if zone is None else 'UTC'})"
