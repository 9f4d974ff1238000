"""Positions in a log as people and agents name them: a number, an event's id, or a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import quote
from graph_memory.model.time.clock import in_utc
from graph_memory.model.time.times import EXAMPLES, Span, Toward, read_span
from graph_memory.model.values.arguments import invalid_argument, is_encodable

_LARGEST = 2**53
_ENDS = frozenset({"until", "at", "as-of", "as_of"})
"""Arguments for which a day, month or minute means its end. For all other arguments, it means its beginning."""

_SESSION = re.compile(
    r"(?:since |the |our |my )*(?:last|previous) (?:session|time)(?: of (?P<whose>.+))?", re.IGNORECASE
)

_DAY = timedelta(hours=23)
"""The minimum length of a whole day: a day on which clocks go forward has 23 hours."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """A position in a log: exactly one of a number, the id of an event, and a time."""

    seq: int | None = None
    event: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NamedSession:
    """A position in a log, given as the last session. `whose` is a project, actor or session id, if one was named."""

    whose: str | None = None


def parse_session_reference(text: object) -> NamedSession | None:
    """Return the session that `last session` or `last session of Apollo` names, or None for any other text."""
    match = _SESSION.fullmatch(" ".join(text.split())) if isinstance(text, str) else None
    return None if match is None else NamedSession(match["whose"])


def parse_log_position(argument: str, value: int | str, now: datetime, zone: tzinfo | None = UTC) -> LogPosition:
    """Return a position in a log. Raises INVALID_ARGUMENT.

    The value is a number of the log, the id of an event (`evt_…`), or a time as in `times`. A time without an offset is
    in `zone`; None means the zone of the machine. A whole day, month or minute means its end for `until` and `at`.
    """
    if not isinstance(value, str):
        return _numbered_position(argument, value)
    text = value.strip()
    if text.isascii() and text.isdigit() and len(text) < 20:
        return _numbered_position(argument, int(text))
    if text.startswith("evt_") and is_encodable(text):
        return LogPosition(event=text)
    span = _span(text, now, zone)
    if span is None:
        raise _invalid_position(argument, text, zone)
    return LogPosition(at=span.last if argument.lstrip("-") in _ENDS else span.begins)


def parse_instant(argument: str, value: datetime | str, now: datetime, zone: tzinfo | None = UTC) -> datetime:
    """Return a time in UTC. Raises INVALID_ARGUMENT.

    A whole day, month or year means its beginning, and its end for `valid_to`: a fact valid to 26 May is valid on that
    day. A month or day without a year is the nearest one.
    """
    if isinstance(value, datetime):
        return in_utc(value)
    span = _span(value, now, zone, "nearest") if isinstance(value, str) else None  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
    if span is None:
        text = quote(value) if isinstance(value, str) else value  # pyright: ignore[reportUnnecessaryIsInstance] - as above
        raise invalid_argument(argument, f"{text} is not a time", f"Give {_time_example(zone)}, now, or {EXAMPLES}.")
    is_end = argument.endswith("valid_to") and span.ends - span.begins >= _DAY
    return span.ends if is_end else span.begins


def _span(text: str, now: datetime, zone: tzinfo | None, toward: Toward = "past") -> Span | None:
    try:
        return read_span(text, now, zone, toward)
    except (ValueError, OverflowError):
        return None


def _numbered_position(argument: str, seq: int) -> LogPosition:
    if type(seq) is not int or not 0 <= seq <= _LARGEST:
        raise _invalid_position(argument, seq, UTC)
    return LogPosition(seq=seq)


def _invalid_position(argument: str, value: object, zone: tzinfo | None) -> GraphError:
    hint = f"Give a log number, an event id (evt_…), {_time_example(zone)}, or {EXAMPLES}."
    return invalid_argument(argument, f"{quote(value)} is not a point in the log", hint)


def _time_example(zone: tzinfo | None) -> str:
    return f"a time such as 2026-03-01 09:00 ({'your time zone' if zone is None else 'UTC'})"
