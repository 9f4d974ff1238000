"""Times as people write them, read on Monday 23 November 2026, 12:30:15 UTC."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from graph_memory.model.time.times import Span, Toward, read_span
from tables import for_rows

NOW = datetime(2026, 11, 23, 12, 30, 15, tzinfo=UTC)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


def days(begins: datetime, count: int = 1) -> Span:
    return Span(begins, begins + timedelta(days=count))


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in New York, which is five hours behind in winter and four in summer."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@for_rows(
    ("text", "span"),
    [
        ("today", days(utc(2026, 11, 23))),
        ("yesterday", days(utc(2026, 11, 22))),
        ("tomorrow", days(utc(2026, 11, 24))),
        ("monday", days(utc(2026, 11, 23))),
        ("on Tuesday", days(utc(2026, 11, 17))),
        ("sun", days(utc(2026, 11, 22))),
        ("last monday", days(utc(2026, 11, 16))),
        ("last Friday", days(utc(2026, 11, 20))),
        ("next monday", days(utc(2026, 11, 30))),
        ("this friday", days(utc(2026, 11, 27))),
        ("this week", days(utc(2026, 11, 23), 7)),
        ("last  week", days(utc(2026, 11, 16), 7)),
        ("next week", days(utc(2026, 11, 30), 7)),
        ("the day before yesterday", days(utc(2026, 11, 21))),
        ("last weekend", days(utc(2026, 11, 21), 2)),
        ("this weekend", days(utc(2026, 11, 28), 2)),
        ("this quarter", days(utc(2026, 10, 1), 92)),
        ("next quarter", days(utc(2027, 1, 1), 90)),
        ("Q3 2025", days(utc(2025, 7, 1), 92)),
        ("2025-q4", days(utc(2025, 10, 1), 92)),
        ("this month", days(utc(2026, 11, 1), 30)),
        ("last month", days(utc(2026, 10, 1), 31)),
        ("this year", days(utc(2026, 1, 1), 365)),
        ("last year", days(utc(2025, 1, 1), 365)),
        ("March", days(utc(2026, 3, 1), 31)),
        ("dec", days(utc(2025, 12, 1), 31)),
        ("last November", days(utc(2025, 11, 1), 30)),
        ("next March", days(utc(2027, 3, 1), 31)),
        ("March 2025", days(utc(2025, 3, 1), 31)),
        ("5 March", days(utc(2026, 3, 5))),
        ("December 24", days(utc(2025, 12, 24))),
        ("March 5, 2025", days(utc(2025, 3, 5))),
        ("in 2025", days(utc(2025, 1, 1), 365)),
        ("2026-03", days(utc(2026, 3, 1), 31)),
        ("2026-03-01", days(utc(2026, 3, 1))),
    ],
)
def test_a_day_a_week_a_month_and_a_year_are_read_whole(text: str, span: Span) -> None:
    assert read_span(text, NOW) == span


@for_rows(
    ("text", "toward", "begins"),
    [
        ("1 December", "nearest", utc(2026, 12, 1)),
        ("1 December", "future", utc(2026, 12, 1)),
        ("August", "nearest", utc(2026, 8, 1)),
        ("August", "future", utc(2027, 8, 1)),
        ("November", "future", utc(2026, 11, 1)),
        ("23 November", "future", utc(2026, 11, 23)),
        ("29 February", "past", utc(2024, 2, 29)),
        ("29 February", "future", utc(2028, 2, 29)),
        ("friday", "nearest", utc(2026, 11, 20)),
        ("friday", "future", utc(2026, 11, 27)),
        ("monday", "future", utc(2026, 11, 23)),
        ("last friday", "future", utc(2026, 11, 20)),
        ("March 2025", "future", utc(2025, 3, 1)),
    ],
)
def test_the_caller_chooses_which_day_without_a_year_is_meant(text: str, toward: Toward, begins: datetime) -> None:
    assert read_span(text, NOW, toward=toward).start == begins


@for_rows(
    ("text", "begins"),
    [
        ("2026-03-01 15:46", utc(2026, 3, 1, 15, 46)),
        ("2026-03-01T15:46Z", utc(2026, 3, 1, 15, 46)),
        ("2026-03-01 15:46 UTC", utc(2026, 3, 1, 15, 46)),
        ("2026-03-01 15:46 -05", utc(2026, 3, 1, 20, 46)),
        ("2026-03-01 15:46 +0530", utc(2026, 3, 1, 10, 16)),
        ("2026-03-01 15:46+05:30", utc(2026, 3, 1, 10, 16)),
        ("yesterday 15:46", utc(2026, 11, 22, 15, 46)),
        ("last monday at 9:05", utc(2026, 11, 16, 9, 5)),
        ("15:46", utc(2026, 11, 23, 15, 46)),
    ],
)
def test_a_time_without_seconds_is_the_whole_minute(text: str, begins: datetime) -> None:
    assert read_span(text, NOW) == Span(begins, begins + timedelta(minutes=1))
    assert read_span(text, NOW).last == begins + timedelta(minutes=1, microseconds=-1)


@for_rows(
    ("text", "at"),
    [
        ("now", NOW),
        ("2 hours ago", NOW - timedelta(hours=2)),
        ("An Hour ago", NOW - timedelta(hours=1)),
        ("2026-03-01T15:46:10.123456Z", utc(2026, 3, 1, 15, 46, 10, 123456)),
        ("2026-03-01t15:46:10+02:00", utc(2026, 3, 1, 13, 46, 10)),
        ("today 9:00:05", utc(2026, 11, 23, 9, 0, 5)),
    ],
)
def test_an_instant_is_an_instant(text: str, at: datetime) -> None:
    assert read_span(text, NOW) == Span(at, at)
    assert read_span(text, NOW).last == at


@for_rows(
    ("text", "begins"),
    [
        ("since March", utc(2026, 3, 1)),
        ("since last monday", utc(2026, 11, 16)),
        ("since 2026-03-01", utc(2026, 3, 1)),
        ("last 3 days", NOW - timedelta(days=3)),
        ("the past 24 hours", NOW - timedelta(hours=24)),
    ],
)
def test_what_goes_on_until_now_ends_now(text: str, begins: datetime) -> None:
    assert read_span(text, NOW) == Span(begins, NOW)


@for_rows(
    "text",
    [
        "", "yesterday-ish", "last", "last 5", "ago", "two hours ago", "999999 years ago", "25:00", "15:60", "feb 30",
        "5 march 5", "2026-13", "2026-02-30", "2026-03-01-05:00", "2026-03-01 15:46 CET", "someday 15:46", "0000",
        "9999", "\x00", "１２:３４",
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused_and_never_guessed(text: str) -> None:
    with pytest.raises((ValueError, OverflowError)):
        read_span(text, NOW)


def test_the_last_day_that_there_is_can_be_named() -> None:
    assert read_span("9999-12-31", NOW).start == utc(9999, 12, 31)


def test_what_names_no_zone_is_in_that_of_the_reader() -> None:
    tokyo = timezone(timedelta(hours=9))
    late = utc(2026, 11, 23, 20)  # which is Tuesday, 5:00, in Tokyo
    assert read_span("today", late, tokyo) == days(utc(2026, 11, 23, 15))
    assert read_span("2026-03-01", late, tokyo) == days(utc(2026, 2, 28, 15))
    assert read_span("2026-03-01 09:00", late, tokyo).start == utc(2026, 3, 1)
    assert read_span("2026-03-01 09:00Z", late, tokyo).start == utc(2026, 3, 1, 9)


@pytest.mark.usefixtures("new_york")
def test_the_zone_of_the_machine_has_its_summer_time() -> None:
    assert read_span("yesterday", NOW, None) == days(utc(2026, 11, 22, 5))
    assert read_span("2026-07-01 15:46", NOW, None).start == utc(2026, 7, 1, 19, 46)
    assert read_span("2026-11-01", NOW, None) == Span(utc(2026, 11, 1, 4), utc(2026, 11, 2, 5))  # a day of 25 hours
