"""Rules of an ontology for nodes and connections, and its growth."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import (
    ANY,
    ConnectionType,
    NodeType,
    Ontology,
    PropertyRule,
    PropertyType,
    merge_ontologies,
    ontology_from,
)
from graph_memory.model.ontology.types import check_rules
from tables import for_rows

GTD = ontology_from(
    {
        "node_types": ["Project", "Action", "Person"],
        "connection_types": [
            {"name": "NextAction", "from_types": ["Project"], "to_types": ["Action"]},
            {
                "name": "WaitingFor",
                "from_types": ["Action", "Project"],
                "to_types": ["Person"],
                "required_properties": ["since", "follow_up_date"],
            },
            {"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]},
        ],
    }
)


def fails(code: Code, call, *arguments) -> GraphError:
    with pytest.raises(GraphError) as caught:
        call(*arguments)
    assert caught.value.code is code
    return caught.value


# Topology


@for_rows(
    ("connection_type", "source", "target", "answer"),
    [
        ("NextAction", "Project", "Action", True),
        ("NextAction", "Action", "Project", False),
        ("NextAction", "Project", "Person", False),
        ("WaitingFor", "Action", "Person", True),
        ("WaitingFor", "Project", "Person", True),
        ("RelatesTo", "Person", "Person", True),
        ("RelatesTo", "Person", "Unknown", False),
        ("RelatesTo", "*", "*", False),
        ("Unknown", "Project", "Action", False),
        ("nextaction", "Project", "Action", False),
    ],
)
def test_types_can_be_connected_as_declared(connection_type: str, source: str, target: str, answer: bool):
    assert GTD.can_connect(connection_type, source, target) is answer


@pytest.mark.parametrize(
    ("connection_type", "source", "target", "message"),
    [
        (
            "NextAction",
            "Project",
            "Person",
            "Cannot connect Project to Person with NextAction. Valid targets: [Action]",
        ),
        ("NextAction", "Action", "Action", "Cannot connect Action to Action with NextAction. Valid sources: [Project]"),
        (
            *("NextAction", "Action", "Project"),
            "Cannot connect Action to Project with NextAction. Valid sources: [Project]. Valid targets: [Action]",
        ),
        (
            *("WaitingFor", "Person", "Person"),
            "Cannot connect Person to Person with WaitingFor. Valid sources: [Action, Project]",
        ),
    ],
)
def test_a_wrong_connection_says_what_would_be_right(connection_type: str, source: str, target: str, message: str):
    error = fails(Code.INVALID_TOPOLOGY, GTD.check_topology, connection_type, source, target)
    assert error.message == message
    is_turned = (connection_type, source, target) == ("NextAction", "Action", "Project")
    assert ("NextAction goes from Project to Action: swap the ends." in (error.hint or "")) is is_turned
    assert error.details["valid_sources"] == list(GTD.connection_type(connection_type).from_types)
    assert error.hint


def test_a_right_connection_passes():
    GTD.check_topology("NextAction", "Project", "Action")
    GTD.check_topology("RelatesTo", "Person", "Project")


def test_topology_of_unknown_types_names_the_unknown_one():
    fails(Code.INVALID_CONNECTION_TYPE, GTD.check_topology, "Next", "Project", "Action")
    fails(Code.INVALID_NODE_TYPE, GTD.check_topology, "RelatesTo", "Project", "Task")


# Looking types up


def test_an_unknown_node_type_lists_the_valid_ones():
    error = fails(Code.INVALID_NODE_TYPE, GTD.node_type, "Foo")
    assert error.message == 'Node type "Foo" is not in the ontology. Valid types: [Project, Action, Person]'
    assert error.details["valid_types"] == ["Project", "Action", "Person"]
    assert "add_node_type" in str(error.hint)


def test_where_there_are_no_types_it_is_told_how_they_come_to_be():
    assert "create_ontology with open true" in str(fails(Code.INVALID_NODE_TYPE, Ontology().node_type, "Foo").hint)
    assert "create_ontology" not in str(fails(Code.INVALID_NODE_TYPE, GTD.node_type, "Foo").hint)


def test_an_unknown_connection_type_lists_the_valid_ones():
    error = fails(Code.INVALID_CONNECTION_TYPE, GTD.connection_type, "nextaction")
    assert error.message.endswith("Valid types: [NextAction, WaitingFor, RelatesTo]")
    assert error.hint == 'Did you mean "NextAction"?'


def test_an_inverse_that_is_only_a_name_is_among_the_valid_ones():
    ends = {"from_types": ["*"], "to_types": ["*"]}
    named = ontology_from({"node_types": ["Box"], "connection_types": [{"name": "holds", "inverse": "inside", **ends}]})
    error = fails(Code.INVALID_CONNECTION_TYPE, named.connection_type, "insid")
    assert error.message.endswith("Valid types: [holds, inside]")
    assert error.hint == 'Did you mean "inside"?'


def test_a_long_list_of_valid_types_is_cut():
    many = Ontology(tuple(NodeType(f"Type{number}") for number in range(60)))
    error = fails(Code.INVALID_NODE_TYPE, many.node_type, "Foo")
    assert error.message.endswith("Type48, Type49, and 10 more]")
    assert len(error.details["valid_types"]) == 50


def test_a_hostile_name_is_shown_cut_and_printable():
    error = fails(Code.INVALID_NODE_TYPE, GTD.node_type, "\ud800\x00" + "x" * 100_000)
    assert len(error.message.encode()) < 300


def test_finding_a_type_gives_nothing_for_an_unknown_name():
    assert GTD.find_node_type("Project") == NodeType("Project")
    assert GTD.find_node_type("project") is None
    assert GTD.find_connection_type("Project") is None


# Properties


def test_missing_required_properties_are_listed_in_the_order_of_declaration():
    error = fails(
        Code.REQUIRED_PROPERTY_MISSING, check_rules, GTD.connection_type("WaitingFor"), {"since": "2025-10-15"}
    )
    expected = "Connection type WaitingFor requires properties: [since, follow_up_date]. Missing: [follow_up_date]"
    assert error.message == expected
    assert error.details["missing"] == ["follow_up_date"]
    assert error.details["required"] == ["since", "follow_up_date"]


def test_a_node_misses_required_properties_likewise():
    ontology = Ontology((NodeType("Task", properties=(PropertyRule("title", required=True),)),))
    error = fails(Code.REQUIRED_PROPERTY_MISSING, check_rules, ontology.node_type("Task"), {})
    assert error.message == "Node type Task requires properties: [title]. Missing: [title]"


def test_empty_text_zero_and_false_count_as_given():
    for value in ("", 0, False):
        check_rules(GTD.connection_type("WaitingFor"), {"since": value, "follow_up_date": value})


def test_properties_that_the_type_does_not_mention_are_allowed():
    check_rules(GTD.node_type("Project"), {"anything": 1})
    check_rules(GTD.connection_type("NextAction"), {"priority": "high"})


STATUS = PropertyRule("status", PropertyType.STRING, enum=("next", "done"))
ESTIMATE = PropertyRule("estimate", PropertyType.INTEGER)
LEVEL = PropertyRule("level", enum=(1, True, "high"))
TYPED = Ontology((NodeType("Task", properties=(STATUS, ESTIMATE, LEVEL)),))


@for_rows("properties", [{}, {"status": "next"}, {"estimate": 3}, {"level": 1.0}, {"level": True}, {"level": "high"}])
def test_values_within_the_rules_pass(properties: dict):
    check_rules(TYPED.node_type("Task"), properties)


@for_rows(
    ("properties", "message"),
    [
        ({"status": 5}, 'Property "status" of node type Task must be text, not 5'),
        ({"status": "nxt"}, 'Property "status" of node type Task must be one of ["next", "done"], not "nxt"'),
        ({"estimate": 1.5}, 'Property "estimate" of node type Task must be an integer, not 1.5'),
        ({"estimate": True}, 'Property "estimate" of node type Task must be an integer, not true'),
        ({"level": 0}, 'Property "level" of node type Task must be one of [1, true, "high"], not 0'),
        ({"level": "1"}, 'Property "level" of node type Task must be one of [1, true, "high"], not "1"'),
    ],
)
def test_values_against_the_rules_are_refused(properties: dict, message: str):
    error = fails(Code.INVALID_PROPERTY, check_rules, TYPED.node_type("Task"), properties)
    assert error.message == message
    assert error.details["property"] in properties
    assert error.hint


def test_an_empty_value_is_told_that_a_property_cannot_be_removed():
    error = fails(Code.INVALID_PROPERTY, check_rules, TYPED.node_type("Task"), {"estimate": ""})
    assert error.hint == "Pass a whole number, such as 3. A stored property cannot be removed."


def test_a_value_close_to_an_allowed_one_suggests_it():
    assert (
        fails(Code.INVALID_PROPERTY, check_rules, TYPED.node_type("Task"), {"status": "nxt"}).hint
        == 'Did you mean "next"?'
    )


# Making types and ontologies


def test_an_ontology_without_types_is_valid():
    assert Ontology.create([], []) == Ontology()


def test_a_node_type_and_a_connection_type_may_share_a_name():
    shared = Ontology.create([NodeType("Link")], [ConnectionType("Link", ("Link",), ("Link",))])
    assert shared.can_connect("Link", "Link", "Link")


def test_names_that_differ_in_case_are_different_types():
    assert len(Ontology.create([NodeType("Link"), NodeType("link")], []).node_types) == 2


def test_a_name_given_twice_is_refused():
    fails(Code.TYPE_ALREADY_EXISTS, Ontology.create, [NodeType("A"), NodeType("A")], [])
    twice = ConnectionType("To", (ANY,), (ANY,))
    fails(Code.TYPE_ALREADY_EXISTS, Ontology.create, [], [twice, twice])


def test_an_undefined_end_is_refused():
    error = fails(Code.INVALID_NODE_TYPE, Ontology.create, [NodeType("A")], [ConnectionType("To", ("A",), ("B",))])
    assert "to_types" in error.message
    assert error.details["name"] == "B"


def test_too_many_types_are_refused():
    fails(Code.INVALID_ONTOLOGY, Ontology, tuple(NodeType(f"T{number}") for number in range(10_001)))


@for_rows(
    ("code", "make"),
    [
        (Code.INVALID_ARGUMENT, lambda: NodeType("_Node")),
        (Code.INVALID_ARGUMENT, lambda: ConnectionType("*", (ANY,), (ANY,))),
        (Code.INVALID_PROPERTY, lambda: PropertyRule("_id")),
        (Code.INVALID_PROPERTY, lambda: PropertyRule("a", enum=(float("nan"),))),
        (Code.INVALID_ONTOLOGY, lambda: PropertyRule("a", enum=(1, 1.0))),
        (Code.INVALID_ONTOLOGY, lambda: PropertyRule("a", PropertyType.INTEGER, enum=(1, "2"))),
        (Code.INVALID_ONTOLOGY, lambda: PropertyRule("a", PropertyType.DATE, enum=("2025-02-30",))),
        (Code.INVALID_ONTOLOGY, lambda: PropertyRule("a", enum=tuple(range(1_001)))),
        (Code.INVALID_ONTOLOGY, lambda: PropertyRule("a", enum=("x" * 1_001,))),
        (Code.INVALID_ONTOLOGY, lambda: PropertyRule("a", description="x" * 10_001)),
        (Code.INVALID_ONTOLOGY, lambda: NodeType("A", "\ud800")),
        (Code.INVALID_ONTOLOGY, lambda: NodeType("A", properties=(PropertyRule("a"), PropertyRule("a")))),
        (Code.INVALID_ONTOLOGY, lambda: NodeType("A", properties=tuple(PropertyRule(f"p{n}") for n in range(1_001)))),
        (Code.INVALID_ONTOLOGY, lambda: ConnectionType("To", (), ("A",))),
        (Code.INVALID_ONTOLOGY, lambda: ConnectionType("To", ("A", "*"), ("A",))),
        (Code.INVALID_ONTOLOGY, lambda: ConnectionType("To", ("A", "A"), ("A",))),
    ],
)
def test_a_faulty_type_cannot_be_made(code: Code, make):
    fails(code, make)


def test_types_and_ontologies_are_values():
    with pytest.raises(dataclasses.FrozenInstanceError):
        GTD.open = True  # type: ignore[misc]
    assert hash(GTD) == hash(merge_ontologies([GTD]))


# Growing


def test_a_type_is_added_after_the_others():
    ontology = GTD.with_node_type(NodeType("Document"))
    assert ontology.node_types == (*GTD.node_types, NodeType("Document"))
    assert ontology.connection_types == GTD.connection_types
    linked = ontology.with_connection_type(ConnectionType("About", ("Document",), (ANY,)))
    assert linked.can_connect("About", "Document", "Project")
    assert GTD.find_node_type("Document") is None


def test_a_type_that_exists_is_not_added_again():
    error = fails(Code.TYPE_ALREADY_EXISTS, GTD.with_node_type, NodeType("Project", "another"))
    assert error.details["name"] == "Project"
    fails(Code.TYPE_ALREADY_EXISTS, GTD.with_connection_type, ConnectionType("NextAction", (ANY,), (ANY,)))


def test_a_connection_type_with_an_undefined_end_is_not_added():
    fails(Code.INVALID_NODE_TYPE, GTD.with_connection_type, ConnectionType("About", ("Doc",), (ANY,)))


def test_an_added_type_keeps_an_open_ontology_open():
    assert Ontology(open=True).with_node_type(NodeType("A", ad_hoc=True)).open


# Merging


def test_merging_keeps_the_types_of_all_in_order():
    other = Ontology.create([NodeType("Person"), NodeType("Goal")], [], open=True)
    both = merge_ontologies([GTD, other])
    assert [node_type.name for node_type in both.node_types] == ["Project", "Action", "Person", "Goal"]
    assert both.open
    assert merge_ontologies([]) == Ontology()


def test_merging_names_every_conflict():
    other = Ontology.create(
        [NodeType("Person", "somebody"), NodeType("Action")], [ConnectionType("NextAction", ("Action",), ("Action",))]
    )
    error = fails(Code.INVALID_ONTOLOGY, merge_ontologies, [GTD, other])
    assert error.details["conflicts"] == ["node type Person", "connection type NextAction"]
    assert "node type Person" in error.message
    assert "connection type NextAction" in error.message


def test_true_and_one_are_different_definitions():
    ontology = Ontology((NodeType("A", properties=(PropertyRule("p", enum=(1,)),)),))
    other = Ontology((NodeType("A", properties=(PropertyRule("p", enum=(True,)),)),))
    fails(Code.INVALID_ONTOLOGY, merge_ontologies, [ontology, other])


@given(st.lists(st.sampled_from("ABCDE"), unique=True), st.lists(st.sampled_from("ABCDE"), unique=True))
def test_merging_what_is_identical_is_a_union(names: list[str], others: list[str]):
    left, right = (Ontology(tuple(NodeType(name) for name in group)) for group in (names, others))
    merged = merge_ontologies([left, right])
    assert {node_type.name for node_type in merged.node_types} == {*names, *others}
    assert merge_ontologies([merged, left, right]) == merged
