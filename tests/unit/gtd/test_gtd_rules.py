"""The rules of Getting Things Done."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime

import pytest

from graph_memory.gtd import lists, rules
from graph_memory.gtd.lists import ActionNeighbours, AvailableResources
from graph_memory.model.results import NodeSummary
from tables import for_rows

MOMENT = datetime(2025, 10, 20, 12, tzinfo=UTC)


def node(name: str, **properties: str | float | bool) -> NodeSummary:
    return NodeSummary(id=f"mem_{name}", type="Action", title=name, modified=MOMENT, version=1, properties=properties)


@for_rows(
    ("estimate", "minutes"),
    [
        (30, 30),
        (0, 0),
        (12.5, 12.5),
        ("30", 30),
        ("30m", 30),
        ("~15 min", 15),
        ("30-45 minutes", 45),
        ("30m – 1h", 60),
        ("1 hour to 2 hours", 120),
        ("1h", 60),
        ("1h30m", 90),
        ("1h 30", 90),
        ("1 hour and 15 minutes", 75),
        ("1.5 hours", 90),
        ("1,5 h", 90),
        ("2 hrs.", 120),
        ("1:30", 90),
        ("PT1H30M", 90),
        ("PT45M", 45),
        ("2 days", 2880),
        ("short", None),
        ("", None),
        ("none", None),
        ("PT", None),
        ("30 apples", None),
        ("-5", None),
        ("2025-10-20", None),
        (True, None),
        (-5, None),
        (None, None),
    ],
)
def test_an_estimate_is_read_as_its_upper_end_in_minutes(
    estimate: str | float | bool | None, minutes: float | None
) -> None:
    assert rules.minutes_of(estimate) == minutes


@for_rows(
    ("value", "day"),
    [
        ("2025-10-31", date(2025, 10, 31)),
        (" 2025-10-31 ", date(2025, 10, 31)),
        ("2025-10-31T09:00:00", date(2025, 10, 31)),
        ("none", None),
        ("Friday", None),
        (20251031, None),
        ("9999-12-31T23:59:59-12:00", None),
        ("0001-01-01T00:00:00+14:00", None),
        (None, None),
    ],
)
def test_a_day_is_that_of_a_date_or_a_time(value: str | int | None, day: date | None) -> None:
    assert rules.day_of(value) == day


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the system's time zone cannot be set here")
@pytest.mark.parametrize(("zone", "day"), [("UTC", 31), ("Europe/Berlin", 1), ("America/New_York", 31)])
def test_a_moment_falls_on_the_day_that_it_is_here(zone: str, day: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        result = rules.day_of("2025-10-31T23:30:00Z")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert result is not None
    assert result.day == day


def test_contexts_come_from_the_property_and_the_connections_and_are_compared_without_their_sign() -> None:
    assert rules.contexts_of({"context": "@Phone"}, ["phone", "@Errands", " "]) == ("phone", "errands")
    assert rules.contexts_of({"context": "none"}, []) == ()
    assert lists.context_keys(["@PHONE ", "Home"]) == {"phone", "home"}


def test_what_is_due_sooner_and_matters_more_comes_first() -> None:
    nodes = [
        node("later", due="2025-12-01", priority="high"),
        node("b nothing"),
        node("A nothing"),
        node("low", priority="low"),
        node("one", priority=1),
        node("odd", priority="whenever"),
        node("two", priority="2"),
        node("sooner", due="2025-11-01"),
    ]
    assert [node.title for node in lists.sort_by_urgency(nodes)] == [
        "sooner",
        "later",
        "one",
        "two",
        "low",
        "A nothing",
        "b nothing",
        "odd",
    ]


def available(
    action: NodeSummary, means: AvailableResources, *, projects: str | None = None, depends: str | None = None
) -> str:
    """Return `now`, or why the action cannot be done now."""
    neighbours = ActionNeighbours({action.id: [node("p", status=projects)] if projects else []}, {action.id: []})
    result = lists.select_available(
        [action], neighbours, {action.id: [node("d", status=depends)] if depends else []}, means
    )
    reasons = {name for name, count in result.left_out.to_dict().items() if count}
    assert len(reasons) + len(result.actions) == 1
    return "now" if result.actions else reasons.pop()


@pytest.mark.parametrize(
    ("status", "answer"),
    [("complete", "now"), ("completed", "now"), ("next", "dependencies"), ("cancelled", "dependencies")],
)
def test_an_action_waits_until_what_it_depends_on_is_complete(status: str, answer: str) -> None:
    assert available(node("a"), AvailableResources(), depends=status) == answer


@for_rows(
    ("status", "answer"),
    [("active", "now"), ("waiting", "now"), ("on_hold", "project"), ("someday", "project"), ("completed", "project")],
)
def test_an_action_of_resting_projects_rests(status: str, answer: str) -> None:
    assert available(node("a"), AvailableResources(), projects=status) == answer


def test_an_action_needs_all_its_contexts_its_time_and_its_energy() -> None:
    result = node("a", context="phone", time_estimate="30-45 min", energy="medium")
    assert available(result, AvailableResources()) == "now"
    assert available(result, AvailableResources(frozenset({"phone", "home"}), 45, "medium")) == "now"
    assert available(result, AvailableResources(frozenset({"home"}), 45, "high")) == "contexts"
    assert available(result, AvailableResources(frozenset({"phone"}), 44, "high")) == "time"
    assert available(result, AvailableResources(frozenset({"phone"}), 45, "low")) == "energy"


def test_what_an_action_does_not_say_leaves_it_in() -> None:
    assert (
        available(node("a", energy="none", time_estimate="a while"), AvailableResources(frozenset(), 0, "low")) == "now"
    )


def test_only_what_is_open_is_due_and_only_what_is_complete_is_done() -> None:
    nodes = [node(name, status=name, due="2025-10-20") for name in ("next", "completed", "cancelled")]
    day = date(2025, 10, 20)
    assert [node.title for node in lists.due_within(nodes, day, day)] == ["next"]
    assert lists.due_within(nodes, date(2025, 10, 21), date.max) == []
    today = MOMENT.astimezone().date()
    assert [node.title for node in nodes if lists.is_done_within(node, today, today)] == ["completed"]
    assert not lists.is_done_within(nodes[1], date(2025, 10, 25), date.max)
    assert not lists.is_done_within(nodes[1], date.min, date(2025, 10, 15))
