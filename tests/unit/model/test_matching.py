"""A state is judged as a query judges it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graph_memory.model.matching import Criteria, FieldFilter, is_valid_at
from graph_memory.model.subjects.kinds import Kind
from tables import for_rows

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
EVENT = {"_op": "update", "_kind": "connection", "_type": "Knows", "_from": "ann", "_to": "bob", "since": 2020}


@for_rows(
    ("begins", "ends", "holds"),
    [
        (None, None, True),
        (NOON, None, True),
        (NOON + HOUR, None, False),
        (None, NOON + HOUR, True),
        (None, NOON, False),
        (NOON - HOUR, NOON + HOUR, True),
    ],
)
def test_what_holds_from_a_time_until_another_holds_at_the_first_and_not_at_the_last(
    begins: datetime | None, ends: datetime | None, holds: bool
) -> None:
    assert is_valid_at({"_valid_from": begins, "_valid_to": ends}, NOON) is holds


@for_rows(
    ("wanted", "takes"),
    [
        ({}, True),
        ({"type": "Knows", "from_id": "ann", "to_id": "bob"}, True),
        ({"type": "Likes"}, False),
        ({"from_id": "bob"}, False),
        ({"to_id": "ann"}, False),
        ({"properties": {"since": 2020.0}}, True),
        ({"properties": {"since": 2021}}, False),
        ({"properties": {"until": 2020}}, False),
        ({"kind": Kind.NODE}, False),
    ],
)
def test_a_state_is_taken_if_it_has_all_that_is_wanted(wanted: dict, takes: bool) -> None:
    assert Criteria(**{"kind": Kind.CONNECTION, "properties": {}, **wanted}).matches(EVENT) is takes


def test_nothing_is_taken_of_what_was_deleted_or_never_was() -> None:
    wanted = Criteria(kind=Kind.CONNECTION, properties={})
    assert not wanted.matches(None)
    assert not wanted.matches({**EVENT, "_op": "delete"})


NODE = {"_op": "update", "_kind": "node", "_type": "Note", "_created": NOON, "_modified": NOON + HOUR}


@for_rows(
    ("stored", "query", "takes"),
    [
        ({}, {}, True),
        ({}, {"namespace": "default", "path_prefix": "/"}, True),
        ({"_namespace": "default", "_path": "/"}, {"namespace": "default", "path_prefix": "/"}, True),
        ({"_namespace": "home"}, {"namespace": "default"}, False),
        ({"_namespace": "home"}, {"namespace": "home"}, True),
        ({"_path": "/house/kitchen"}, {"path_prefix": "/house"}, True),
        ({"_path": "/household"}, {"path_prefix": "/house"}, True),
        ({"_path": "/House"}, {"path_prefix": "/house"}, False),
        ({"_path": "work"}, {"path_prefix": "/"}, False),
        ({}, {"path_prefix": "/house"}, False),
        ({}, {"created_after": NOON, "created_before": NOON + HOUR}, True),
        ({}, {"created_after": NOON + HOUR}, False),
        ({}, {"created_before": NOON}, False),
        ({}, {"modified_after": NOON + HOUR}, True),
        ({}, {"modified_before": NOON + HOUR}, False),
    ],
)
def test_a_node_is_taken_if_its_fields_and_times_are_wanted(stored: dict, query: dict, takes: bool) -> None:
    wanted = Criteria(kind=Kind.NODE, properties={}, fields=FieldFilter(**query))
    assert wanted.matches({**NODE, **stored}) is takes
