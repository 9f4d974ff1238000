"""A domain in formats of other programs: what is read of them is what is in it."""

from __future__ import annotations

import gzip
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver

from container.images import address_of
from graph_memory import (
    Code,
    GraphError,
    Memory,
    Neo4jSource,
    Settings,
    SourceOptions,
    infer_ontology,
    ontology_from,
)
from graph_memory.memory.transfer.formats.cypher_script import LABEL, write_cypher
from graph_memory.memory.transfer.formats.records import ConnectionRecord, Key, NodeRecord, SourcePosition
from graph_memory.memory.transfer.formats.source import items_of, sources_of
from graph_memory.memory.transfer.results import GraphFormat
from integration.branches.test_branch import fill
from profiles import some
from unit.memory.transfer.test_round_trip import OWN_KEYS

pytestmark = pytest.mark.anyio

NO_PLACE = SourcePosition("")
TYPES = {"node_types": ["A b`'"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]}
EVIL = [
    "",
    '"',
    "'",
    "\\",
    "\\u0041",
    "\\\\u0022",
    "`) DETACH DELETE n //",
    "a;\nb",
    "\r\n\t",
    "{$x}",
    "=1+1",
    "é\u2028\U0001f600",
]


FIELDS: dict[str, Any] = {
    "namespace": "`'\"; \\u0041",
    "title": "Größe, `'\" <b>; \\",
    "content_summary": "a\nb\t'\"; </data>",
    "metadata": {"\\u0041 '\"": ["\x01\r\n", None, 1.0, -(2**63), {"ß": False}], "a;b": "<&>"},
}


async def hostile(memory: Memory) -> None:
    """Make a domain with what is hard to write down."""
    await memory.create_ontology(ontology_from(TYPES))
    values = {f"k{n} `\"'": text for n, text in enumerate(EVIL)} | {
        "i": 2**63 - 1,
        "low": -(2**63),
        "f": 1.0,
        "t": True,
    }
    await memory.create_node(
        "A b`'", "# Größe;\n", properties=values, tags=["x y", "'"], path="work/\\", id="n1", format="text", **FIELDS
    )
    await memory.create_node("A b`'", b"\x00\xff", encoding="base64", id="n2")
    await memory.create_connection("Link", "n1", "n2", properties=values, content="why\n", id="c1")
    await memory.set_validity("n1", valid_from="2020-01-01T00:00:00Z", valid_to="2021-01-01T00:00:00.5Z")
    await memory.set_validity("c1", valid_to="2021-01-01")
    await memory.delete_node((await memory.create_node("A b`'", "gone")).node_id)


@pytest.mark.parametrize("form", ["csv", "jsonl", "graphml"])
async def test_all_formats_have_the_same_nodes_and_connections(
    memory: Memory, domain: str, tmp_path: Path, form: GraphFormat
) -> None:
    ids = await fill(memory, domain)
    info = await memory.domain_info()
    target = tmp_path / ("out" if form == "csv" else f"out.{form}.gz")
    done = await memory.transfer.export_graph(target, form)
    assert (done.nodes, done.connections) == (info.nodes, info.connections)
    items = list(items_of(sources_of([target]), SourceOptions()))
    nodes = {item.key.id: item for item in items if isinstance(item, NodeRecord)}
    connections = {item.id: item for item in items if isinstance(item, ConnectionRecord)}
    assert len(items) == len(nodes) + len(connections) == info.nodes + info.connections
    assert set(nodes) == set(ids)
    assert nodes[ids[3]].content == "text 3"
    assert (nodes[ids[3]].properties, nodes[ids[3]].tags) == ({"rank": 0, "code": 3}, ("t",))
    for connection in (await memory.query_connections()).connection_ids:
        result = await memory.get_connection(connection, include_content=True)
        record = connections[connection]
        ends = (Key(result.from_node_id), Key(result.to_node_id))
        assert (record.type, record.start, record.end, record.properties) == (result.type, *ends, result.properties)
        assert record.content == result.content
    assert {rule.name for rule in infer_ontology(target).node_type("Note").properties} == {"rank", "code"}


async def test_an_export_of_a_point_in_the_past_has_what_was_there(memory: Memory, domain: str, tmp_path: Path) -> None:
    await fill(memory, domain)
    seq = (await memory.transfer.export_graph(io.BytesIO(), "jsonl")).seq
    await memory.update_node((await memory.query_nodes(type="Task")).node_ids[0], properties={"new": True})
    await memory.transfer.export_graph(tmp_path / "then.jsonl", "jsonl", at=seq)
    await memory.transfer.export_graph(tmp_path / "now.jsonl", "jsonl")
    assert '"new":true' in (tmp_path / "now.jsonl").read_text()
    assert '"new":true' not in (tmp_path / "then.jsonl").read_text()


async def test_what_a_format_cannot_carry_leaves_no_file(memory: Memory, tmp_path: Path) -> None:
    await memory.create_ontology(ontology_from(TYPES))
    await memory.create_node("A b`'", "", tags=["a;b"], properties={"x": "\x00"}, id="odd")
    for form, name in (("csv", "out"), ("graphml", "out.graphml")):
        with pytest.raises(GraphError, match="cannot represent Node odd") as refused:
            await memory.transfer.export_graph(tmp_path / name, form)  # pyright: ignore[reportArgumentType]
        assert refused.value.code is Code.INVALID_ARGUMENT
    assert os.listdir(tmp_path) == []  # noqa: PTH208
    with pytest.raises(GraphError) as refused:
        await memory.transfer.export_graph(tmp_path / "x", "xml")  # pyright: ignore[reportArgumentType]
    assert refused.value.code is Code.INVALID_ARGUMENT


@pytest.fixture(scope="module")
def driver_without_constraint(driver: Driver) -> Iterator[Driver]:
    """A driver. The scripts' constraint is dropped after all tests, because Neo4j then replans all statements."""
    yield driver
    driver.execute_query("DROP CONSTRAINT exported_id IF EXISTS")


@pytest.fixture
def plain(driver_without_constraint: Driver) -> Iterator[Driver]:
    """Neo4j as another program would find it, of which nothing is left that a script made."""
    yield driver_without_constraint
    driver_without_constraint.execute_query(f"MATCH (n:{LABEL}) DETACH DELETE n")  # pyright: ignore[reportArgumentType]


async def test_a_script_of_cypher_makes_the_graph_in_a_plain_neo4j(memory: Memory, plain: Driver) -> None:
    await hostile(memory)
    out = io.BytesIO()
    done = await memory.transfer.export_graph(out, "cypher")
    assert (done.nodes, done.connections) == (2, 1)
    run(plain, out.getvalue().decode())
    for node in ("n1", "n2"):
        result = plain.execute_query(f"MATCH (n:{LABEL} {{_id: $id}}) RETURN n", id=node).records[0]["n"]  # pyright: ignore[reportArgumentType]
        info, content = await memory.get_node(node), await memory.get_node_content(node)
        own = {key: value for key, value in result.items() if not key.startswith("_")}
        assert sorted(map(repr, own.items())) == sorted(map(repr, info.properties.items()))
        assert result.labels == {LABEL, info.type}
        assert (result["_content"], result.get("_path")) == (content.content, info.path)
    joined = f"MATCH (:{LABEL} {{_id: 'n1'}})-[r:Link]->(:{LABEL} {{_id: 'n2'}}) RETURN properties(r) AS r"
    [edge] = [record["r"] for record in plain.execute_query(joined).records]  # pyright: ignore[reportArgumentType]
    connection = await memory.get_connection("c1")
    assert {key: value for key, value in edge.items() if not key.startswith("_")} == connection.properties
    assert (edge["_id"], edge["_content"]) == ("c1", "why\n")


async def test_a_graph_that_a_script_made_is_loaded_from_there_as_it_was(
    memory: Memory, domain: str, plain: Driver, settings: Settings
) -> None:
    await hostile(memory)
    out = io.BytesIO()
    await memory.transfer.export_graph(out, "cypher")
    run(plain, out.getvalue().decode())
    address, copy = address_of(settings), memory.in_domain(f"{domain}-copy")
    source = Neo4jSource(address.uri, address.username, address.password)
    options = SourceOptions(only_labels=(LABEL,))
    await copy.transfer.load(source, ontology=await memory.get_ontology(), options=options)
    assert await lines(copy) == await lines(memory)


@pytest.mark.parametrize("form", some(["csv", "jsonl", "graphml", "cypher", "folder", "archive"]))
async def test_properties_may_be_called_like_the_keys_of_a_format(
    memory: Memory, domain: str, tmp_path: Path, form: Any, plain: Driver, settings: Settings
) -> None:
    await memory.create_ontology(ontology_from(TYPES))
    named = {name: f"x {name}" for name in OWN_KEYS}
    await memory.create_node("A b`'", "text", id="n1", properties=named, tags=["t"], path="p", **FIELDS)
    await memory.create_connection("Link", "n1", "n1", id="c1", properties=named, content="why")
    copy = memory.in_domain(f"{domain}-copy")
    target = tmp_path / ("out" if form in ("csv", "folder") else f"out.{form}")
    if form == "folder":
        await memory.transfer.export_folder(target)
        await memory.transfer.import_folder(target, name=f"{domain}-copy")
    elif form == "archive":
        await memory.transfer.export_file(target)
        await memory.transfer.import_file(target, name=f"{domain}-copy")
    else:
        await memory.transfer.export_graph(target, form)
        source, options = (target, SourceOptions())
        if form == "cypher":
            run(plain, target.read_text())
            address = address_of(settings)
            source = Neo4jSource(address.uri, address.username, address.password)
            options = SourceOptions(only_labels=(LABEL,))
        await copy.transfer.load(source, ontology=await memory.get_ontology(), options=options)
    assert [*map(json.loads, await lines(copy))] == [*map(json.loads, await lines(memory))]


CHAIN = {
    "node_types": ["Note"],
    "connection_types": [
        {"name": "Within", "from": ["Note"], "to": ["Note"], "transitive": True},
        {"name": "Saw", "from": ["Note"], "to": ["Note"]},
    ],
}


@pytest.mark.parametrize("form", some(["csv", "jsonl", "graphml", "cypher"]))
async def test_how_connections_came_to_be_goes_along_but_protection_does_not(
    memory: Memory, domain: str, tmp_path: Path, form: GraphFormat, plain: Driver, settings: Settings
) -> None:
    ann = memory.acting_as("ann")
    await memory.create_ontology(ontology_from(CHAIN))
    for node in ("a", "b", "c"):
        await memory.create_node("Note", node, id=node)
    await ann.create_connection("Within", "a", "b", id="ab", strength={"semantic": 0.1, "confidence": 1.0})
    await memory.create_connection("Within", "b", "c", id="bc", strength=0.5)
    await memory.set_relation_importance("bc", 0.25)
    await ann.infer_connections(dry_run=False)
    await memory.protect(connection_id="ab", can_be_unprotected_by=["ann"])
    target = tmp_path / ("out" if form == "csv" else f"out.{form}")
    await memory.transfer.export_graph(target, form)
    source: Path | Neo4jSource = target
    options = SourceOptions()
    if form == "cypher":
        run(plain, target.read_text())
        address = address_of(settings)
        source = Neo4jSource(address.uri, address.username, address.password)
        options = SourceOptions(only_labels=(LABEL,))
    copy = memory.in_domain(f"{domain}-copy").acting_as("bob")
    await copy.transfer.load(source, ontology=await memory.get_ontology(), options=options)
    [inferred] = {*(await copy.query_connections()).connection_ids} - {"ab", "bc"}
    for text in ("ab", "bc", inferred):
        before, after = await memory.get_connection(text), await copy.get_connection(text)
        own = before.model_dump(exclude={"created", "modified", "version", "protection", "created_by"})
        assert after.model_dump(exclude={"created", "modified", "version", "protection", "created_by"}) == own
        assert after.protection is None
        assert after.created_by == (before.created_by or "bob")
    connection = await copy.get_connection(inferred)
    assert (connection.creation_method, connection.created_by, connection.evidence) == ("inferred", "ann", "ab → bc")
    await copy.delete_connection("ab")
    assert (await copy.get_connection(inferred)).premises_lost == ("ab",)


@pytest.mark.parametrize(
    ("name", "text"), [("creation_method", "guessed"), ("created_by", ""), ("evidence", "x" * 10_001)]
)
async def test_what_no_connection_can_come_from_is_refused_with_its_place(
    memory: Memory, tmp_path: Path, name: str, text: str
) -> None:
    await memory.create_ontology(ontology_from(CHAIN))
    await memory.create_node("Note", "a", id="a")
    line = {"connection": {"type": "Saw", "from": "a", "to": "a", name: text}}
    (tmp_path / "x.jsonl").write_text(json.dumps(line))
    with pytest.raises(GraphError) as refused:
        await memory.transfer.load(tmp_path / "x.jsonl")
    assert refused.value.code is Code.INVALID_SOURCE
    assert "x.jsonl:1" in refused.value.message
    assert name in refused.value.message
    assert (await memory.query_connections()).connection_ids == ()


async def lines(memory: Memory) -> list[bytes]:
    """Return everything in a domain, a line for each node and connection."""
    out = io.BytesIO()
    await memory.transfer.export_graph(out, "jsonl")
    return sorted(out.getvalue().splitlines())


@pytest.mark.long
async def test_a_script_of_many_rows_of_many_types_makes_all_of_them(plain: Driver) -> None:
    nodes = [
        NodeRecord(place=NO_PLACE, key=Key(f"n{n}"), labels=(f"T{n % 3}",), properties={"n": n}) for n in range(2_000)
    ]
    edges = [
        ConnectionRecord(place=NO_PLACE, id=f"c{n}", type=f"R{n % 2}", start=Key(f"n{n}"), end=Key(f"n{n * 7 % 2_000}"))
        for n in range(1_500)
    ]
    out = io.BytesIO()
    write_cypher(lambda: [*nodes, *edges], out)
    run(plain, out.getvalue().decode())
    counted = f"MATCH (a:{LABEL}) RETURN count(a) AS nodes, COUNT {{ (:{LABEL})-->(:{LABEL}) }} AS edges"
    assert plain.execute_query(counted).records[0].values() == [2_000, 1_500]  # pyright: ignore[reportArgumentType]


def run(driver: Driver, script: str) -> None:
    """Run the statements of a script, each of which ends a line."""
    for statement in script.split(";\n"):
        if statement.strip():
            driver.execute_query(statement)  # pyright: ignore[reportArgumentType]


async def test_a_compressed_file_is_compressed_and_a_stream_is_written_on(memory: Memory, tmp_path: Path) -> None:
    await hostile(memory)
    await memory.transfer.export_graph(tmp_path / "x.jsonl.gz", "jsonl")
    out = io.BytesIO()
    await memory.transfer.export_graph(out, "jsonl")
    assert gzip.decompress((tmp_path / "x.jsonl.gz").read_bytes()) == out.getvalue()
