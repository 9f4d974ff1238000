"""How an ontology is read from YAML, what is said about a faulty file, and that what is written is read back."""

from __future__ import annotations

import textwrap

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import (
    ANY,
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
from graph_memory.model.ontology.yaml_io import parse, to_yaml
from profiles import examples
from tables import for_rows


def read(text: str) -> Ontology:
    return parse(textwrap.dedent(text), "mine.yaml")


def fails(code: Code, text: str, line: int) -> GraphError:
    with pytest.raises(GraphError) as caught:
        read(text)
    assert caught.value.code is code
    assert caught.value.message.startswith(f"mine.yaml:{line}: ")
    assert caught.value.details["file"] == "mine.yaml"
    assert caught.value.details["line"] == line
    assert "name" in caught.value.details
    return caught.value


def test_the_list_spelling_and_the_mapping_spelling_are_the_same():
    listed = read(
        """
        node_types:
          - Project
          - Person
        connection_types:
          - name: WaitingFor
            from_types:
              - Project
            to_types:
              - Person
            required_properties:
              - since
              - follow_up_date
        """
    )
    mapped = read(
        """
        node_types: {Project: , Person: {}}
        connection_types:
          WaitingFor:
            from: [Project]
            to: [Person]
            required_properties: [since, follow_up_date]
        """
    )
    assert listed == mapped
    assert listed.connection_type("WaitingFor").required == ("since", "follow_up_date")


def test_words_that_older_yaml_takes_for_booleans_are_names():
    ontology = read("node_types: [No, On, yes, off, 2025-10-15, 1:30, 0x10, .inf, =, 'true', '1', \"~\"]")
    names = [node_type.name for node_type in ontology.node_types]
    assert names == ["No", "On", "yes", "off", "2025-10-15", "1:30", "0x10", ".inf", "=", "true", "1", "~"]


def test_keys_are_text_whatever_they_look_like():
    ontology = read("node_types: {1: , true: , null: , on: }")
    assert [node_type.name for node_type in ontology.node_types] == ["1", "true", "null", "on"]


def test_values_of_an_enum_keep_their_types():
    ontology = read("node_types: {A: {properties: {p: {enum: [1, 1.5, true, no, '1', -2e3, 007]}}}}")
    assert repr(ontology.node_types[0].properties[0].enum) == repr((1, 1.5, True, "no", "1", -2000.0, "007"))


def test_an_explicit_text_tag_is_understood():
    assert read("node_types: [!!str true, ! 5]") == Ontology((NodeType("true"), NodeType("5")))


def test_an_ontology_without_types_is_valid():
    assert read("node_types: []\nconnection_types: []") == Ontology()
    assert read("{}") == Ontology()


@for_rows(
    ("line", "text"),
    [
        (1, ""),
        (1, "# nothing here"),
        (1, "- Project"),
        (1, "Project"),
        (2, "node_types: []\nnodetypes: []"),
        (3, "node_types:\n  - Project\n  - true"),
        (3, "node_types:\n  - Project\n  -"),
        (4, "node_types:\n  - name: A\n    properties:\n      _b: string"),
        (4, "node_types:\n  A:\n    properties:\n      b: {type: text}"),
        (3, "node_types:\n  - A\n  - _B"),
        (2, "node_types: [A]\nnode_types: [B]"),
        (3, "node_types:\n  A: \n  A: "),
        (2, "node_types: &names [A]\nconnection_types: *names"),
        (2, "node_types:\n  - !!python/object:os.system A"),
        (1, "!!set {a, b}"),
        (1, "{[a]: b}"),
        (3, "node_types:\n  - A\n---\nnode_types: []"),
        (2, "node_types: [A\nconnection_types: []"),
        (2, "node_types:\n\t- A"),
        (2, "node_types:\n  - '\x07'"),
        (1, "node_types: " + "[" * 100_000),
        (14, "\n".join(" " * depth + "a:" for depth in range(100))),
        (1, "x" * (1024 * 1024 + 1)),
        (2, "node_types: [A]\nopen: yes"),
        (2, "a: &a [x]\nb: *a"),
    ],
)
def test_a_faulty_file_names_file_and_line(line: int, text: str):
    assert len(fails(Code.INVALID_ONTOLOGY, text, line).message) < 300


def test_an_unknown_key_stands_with_its_line_and_a_suggestion():
    error = fails(Code.INVALID_ONTOLOGY, "node_types:\n  - name: A\n    requierd_properties: [a]\n", 3)
    assert error.hint == 'Did you mean "required_properties"?'
    assert error.details["name"] == "requierd_properties"


def test_an_undefined_end_keeps_its_code_and_stands_with_its_line():
    text = """\
        node_types: [Project]
        connection_types:
          NextAction:
            from: [Project]
            to:
              - Project
              - Action
        """
    error = fails(Code.INVALID_NODE_TYPE, text, 7)
    assert error.details["name"] == "Action"


def test_a_type_declared_twice_keeps_its_code_and_stands_with_its_line():
    error = fails(Code.TYPE_ALREADY_EXISTS, "node_types:\n  - A\n  - B\n  - A\n", 4)
    assert error.details["name"] == "A"


def test_a_repeated_key_names_both_lines():
    assert "the first is in line 2" in fails(Code.INVALID_ONTOLOGY, "node_types:\n  A: {}\n  A: {}\n", 3).message


def test_a_name_that_is_no_text_asks_for_quotes():
    assert "quotes" in str(fails(Code.INVALID_ONTOLOGY, "node_types: [true]", 1).hint)


def test_simple_types_are_written_as_names():
    ontology = read("node_types: [A, No]\nconnection_types: {To: {from: [A], to: ['*']}}")
    assert to_yaml(ontology) == (
        "node_types: [A, 'No']\nconnection_types:\n- name: To\n  from_types: [A]\n  to_types: ['*']\n"
    )


# Round trips

NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12).filter(
    lambda name: not name.startswith("_") and name != ANY
) | st.sampled_from(["No", "true", "null", "~", "1e5", "0", "-", "? a", "a: b", "# x", "2025-10-15", "<<", "=", " a "])
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text("ab \n:#-\u0085\u2028\t'", max_size=30)
VALUES = st.one_of(
    *(TEXT, NAMES, st.booleans(), st.integers(-(2**63), 2**63 - 1)),
    st.floats(allow_nan=False, allow_infinity=False),
)


@st.composite
def rules(draw: st.DrawFn) -> PropertyRule:
    values = draw(st.lists(VALUES, max_size=4))
    kind = draw(st.none() | st.sampled_from(PropertyType))
    try:
        return PropertyRule(draw(NAMES), kind, draw(TEXT), draw(st.booleans()), tuple(values), *draw(FLAG_PAIRS))
    except GraphError:
        return PropertyRule(draw(NAMES), kind, indexed=draw(st.booleans()))


FLAG_PAIRS = st.tuples(st.booleans(), st.booleans())
PROPERTIES = st.lists(rules(), max_size=3, unique_by=lambda rule: rule.name).map(tuple)
NODE_TYPES = st.builds(NodeType, NAMES, TEXT, PROPERTIES, st.booleans())


def connection_types(names: list[str]) -> st.SearchStrategy[ConnectionType]:
    some = st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True).map(tuple) if names else st.nothing()
    ends = st.just((ANY,)) | some
    return st.builds(ConnectionType, NAMES, ends, ends, TEXT, PROPERTIES, *[st.booleans()] * 4)


@st.composite
def ontologies(draw: st.DrawFn) -> Ontology:
    nodes = draw(st.lists(NODE_TYPES, max_size=4, unique_by=lambda node_type: node_type.name))
    ends = connection_types([node.name for node in nodes])
    connections = draw(st.lists(ends, max_size=3, unique_by=lambda end: end.name))
    return Ontology(tuple(nodes), tuple(connections), draw(st.booleans()))


RELAXED = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@RELAXED
@given(ontologies())
def test_what_is_written_as_yaml_is_read_back(ontology: Ontology):
    assert repr(parse(to_yaml(ontology))) == repr(ontology)


@RELAXED
@given(ontologies())
def test_other_yaml_readers_read_the_same(ontology: Ontology):
    assert repr(ontology_from(yaml.safe_load(to_yaml(ontology)))) == repr(ontology)


@RELAXED
@given(ontologies())
def test_a_definition_is_read_back_as_the_type(ontology: Ontology):
    assert repr([node_type_from(definition(node_type)) for node_type in ontology.node_types]) == repr(
        [*ontology.node_types]
    )
    connections = [connection_type_from(definition(connection_type)) for connection_type in ontology.connection_types]
    assert repr(connections) == repr([*ontology.connection_types])


@RELAXED
@given(st.text(max_size=200) | st.text("-:[]{}&*!|>'\"%@ \n\tab", max_size=60))
def test_any_text_is_an_ontology_or_a_located_error(text: str):
    try:
        parse(text, "any.yaml")
    except GraphError as error:
        outcome = error.message
    else:
        outcome = "any.yaml:"
    assert outcome.startswith("any.yaml:")


def test_all_faults_of_a_file_are_told_at_once_each_with_its_line_and_nothing_that_only_follows_from_them():
    error = fails(
        Code.INVALID_ONTOLOGY,
        """
        description: 3
        node_types:
          - name: Task
            requierd_properties: [due]
            properties:
              due: dat
              size: {type: integer, indexd: true, enum: [1, x]}
          - A
          - A
        connection_types:
          Next: {from: [Task], to: [Tusk, Nobody]}
          Uses: {from: [Task]}
          Fine: {from: [Task], to: [A], acyclic: 1}
        """,
        2,
    )
    faults: list[dict[str, object]] = error.details["faults"]  # pyright: ignore[reportAssignmentType]
    assert [(fault["code"], fault["line"], fault["name"]) for fault in faults] == [
        ("INVALID_ONTOLOGY", 2, "description"),
        ("INVALID_ONTOLOGY", 5, "requierd_properties"),
        ("INVALID_ONTOLOGY", 7, "dat"),
        ("INVALID_ONTOLOGY", 8, "indexd"),
        ("INVALID_ONTOLOGY", 8, "size"),
        ("TYPE_ALREADY_EXISTS", 10, "A"),
        ("INVALID_NODE_TYPE", 12, "Tusk"),
        ("INVALID_NODE_TYPE", 12, "Nobody"),
        ("INVALID_ONTOLOGY", 13, "connection_types.Uses"),
        ("INVALID_ONTOLOGY", 14, "connection_types.Fine.acyclic"),
    ]
    assert len(error.message.splitlines()) == 10
    assert (
        'mine.yaml:5: node_types[0].requierd_properties is not a valid key (Did you mean "required_properties"?)'
        in (error.message)
    )


def test_the_description_of_a_file_is_written_back():
    types = "node_types:\n- name: Task\n  description: |\n    One step.\n    One more.\nconnection_types: []\n"
    text = f"description: What a team keeps in mind.\n{types}"
    assert to_yaml(read(text)) == text
