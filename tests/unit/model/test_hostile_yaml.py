"""Files that mean harm, or that a mistake made look so: each is refused in a line, soon, and nothing in it is run."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graph_memory.cli.main import app
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.declarations import node_type_from
from graph_memory.model.ontology.ontology import MAX_TYPES, ontology_from
from graph_memory.model.ontology.yaml_io import parse
from tables import for_rows

SOON = 20.0
"""Seconds within which a file is answered, also on a busy machine."""

BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))]
)
HOSTILE = {
    "aliases that expand": BOMB,
    "an alias of itself": "node_types: &a [*a]",
    "a merge key": "base: &b {a: 1}\nnode_types: [{<<: *b, name: Note}]",
    "a Python object": "node_types: !!python/object/apply:os.system ['exit 1']",
    "a Python name": "node_types: [!!python/name:os.system '']",
    "a tag of its own": "node_types: [!evil Note]",
    "a set": "node_types: !!set {Note}",
    "binary": "node_types: [!!binary Tm90ZQ==]",
    "lists 1,000 deep": "node_types: " + "[" * 1_000 + "]" * 1_000,
    "lists 100,000 deep": "node_types: " + "[" * 100_000 + "]" * 100_000,
    "lists that never close": "[" * 200_000,
    "objects 1,000 deep": "node_types: " + "{a: " * 1_000 + "1" + "}" * 1_000,
    "indents 1,000 deep": "\n".join(" " * depth + "a:" for depth in range(1_000)),
    "sequences in a row": "node_types:\n" + "- " * 5_000 + "a",
    "a huge key": "k" * 500_000 + ": 1",
    "a huge complex key": "? " + "k" * 500_000 + "\n: 1",
    "a huge name": "node_types: [" + "x" * 500_000 + "]",
    "a list as a key": "? [a, b]\n: 1",
    "a key that is there twice": "node_types: [Note]\nnode_types: [Task]",
    "a type that is there twice": "node_types: {Note: {}, Note: {}}",
    "over 1 MiB": "# " + "x" * 1_100_000,
    "too many types": "node_types:\n" + "".join(f"- T{number}\n" for number in range(MAX_TYPES + 1)),
    "a null byte": "node_types: [No\0te]",
    "a control character in quotes": 'node_types: ["No\\x07te"]',
    "half a character pair": "node_types: [\ud800]",
    "half a character pair in quotes": 'node_types: ["\\ud800"]',
    "two documents": "node_types: [Note]\n---\nnode_types: [Task]",
    "a directive": "%YAML 9.9\n---\nnode_types: [Note]",
    "a tag directive": "%TAG ! tag:evil,2000:\n---\nnode_types: [!x Note]",
    "a colon in a tab": "node_types:\n\t- Note",
    "no mapping": "- Note",
    "a huge number": "node_types: [{name: Note, properties: {a: {enum: [" + "9" * 10_000 + "]}}}]",
    "a number without end": "node_types: [{name: Note, properties: {a: {enum: [1e999]}}}]",
}


@for_rows("text", HOSTILE.values())
def test_a_hostile_file_is_refused_with_its_line_in_a_short_message(text: str):
    began = time.monotonic()
    with pytest.raises(GraphError) as caught:
        parse(text, "evil.yaml")
    assert time.monotonic() - began < SOON
    error = caught.value
    assert error.code in {Code.INVALID_ONTOLOGY, Code.TYPE_ALREADY_EXISTS}
    assert error.message.startswith("evil.yaml:")
    assert isinstance(error.details["line"], int)
    assert len(json.dumps(error.to_dict()).encode()) < 2_000
    assert "\n" not in error.message


@pytest.mark.parametrize("kind", ["aliases that expand", "a Python object", "lists 100,000 deep", "a null byte"])
@pytest.mark.parametrize("command", ["validate", "apply"])
def test_the_command_refuses_it_before_it_looks_for_a_database(command: str, kind: str, tmp_path: Path):
    file = tmp_path / "evil.yaml"
    file.write_text(HOSTILE[kind])
    done = CliRunner().invoke(app, ["ontology", command, str(file)])
    assert isinstance(done.exception, GraphError)
    assert done.exception.code is Code.INVALID_ONTOLOGY
    assert "evil.yaml:" in done.exception.message


def test_what_no_quotes_make_text_of_stays_text():
    words = ["On", "yes", "2025-10-31", "0x1F", "1_000", "012", "=", "1:30", ".inf", ".NaN", "<<"]
    ontology = parse("node_types:\n" + "".join(f"- {word}\n" for word in words))
    assert [declared.name for declared in ontology.node_types] == words


def test_as_many_types_as_are_allowed_are_read_soon():
    began = time.monotonic()
    ontology = parse("node_types:\n" + "".join(f"- T{number}\n" for number in range(MAX_TYPES)))
    assert len(ontology.node_types) == MAX_TYPES
    assert time.monotonic() - began < SOON


def _within(depth: int, kind: str) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value] if kind == "list" else {"name": value}
    return value


@for_rows("kind", ["list", "object"])
@for_rows("field", ["name", "description", "required_properties", "properties", "ad_hoc", "colour"])
def test_a_declaration_may_be_nested_as_deep_as_it_likes_and_is_refused(field: str, kind: str):
    declared = {"name": "Note", field: _within(20_000, kind)}
    for read in (node_type_from, lambda data: ontology_from({"node_types": [data]})):
        with pytest.raises(GraphError) as caught:
            read(declared)
        assert caught.value.code in {Code.INVALID_ARGUMENT, Code.INVALID_PROPERTY, Code.INVALID_ONTOLOGY}
        assert len(caught.value.message) < 1_000
