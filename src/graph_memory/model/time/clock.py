"""How far the times that clocks give are believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

AHEAD = timedelta(days=1)
"""How far times may run ahead of the clock: a wrong time zone makes up to half of it."""
FLOOR = datetime(2026, 1, 1, tzinfo=UTC)
"""A clock that shows less has lost the time."""


def in_utc(moment: datetime) -> datetime:
    """Return a time in UTC; one without a zone is in UTC already."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def next_time(last: datetime, now: datetime) -> datetime:
    """Return the time that events carry which follow one of a time: never before it, as far as a clock can be trusted.

    A last time far ahead was stamped by a clock that was wrong, so what follows carries the present time again. The log
    is in the order of its numbers then, not of its times; its domain notes where (`_turns`).
    """
    is_wrong = last - now > AHEAD and now >= FLOOR
    return now if is_wrong else max(now, last)


def may_follow(last: datetime, at: datetime) -> bool:
    """Say whether an event of one time may have been written after one of another, by `next_time`."""
    return at >= last or (last - at > AHEAD and at >= FLOOR)
