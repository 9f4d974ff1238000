"""Points in a log as people and agents name them: a number, an event's id, or a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import quoted
from graph_memory.model.time.clock import in_utc
from graph_memory.model.time.times import EXAMPLES, Span, Toward, read_span
from graph_memory.model.values.arguments import fault, is_encodable

_LARGEST = 2**53
_ENDS = frozenset({"until", "at", "as-of", "as_of"})
"""Arguments for which a day, a month or a minute is meant to its end; for all others, from its beginning."""

_SESSION = re.compile(
    r"(?:since |the |our |my )*(?:last|previous) (?:session|time)(?: of (?P<whose>.+))?", re.IGNORECASE
)

_DAY = timedelta(hours=23)
"""The length from which a span is a day or more; a day on which clocks go forward has 23 hours."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """A point in a log: exactly one of a number in it, the id of an event, and a time."""

    seq: int | None = None
    event: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NamedSession:
    """The last session as a point of a log; `whose` is a project, an actor or a session id."""

    whose: str | None = None


def session_named(given: object) -> NamedSession | None:
    """Return the session that `last session` or `last session of Apollo` names, None for any other point."""
    found = _SESSION.fullmatch(" ".join(given.split())) if isinstance(given, str) else None
    return None if found is None else NamedSession(found["whose"])


def moment(argument: str, given: int | str, now: datetime, zone: tzinfo | None = UTC) -> LogPosition:
    """Return the point that was named. Raises INVALID_ARGUMENT.

    It is a number of the log, the id of an event (`evt_…`), or a time as `times` reads it: in `zone` if it does not
    say, None for that of the machine. Of a whole day, month or minute, `until` and `at` mean the end.
    """
    if not isinstance(given, str):
        return _numbered(argument, given)
    text = given.strip()
    if text.isascii() and text.isdigit() and len(text) < 20:
        return _numbered(argument, int(text))
    if text.startswith("evt_") and is_encodable(text):
        return LogPosition(event=text)
    found = _span(text, now, zone)
    if found is None:
        raise _unreadable(argument, text, zone)
    return LogPosition(at=found.last if argument.lstrip("-") in _ENDS else found.begins)


def instant(argument: str, given: datetime | str, now: datetime, zone: tzinfo | None = UTC) -> datetime:
    """Return a time in the world, in UTC. Raises INVALID_ARGUMENT.

    A whole day, month or year means its beginning, and its end for `valid_to`: what holds to 26 May holds on that day.
    A month or day without a year is the nearest one.
    """
    if isinstance(given, datetime):
        return in_utc(given)
    found = _span(given, now, zone, "nearest") if isinstance(given, str) else None  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
    if found is None:
        told = quoted(given) if isinstance(given, str) else given  # pyright: ignore[reportUnnecessaryIsInstance] - as above
        raise fault(argument, f"{told} is not a time", f"Give {_time_in(zone)}, now, or {EXAMPLES}.")
    is_end = argument.endswith("valid_to") and found.ends - found.begins >= _DAY
    return found.ends if is_end else found.begins


def _span(text: str, now: datetime, zone: tzinfo | None, toward: Toward = "past") -> Span | None:
    try:
        return read_span(text, now, zone, toward)
    except (ValueError, OverflowError):
        return None


def _numbered(argument: str, seq: int) -> LogPosition:
    if type(seq) is not int or not 0 <= seq <= _LARGEST:
        raise _unreadable(argument, seq, UTC)
    return LogPosition(seq=seq)


def _unreadable(argument: str, given: object, zone: tzinfo | None) -> GraphError:
    hint = f"Give a log number, an event id (evt_…), {_time_in(zone)}, or {EXAMPLES}."
    return fault(argument, f"{quoted(given)} is not a point in the log", hint)


def _time_in(zone: tzinfo | None) -> str:
    return f"a time such as 2026-03-01 09:00 ({'your time zone' if zone is None else 'UTC'})"
