"""Parses times as people and agents write them: RFC 3339, dates, and words such as `yesterday` or `since March`.

All time arguments use this parser. It returns a day, month or minute as a span, and the caller uses the start or end of
the span. Unknown words are rejected.
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
"""Examples of times in words, for error hints."""
Toward = Literal["past", "nearest", "future"]
"""The day or month that a text without a year means: the last that has begun, the nearest, or the next."""

_TICK = timedelta(microseconds=1)
"""The smallest difference between two stored times."""
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
_DURATION = r"(\d{1,6}) (second|minute|hour|day|week|month|year)s?"
_AGO = _pattern(rf"{_DURATION} ago")
_IN = _pattern(rf"in {_DURATION}")
_LAST_FEW = _pattern(rf"(?:last|past) {_DURATION}")
_STEP = _pattern(r"(last|this|next) ([a-z]+)")
_CLOCK = _pattern(r"(.*?)(?: at|)(?:^| )(\d{1,2}):(\d{2})(?::(\d{2}))?")
_MONTH = _pattern(r"(?:(\d{1,2}) )?([a-z]+)(?: (\d{1,2}),?)?(?: (\d{4}))?")
_QUARTER = _pattern(r"q([1-4]) (\d{4})|(\d{4})-q([1-4])")
_ISO_MONTH = _pattern(r"(\d{4})(?:-(\d{2}))?")
_ISO_DAY = _pattern(r"\d{4}-\d{2}-\d{2}")
_ISO_TIME = _pattern(r"(\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2})(:\d{2}(?:[.,]\d+)?)? ?(utc|gmt|z|[+-]\d{2}(?::?\d{2})?)?")


@dataclass(frozen=True, slots=True)
class Span:
    """A time span in UTC that excludes its end. An instant is a span whose start equals its end."""

    start: datetime
    end: datetime

    @property
    def last(self) -> datetime:
        """The last instant in the span. For an empty span, this is the start."""
        return max(self.start, self.end - _TICK)


def read_span(text: str, now: datetime, zone: tzinfo | None = UTC, toward: Toward = "past") -> Span:
    """Parse text as a time span. Raises ValueError or OverflowError if it is not a time.

    A time without an offset is in `zone`. As in the standard library, None means the machine's zone. By default, a
    weekday, or a month or day without a year, means the latest that has begun. With `toward="future"`, it means the
    next. With `toward="nearest"`, it means the nearest month or day, but the latest weekday. Weeks begin on Monday.
    """
    normalized = " ".join(text.lower().split())
    if ahead := _IN.fullmatch(re.sub(r"^in an? ", "in 1 ", normalized)):
        at = now + int(ahead[1]) * _UNITS[ahead[2]]
        return Span(at, at)
    prefix = _LEAD.match(normalized)
    parser = _TimeParser(normalized[prefix.end() :] if prefix else normalized, now, zone, toward)
    for read in _READERS:
        if (span := read(parser)) is not None:
            return Span(span.start, max(span.start, now)) if normalized.startswith("since ") else span
    raise ValueError(text)


@dataclass(frozen=True, slots=True)
class _TimeParser:
    """A lower-case text to parse as a time, with the current time and the caller's time zone."""

    text: str
    now: datetime
    zone: tzinfo | None
    toward: Toward = "past"

    @property
    def today(self) -> datetime:
        """The last midnight in the caller's time zone, as a datetime without a zone."""
        return datetime.combine(self.now.astimezone(self.zone).date(), time())

    def span(self, start: datetime, end: datetime) -> Span:
        return Span(self._to_utc(start), self._to_utc(end))

    def minute(self, start: datetime) -> Span:
        return self.span(start, start + timedelta(minutes=1))

    def day(self, start: datetime) -> Span:
        """Return the day that begins at a local time. The calendar's last day is returned as an empty span."""
        return self.span(start, start + _DAY if start.date() < datetime.max.date() else start)

    def month(self, first: datetime, months: int = 1) -> Span:
        return self.span(first, _months_later(first, months))

    def _to_utc(self, wall: datetime) -> datetime:
        aware = wall.astimezone() if self.zone is None else wall.replace(tzinfo=wall.tzinfo or self.zone)
        return aware.astimezone(UTC)


def _read_now(parser: _TimeParser) -> Span | None:
    return Span(parser.now, parser.now) if parser.text == "now" else None


def _read_ago(parser: _TimeParser) -> Span | None:
    text = re.sub(r"^an? ", "1 ", parser.text)
    if not (match := _AGO.fullmatch(text)):
        return None
    at = parser.now - int(match[1]) * _UNITS[match[2]]
    return Span(at, at)


def _read_last_few(parser: _TimeParser) -> Span | None:
    """Parse `last 3 days` as the span of this length that ends now."""
    match = _LAST_FEW.fullmatch(parser.text)
    return Span(parser.now - int(match[1]) * _UNITS[match[2]], parser.now) if match else None


def _read_iso(parser: _TimeParser) -> Span | None:
    """Parse a date, or a time as in RFC 3339. Seconds and zone are optional."""
    if _ISO_DAY.fullmatch(parser.text):
        return parser.day(datetime.fromisoformat(parser.text))
    if not (match := _ISO_TIME.fullmatch(parser.text)):
        return None
    zone = {"utc": "+00:00", "gmt": "+00:00", "z": "+00:00"}.get(match[3] or "", match[3] or "")
    at = datetime.fromisoformat(f"{match[1]}{match[2] or ''}{zone}")
    return parser.span(at, at) if match[2] else parser.minute(at)


def _read_iso_month(parser: _TimeParser) -> Span | None:
    """Parse `2026-03` or `2026`."""
    if not (match := _ISO_MONTH.fullmatch(parser.text)):
        return None
    first = parser.today.replace(year=int(match[1]), month=int(match[2] or 1), day=1)
    return parser.month(first, 1 if match[2] else 12)


def _read_quarter(parser: _TimeParser) -> Span | None:
    """Parse `Q1 2025` or `2025-Q1`."""
    if not (match := _QUARTER.fullmatch(parser.text)):
        return None
    year, quarter = int(match[2] or match[3]), int(match[1] or match[4])
    return parser.month(parser.today.replace(year=year, month=3 * quarter - 2, day=1), 3)


def _read_clock(parser: _TimeParser) -> Span | None:
    """Parse a time of day, today or on a given day: `yesterday 15:46`, `last monday at 9:00`, `15:46`."""
    if not (match := _CLOCK.fullmatch(parser.text)):
        return None
    midnight = _midnight(replace(parser, text=match[1] or "today"))
    if midnight is None:
        return None
    at = midnight.replace(hour=int(match[2]), minute=int(match[3]), second=int(match[4] or 0))
    return parser.span(at, at) if match[4] else parser.minute(at)


def _read_named_day(parser: _TimeParser) -> Span | None:
    midnight = _midnight(parser)
    return None if midnight is None else parser.day(midnight)


def _midnight(parser: _TimeParser) -> datetime | None:
    """Return the local midnight at the start of a day such as `today`, `monday` or `next friday`, or None."""
    today = parser.today
    if parser.text in _NAMED_DAYS:
        return today + _NAMED_DAYS[parser.text] * _DAY
    step = _STEP.fullmatch(parser.text)
    weekday = _weekday_number(step[2] if step else parser.text)
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
        case _ if parser.toward == "future":
            return today + -back % 7 * _DAY
        case _:
            return today - back * _DAY


def _read_relative_period(parser: _TimeParser) -> Span | None:
    """Parse `this week`, `last weekend`, `last month`, `this quarter`, `next year`, `last March`."""
    if not (match := _STEP.fullmatch(parser.text)):
        return None
    step, this_month = _STEPS[match[1]], parser.today.replace(day=1)
    match match[2]:
        case "week":
            start = parser.today + (7 * step - parser.today.weekday()) * _DAY
            return parser.span(start, start + 7 * _DAY)
        case "weekend":
            start = parser.today + (7 * step + 5 - parser.today.weekday()) * _DAY
            return parser.span(start, start + 2 * _DAY)
        case "month":
            return parser.month(_months_later(this_month, step))
        case "quarter":
            first = this_month.replace(month=this_month.month - (this_month.month - 1) % 3)
            return parser.month(_months_later(first, 3 * step), 3)
        case "year":
            return parser.month(this_month.replace(year=this_month.year + step, month=1), 12)
        case name if (month := _month_number(name)) is not None:
            first = this_month.replace(month=month)
            is_in_direction = step * (first - this_month).days > 0
            return parser.month(first if is_in_direction else first.replace(year=first.year + step))
        case _:
            return None


def _read_month(parser: _TimeParser) -> Span | None:
    """Parse `March`, `March 2025`, `5 March` and `March 5, 2025`."""
    match = _MONTH.fullmatch(parser.text)
    month = _month_number(match[2]) if match else None
    if match is None or month is None or (match[1] and match[3]):
        return None
    day, this_year = match[1] or match[3], parser.today.year
    years_around = _LEAP_YEARS if (month, day) == (2, "29") else 1
    spans = [
        parser.day(start) if day else parser.month(start)
        for year in ([int(match[4])] if match[4] else range(this_year - years_around, this_year + years_around + 1))
        if 0 < int(day or 1) <= monthrange(year, month)[1]
        and (start := parser.today.replace(year=year, month=month, day=int(day or 1)))
    ]
    return spans[0] if match[4] and spans else _select_span(spans, parser)


def _select_span(spans: list[Span], parser: _TimeParser) -> Span | None:
    """Return the span that `toward` selects: the last that has begun, the nearest, or the first that is not over."""
    match parser.toward:
        case "past":
            return next((span for span in reversed(spans) if span.start <= parser.now), None)
        case "future":
            return next((span for span in spans if span.end > parser.now), None)
        case "nearest":
            return min(spans, key=lambda span: max(span.start - parser.now, parser.now - span.end), default=None)


def _months_later(first: datetime, months: int) -> datetime:
    years, month = divmod(first.month - 1 + months, 12)
    return first.replace(year=first.year + years, month=month + 1)


def _weekday_number(name: str) -> int | None:
    """Return a weekday's number (Monday is 0) from its name or its first three letters, or None."""
    names = {key: number for number, stem in enumerate(_WEEKDAYS) for key in (f"{stem}day", stem[:3])}
    return names.get(name)


def _month_number(name: str) -> int | None:
    """Return a month's number (January is 1) from its name or its first three letters, or None."""
    names = {key: number for number, month in enumerate(_MONTHS, start=1) for key in (month, month[:3])}
    return names.get(name)


_READERS: tuple[Callable[[_TimeParser], Span | None], ...] = (
    _read_now,
    _read_ago,
    _read_last_few,
    _read_iso,
    _read_iso_month,
    _read_quarter,
    _read_clock,
    _read_named_day,
    _read_relative_period,
    _read_month,
)
