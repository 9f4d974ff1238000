"""The commands about graphs of other programs, without a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from graph_memory import parse_ontology
from graph_memory.cli.commands.transfer import _format_of
from graph_memory.cli.main import app
from tables import for_rows

PEOPLE = ":ID,name,:LABEL\n" + "".join(f"{n},P{n},Person\n" for n in range(12))


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_infer_prints_an_ontology_that_can_be_applied(tmp_path: Path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "knows.csv").write_text(":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n")
    done = run("ontology", "infer", str(tmp_path))
    assert done.exit_code == 0, done.output
    ontology = parse_ontology(done.stdout)
    assert ontology.node_type("Person").required == ("name",)
    assert ontology.connection_type("KNOWS").from_types == ("Person",)
    result = json.loads(run("ontology", "infer", str(tmp_path), "--json").stdout)
    assert result["node_types"][0]["name"] == "Person"


def test_infer_takes_the_options_of_a_source(tmp_path: Path):
    (tmp_path / "x.csv").write_text(":ID,name,bio,tags:string[]\n1,Ann,long,a;b\n")
    options = ["--node-type", "Person", "--content-property", "bio", "--id-property", "key", "--join-arrays", ","]
    done = run("ontology", "infer", str(tmp_path / "x.csv"), *options)
    rules = [rule.name for rule in parse_ontology(done.stdout).node_type("Person").properties]
    assert rules == ["name", "tags", "key"]


def test_a_label_that_was_chosen_or_the_rarest_is_the_type(tmp_path: Path):
    (tmp_path / "x.csv").write_text(":ID,:LABEL\n1,Thing;Person\n2,Thing;Car\n3,Person;Thing\n")
    assert {
        node_type.name for node_type in parse_ontology(run("ontology", "infer", str(tmp_path)).stdout).node_types
    } == {
        "Person",
        "Car",
    }
    done = run("ontology", "infer", str(tmp_path), "--label", "Thing")
    assert [node_type.name for node_type in parse_ontology(done.stdout).node_types] == ["Thing"]


def test_what_is_wrong_with_a_source_is_told_with_its_line_and_may_be_skipped(tmp_path: Path):
    (tmp_path / "people.csv").write_text(PEOPLE + "1,Again,Person\n")
    (tmp_path / "knows.csv").write_text(":START_ID,:END_ID,:TYPE\n2,99,KNOWS\n2,3,KNOWS\n")
    failed = run("ontology", "infer", str(tmp_path))
    error = failed.exception
    assert error.code == "INVALID_SOURCE"
    assert "people.csv:14: There is another node 1, in people.csv:3" in error.message
    assert 'knows.csv:2: A connection of type KNOWS refers to node "99", which does not exist' in error.message
    assert error.details["report"]["codes"] == {"NODE_ALREADY_EXISTS": 1, "DANGLING_REFERENCE": 1}
    assert run("ontology", "infer", str(tmp_path), "--skip-invalid").exit_code == 0
    (tmp_path / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08")
    assert run("ontology", "infer", str(tmp_path), "--skip-invalid").exception.code == "INVALID_SOURCE"


@for_rows(
    ("name", "form"),
    [
        ("x.jsonl", "log"),
        ("x.jsonl.gz", "log"),
        ("-", "log"),
        ("x/", "folder"),
        ("x.graphml", "graphml"),
        ("x.graphml.gz", "graphml"),
        ("x.cypher", "cypher"),
    ],
)
def test_the_name_of_a_file_says_what_is_exported(name: str, form: str):
    assert _format_of(name) == form


def test_an_unknown_format_is_refused():
    assert run("export", "x", "--format", "xml").exception.code == "INVALID_ARGUMENT"
