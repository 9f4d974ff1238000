"""Points in a log, as people and agents name them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.time.points import LogPosition, parse_instant, parse_log_position
from tables import for_rows

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@for_rows(
    ("value", "expected"),
    [
        (7, LogPosition(seq=7)),
        ("7", LogPosition(seq=7)),
        (" 0 ", LogPosition(seq=0)),
        ("evt_01M8", LogPosition(event="evt_01M8")),
        ("2026-02-28T10:00:00Z", LogPosition(at=datetime(2026, 2, 28, 10, tzinfo=UTC))),
        ("2026-02-28T10:00:00+02:00", LogPosition(at=datetime(2026, 2, 28, 8, tzinfo=UTC))),
        ("2026-02-28T10:00:00", LogPosition(at=datetime(2026, 2, 28, 10, tzinfo=UTC))),
        ("2026-02-28", LogPosition(at=datetime(2026, 2, 28, tzinfo=UTC))),
        ("now", LogPosition(at=NOW)),
        ("2 hours ago", LogPosition(at=NOW - timedelta(hours=2))),
        ("an hour ago", LogPosition(at=NOW - timedelta(hours=1))),
        ("1 Day Ago", LogPosition(at=NOW - timedelta(days=1))),
        ("3 weeks ago", LogPosition(at=NOW - timedelta(weeks=3))),
        ("yesterday", LogPosition(at=datetime(2026, 2, 28, tzinfo=UTC))),
        ("since last month", LogPosition(at=datetime(2026, 2, 1, tzinfo=UTC))),
    ],
)
def test_a_point_is_read(value: int | str, expected: LogPosition) -> None:
    assert parse_log_position("since", value, NOW) == expected


@pytest.mark.parametrize(("argument", "is_end"), [("since", False), ("before", False), ("until", True), ("at", True)])
def test_a_day_is_meant_from_its_beginning_or_to_its_end(argument: str, is_end: bool) -> None:
    begins = datetime(2026, 2, 28, tzinfo=UTC)
    at = begins + timedelta(days=1, microseconds=-1) if is_end else begins
    assert parse_log_position(argument, "yesterday", NOW) == LogPosition(at=at)
    assert parse_log_position(argument, "2026-02-28", NOW) == LogPosition(at=at)


def test_a_date_in_the_world_means_its_beginning_and_as_valid_to_its_end() -> None:
    assert parse_instant("valid_from", "yesterday", NOW) == datetime(2026, 2, 28, tzinfo=UTC)
    assert parse_instant("valid_to", "yesterday", NOW) == datetime(2026, 3, 1, tzinfo=UTC)
    assert parse_instant("observations[0].valid_to", "2024-05-26", NOW) == datetime(2024, 5, 27, tzinfo=UTC)
    assert parse_instant("valid_to", "2024-05", NOW) == datetime(2024, 6, 1, tzinfo=UTC)
    assert parse_instant("valid_to", "2024-05-26 09:00", NOW) == datetime(2024, 5, 26, 9, tzinfo=UTC)
    assert parse_instant("valid_to", datetime(2026, 2, 28), NOW) == datetime(2026, 2, 28, tzinfo=UTC)


def test_the_error_says_what_is_read_and_in_which_zone() -> None:
    for read in (parse_log_position, parse_instant):
        for zone, text in ((UTC, "(UTC)"), (None, "(your time zone)")):
            with pytest.raises(GraphError) as caught:
                read("since", "someday", NOW, zone)
            assert f"2026-03-01 09:00 {text}" in str(caught.value.hint)
            assert 'yesterday, "last monday"' in str(caught.value.hint)


@for_rows(
    "value",
    ["", "yesterday-ish", "two hours ago", "hours ago", "999999 years ago", "-3", -3, 2**60, True, 1.5, "evt_\ud800"],
)
def test_what_names_no_point_is_refused_with_what_does(value: int | str) -> None:
    with pytest.raises(GraphError) as caught:
        parse_log_position("since", value, NOW)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.details["argument"] == "since"
    assert "2 hours ago" in str(caught.value.hint)
