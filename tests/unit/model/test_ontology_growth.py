"""Growth of a domain's ontology by another: new types in a valid order, and types that change."""

from __future__ import annotations

from typing import Any

import pytest

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import Ontology, connection_type_from, node_type_from, ontology_from
from graph_memory.model.ontology.ontology_diff import (
    TypeChange,
    declaration_of,
    describe_type_change,
    diff_ontologies,
    values_of,
)
from tables import for_rows

LINK = {"name": "Link", "from_types": ["Task"], "to_types": ["Person"]}


def ontology(*node_types: Any, connection_types: Any = (), **rest: Any) -> Ontology:
    return ontology_from({"node_types": list(node_types), "connection_types": list(connection_types), **rest})


def change(before: dict[str, Any], after: dict[str, Any]) -> TypeChange:
    """A node type that changes in its property p, or a connection type where ends are given."""
    if "to" in before:
        return TypeChange(
            *(connection_type_from({"name": "Link", "from": ["A"], **definition}) for definition in (before, after))
        )
    return TypeChange(
        *(node_type_from({"name": "Task", "properties": {"p": definition}}) for definition in (before, after))
    )


def test_what_is_there_already_is_not_added_again():
    both = ontology("Task", "Person", connection_types=[LINK])
    result = diff_ontologies(both, both)
    assert (result.node_types, result.connection_types, result.changed) == ((), (), ())


def test_new_types_are_added_in_their_order_and_types_that_only_the_domain_has_stay():
    present = ontology("Task", "Old")
    result = diff_ontologies(present, ontology("Person", "Task", "Place", connection_types=[LINK]))
    assert [node_type.name for node_type in result.node_types] == ["Person", "Place"]
    assert [connection_type.name for connection_type in result.connection_types] == ["Link"]
    answer = present.with_types(result.node_types, result.connection_types)
    assert [node_type.name for node_type in answer.node_types] == ["Task", "Old", "Person", "Place"]
    assert answer.can_connect("Link", "Task", "Person")


def test_every_type_that_is_declared_differently_changes():
    other = {**LINK, "to_types": ["Task"]}
    result = diff_ontologies(
        ontology("Task", "Person", connection_types=[LINK]),
        ontology({"name": "Task", "description": "else"}, "Person", "New", connection_types=[other]),
    )
    assert [change.after.title for change in result.changed] == ["node type Task", "connection type Link"]
    assert [change.demands for change in result.changed] == [(), ("to_types must be among [Task]",)]


def test_values_that_python_takes_for_equal_are_different_declarations():
    def of(value: object) -> Ontology:
        return ontology({"name": "Task", "properties": [{"name": "p", "enum": [value]}]})

    assert diff_ontologies(of(1), of(True)).changed[0].demands == ("property p must be one of [true]",)


def test_a_type_that_an_open_ontology_met_first_counts_as_the_same_and_is_declared_when_it_changes():
    present = ontology({"name": "Task", "ad_hoc": True}, open=True)
    assert diff_ontologies(present, ontology("Task")).changed == ()
    [changed] = diff_ontologies(present, ontology({"name": "Task", "description": "A step"})).changed
    assert not changed.after.ad_hoc


def test_a_closed_ontology_cannot_be_opened_and_an_open_one_takes_a_file_that_does_not_say():
    with pytest.raises(GraphError) as caught:
        diff_ontologies(ontology("Task"), ontology("Task", open=True))
    assert caught.value.code is Code.INVALID_ONTOLOGY
    assert len(diff_ontologies(ontology("Task", open=True), ontology("New")).node_types) == 1


def test_the_description_of_an_ontology_changes_and_a_file_without_one_leaves_it():
    present = ontology("Task", description="Old")
    assert diff_ontologies(present, ontology("Task", description="New")).description == "New"
    assert diff_ontologies(present, ontology("Task")).description is None


@for_rows(
    ("before", "after"),
    [
        ({}, {"description": "What it is"}),
        ({}, {"indexed": True}),
        ({"required": True}, {}),
        ({"type": "integer"}, {"type": "number"}),
        ({"type": "date"}, {"type": "string"}),
        ({"type": "date"}, {}),
        ({"enum": [1, 2]}, {"enum": [2, 1, 3]}),
        ({"enum": [1, 2]}, {"enum": [1.0, 2]}),
        ({"enum": ["a"]}, {}),
        ({"unique": True}, {"indexed": True}),
        ({"to": ["A"]}, {"to": ["B", "A"]}),
        ({"to": ["A"]}, {"to": ["*"]}),
        ({"to": ["A"], "unique_pair": True, "acyclic": True}, {"to": ["A"]}),
    ],
)
def test_what_only_allows_more_asks_nothing_of_what_is_stored(before: dict[str, Any], after: dict[str, Any]):
    assert change(before, after).demands == ()


@for_rows(
    ("before", "after", "demand"),
    [
        ({}, {"required": True}, "property p becomes required"),
        ({}, {"type": "date"}, "property p must be a date"),
        ({"type": "number"}, {"type": "integer"}, "property p must be an integer"),
        ({}, {"enum": ["a"]}, 'property p must be one of ["a"]'),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, 'property p must be one of ["a"]'),
        ({"indexed": True}, {"unique": True}, "property p becomes unique"),
        ({"to": ["*"]}, {"to": ["A"]}, "to_types must be among [A]"),
        ({"to": ["A"]}, {"to": ["A"], "unique_pair": True}, "unique_pair is new"),
        ({"to": ["A"]}, {"to": ["A"], "acyclic": True}, "acyclic is new"),
    ],
)
def test_what_asks_more_says_what(before: dict[str, Any], after: dict[str, Any], demand: str):
    assert change(before, after).demands == (demand,)


def test_a_declaration_is_the_same_when_it_is_put_together_of_its_values():
    rules = {
        "a.b": {"type": "date", "required": True},
        "p": {"enum": [1, 2.5, True, "x"], "unique": True},
        "free": None,
    }
    declared = connection_type_from({**LINK, "description": "d", "acyclic": True, "properties": rules})
    assert connection_type_from(declaration_of("Link", values_of(declared))) == declared


def test_a_change_is_told_in_words():
    node_type = node_type_from({"name": "Task", "properties": {"s": {"enum": ["a"]}, "old": None}})
    other = node_type_from(
        {"name": "Task", "description": "d", "properties": {"s": {"enum": ["a", "b"]}, "due": {"type": "date"}}}
    )
    text = (
        's.enum ["a"] → ["a", "b"], property old removed, description changed, property due added, due.type date added'
    )
    assert describe_type_change(node_type, other) == text


def test_a_growth_beyond_the_most_types_is_refused_because_such_an_ontology_cannot_be_read():
    present = ontology(*(f"A{number}" for number in range(6_000)))
    with pytest.raises(GraphError) as caught:
        diff_ontologies(present, ontology(*(f"B{number}" for number in range(4_001))))
    assert caught.value.code is Code.INVALID_ONTOLOGY
    assert len(diff_ontologies(present, ontology(*(f"B{number}" for number in range(4_000)))).node_types) == 4_000
