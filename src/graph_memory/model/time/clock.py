"""Times of events, and the tolerance for wrong clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

AHEAD = timedelta(days=1)
"""Maximum time that an event may be ahead of the clock. A wrong time zone accounts for up to half of it."""
FLOOR = datetime(2026, 1, 1, tzinfo=UTC)
"""A clock before this time is wrong."""


def in_utc(moment: datetime) -> datetime:
    """Return a time in UTC. A time without a zone is taken as UTC."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def next_time(last: datetime, now: datetime) -> datetime:
    """Return the time of the next events: `now`, but never before the time of the last event.

    If the last event is far ahead of the clock, its clock was wrong, and the next events have the present time again.
    The log is then ordered by number, not by time; its domain notes where (`_turns`).
    """
    is_wrong = last - now > AHEAD and now >= FLOOR
    return now if is_wrong else max(now, last)


def may_follow(last: datetime, at: datetime) -> bool:
    """Return whether an event at the time `at` may follow an event at the time `last`, by `next_time`."""
    return at >= last or (last - at > AHEAD and at >= FLOOR)


def rfc3339(moment: datetime) -> str:
    """Return a time as RFC 3339 in UTC with `Z`."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
