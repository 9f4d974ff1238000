"""The ontologies that come with the package: readable, documented, and what the examples of the requirements need."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graph_memory import load_ontology
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import Ontology, merge_ontologies, ontology_from
from graph_memory.model.ontology.types import check_rules
from graph_memory.model.ontology.yaml_io import parse, to_yaml
from tables import for_rows

FOLDER = Path(__file__).parents[3] / "ontologies"
FILES = sorted(FOLDER.glob("*.yaml"))


def load(name: str) -> Ontology:
    path = FOLDER / f"{name}.yaml"
    return parse(path.read_text(encoding="utf-8"), path.name)


GTD = load("gtd")
FITNESS = load("fitness")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_read_and_written_alike(path: Path):
    ontology = load(path.stem)
    assert parse(to_yaml(ontology)) == ontology


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_type_and_property_is_described(path: Path):
    ontology = load(path.stem)
    types = [*ontology.node_types, *ontology.connection_types]
    assert [node_type.name for node_type in types if not node_type.description] == []
    assert [
        (node_type.name, rule.name) for node_type in types for rule in node_type.properties if not rule.description
    ] == []


def test_gtd_has_the_types_of_the_requirements():
    assert [node_type.name for node_type in GTD.node_types] == [
        "Project",
        "Action",
        "Person",
        "Context",
        "Document",
        "Note",
    ]
    assert GTD.connection_type("WaitingFor").required == ("since", "follow_up_date")
    assert GTD.connection_type("DependsOn").acyclic


@for_rows(
    ("connection_type", "source", "target", "answer"),
    [
        ("NextAction", "Project", "Action", True),
        ("NextAction", "Action", "Project", False),
        ("NextAction", "Project", "Person", False),
        ("DependsOn", "Action", "Action", True),
        ("DependsOn", "Project", "Action", True),
        ("RequiresContext", "Action", "Context", True),
        ("WaitingFor", "Action", "Person", True),
        ("WaitingFor", "Project", "Person", True),
    ],
)
def test_gtd_connects_as_the_requirements_do(connection_type: str, source: str, target: str, answer: bool):
    assert GTD.can_connect(connection_type, source, target) is answer


@for_rows(
    ("type_name", "properties"),
    [
        ("Project", {}),
        ("Project", {"status": "active"}),
        ("Project", {"status": "active", "priority": 1, "urgent": True}),
        ("Project", {"status": "completed"}),
        ("Project", {"status": "someday"}),
        ("Project", {"status": "none"}),
        ("Action", {}),
        ("Action", {"status": "next", "context": "phone"}),
        ("Action", {"status": "next", "context": "phone", "priority": "high"}),
        ("Action", {"status": "waiting", "context": "phone", "time_estimate": "30-45 minutes"}),
        ("Action", {"status": "complete", "time_estimate": 30}),
        ("Person", {}),
        ("Note", {}),
    ],
)
def test_gtd_takes_the_nodes_of_the_requirements(type_name: str, properties: dict):
    check_rules(GTD.node_type(type_name), properties)


def test_gtd_takes_the_connections_of_the_requirements():
    check_rules(GTD.connection_type("NextAction"), {"priority": "high", "added": "2025-10-16"})
    check_rules(GTD.connection_type("WaitingFor"), {"since": "2025-10-15", "follow_up_date": "2025-10-22"})


@pytest.mark.parametrize(
    ("code", "properties"),
    [
        (Code.REQUIRED_PROPERTY_MISSING, {"since": "2025-10-15"}),
        (Code.INVALID_PROPERTY, {"since": "yesterday", "follow_up_date": "2025-10-22"}),
    ],
)
def test_gtd_waits_with_real_dates_only(code: Code, properties: dict):
    with pytest.raises(GraphError) as caught:
        check_rules(GTD.connection_type("WaitingFor"), properties)
    assert caught.value.code is code


def test_a_misspelt_status_is_refused():
    with pytest.raises(GraphError) as caught:
        check_rules(GTD.node_type("Action"), {"status": "nxt"})
    assert caught.value.code is Code.INVALID_PROPERTY


def test_fitness_knows_plans_and_what_was_done():
    assert FITNESS.can_connect("Performed", "Session", "Exercise")
    assert FITNESS.connection_type("FollowsPlan").unique_source
    assert FITNESS.node_type("Measurement").required == ("metric", "value")
    check_rules(
        FITNESS.node_type("Measurement"),
        {"metric": "body_weight", "value": 72.5, "measured": "2025-10-31T07:00:00+01:00"},
    )


def test_the_examples_of_the_guide_are_ontologies():
    guide = FOLDER.parent / "docs" / "guides" / "ontology.md"
    examples = re.findall(r"```yaml\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    parsed = [parse(example, guide.name) for example in examples]
    assert len(parsed) >= 3
    assert [parse(to_yaml(ontology)) for ontology in parsed] == parsed


def test_gtd_and_fitness_can_be_merged():
    both = merge_ontologies([GTD, FITNESS])
    assert len(both.node_types) == len(GTD.node_types) + len(FITNESS.node_types)


def test_an_ontology_is_loaded_by_path_or_by_the_name_of_a_bundled_one(tmp_path: Path):
    file = tmp_path / "mine.yaml"
    file.write_text("node_types: [Note]", encoding="utf-8")
    assert load_ontology(file) == load_ontology(str(file)) == ontology_from({"node_types": ["Note"]})
    assert load_ontology("gtd").find_node_type("Project") is not None
    file.write_bytes(b"node_types:\n  - \xff")
    for wrong, code in (
        ("gdt", Code.INVALID_ARGUMENT),
        (tmp_path, Code.INVALID_ARGUMENT),
        (file, Code.INVALID_ONTOLOGY),
    ):
        with pytest.raises(GraphError) as refused:
            load_ontology(wrong)
        assert refused.value.code is code
