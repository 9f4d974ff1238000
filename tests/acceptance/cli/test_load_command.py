"""`graph-memory load`, as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acceptance.agents import run
from graph_memory import Memory

pytestmark = pytest.mark.anyio

PEOPLE = ":ID,name,born:date,:LABEL\n1,Ann,1980-01-01,Person\n2,Bob,,Person\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (tmp_path / "knows.csv").write_text(":START_ID,:END_ID,:TYPE\n1,2,Knows\n")
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


@pytest.mark.usefixtures("memory")
async def test_a_graph_is_loaded_with_a_report_and_exported(
    environment: dict[str, str], domain: str, people: Path
) -> None:
    missing = run(environment, "load", str(people), "--domain", domain)
    assert missing.returncode == 66
    assert "Give --ontology infer" in missing.stderr
    tried = run(environment, "load", str(people), "--domain", domain, "--ontology", "infer", "--dry-run")
    end = f"Nothing was written. Domain {domain} would have these of the source: 2 nodes, 1 connection.\n"
    assert tried.stdout.endswith(end), tried.stderr
    done = run(environment, "load", str(people), "--domain", domain, "--ontology", "infer")
    assert done.stdout == (
        "node type  nodes\nPerson     2\n2 created\n\n"
        "connection type  connections\nKnows            1\n1 created\n\n"
        "people.csv: born is of type date, and becomes text.\n"
        f"Loaded into domain {domain}: 2 nodes, 1 connection, as numbers 5 to 7 of its log.\n"
    ), done.stderr
    out = run(environment, "export", str(people / "out"), "--format", "csv", "--domain", domain)
    assert out.stdout.endswith("as csv: 2 nodes, 1 connection, without the log.\n"), out.stderr
    assert sorted(path.name for path in (people / "out").iterdir()) == ["nodes.Person.csv", "relationships.Knows.csv"]


async def test_what_is_refused_is_told_with_its_place(
    memory: Memory, environment: dict[str, str], domain: str, people: Path
) -> None:
    (people / "more.jsonl").write_text('{"node": {"id": "3"}}\n')
    failed = run(environment, "load", str(people), "--domain", domain, "--ontology", "infer")
    assert failed.returncode == 65
    assert "\n  more.jsonl:1, column type: The node has no type\n" in failed.stderr
    assert not (await memory.query_nodes()).node_ids
    tried = run(environment, "load", str(people), "--domain", domain, "--ontology", "infer", "--dry-run")
    assert "more.jsonl:1, column type: The node has no type\nRefused: 1.\n" in tried.stdout
    options = ("--ontology", "infer", "--skip-invalid", "--json")
    done = json.loads(run(environment, "load", str(people), "--domain", domain, *options).stdout)
    assert (done["nodes"]["created"], done["refused"]["count"]) == (2, 1)
    assert done["refused"]["first"][0]["file"] == "more.jsonl"
