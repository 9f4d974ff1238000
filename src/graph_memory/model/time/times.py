"""Times as people and agents write them: RFC 3339, dates, and words such as `yesterday` or `since March`.

One parser for every argument that names a time. What names a day, a month or a minute is read as all of it; whoever
asks takes its beginning or its end. It is small on purpose: what it does not know is refused, never guessed.
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
"""Words that are read, for hints."""
Toward = Literal["past", "nearest", "future"]
"""Which of the days or months with a name is meant, if the text names no year."""

_TICK = timedelta(microseconds=1)
"""The smallest step between two times that are stored."""
_DAY = timedelta(days=1)
_LEAP_YEARS = 8
"""Maximum number of years between two 29th of February."""
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
    """All of a time that was named, in UTC: from its beginning until before its end; an instant has both alike."""

    begins: datetime
    ends: datetime

    @property
    def last(self) -> datetime:
        """The last instant in it."""
        return max(self.begins, self.ends - _TICK)


def read_span(text: str, now: datetime, zone: tzinfo | None = UTC, toward: Toward = "past") -> Span:
    """Return the time that a text names. Raises ValueError and OverflowError for a text that names none.

    A time without an offset is in `zone`; None stands for the zone of the machine, as in the standard library.
    A weekday, or a month or day without a year, is by default the last one that has begun. `future` selects the next
    one. `nearest` selects the nearest month or day, and the last weekday. Weeks begin on Monday.
    """
    plain = " ".join(text.lower().split())
    if ahead := _IN.fullmatch(re.sub(r"^in an? ", "in 1 ", plain)):
        at = now + int(ahead[1]) * _UNITS[ahead[2]]
        return Span(at, at)
    lead = _LEAD.match(plain)
    reading = _Reading(plain[lead.end() :] if lead else plain, now, zone, toward)
    for read in _READERS:
        if (found := read(reading)) is not None:
            return Span(found.begins, max(found.begins, now)) if plain.startswith("since ") else found
    raise ValueError(text)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text to be read, in lower case, and what the time is where the reader is."""

    text: str
    now: datetime
    zone: tzinfo | None
    toward: Toward = "past"

    @property
    def today(self) -> datetime:
        """The midnight with which the day begins there, without a zone."""
        return datetime.combine(self.now.astimezone(self.zone).date(), time())

    def span(self, begins: datetime, ends: datetime) -> Span:
        """Return what lies between two times of a clock there."""
        return Span(self._placed(begins), self._placed(ends))

    def minute(self, begins: datetime) -> Span:
        """Return the minute that begins then."""
        return self.span(begins, begins + timedelta(minutes=1))

    def day(self, begins: datetime) -> Span:
        """Return the day that begins then; the last one that there is has no end."""
        return self.span(begins, begins + _DAY if begins.date() < datetime.max.date() else begins)

    def month(self, first: datetime, months: int = 1) -> Span:
        """Return the month that begins then, or several."""
        return self.span(first, _months_later(first, months))

    def _placed(self, wall: datetime) -> datetime:
        aware = wall.astimezone() if self.zone is None else wall.replace(tzinfo=wall.tzinfo or self.zone)
        return aware.astimezone(UTC)


def _now(reading: _Reading) -> Span | None:
    return Span(reading.now, reading.now) if reading.text == "now" else None


def _ago(reading: _Reading) -> Span | None:
    text = re.sub(r"^an? ", "1 ", reading.text)
    if not (found := _AGO.fullmatch(text)):
        return None
    at = reading.now - int(found[1]) * _UNITS[found[2]]
    return Span(at, at)


def _last_few(reading: _Reading) -> Span | None:
    """Read `last 3 days`: so long a time, until now."""
    found = _LAST_FEW.fullmatch(reading.text)
    return Span(reading.now - int(found[1]) * _UNITS[found[2]], reading.now) if found else None


def _iso(reading: _Reading) -> Span | None:
    """Read a date, or a time as RFC 3339 has it; its seconds and its zone may be left out."""
    if _ISO_DAY.fullmatch(reading.text):
        return reading.day(datetime.fromisoformat(reading.text))
    if not (found := _ISO_TIME.fullmatch(reading.text)):
        return None
    zone = {"utc": "+00:00", "gmt": "+00:00", "z": "+00:00"}.get(found[3] or "", found[3] or "")
    at = datetime.fromisoformat(f"{found[1]}{found[2] or ''}{zone}")
    return reading.span(at, at) if found[2] else reading.minute(at)


def _iso_month(reading: _Reading) -> Span | None:
    """Read `2026-03` or `2026`."""
    if not (found := _ISO_MONTH.fullmatch(reading.text)):
        return None
    first = reading.today.replace(year=int(found[1]), month=int(found[2] or 1), day=1)
    return reading.month(first, 1 if found[2] else 12)


def _quarter(reading: _Reading) -> Span | None:
    """Read `Q1 2025` or `2025-Q1`."""
    if not (found := _QUARTER.fullmatch(reading.text)):
        return None
    year, quarter = int(found[2] or found[3]), int(found[1] or found[4])
    return reading.month(reading.today.replace(year=year, month=3 * quarter - 2, day=1), 3)


def _clock(reading: _Reading) -> Span | None:
    """Read a time of day on a named day or today: `yesterday 15:46`, `last monday at 9:00`, `15:46`."""
    if not (found := _CLOCK.fullmatch(reading.text)):
        return None
    midnight = _midnight(replace(reading, text=found[1] or "today"))
    if midnight is None:
        return None
    at = midnight.replace(hour=int(found[2]), minute=int(found[3]), second=int(found[4] or 0))
    return reading.span(at, at) if found[4] else reading.minute(at)


def _named_day(reading: _Reading) -> Span | None:
    midnight = _midnight(reading)
    return None if midnight is None else reading.day(midnight)


def _midnight(reading: _Reading) -> datetime | None:
    """Return when a named day begins: `today`, `monday`, `last monday`, `next friday`."""
    today = reading.today
    if reading.text in _NAMED_DAYS:
        return today + _NAMED_DAYS[reading.text] * _DAY
    step = _STEP.fullmatch(reading.text)
    weekday = _weekday(step[2] if step else reading.text)
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


def _stepped(reading: _Reading) -> Span | None:
    """Read `this week`, `last weekend`, `last month`, `this quarter`, `next year`, `last March`."""
    if not (found := _STEP.fullmatch(reading.text)):
        return None
    step, this_month = _STEPS[found[1]], reading.today.replace(day=1)
    match found[2]:
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
        case name if (month := _month_named(name)) is not None:
            first = this_month.replace(month=month)
            is_there_yet = step * (first - this_month).days > 0
            return reading.month(first if is_there_yet else first.replace(year=first.year + step))
        case _:
            return None


def _month(reading: _Reading) -> Span | None:
    """Read `March`, `March 2025`, `5 March` and `March 5, 2025`."""
    found = _MONTH.fullmatch(reading.text)
    month = _month_named(found[2]) if found else None
    if found is None or month is None or (found[1] and found[3]):
        return None
    day, this_year = found[1] or found[3], reading.today.year
    reach = _LEAP_YEARS if (month, day) == (2, "29") else 1
    spans = [
        reading.day(begins) if day else reading.month(begins)
        for year in ([int(found[4])] if found[4] else range(this_year - reach, this_year + reach + 1))
        if 0 < int(day or 1) <= monthrange(year, month)[1]
        and (begins := reading.today.replace(year=year, month=month, day=int(day or 1)))
    ]
    return spans[0] if found[4] and spans else _selected(spans, reading)


def _selected(spans: list[Span], reading: _Reading) -> Span | None:
    """Return the last span that has begun, the first that is not over, or the nearest to now. They are in order."""
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


def _weekday(name: str) -> int | None:
    """Return which weekday a name or its first three letters mean, 0 for Monday."""
    names = {key: place for place, one in enumerate(_WEEKDAYS) for key in (f"{one}day", one[:3])}
    return names.get(name)


def _month_named(name: str) -> int | None:
    """Return which month a name or its first three letters mean, 1 for January."""
    names = {key: place for place, one in enumerate(_MONTHS, start=1) for key in (one, one[:3])}
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
    _stepped,
    _month,
)
