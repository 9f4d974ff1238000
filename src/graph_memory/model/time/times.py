"""Times as people and agents write them: RFC 3339, dates, and words such as `yesterday` or `since March`.

All arguments that name a time use this parser. It returns a day, month or minute as a span, of which the caller takes
the beginning or the end. It rejects unknown words instead of guessing.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import partial
from typing import Literal

EXAMPLES = '"2 hours ago", yesterday, "last monday", "this month" or "since March"'
"""Examples of words for times, for hints."""
Toward = Literal["past", "nearest", "future"]
"""The direction in which a day or month lies if the text names no year."""

_TICK = timedelta(microseconds=1)
"""The smallest difference of two stored times."""
_DAY = timedelta(days=1)
_LEAP_YEARS = 8
"""Maximum number of years from one 29 February to the next."""
_UNITS = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": _DAY,
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
_NAMED_DAYS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1}
_WEEKDAYS = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_STEPS = {"last": -1, "this": 0, "next": 1}

_pattern = partial(re.compile, flags=re.ASCII)
_LEAD = _pattern(r"(?:(?:since|until|from|during|in|on|the) )+")
_WHILE = r"(\d{1,6}) (second|minute|hour|day|week|month|year)s?"
_AGO = _pattern(rf"{_WHILE} ago")
_IN = _pattern(rf"in {_WHILE}")
_LAST_FEW = _pattern(rf"(?:last|past) {_WHILE}")
_STEP = _pattern(r"(last|this|next) ([a-z]+)")
_CLOCK = _pattern(r"(.*?)(?: at|)(?:^| )(\d{1,2}):(\d{2})(?::(\d{2}))?")
_MONTH = _pattern(r"(?:(\d{1,2}) )?([a-z]+)(?: (\d{1,2}),?)?(?: (\d{4}))?")
_QUARTER = _pattern(r"q([1-4]) (\d{4})|(\d{4})-q([1-4])")
_ISO_MONTH = _pattern(r"(\d{4})(?:-(\d{2}))?")
_ISO_DAY = _pattern(r"\d{4}-\d{2}-\d{2}")
_ISO_TIME = _pattern(r"(\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2})(:\d{2}(?:[.,]\d+)?)? ?(utc|gmt|z|[+-]\d{2}(?::?\d{2})?)?")


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time in UTC that does not include its end. An instant begins and ends at the same time."""

    begins: datetime
    ends: datetime

    @property
    def last(self) -> datetime:
        """The last instant of the span."""
        return max(self.begins, self.ends - _TICK)


def read_span(text: str, now: datetime, zone: tzinfo | None = UTC, toward: Toward = "past") -> Span:
    """Return the span of a text. Raises ValueError or OverflowError for a text that names no time.

    A time without an offset is in `zone`; None is the zone of the machine, as in the standard library. A weekday, or a
    month or day without a year, is by default the last that has begun. `future` selects the next. `nearest` selects the
    nearest month or day, and the last weekday. Weeks begin on Monday.
    """
    plain = " ".join(text.lower().split())
    if ahead := _IN.fullmatch(re.sub(r"^in an? ", "in 1 ", plain)):
        at = now + int(ahead[1]) * _UNITS[ahead[2]]
        return Span(at, at)
    lead = _LEAD.match(plain)
    reading = _Reading(plain[lead.end() :] if lead else plain, now, zone, toward)
    for read in _READERS:
        if (span := read(reading)) is not None:
            return Span(span.begins, max(span.begins, now)) if plain.startswith("since ") else span
    raise ValueError(text)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text in lower case that is read as a time, with the current time and the caller's zone."""

    text: str
    now: datetime
    zone: tzinfo | None
    toward: Toward = "past"

    @property
    def today(self) -> datetime:
        """The last midnight in the caller's zone, without the zone."""
        return datetime.combine(self.now.astimezone(self.zone).date(), time())

    def span(self, begins: datetime, ends: datetime) -> Span:
        return Span(self._to_utc(begins), self._to_utc(ends))

    def minute(self, begins: datetime) -> Span:
        return self.span(begins, begins + timedelta(minutes=1))

    def day(self, begins: datetime) -> Span:
        """Return the day that begins at a local time. The last possible day is empty."""
        return self.span(begins, begins + _DAY if begins.date() < datetime.max.date() else begins)

    def month(self, first: datetime, months: int = 1) -> Span:
        return self.span(first, _months_later(first, months))

    def _to_utc(self, wall: datetime) -> datetime:
        aware = wall.astimezone() if self.zone is None else wall.replace(tzinfo=wall.tzinfo or self.zone)
        return aware.astimezone(UTC)


def _now(reading: _Reading) -> Span | None:
    return Span(reading.now, reading.now) if reading.text == "now" else None


def _ago(reading: _Reading) -> Span | None:
    text = re.sub(r"^an? ", "1 ", reading.text)
    if not (match := _AGO.fullmatch(text)):
        return None
    at = reading.now - int(match[1]) * _UNITS[match[2]]
    return Span(at, at)


def _last_few(reading: _Reading) -> Span | None:
    """Read `last 3 days`: that long, until now."""
    match = _LAST_FEW.fullmatch(reading.text)
    return Span(reading.now - int(match[1]) * _UNITS[match[2]], reading.now) if match else None


def _iso(reading: _Reading) -> Span | None:
    """Read a date, or a time as in RFC 3339. Seconds and zone are optional."""
    if _ISO_DAY.fullmatch(reading.text):
        return reading.day(datetime.fromisoformat(reading.text))
    if not (match := _ISO_TIME.fullmatch(reading.text)):
        return None
    zone = {"utc": "+00:00", "gmt": "+00:00", "z": "+00:00"}.get(match[3] or "", match[3] or "")
    at = datetime.fromisoformat(f"{match[1]}{match[2] or ''}{zone}")
    return reading.span(at, at) if match[2] else reading.minute(at)


def _iso_month(reading: _Reading) -> Span | None:
    """Read `2026-03` or `2026`."""
    if not (match := _ISO_MONTH.fullmatch(reading.text)):
        return None
    first = reading.today.replace(year=int(match[1]), month=int(match[2] or 1), day=1)
    return reading.month(first, 1 if match[2] else 12)


def _quarter(reading: _Reading) -> Span | None:
    """Read `Q1 2025` or `2025-Q1`."""
    if not (match := _QUARTER.fullmatch(reading.text)):
        return None
    year, quarter = int(match[2] or match[3]), int(match[1] or match[4])
    return reading.month(reading.today.replace(year=year, month=3 * quarter - 2, day=1), 3)


def _clock(reading: _Reading) -> Span | None:
    """Read a time of day, today or on a named day: `yesterday 15:46`, `last monday at 9:00`, `15:46`."""
    if not (match := _CLOCK.fullmatch(reading.text)):
        return None
    midnight = _midnight(replace(reading, text=match[1] or "today"))
    if midnight is None:
        return None
    at = midnight.replace(hour=int(match[2]), minute=int(match[3]), second=int(match[4] or 0))
    return reading.span(at, at) if match[4] else reading.minute(at)


def _named_day(reading: _Reading) -> Span | None:
    midnight = _midnight(reading)
    return None if midnight is None else reading.day(midnight)


def _midnight(reading: _Reading) -> datetime | None:
    """Return the beginning of a named day: `today`, `monday`, `last monday`, `next friday`."""
    today = reading.today
    if reading.text in _NAMED_DAYS:
        return today + _NAMED_DAYS[reading.text] * _DAY
    step = _STEP.fullmatch(reading.text)
    weekday = _weekday_number(step[2] if step else reading.text)
    if weekday is None:
        return None
    back = (today.weekday() - weekday) % 7
    match step and step[1]:
        case "last":
            return today - (back or 7) * _DAY
        case "next":
            return today + (7 - back) * _DAY
        case "this":
            return today + (weekday - today.weekday()) * _DAY
        case _ if reading.toward == "future":
            return today + -back % 7 * _DAY
        case _:
            return today - back * _DAY


def _relative_period(reading: _Reading) -> Span | None:
    """Read `this week`, `last weekend`, `last month`, `this quarter`, `next year`, `last March`."""
    if not (match := _STEP.fullmatch(reading.text)):
        return None
    step, this_month = _STEPS[match[1]], reading.today.replace(day=1)
    match match[2]:
        case "week":
            begins = reading.today + (7 * step - reading.today.weekday()) * _DAY
            return reading.span(begins, begins + 7 * _DAY)
        case "weekend":
            begins = reading.today + (7 * step + 5 - reading.today.weekday()) * _DAY
            return reading.span(begins, begins + 2 * _DAY)
        case "month":
            return reading.month(_months_later(this_month, step))
        case "quarter":
            first = this_month.replace(month=this_month.month - (this_month.month - 1) % 3)
            return reading.month(_months_later(first, 3 * step), 3)
        case "year":
            return reading.month(this_month.replace(year=this_month.year + step, month=1), 12)
        case name if (month := _month_number(name)) is not None:
            first = this_month.replace(month=month)
            is_there_yet = step * (first - this_month).days > 0
            return reading.month(first if is_there_yet else first.replace(year=first.year + step))
        case _:
            return None


def _month(reading: _Reading) -> Span | None:
    """Read `March`, `March 2025`, `5 March` and `March 5, 2025`."""
    match = _MONTH.fullmatch(reading.text)
    month = _month_number(match[2]) if match else None
    if match is None or month is None or (match[1] and match[3]):
        return None
    day, this_year = match[1] or match[3], reading.today.year
    reach = _LEAP_YEARS if (month, day) == (2, "29") else 1
    spans = [
        reading.day(begins) if day else reading.month(begins)
        for year in ([int(match[4])] if match[4] else range(this_year - reach, this_year + reach + 1))
        if 0 < int(day or 1) <= monthrange(year, month)[1]
        and (begins := reading.today.replace(year=year, month=month, day=int(day or 1)))
    ]
    return spans[0] if match[4] and spans else _select_span(spans, reading)


def _select_span(spans: list[Span], reading: _Reading) -> Span | None:
    """Return the last span that has begun, the first that is not over, or the nearest, as `toward` says."""
    match reading.toward:
        case "past":
            return next((span for span in reversed(spans) if span.begins <= reading.now), None)
        case "future":
            return next((span for span in spans if span.ends > reading.now), None)
        case "nearest":
            return min(spans, key=lambda span: max(span.begins - reading.now, reading.now - span.ends), default=None)


def _months_later(first: datetime, months: int) -> datetime:
    years, month = divmod(first.month - 1 + months, 12)
    return first.replace(year=first.year + years, month=month + 1)


def _weekday_number(name: str) -> int | None:
    """Return the number of a weekday by its name or first three letters (Monday is 0), or None."""
    names = {key: place for place, stem in enumerate(_WEEKDAYS) for key in (f"{stem}day", stem[:3])}
    return names.get(name)


def _month_number(name: str) -> int | None:
    """Return the number of a month by its name or first three letters (January is 1), or None."""
    names = {key: place for place, month in enumerate(_MONTHS, start=1) for key in (month, month[:3])}
    return names.get(name)


_READERS: tuple[Callable[[_Reading], Span | None], ...] = (
    _now,
    _ago,
    _last_few,
    _iso,
    _iso_month,
    _quarter,
    _clock,
    _named_day,
    _relative_period,
    _month,
)
