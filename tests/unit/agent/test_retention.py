"""Selections of `prune`: nodes that it selects, and nodes that it never selects."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graph_memory import GraphError
from graph_memory.agent.limits import retention
from graph_memory.agent.limits.retention import (
    Limits,
    Selection,
    StoredConnection,
    StoredNode,
    limits_of,
    select,
)
from tables import for_rows

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def event(node_id: str, session: str, day: int, month: int = 10) -> StoredNode:
    at = f"2026-{month:02}-{day:02}T09:00:00.000Z"
    return StoredNode(node_id, "Event", at, {"session": session, "timestamp": at})


def pattern(node_id: str, successes: int, failures: int) -> StoredNode:
    return StoredNode(node_id, "Pattern", "", {"successes": successes, "failures": failures})


def goal(session: str, status: str) -> StoredNode:
    return StoredNode("goal", "Goal", "", {"session": session, "status": status})


def link(kind: str, start: str, end: str, **properties: object) -> StoredConnection:
    return StoredConnection(f"{start}-{kind}-{end}", kind, start, end, properties)  # type: ignore[arg-type]


EVENTS = [event("a1", "a", 1), event("a2", "a", 3), event("b1", "b", 2), event("c1", "c", 26, 11)]


@for_rows(
    ("limit", "others", "connections", "expected"),
    [
        (4, [], [], []),
        (3, [], [], ["b1"]),
        (2, [], [], ["b1", "a1", "a2"]),
        (0, [], [], ["b1", "a1", "a2"]),
        (0, [goal("a", "active")], [], ["b1"]),
        (0, [goal("a", "completed")], [], ["b1", "a1", "a2"]),
        (0, [pattern("p", 0, 0)], [link("LearnedFrom", "p", "a2")], ["b1", "a1"]),
        (0, [pattern("p", 0, 0)], [link("LearnedFrom", "p", "a2"), link("CausedBy", "a2", "b1")], ["a1"]),
        (0, [], [link("CausedBy", "c1", "a2"), link("CausedBy", "a2", "a1")], ["b1"]),
        (0, [], [link("", "x", "y", evidence="b1, a1")], ["a2"]),
    ],
)
def test_whole_finished_sessions_go_first_without_events_that_something_cites(
    limit: int, others: list[StoredNode], connections: list[StoredConnection], expected: list[str]
) -> None:
    selection = select([*EVENTS, *others], connections, {}, Limits(events=limit), NOW)
    assert selection == Selection(events=tuple(expected))


def test_patterns_that_were_applied_often_and_failed_go_first() -> None:
    patterns = [pattern("new", 0, 2), pattern("bad", 0, 9), pattern("poor", 2, 7), pattern("good", 9, 0)]
    assert select(patterns, [], {}, Limits(patterns=0), NOW).patterns == ("bad", "poor")
    assert select(patterns, [], {}, Limits(patterns=3), NOW).patterns == ("bad",)
    cited = select([*patterns, EVENTS[0]], [link("LearnedFrom", "bad", "a1")], {}, Limits(0, patterns=0), NOW)
    assert cited.events == ("a1",)


def test_the_least_salient_entities_and_the_lightest_relations_go_first() -> None:
    relations = [link("", "x", "y", weight=0.9), link("", "y", "z", weight=0.1), link("", "z", "x")]
    about = link("Involves", "c1", "z")
    selection = select(EVENTS, [*relations, about], {"x": 0, "y": 0, "z": 0}, Limits(entities=1, relations=2), NOW)
    assert selection == Selection(entities=("y",), relations=("y--z",))


def test_each_day_without_a_session_is_a_session() -> None:
    events = [event("a", "default", 1), event("b", "default", 2), event("c", "default", 26, 11)]
    assert select(events, [], {}, Limits(events=0), NOW).events == ("a", "b")


def test_nothing_that_a_batch_has_no_room_for_is_selected_nor_what_it_cites(monkeypatch: pytest.MonkeyPatch) -> None:
    events = [event(f"{number}", "a", 1) for number in range(5)]
    cites = [link("CausedBy", "4", "0"), *(link("Involves", "1", f"x{number}") for number in range(5))]
    monkeypatch.setattr(retention, "MOST_ITEMS", 4)
    selection = select(events, cites, {}, Limits(events=0), NOW)
    assert (selection.events, selection.left_out) == (("1", "2", "3"), 1)
    monkeypatch.undo()
    monkeypatch.setattr(retention, "MOST_ATTACHED", 3)
    selection = select(events, cites, {}, Limits(events=0), NOW)
    assert (selection.events, selection.left_out) == (("0", "2", "3", "4"), 1)


def test_what_cannot_be_deleted_stays_with_what_it_cites() -> None:
    learned = [pattern("p", 0, 9), *EVENTS]
    selection = select(learned, [link("LearnedFrom", "p", "a1")], {}, Limits(0, patterns=0), NOW, undeletable={"p"})
    assert (selection.patterns, selection.events) == ((), ("b1", "a2"))


def test_the_oldest_documents_go_first() -> None:
    documents = [StoredNode(name, "Document", f"2026-0{name}-01", {}) for name in ("3", "1", "2")]
    assert select(documents, [], {}, Limits(documents=1), NOW).documents == ("1", "2")


@pytest.mark.parametrize("arguments", [{"cats": 1}, {"events": -1}, {"events": True}, {"events": 1.5}])
def test_a_limit_that_is_none_is_refused(arguments: dict[str, object]) -> None:
    assert limits_of({"events": 5}, Limits(patterns=7)) == Limits(events=5, patterns=7)
    with pytest.raises(GraphError):
        limits_of(arguments, Limits())
