"""How an ontology is read from plain data, in every spelling, and what is said about faults."""

from __future__ import annotations

import json

import pytest

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import (
    ConnectionType,
    NodeType,
    Ontology,
    PropertyRule,
    PropertyType,
    connection_type_from,
    definition,
    node_type_from,
    ontology_from,
)
from graph_memory.model.ontology.ontology_diff import declaration_of, describe_type_change, values_of
from tables import for_rows


def fails(code: Code, data: object) -> GraphError:
    with pytest.raises(GraphError) as caught:
        ontology_from(data)  # type: ignore[arg-type]
    assert caught.value.code is code
    json.dumps(caught.value.to_dict())
    return caught.value


ACTION = NodeType(
    "Action",
    "A step",
    (
        PropertyRule("title", required=True),
        PropertyRule("status", PropertyType.STRING, "Where it stands", enum=("next", "done"), indexed=True),
    ),
)


@pytest.mark.parametrize(
    "node_types",
    [
        [
            "Project",
            {
                "name": "Action",
                "description": "A step",
                "required_properties": ["title"],
                "properties": {
                    "status": {
                        "type": "string",
                        "description": "Where it stands",
                        "enum": ["next", "done"],
                        "indexed": True,
                    }
                },
            },
        ],
        {
            "Project": None,
            "Action": {
                "description": "A step",
                "properties": [
                    {"name": "title", "required": True},
                    {
                        "name": "status",
                        "type": "string",
                        "description": "Where it stands",
                        "enum": ["next", "done"],
                        "indexed": True,
                        "required": False,
                    },
                ],
            },
        },
        [definition(NodeType("Project")), definition(ACTION)],
    ],
)
def test_every_spelling_of_node_types_gives_the_same(node_types: object):
    assert ontology_from({"node_types": node_types}) == Ontology((NodeType("Project"), ACTION))


@pytest.mark.parametrize(
    "connection_types",
    [
        [{"name": "Waits", "from_types": ["A", "B"], "to_types": ["A"], "required_properties": ["since", "by"]}],
        {
            "Waits": {
                "from": ["A", "B"],
                "to": ["A"],
                "properties": {"since": {"required": True}, "by": {"required": True}},
            }
        },
    ],
)
def test_every_spelling_of_connection_types_gives_the_same(connection_types: object):
    ontology = ontology_from({"node_types": ["A", "B"], "connection_types": connection_types})
    rules = (PropertyRule("since", required=True), PropertyRule("by", required=True))
    assert ontology.connection_types == (ConnectionType("Waits", ("A", "B"), ("A",), "", rules),)


def test_a_property_may_be_declared_by_its_type_alone_or_by_nothing():
    declared = node_type_from({"name": "A", "properties": {"due": "date", "area": None}})
    assert declared.properties == (PropertyRule("due", PropertyType.DATE), PropertyRule("area"))


def test_required_properties_come_first_in_their_own_order():
    data = {"name": "A", "required_properties": ["c", "a"], "properties": {"a": "string", "b": {"required": True}}}
    declared = node_type_from(data)
    assert declared.required == ("c", "a", "b")
    assert declared.properties[1] == PropertyRule("a", PropertyType.STRING, required=True)


def test_null_counts_as_left_out():
    data = {"name": "A", "description": None, "properties": None, "required_properties": None}
    assert node_type_from(data) == NodeType("A")
    assert ontology_from({"node_types": None, "connection_types": None, "open": None}) == Ontology()


def test_the_cardinality_of_a_connection_type_is_read():
    data = {"name": "To", "from": ["*"], "to": ["*"], "unique_source": True, "unique_target": True, "acyclic": True}
    declared = connection_type_from(data)
    assert (declared.unique_source, declared.unique_target, declared.acyclic) == (True, True, True)


def test_an_ontology_may_be_open_and_described():
    assert ontology_from({"description": "Mine", "open": True}) == Ontology(open=True, description="Mine")


@for_rows(
    ("data", "place", "hint"),
    [
        ({"node_type": []}, "node_type", 'Did you mean "node_types"?'),
        ({"node_types": [{"name": "A", "descripton": ""}]}, "node_types[0].descripton", 'Did you mean "description"?'),
        ({"node_types": {"A": {"properties": {"b": {"indxed": 1}}}}}, "node_types.A.properties.b.indxed", "indexed"),
        ({"node_types": {"a b": {"x": 1}}}, 'node_types["a b"].x', "required_properties"),
        ({"node_types": "Project"}, "node_types", None),
        ({"node_types": [5]}, "node_types[0]", "quotes"),
        ({"node_types": [True]}, "node_types[0]", "quotes"),
        ({"node_types": [{"description": "nameless"}]}, "node_types[0]", "Add name"),
        ({"node_types": {"A": "a description"}}, "node_types.A", None),
        ({"node_types": {"A": {"name": "B"}}}, "node_types.A.name", None),
        ({"open": "yes"}, "open", None),
        ({"node_types": [{"name": "A", "properties": {"b": "int"}}]}, "node_types[0].properties.b", "integer"),
        ({"node_types": [{"name": "A", "properties": {"b": {"type": 5}}}]}, "node_types[0].properties.b.type", None),
        ({"node_types": [{"name": "A", "properties": {"b": {"enum": []}}}]}, "node_types[0].properties.b.enum", None),
        ({"node_types": [{"name": "A", "required_properties": "b"}]}, "node_types[0].required_properties", None),
        (
            {"node_types": [{"name": "A", "required_properties": ["b", "b"]}]},
            "node_types[0].required_properties[1]",
            None,
        ),
        ({"node_types": [{"name": "_A"}]}, "node_types[0]", "control characters"),
        ({"node_types": ["*"]}, "node_types[0]", None),
        ({"connection_types": ["To"]}, "connection_types[0]", "from_types"),
        ({"connection_types": [{"name": "To", "from": [], "from_types": ["*"]}]}, "connection_types[0]", "Keep only"),
        ({"connection_types": {"To": {"from": "*", "to": ["*"]}}}, "connection_types.To.from", None),
        ({"connection_types": {5: {}}}, "connection_types", None),
        ([], "", None),
    ],
)
def test_a_fault_of_shape_says_where_it_is_and_what_to_do(data: object, place: str, hint: str | None):
    error = fails(Code.INVALID_ARGUMENT, data)
    assert error.details["at"] == place
    assert hint is None or hint in str(error.hint)


@for_rows(
    ("code", "data", "place"),
    [
        (Code.TYPE_ALREADY_EXISTS, {"node_types": ["A", "A"]}, "node_types[1]"),
        (
            Code.TYPE_ALREADY_EXISTS,
            {"connection_types": [{"name": "To", "from": ["*"], "to": ["*"]}] * 2},
            "connection_types[1]",
        ),
        (
            Code.INVALID_NODE_TYPE,
            {"node_types": ["A"], "connection_types": {"To": {"from": ["A"], "to": ["A", "B"]}}},
            "connection_types.To.to[1]",
        ),
        (
            Code.INVALID_PROPERTY,
            {"node_types": [{"name": "A", "properties": {"_b": None}}]},
            "node_types[0].properties._b",
        ),
        (
            Code.INVALID_PROPERTY,
            {"node_types": [{"name": "A", "properties": {"b": {"enum": [None]}}}]},
            "node_types[0].properties.b",
        ),
        (
            Code.INVALID_PROPERTY,
            {"node_types": [{"name": "A", "required_properties": ["_b"]}]},
            "node_types[0].required_properties[0]",
        ),
        (
            Code.INVALID_ONTOLOGY,
            {"node_types": [{"name": "A", "properties": {"b": {"type": "integer", "enum": ["x"]}}}]},
            "node_types[0].properties.b",
        ),
        (
            Code.INVALID_ONTOLOGY,
            {
                "node_types": [
                    {"name": "A", "required_properties": ["b"], "properties": {"b": {"required": False}}},
                ]
            },
            "node_types[0].properties.b.required",
        ),
        (Code.INVALID_ONTOLOGY, {"connection_types": [{"name": "To", "from": [], "to": ["*"]}]}, "connection_types[0]"),
    ],
)
def test_a_contradiction_says_where_it_is(code: Code, data: object, place: str):
    assert fails(code, data).details["at"] == place


def test_an_undefined_end_suggests_the_defined_one():
    data = {"node_types": ["Action"], "connection_types": [{"name": "To", "from": ["Acton"], "to": ["*"]}]}
    assert fails(Code.INVALID_NODE_TYPE, data).hint == 'Did you mean "Action"?'


EVENT = {"name": "Event", "properties": ["session", "at"]}


@pytest.mark.parametrize(
    ("indexes", "text"),
    [
        ([["session"]], "needs 2 to 4 properties, or is over the limit of 20 indexes"),
        ([["sesion", "at"]], 'names "sesion", which the type does not declare'),
        ([["session", "at"]] * 2, "is declared twice, or lists a property twice"),
    ],
)
def test_an_index_has_two_to_four_declared_properties_each_once(indexes: list[list[str]], text: str):
    error = fails(Code.INVALID_ONTOLOGY, {"node_types": [{**EVENT, "indexes": indexes}]})
    assert error.message.startswith(f"The index [{', '.join(indexes[0])}] of node type Event {text}")


def test_indexes_are_told_as_they_were_declared_also_when_they_change():
    before = node_type_from(EVENT)
    after = node_type_from({**EVENT, "indexes": [["session", "at"]]})
    assert node_type_from(definition(after)) == after
    assert describe_type_change(before, after) == "indexes [session, at] added"
    assert node_type_from(declaration_of("Event", values_of(after))) == after
