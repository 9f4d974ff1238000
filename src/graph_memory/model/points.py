"""Points in a log as people and agents name them: a number, an event's id, a time, or a while ago."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from graph_memory.model.arguments import fault, is_encodable
from graph_memory.model.clock import in_utc
from graph_memory.model.errors import GraphError
from graph_memory.model.wording import quoted

_AGO = re.compile(r"(?P<number>\d{1,6}|an?) (?P<unit>second|minute|hour|day|week|month|year)s? ago", re.IGNORECASE)
_UNITS = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
_LARGEST = 2**53


@dataclass(frozen=True, slots=True)
class LogPosition:
    """A point in a log: exactly one of a number in it, the id of an event, and a time."""

    seq: int | None = None
    event: str | None = None
    at: datetime | None = None


def moment(argument: str, given: int | str, now: datetime) -> LogPosition:
    """Return the point that was named. Raises INVALID_ARGUMENT.

    It is a number of the log, the id of an event (`evt_…`), an RFC 3339 time or date (in UTC if it does not say),
    `now`, or how long ago, such as `2 hours ago`.
    """
    if not isinstance(given, str):
        return _numbered(argument, given)
    text = given.strip()
    if text.isascii() and text.isdigit() and len(text) < 20:
        return _numbered(argument, int(text))
    if text.startswith("evt_") and is_encodable(text):
        return LogPosition(event=text)
    return LogPosition(at=_time(argument, text, now))


def instant(argument: str, given: datetime | str, now: datetime) -> datetime:
    """Return a time in the world, given as one, as text or as how long ago. Raises INVALID_ARGUMENT."""
    if isinstance(given, str):
        try:
            return _read_time(given.strip(), now)
        except (ValueError, OverflowError):
            given = quoted(given)
    elif isinstance(given, datetime):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        return in_utc(given)
    hint = 'Give a time such as 2026-03-01T09:00:00Z, a date, now, or "2 hours ago".'
    raise fault(argument, f"{given} is not a time", hint)


def _numbered(argument: str, seq: int) -> LogPosition:
    if type(seq) is not int or not 0 <= seq <= _LARGEST:
        raise _unreadable(argument, seq)
    return LogPosition(seq=seq)


def _time(argument: str, text: str, now: datetime) -> datetime:
    try:
        return _read_time(text, now)
    except (ValueError, OverflowError):
        raise _unreadable(argument, text) from None


def _read_time(text: str, now: datetime) -> datetime:
    if text.lower() == "now":
        return now
    if ago := _AGO.fullmatch(text):
        number = 1 if ago["number"].lower() in ("a", "an") else int(ago["number"])
        return now - number * _UNITS[ago["unit"].lower()]
    return in_utc(datetime.fromisoformat(text))


def _unreadable(argument: str, given: object) -> GraphError:
    hint = 'Give a log number, an event id (evt_…), a time such as 2026-03-01T09:00:00Z, or "2 hours ago".'
    return fault(argument, f"{quoted(given)} is not a point in the log", hint)
