"""Chooses event times, even if a clock is wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

AHEAD = timedelta(days=1)
"""Maximum time that an event can be ahead of the clock. A wrong time zone accounts for up to half of it."""
FLOOR = datetime(2026, 1, 1, tzinfo=UTC)
"""The earliest plausible time of a clock. Clocks with an earlier time are wrong."""


def in_utc(moment: datetime) -> datetime:
    """Return a time in UTC. A time without a zone counts as UTC."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def next_time(last: datetime, now: datetime) -> datetime:
    """Return the time of the next events: `now`, or the last event's time if that is later.

    If the last event is more than `AHEAD` after `now`, its clock was wrong, and `now` is returned. The log is then
    ordered by number and not by time. Its domain records the numbers at which times decrease (`_turns`).
    """
    is_wrong = last - now > AHEAD and now >= FLOOR
    return now if is_wrong else max(now, last)


def may_follow(last: datetime, at: datetime) -> bool:
    """Return whether `next_time` allows an event at the time `at` after an event at the time `last`."""
    return at >= last or (last - at > AHEAD and at >= FLOOR)


def rfc3339(moment: datetime) -> str:
    """Return a time as RFC 3339 in UTC with `Z`."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
