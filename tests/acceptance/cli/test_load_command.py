"""`graph-memory load`, as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from neo4j import Driver

from acceptance.agents import run
from container.images import address_of
from graph_memory import Memory, Settings

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
    assert "Use --ontology infer" in missing.stderr
    tried = run(environment, "load", str(people), "--domain", domain, "--ontology", "infer", "--dry-run")
    end = f"Nothing was written. Domain {domain} would contain this data from the source: 2 nodes, 1 connection.\n"
    assert tried.stdout.endswith(end), tried.stderr
    done = run(environment, "load", str(people), "--domain", domain, "--ontology", "infer")
    assert done.stdout == (
        "node type  nodes\nPerson     2\n2 created\n\n"
        "connection type  connections\nKnows            1\n1 created\n\n"
        "people.csv:1: born is of type date, and becomes text.\n"
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
    assert "more.jsonl:1, column type: The node has no type\nRejected: 1.\n" in tried.stdout
    options = ("--ontology", "infer", "--skip-invalid", "--json")
    done = json.loads(run(environment, "load", str(people), "--domain", domain, *options).stdout)
    assert (done["nodes"]["created"], done["refused"]["count"]) == (2, 1)
    assert done["refused"]["first"][0]["file"] == "more.jsonl"


@pytest.fixture
def films(driver: Driver) -> Iterator[str]:
    """The label of two films in the memory's own database, one of them made from the other."""
    label = f"Film{uuid4().hex[:8]}"
    made = f"CREATE (:{label} {{title: 'Dune', seen: date('2021-09-15')}})-[:PartOf]->(:{label} {{title: 'Dune 1984'}})"
    driver.execute_query(made)  # pyright: ignore[reportArgumentType]
    yield label
    driver.execute_query(f"MATCH (n:{label}) WHERE NOT n:_Node DETACH DELETE n")  # pyright: ignore[reportArgumentType]


@pytest.mark.usefixtures("memory")
async def test_labels_of_the_memorys_own_server_are_loaded_whatever_login_is_set_for_sources(
    environment: dict[str, str], settings: Settings, domain: str, films: str
) -> None:
    uri = address_of(settings).uri
    environment = {**environment, "GRAPH_MEMORY_SOURCE_PASSWORD": "of-another"}
    chosen = (uri, "--only-label", films)
    inferred = run(environment, "ontology", "infer", *chosen)
    assert f"name: {films}" in inferred.stdout, inferred.stderr
    done = run(environment, "load", *chosen, "--ontology", "infer", "--domain", domain)
    assert f"\n{uri}: seen is of type date, and becomes text.\n" in done.stdout, done.stderr
    assert done.stdout.endswith(f"Loaded into domain {domain}: 2 nodes, 1 connection, as numbers 5 to 7 of its log.\n")
    again = run(environment, "load", *chosen, "--ontology", "infer", "--domain", domain)
    assert "already contains this data from the source: 2 nodes, 1 connection" in again.stdout, again.stderr


async def test_what_stands_against_a_server_as_a_source_is_told(
    environment: dict[str, str], settings: Settings, people: Path
) -> None:
    uri = address_of(settings).uri
    elsewhere = {**environment, "NEO4J_URI": "bolt://127.0.0.1:1", "GRAPH_MEMORY_SOURCE_PASSWORD": "wrong-one"}
    wrong = run(elsewhere, "ontology", "infer", uri)
    assert f"Neo4j at {uri} rejected the user name or password" in wrong.stderr
    assert "wrong-one" not in wrong.stderr
    files = run(environment, "ontology", "infer", str(people), "--database", "films")
    assert "is not the address of a Neo4j server" in files.stderr
    some = run(environment, "ontology", "infer", str(people), "--only-label", "Person")
    assert "--only-label and --only-type apply only to Neo4j servers" in some.stderr
