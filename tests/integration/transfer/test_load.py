"""Loading graphs of other programs into domains: what is there then, what is refused, and going on after a cut."""

from __future__ import annotations

import base64
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given

from graph_memory import Code, GraphError, Memory, SourceOptions, ontology_from
from graph_memory.memory.transfer.formats.records import ConnectionRecord, Record
from graph_memory.memory.transfer.load import load_pages, staging
from graph_memory.memory.transfer.results import GraphFormat
from integration.transfer.test_graph_export import hostile
from profiles import profile, some
from support import Conversation, exists
from unit.memory.transfer.test_round_trip import exactly, graphs, read, write

pytestmark = pytest.mark.anyio

PEOPLE = "id:ID,name,age:int,:LABEL\n" + "".join(f"p{n},P{n},{n},Person\n" for n in range(30))
KNOWS = ":START_ID,:END_ID,:TYPE,since:int\n" + "".join(f"p{n % 30},p{(n * 7) % 30},KNOWS,{n}\n" for n in range(40))
TYPES: dict[str, Any] = {
    "node_types": [
        {"name": "Person", "properties": {"name": {"unique": True, "required": True}, "age": "integer"}},
        "City",
    ],
    "connection_types": [
        {"name": "KNOWS", "from": ["Person"], "to": ["Person"]},
        {"name": "BORN_IN", "from": ["Person"], "to": ["City"], "unique_source": True},
        {"name": "PARENT", "from": ["Person"], "to": ["Person"], "acyclic": True, "unique_pair": True},
    ],
}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "knows.csv").write_text(KNOWS)
    return tmp_path


async def state(memory: Memory) -> dict[str, Any]:
    """Return the parts of a domain that these formats keep."""
    results: dict[str, Any] = {}
    for node in (await memory.query_nodes()).node_ids:
        info = await memory.get_node(node)
        fields = (info.path, info.namespace, info.title, info.content_summary, info.metadata)
        held = (info.type, info.properties, info.tags, fields, info.valid_from, info.valid_to)
        results[node] = (*held, await memory.get_node_content(node))
    for connection in (await memory.query_connections()).connection_ids:
        result = await memory.get_connection(connection, include_content=True)
        results[connection] = result.model_dump(exclude={"version", "created", "modified"})
    return results


async def error_of(memory: Memory, *sources: Path, **arguments: Any) -> GraphError:
    with pytest.raises(GraphError) as error:
        await memory.transfer.load(sources, **arguments)
    return error.value


async def test_a_graph_of_csv_is_loaded_with_the_types_that_it_suggests(memory: Memory, people: Path) -> None:
    done = await memory.transfer.load(people, ontology="infer")
    assert (done.nodes.created, done.connections.created, done.refused.count) == (30, 40, 0)
    assert (done.node_types, done.connection_types) == ({"Person": 30}, {"KNOWS": 40})
    node = await memory.get_node("p3")
    assert (node.type, node.title, node.properties) == ("Person", "P3", {"id": "p3", "name": "P3", "age": 3})
    assert (node.content_size, node.content_format) == (0, "markdown")
    assert len((await memory.query_connections(from_node_id="p1")).connection_ids) == 2
    assert (await memory.get_ontology()).node_type("Person").required == ("id", "name", "age")
    assert not (await memory.upkeep.verify()).differences
    log = await memory.history.log(limit=1, full=True)
    assert (log.entries[0].seq, log.entries[0].operation) == (done.to_seq, "create")


async def test_without_types_there_is_nothing_to_load_into(memory: Memory, people: Path) -> None:
    error = await error_of(memory, people)
    assert error.code is Code.ONTOLOGY_NOT_FOUND
    assert "--ontology infer" in str(error.hint)


async def test_a_dry_run_writes_nothing_and_reports_everything(memory: Memory, people: Path) -> None:
    (people / "more.csv").write_text("id:ID,name,:LABEL\np1,Again,Person\n,None,Person\nx,X,Robot\n")
    ontology = ontology_from(TYPES)
    done = await memory.transfer.load(people, ontology=ontology, dry_run=True)
    assert (done.dry_run, done.nodes.created, done.connections.created) == (True, 30, 37)
    lines = [(refusal.file, refusal.line, refusal.column, refusal.code) for refusal in done.refused.first]
    assert lines == [
        ("more.csv", 3, ":ID", "INVALID_SOURCE"),
        ("people.csv", 3, None, "NODE_ALREADY_EXISTS"),
        ("more.csv", 4, None, "INVALID_NODE_TYPE"),
        *(("knows.csv", line, None, "DANGLING_REFERENCE") for line in (3, 15, 33)),  # which p1 they join is not known
    ]
    assert not await exists(memory, memory._domain(None))


FAULTS = {
    "wrong end": ("x.csv", ":START_ID,:END_ID,:TYPE\np1,rome,KNOWS\n", "x.csv:2", Code.INVALID_TOPOLOGY),
    "missing end": ("x.csv", ":START_ID,:END_ID,:TYPE\np1,p99,KNOWS\n", "x.csv:2", Code.DANGLING_REFERENCE),
    "no such type": ("x.csv", ":START_ID,:END_ID,:TYPE\np1,p2,HATES\n", "x.csv:2", Code.INVALID_CONNECTION_TYPE),
    "missing property": ("x.csv", ":ID,age:int,:LABEL\nq,1,Person\n", "x.csv:2", Code.REQUIRED_PROPERTY_MISSING),
    "wrong type": ("x.csv", ":ID,name,age,:LABEL\nq,Q,1,Person\n", "x.csv:2, column age", Code.INVALID_PROPERTY),
    "unique": ("x.csv", ":ID,name,:LABEL\nq,P1,Person\n", "x.csv:2, column name", Code.UNIQUE_PROPERTY_TAKEN),
    "two births": (
        "x.csv",
        ":START_ID,:END_ID,:TYPE\np1,rome,BORN_IN\np1,rome,BORN_IN\n",
        "x.csv:3",
        Code.INVALID_TOPOLOGY,
    ),
    "twice a parent": (
        "x.csv",
        ":START_ID,:END_ID,:TYPE\np1,p2,PARENT\np1,p2,PARENT\n",
        "x.csv:3",
        Code.CONNECTION_ALREADY_EXISTS,
    ),
    "own ancestor": (
        "x.csv",
        ":START_ID,:END_ID,:TYPE\np1,p2,PARENT\np2,p3,PARENT\np3,p1,PARENT\n",
        "x.csv:",
        Code.INVALID_TOPOLOGY,
    ),
    "bad time": (
        "x.jsonl",
        '{"node": {"id": "q", "type": "City", "valid_from": "soon"}}',
        "x.jsonl:1",
        Code.INVALID_ARGUMENT,
    ),
    "bad base64": (
        "x.jsonl",
        '{"node": {"id": "q", "type": "City", "content": "?", "encoding": "base64"}}',
        "x.jsonl:1",
        Code.INVALID_ENCODING,
    ),
    "reserved": (
        "x.jsonl",
        '{"node": {"id": "q", "type": "City", "properties": {"_id": 1}}}',
        "x.jsonl:1, column _id",
        Code.INVALID_PROPERTY,
    ),
}


@pytest.mark.parametrize("name", some([*FAULTS]))
async def test_a_fault_is_told_with_its_place_and_nothing_is_written(memory: Memory, people: Path, name: str) -> None:
    file, text, place, code = FAULTS[name]
    (people / "cities.csv").write_text(":ID,:LABEL\nrome,City\n")
    (people / file).write_text(text)
    error = await error_of(memory, people, ontology=ontology_from(TYPES))
    assert error.code is Code.INVALID_SOURCE
    (only,) = error.details["report"]["first"]  # pyright: ignore[reportIndexIssue]
    assert only["code"] == code
    assert f"\n  {place}" in error.message
    assert not (await memory.query_nodes()).node_ids
    done = await memory.transfer.load(people, ontology=ontology_from(TYPES), skip_invalid=True)
    assert (done.refused.count, done.nodes.created) == (1, 31)
    assert not (await memory.upkeep.verify()).differences


async def test_ids_that_the_domain_has_fail_are_skipped_or_updated(memory: Memory, people: Path) -> None:
    await memory.transfer.load(people, ontology="infer")
    (people / "people.csv").write_text(PEOPLE.replace("p1,P1,1,", "p1,New,99,") + "extra,E,98,Person\n")
    error = await error_of(memory, people)
    assert (error.code, error.details["report"]["codes"]) == (  # pyright: ignore[reportIndexIssue]
        Code.INVALID_SOURCE,
        {"NODE_ALREADY_EXISTS": 30, "CONNECTION_ALREADY_EXISTS": 40},
    )
    assert len((await memory.query_nodes()).node_ids) == 30
    done = await memory.transfer.load(people, on_conflict="skip")
    assert (done.nodes.created, done.nodes.skipped, done.connections.skipped) == (1, 30, 40)
    assert (await memory.get_node("p1")).properties["name"] == "P1"
    done = await memory.transfer.load(people, on_conflict="update")
    assert (done.nodes.updated, done.nodes.unchanged, done.connections.unchanged) == (1, 30, 40)
    assert (await memory.get_node("p1")).properties == {"id": "p1", "name": "New", "age": 99}
    assert done.from_seq == done.to_seq


async def test_an_id_that_was_something_else_is_refused_whatever_was_chosen(memory: Memory, people: Path) -> None:
    await memory.create_ontology(ontology_from(TYPES))
    await memory.create_node("City", "", id="p1")
    await memory.create_node("City", "", id="p2")
    await memory.delete_node("p2")
    for choice in ("skip", "update"):
        error = await error_of(memory, people / "people.csv", on_conflict=choice)
        assert '"p1" was already used in this domain for another City' in error.message
        assert '"p2" was already used in this domain for a deleted subject' in error.message


async def test_connections_join_nodes_that_the_domain_has(memory: Memory, people: Path) -> None:
    await memory.transfer.load(people / "people.csv", ontology=ontology_from(TYPES))
    done = await memory.transfer.load(people / "knows.csv")
    assert done.connections.created == 40


async def test_an_open_ontology_takes_types_as_they_come(memory: Memory, people: Path) -> None:
    await memory.create_ontology(ontology_from({"open": True}))
    done = await memory.transfer.load(people)
    assert (done.nodes.created, done.connections.created) == (30, 40)
    assert (await memory.get_ontology()).node_type("Person").ad_hoc


class Cut(Exception):  # noqa: N818
    """Stands for a power cut."""


@pytest.mark.parametrize("pages", some([1, 4, 7]))
async def test_a_load_that_was_cut_off_goes_on_with_the_same_command(
    memory: Memory, people: Path, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    monkeypatch.setattr(staging, "PAGE", 8)
    run, done = load_pages.run, 0

    async def cut(*values: Any) -> Any:
        nonlocal done
        done += 1
        result = await run(*values)
        if done == pages:
            raise Cut
        return result

    monkeypatch.setattr(load_pages, "run", cut)
    with pytest.raises(Cut):
        await memory.transfer.load(people, ontology="infer")
    loaded = await memory.transfer.load(people, ontology="infer")
    assert loaded.nodes.created + loaded.nodes.loaded_before == 30
    assert loaded.connections.created + loaded.connections.loaded_before == 40
    assert loaded.nodes.loaded_before == min(30, 8 * pages)
    assert done == 4 + 5
    again = await memory.transfer.load(people, ontology="infer")
    assert (again.nodes.loaded_before, again.connections.loaded_before, again.from_seq) == (30, 40, None)
    assert not (await memory.upkeep.verify()).differences


async def test_what_the_domain_has_against_a_page_is_told_with_its_place_and_the_way_back(
    memory: Memory, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "PAGE", 8)
    await memory.create_ontology(ontology_from(TYPES))
    await memory.create_node("Person", "", properties={"name": "P20"})
    error = await error_of(memory, people)
    assert 'people.csv:22: Property "' in error.message
    assert "Before that, 16 nodes and connections were loaded." in error.message
    assert "revert --since" in str(error.hint)
    done = await memory.transfer.load(people, skip_invalid=True, on_conflict="skip")
    assert (done.nodes.skipped, done.nodes.created, done.refused.codes["UNIQUE_PROPERTY_TAKEN"]) == (16, 13, 1)


async def test_labels_ids_and_content_become_what_was_asked_for(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(":ID(Film/1),:LABEL,plot,title\n1,Work;Film,Long.,Alien\n2,Work,,Other\n")
    (tmp_path / "y.csv").write_text(":START_ID(Film/1),:END_ID(Film/1),:TYPE\n1,2,LIKE\n")
    options = SourceOptions(content_property="plot", id_property="key")
    await memory.transfer.load(tmp_path, ontology="infer", options=options)
    (film,) = (await memory.query_nodes(type="Film")).node_ids
    info = await memory.get_node(film)
    assert film.startswith("node-")
    assert (info.properties, info.tags) == ({"title": "Alien", "key": "1"}, ("Work",))
    assert (await memory.get_node_content(film)).content == "Long."


@pytest.mark.parametrize("form", some(["csv", "jsonl", "graphml"]))
async def test_loading_an_export_gives_an_equal_graph(
    memory: Memory, domain: str, tmp_path: Path, form: GraphFormat
) -> None:
    await hostile(memory)
    target = tmp_path / ("out" if form == "csv" else f"out.{form}")
    await memory.transfer.export_graph(target, form)
    copy = memory.in_domain(f"{domain}-copy")
    done = await copy.transfer.load(target, ontology=await memory.get_ontology())
    assert (done.nodes.created, done.connections.created) == (2, 1)
    assert await state(copy) == await state(memory)
    assert not (await copy.upkeep.verify()).differences


@pytest.mark.long
@given(graph=graphs())
@profile(examples=12)
def test_a_random_graph_that_was_loaded_is_exported_as_it_was(
    talk: Conversation, graph: list[Record], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("random")
    valid = [with_types(replace(record, content=text_of(record), **bounds_of(record))) for record in graph]
    source = write(valid, "jsonl", folder)
    memory = talk.memory.in_domain(f"random-{uuid4().hex[:12]}")
    talk.portal.call(partial(memory.transfer.load, source, ontology="infer"))
    talk.portal.call(memory.transfer.export_graph, folder / "again.jsonl", "jsonl")
    assert exactly(read(folder / "again.jsonl")) == exactly(valid)
    assert not talk.portal.call(memory.upkeep.verify).differences


def with_types(record: Record) -> Record:
    """Return connections with a type whose constraint is there: each new one takes the server a while."""
    return (
        replace(record, type=("Link", "Knows")[len(record.type) % 2])
        if isinstance(record, ConnectionRecord)
        else record
    )


def text_of(record: Record) -> str | None:
    """Return content that its encoding allows; a node's empty content is written as none."""
    if isinstance(record, ConnectionRecord):
        return record.content
    data = (record.content or "").encode()
    return (base64.b64encode(data).decode() if record.encoding == "base64" else record.content) or None


def bounds_of(record: Record) -> dict[str, Any]:
    """Return one of the two bounds, because the other may come before it."""
    return {"valid_from": record.valid_from, "valid_to": None if record.valid_from else record.valid_to}


async def test_an_update_by_a_load_changes_the_fields_that_the_source_has(memory: Memory, tmp_path: Path) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    fields = {"path": "/a", "namespace": "n", "title": "T", "content_summary": "s", "metadata": {"a": 1}}
    for name in ("one", "two"):
        await memory.create_node("Note", "# Text", id=name, **fields)
    (tmp_path / "x.csv").write_text(
        ':ID,:LABEL,_path,_given_title,_metadata\none,Note,/b,,"{""b"": 2}"\ntwo,Note,"/","",""\n'
    )
    await memory.transfer.load(tmp_path, on_conflict="update")
    node, two = [await memory.get_node(name) for name in ("one", "two")]
    assert (node.path, node.namespace, node.title, node.metadata) == ("/b", "n", "T", {"b": 2})
    assert (two.path, two.namespace, two.title, two.metadata) == (None, "n", "Text", None)


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({"_path": "p" * 256}, "not a valid path"),
        ({"_given_title": "t" * 256}, "not a valid title"),
        ({"_namespace": "a\tb"}, "not a valid namespace"),
        ({"_metadata": "[1]"}, "not an object"),
        ({"_metadata": "{"}, "not valid JSON"),
        ({"_metadata": '{"a": 1, "a": 2}'}, "not valid JSON"),
    ],
)
async def test_a_field_in_a_file_is_checked_as_in_a_call(
    memory: Memory, tmp_path: Path, cells: dict[str, str], why: str
) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    row = ",".join('"' + text.replace('"', '""') + '"' for text in cells.values())
    (tmp_path / "x.csv").write_text(f":ID,:LABEL,{','.join(cells)}\none,Note,{row}\n")
    with pytest.raises(GraphError, match=why):
        await memory.transfer.load(tmp_path)
    assert (await memory.query_nodes()).node_ids == ()
