"""What an ontology would add to that of a domain: the new types, in an order that works, or nothing at all."""

from __future__ import annotations

from typing import Any

import pytest

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.additions import additions
from graph_memory.model.ontology.ontology import Ontology, ontology_from

LINK = {"name": "Link", "from_types": ["Task"], "to_types": ["Person"]}


def ontology(*node_types: Any, connection_types: Any = (), **rest: Any) -> Ontology:
    return ontology_from({"node_types": list(node_types), "connection_types": list(connection_types), **rest})


def refused(present: Ontology, wanted: Ontology) -> GraphError:
    with pytest.raises(GraphError) as caught:
        additions(present, wanted)
    return caught.value


def test_what_is_there_already_is_not_added_again():
    both = ontology("Task", "Person", connection_types=[LINK])
    found = additions(both, both)
    assert (found.node_types, found.connection_types) == ((), ())


def test_new_types_are_added_in_their_order_and_types_that_only_the_domain_has_stay():
    found = additions(ontology("Task", "Old"), ontology("Person", "Task", "Place", connection_types=[LINK]))
    assert [one.name for one in found.node_types] == ["Person", "Place"]
    assert [one.name for one in found.connection_types] == ["Link"]
    grown = ontology("Task", "Old")
    for node_type in found.node_types:
        grown = grown.with_node_type(node_type)
    for connection_type in found.connection_types:
        grown = grown.with_connection_type(connection_type)
    assert grown.can_connect("Link", "Task", "Person")


def test_every_type_that_is_declared_differently_is_named():
    other = {**LINK, "to_types": ["Task"]}
    error = refused(
        ontology("Task", "Person", connection_types=[LINK]),
        ontology({"name": "Task", "description": "else"}, "Person", "New", connection_types=[other]),
    )
    assert error.code is Code.TYPE_ALREADY_EXISTS
    assert error.details["conflicts"] == ["node type Task", "connection type Link"]


def test_values_that_python_takes_for_equal_are_different_declarations():
    def of(value: object) -> Ontology:
        return ontology({"name": "Task", "properties": [{"name": "p", "enum": [value]}]})

    assert refused(of(1), of(True)).code is Code.TYPE_ALREADY_EXISTS


def test_a_type_that_an_open_ontology_met_first_counts_as_the_same():
    present = ontology({"name": "Task", "ad_hoc": True}, open=True)
    assert additions(present, ontology("Task")).node_types == ()


def test_a_closed_ontology_cannot_be_opened_and_an_open_one_takes_a_file_that_does_not_say():
    assert refused(ontology("Task"), ontology("Task", open=True)).code is Code.INVALID_ONTOLOGY
    assert len(additions(ontology("Task", open=True), ontology("New")).node_types) == 1
