"""Imports of other programs' memories: the results, a repeated import, a cut import, and the export back."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from neo4j import Driver

from container.images import address_of
from graph_memory import Code, GraphError, Memory, Neo4jSource, Settings, ontology_from
from graph_memory.memory.access_counter import AccessCounter
from graph_memory.memory.entities import importing
from unit.memory.transfer.test_memories import EVENTS, write, write_store

pytestmark = pytest.mark.anyio

HOSTILE = [
    "",
    " ",
    "Ada Lovelace",
    "ada lovelace",
    "Zoë\u2028\x00",
    "n`) DETACH DELETE n //",
    "x" * 9_000,
    "_id",
    "日本",
]


def lines(graph: dict[str, list[dict[str, Any]]]) -> str:
    """Return a file as the official server writes it."""
    texts = [{"type": "entity", **entity} for entity in graph["entities"]]
    texts += [{"type": "relation", **relation} for relation in graph["relations"]]
    return "\n".join(json.dumps(text, ensure_ascii=False, separators=(",", ":")) for text in texts)


def memory_of(count: int) -> dict[str, list[dict[str, Any]]]:
    """Return a memory with names and types of all kinds, relations to nobody, and an order of its own."""
    names = [*HOSTILE, *(f"Person {(n * 7919) % 10_007}" for n in range(count - len(HOSTILE)))]
    kinds = ["person", "Big Company", "", "日本", "_odd"]
    entities = [
        {"name": name, "entityType": kinds[n % 5], "observations": [f"{name} says {m}" for m in range(n % 4)]}
        for n, name in enumerate(names)
    ]
    relations = [
        {"from": name, "to": names[(n * 31) % count] if n % 9 else f"nobody {n}", "relationType": f"knows {n % 3}"}
        for n, name in enumerate(names)
    ]
    return {"entities": entities, "relations": [*relations, {"from": "?", "to": "!", "relationType": "both unknown"}]}


async def test_a_file_of_the_official_server_is_the_same_graph_in_the_same_order_and_back(
    memory: Memory, tmp_path: Path
) -> None:
    graph = memory_of(120)
    file = write(tmp_path, "memory.jsonl", lines(graph))
    tried = await memory.transfer.import_memory(file, dry_run=True)
    assert (await memory.entities.read_graph()).to_dict() == {"entities": [], "relations": []}
    done = await memory.transfer.import_memory(file)
    assert done.entities == tried.entities
    assert (done.entities.new, done.relations.new) == (120, 121)
    assert done.observations.new == sum(len(entity["observations"]) for entity in graph["entities"])
    assert (await memory.entities.read_graph()).to_dict() == graph
    stream = io.BytesIO()
    exported = await memory.transfer.export_graph(stream, "official")
    assert stream.getvalue().decode() == file.read_text()
    assert (exported.nodes, exported.connections) == (120, 121)
    again = await memory.transfer.import_memory(file)
    assert (again.entities.new, again.relations.new, again.observations.new) == (0, 0, 0)
    assert again.entities.already_there == 120
    assert (await memory.upkeep.verify()).differences == ()


async def test_what_is_there_stays_and_what_was_observed_is_added(memory: Memory, tmp_path: Path) -> None:
    await memory.entities.create_entities([{"name": "Ada", "entityType": "person", "observations": ["own"]}])
    twice = [
        {"type": "entity", "name": "Ada", "entityType": "robot", "observations": ["new", "own"]},
        {"type": "entity", "name": "Ada", "entityType": "ghost", "observations": ["new", "later"]},
        {"type": "relation", "from": "Ada", "to": "Ada", "relationType": "is"},
        {"type": "relation", "from": "Ada", "to": "Ada", "relationType": "is"},
    ]
    done = await memory.transfer.import_memory(write(tmp_path, "m.jsonl", "\n".join(map(json.dumps, twice))))
    assert (done.entities.new, done.observations.new, done.observations.already_there) == (0, 2, 1)
    assert done.relations.new == 1
    assert [note.text for note in done.notes] == ["an entity with several types gets the first of them"]
    (ada,) = (await memory.entities.open_nodes(["Ada"])).entities
    assert (ada.entity_type, ada.observations) == ("person", ("own", "new", "later"))


async def test_a_damaged_file_imports_nothing_unless_what_is_damaged_may_be_left_out(
    memory: Memory, tmp_path: Path
) -> None:
    file = write(tmp_path, "m.jsonl", lines(memory_of(20)) + '\n{"type":"entity","name":\n{"type":"relation"}')
    with pytest.raises(GraphError) as raised:
        await memory.transfer.import_memory(file)
    assert raised.value.code is Code.INVALID_SOURCE
    assert "m.jsonl:42" in raised.value.message
    assert (await memory.entities.read_graph()).entities == ()
    tried = await memory.transfer.import_memory(file, dry_run=True)
    assert [refusal.line for refusal in tried.refused.first] == [42, 43]
    done = await memory.transfer.import_memory(file, skip_invalid=True)
    assert (done.entities.new, done.refused.count) == (20, 2)


async def test_a_domain_whose_types_are_closed_refuses_others_before_anything_is_written(
    memory: Memory, tmp_path: Path
) -> None:
    knows = {"name": "knows", "from": ["person"], "to": ["person"]}
    await memory.create_ontology(ontology_from({"node_types": ["person"], "connection_types": [knows]}))
    results = [
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": []},
        {"type": "entity", "name": "R2", "entityType": "robot", "observations": []},
        {"type": "relation", "from": "Ada", "to": "R2", "relationType": "builds"},
    ]
    file = write(tmp_path, "m.jsonl", "\n".join(map(json.dumps, results)))
    tried = await memory.transfer.import_memory(file, dry_run=True)
    assert [(refusal.line, refusal.code) for refusal in tried.refused.first] == [
        (2, "INVALID_NODE_TYPE"),
        (3, "INVALID_CONNECTION_TYPE"),
    ]
    with pytest.raises(GraphError):
        await memory.transfer.import_memory(file)
    assert (await memory.entities.read_graph()).entities == ()


async def test_an_import_that_was_cut_off_goes_on_when_it_is_repeated(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "PAGE", 10)
    graph = memory_of(60)
    file = write(tmp_path, "m.jsonl", lines(graph))
    texts: list[str] = []

    def stop(stage: str, _: float | None) -> None:
        texts.append(stage)
        if texts.count("Importing entities") == 4 or texts.count("Importing relations") == 3:
            texts.clear()
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            await memory.transfer.import_memory(file, progress=stop)
    await memory.transfer.import_memory(file)
    assert (await memory.entities.read_graph()).to_dict() == graph


async def test_a_store_of_mnemograph_keeps_its_times_and_sessions(memory: Memory, tmp_path: Path) -> None:
    done = await memory.transfer.import_memory(write_store(tmp_path / "store", EVENTS))
    assert (done.format, done.entities.new, done.relations.new, done.observations.new) == ("mnemograph", 2, 1, 2)
    graph = await memory.entities.read_graph()
    assert [(entity.name, entity.entity_type, entity.observations) for entity in graph.entities] == [
        ("Ada", "entity", ("writes code", "moved")),
        ("The Engine", "project", ()),
    ]
    assert (await memory.upkeep.verify()).differences == ()


async def test_a_file_that_the_environment_names_is_imported_once(memory: Memory, tmp_path: Path) -> None:
    graph = memory_of(12)
    file = tmp_path / "memory.jsonl"
    assert await memory.transfer.import_once(file) is None
    file.write_text(lines({**graph, "entities": graph["entities"][:5]}))
    assert await memory.transfer.import_once(file) is not None
    file.write_text(lines(graph))
    done = await memory.transfer.import_once(file)
    assert done is not None
    assert done.entities.new == 7
    await memory.entities.delete_entities(["", "Ada Lovelace"])
    assert await memory.transfer.import_once(file) is None
    assert "Ada Lovelace" not in [entity.name for entity in (await memory.entities.read_graph()).entities]


async def test_a_second_file_for_a_used_domain_is_only_compared(memory: Memory, tmp_path: Path) -> None:
    first = write(tmp_path, "first.jsonl", lines(memory_of(12)))
    second = write(tmp_path, "second.jsonl", lines(memory_of(15)))
    assert await memory.transfer.import_once(first) is not None
    for _ in range(2):
        compared = await memory.transfer.import_once(second)
        assert compared is not None
        assert (compared.dry_run, compared.entities.new, compared.entities.already_there) == (True, 3, 12)
    assert len((await memory.entities.read_graph()).entities) == 12
    await memory.transfer.import_memory(second)
    compared = await memory.transfer.import_once(second)
    assert compared is not None
    assert compared.entities.new == 0
    assert await memory.transfer.import_once(first) is None


async def test_a_damaged_file_of_the_environment_is_named_with_what_a_user_can_do(
    memory: Memory, tmp_path: Path
) -> None:
    file = write(tmp_path, "memory.jsonl", lines(memory_of(10)) + "\n{")
    with pytest.raises(GraphError, match=r"memory\.jsonl:22") as caught:
        await memory.transfer.import_once(file)
    assert "MEMORY_FILE_PATH is set to this file." in str(caught.value.hint)
    assert "or use --skip-invalid" not in str(caught.value.hint).lower()
    assert "`graph-memory import --skip-invalid FILE --domain DOMAIN`" in str(caught.value.hint)


async def test_an_import_counts_nothing_as_looked_at(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, "memory.jsonl", lines(memory_of(12)))
    await memory.transfer.import_memory(file)
    noted: list[str] = []
    monkeypatch.setattr(AccessCounter, "record", lambda _self, _domain, ids: noted.extend(ids))
    await memory.transfer.import_memory(file, dry_run=True)
    await memory.transfer.import_memory(file)
    assert noted == []
    await memory.entities.open_nodes(["Ada Lovelace"])
    assert len(noted) == 1


@pytest.fixture
def server(settings: Settings) -> Neo4jSource:
    address = address_of(settings)
    return Neo4jSource(address.uri, address.username, address.password)


async def test_the_graph_of_mcp_neo4j_memory_is_imported_from_its_server(
    memory: Memory, server: Neo4jSource, driver: Driver
) -> None:
    mark = uuid4().hex
    made = """
        CREATE (a:Memory:person {name: $a, type: 'person', observations: ['likes tea']})
        CREATE (b:Memory:company {name: $b, type: 'company', observations: []})
        CREATE (a)-[:WORKS_AT]->(b)"""
    driver.execute_query(made, a=f"Ada {mark}", b=f"Engine Ltd {mark}")
    try:
        done = await memory.transfer.import_memory(server, format="mcp-neo4j-memory")
    finally:
        driver.execute_query("MATCH (n:Memory) WHERE NOT n:_Node DETACH DELETE n")
    assert (done.entities.new, done.relations.new, done.observations.new) == (2, 1, 1)
    result = (await memory.entities.read_graph()).to_dict()
    assert {entity["name"]: entity["entityType"] for entity in result["entities"]} == {
        f"Ada {mark}": "person",
        f"Engine Ltd {mark}": "company",
    }
    assert [relation["relationType"] for relation in result["relations"]] == ["WORKS_AT"]


async def test_entities_and_facts_of_neo4j_agent_memory_are_imported_from_its_server(
    memory: Memory, server: Neo4jSource, driver: Driver
) -> None:
    made = """
        CREATE (a:Entity:PERSON {id: '1', name: 'Ada', type: 'PERSON', description: 'Counts', confidence: 0.9,
          created_at: datetime(), embedding: [0.1], aliases: ['Countess']})
        CREATE (b:Entity:OBJECT {id: '2', name: 'Engine', type: 'OBJECT', created_at: datetime()})
        CREATE (:Entity {id: '3', name: 'Adah', type: 'PERSON', merged_into: '1'})
        CREATE (a)-[:RELATED_TO {id: 'r', type: 'DESIGNS', confidence: 0.5}]->(b)
        CREATE (:Fact {id: 'f1', subject: 'Ada', predicate: 'programs', object: 'Engine', confidence: 0.7,
          valid_from: datetime('2020-01-01T00:00:00Z'), created_at: datetime('2026-01-02T03:04:05Z')})
        CREATE (:Fact {id: 'f2', subject: 'Babbage', predicate: 'born in', object: 'London'})
        CREATE (:Preference {id: 'p', category: 'food', preference: 'Vegetarian', context: 'dinner'})"""
    driver.execute_query(made)
    try:
        done = await memory.transfer.import_memory(server, format="neo4j-agent-memory")
    finally:
        driver.execute_query("MATCH (n) WHERE (n:Entity OR n:Fact OR n:Preference) AND NOT n:_Node DETACH DELETE n")
    assert not done.refused.count
    result = (await memory.entities.read_graph()).to_dict()
    assert {entity["name"]: (entity["entityType"], entity["observations"]) for entity in result["entities"]} == {
        "Ada": ("PERSON", ["Ada programs Engine"]),
        "Engine": ("OBJECT", []),
        "Babbage": ("entity", ["Babbage born in London"]),
        "food": ("preference", ["Vegetarian (dinner)"]),
    }
    assert [relation["relationType"] for relation in result["relations"]] == ["DESIGNS", "programs"]
