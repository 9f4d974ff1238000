"""A domain as a folder of files: written, and made again."""

from __future__ import annotations

import base64
import json
import random
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory, NodeType, ontology_from
from graph_memory.memory.transfer.archive import importing
from integration.branches.test_branch import LARGE, fill
from support import exists
from tables import for_rows
from unit.memory.transfer.test_malformed import DAMAGED, PYTHON_ERROR_FRAGMENTS, damage

pytestmark = pytest.mark.anyio

FIELDS: dict[str, Any] = {
    "namespace": "n",
    "title": "Größe, here",
    "content_summary": "a\nb",
    "metadata": {"b": [None, 1.0, {"ß": False}], "a": "x"},
}
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


async def state(memory: Memory) -> dict[str, Any]:
    """Return the parts of a domain that a folder keeps."""
    results: dict[str, Any] = {"ontology": await memory.get_ontology()}
    for node in (await memory.query_nodes()).node_ids:
        info = (await memory.get_node(node)).model_dump(exclude={"version", "created", "modified"})
        results[node] = (info, await memory.get_node_content(node))
    for connection in (await memory.query_connections()).connection_ids:
        result = await memory.get_connection(connection, include_content=True)
        results[connection] = result.model_dump(exclude={"version", "created", "modified"})
    return results


async def test_a_folder_holds_what_is_in_a_domain_and_makes_another(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    ids = await fill(memory, domain)
    await memory.delete_node(ids[2])
    await memory.update_node(ids[1], path="work/kitchen", content="# Größe\r\n", encoding="utf-8", **FIELDS)
    result = await memory.transfer.export_folder(tmp_path / "out")
    registry = json.loads((tmp_path / "out" / "_system" / "registry.json").read_text("utf-8"))
    info = await memory.domain_info()
    assert (len(registry["nodes"]), len(registry["connections"])) == (info.nodes, info.connections)
    assert (result.nodes, result.connections) == (info.nodes, info.connections)
    node = registry["nodes"][ids[1]]
    assert node["content"] == {"path": f"_content/nodes/{ids[1]}.md", "format": "markdown", "size": 11}
    assert (tmp_path / "out" / node["content"]["path"]).read_bytes() == "# Größe\r\n".encode()
    assert (tmp_path / "out" / registry["nodes"][ids[-2]]["content"]["path"]).read_text() == LARGE
    assert (tmp_path / "out" / f"_content/nodes/{ids[-1]}.bin").read_bytes() == b"\x00\xff" * 100

    made = await memory.transfer.import_folder(tmp_path / "out", name=f"{domain}-copy")
    copy = memory.in_domain(made.domain)
    assert (made.nodes, made.connections) == (result.nodes, result.connections)
    assert await state(copy) == await state(memory)
    assert not (await copy.upkeep.verify()).differences
    for again in (memory.transfer.import_folder(tmp_path / "out"), memory.transfer.export_folder(tmp_path / "out")):
        with pytest.raises(GraphError) as taken:
            await again
        assert taken.value.code in (Code.DOMAIN_ALREADY_EXISTS, Code.INVALID_ARGUMENT)


async def test_a_folder_keeps_entities_with_what_was_observed_of_them(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    rendered = {"text": "tea", "source": "Bo", "confidence": 0.25, "time": "2020-02-02T00:00:00Z"}
    odd = {"name": "", "entityType": "_a\0b ", "observations": [{**rendered, "valid_from": "2020-01-01"}, "is kind"]}
    await memory.entities.create_entities([odd, {"name": "Ann", "entityType": "person", "observations": [""]}])
    await memory.entities.create_relations([{"from": "Ann", "to": "nobody", "relationType": "_ knows"}])
    await memory.entities.create_entities([{"name": "Cy", "description": "a dog", "properties": {"age": 3}}])
    await memory.entities.remember(name="Ann", observations=["Ann lives in Rome"])
    await memory.entities.remember(
        name="Ann", observations=[{"text": "Ann lives in Oslo"}], replaces="Ann lives in Rome"
    )
    made = await memory.transfer.export_folder(tmp_path / "out")
    await memory.transfer.import_folder(tmp_path / "out", name=f"{domain}-copy")
    copy = memory.in_domain(f"{domain}-copy")
    assert await copy.entities.read_graph() == await memory.entities.read_graph()
    assert not (await copy.upkeep.verify()).differences
    again = await copy.transfer.export_folder(tmp_path / "again")
    assert (made.observations, again.observations) == (5, 5)
    registries = [(tmp_path / text / "_system" / "registry.json").read_text("utf-8") for text in ("out", "again")]
    assert json.loads(registries[0]) == json.loads(registries[1])
    await copy.entities.create_entities([{"name": "nobody", "type": "person"}])
    assert (await copy.entities.open_nodes(["nobody"])).relations[0].from_name == "Ann"


NODE = {"type": "Note", "properties": {}, "content": {"path": "_content/nodes/a.md", "format": "markdown"}}
EMPTY = {"path": "_content/nodes/empty.md", "format": "markdown"}
SEEN = {"node": "a", "text": "is red"}
LINK = {"type": "Link", "from": "a", "to": "a", "properties": {}}


@for_rows(
    ("registry", "text"),
    [
        ("{", "is not valid JSON"),
        ([], "not an object"),
        ({"nodes": {"a": []}}, "not an object"),
        ({"nodes": {"a": {**NODE, "type": "Nota"}}}, 'type "Nota", which _system/ontology.yaml does not declare'),
        ({"nodes": {"a": {**NODE, "type": "", "content": EMPTY}}}, "does not declare"),
        ({"nodes": {"a": {**NODE, "type": "  ", "content": EMPTY}}}, "does not declare"),
        ({"nodes": {"_a": NODE}}, "is not a valid id"),
        ({"nodes": {"a": {**NODE, "properties": {"_x": 1}}}}, "reserved"),
        (
            {"nodes": {"a": {**NODE, "content": {"path": "../../etc/passwd", "format": "x"}}}},
            "must be a path inside the folder",
        ),
        (
            {"nodes": {"a": {**NODE, "content": {"path": "/etc/passwd", "format": "x"}}}},
            "must be a path inside the folder",
        ),
        ({"nodes": {"a": {**NODE, "content": {"path": "none.md", "format": "x"}}}}, "it is missing"),
        ({"nodes": {"a": {"type": "Note"}}}, 'lacks the field "content"'),
        ({"nodes": {"a": {**NODE, "valid_to": "soon"}}}, "valid_to.*must be a time"),
        ({"nodes": {"a": {**NODE, "valid_to": "0001-01-01T00:00:00+14:00"}}}, "valid_to.*must be a time"),
        ({"nodes": {"a": {**NODE, "valid_from": "2021-01-01", "valid_to": "2020-01-01"}}}, "not after"),
        ({"nodes": {"a": NODE}, "connections": {"c": {**LINK, "to": "b"}}}, "which does not exist"),
        ({"nodes": {"a": NODE}, "connections": {"c": {**LINK, "type": "Lynk"}}}, "Lynk"),
        ({"nodes": {"a": NODE}, "connections": {"c": {"type": "Link", "from": "a"}}}, 'lacks the field "to"'),
        ({"nodes": {"a": NODE}, "observations": {"o": {**SEEN, "node": "b"}}}, "which does not exist"),
        ({"nodes": {"a": NODE}, "observations": {"o": {**SEEN, "confidence": 2}}}, "confidence"),
        ({"nodes": {"a": NODE}, "observations": {"o": {**SEEN, "text": "\ud800"}}}, "half of a UTF-16 surrogate pair"),
        ({"nodes": {"a": {**NODE, "entity": "x"}}}, "name"),
    ],
)
async def test_a_folder_at_fault_is_refused_before_anything_is_written(
    memory: Memory, domain: str, tmp_path: Path, registry: Any, text: str
) -> None:
    (tmp_path / "_system").mkdir(exist_ok=True)
    (tmp_path / "_content" / "nodes").mkdir(parents=True, exist_ok=True)
    (tmp_path / "_content" / "nodes" / "a.md").write_text("# A")
    (tmp_path / "_content" / "nodes" / "empty.md").write_text("")
    (tmp_path / "_system" / "registry.json").write_text(registry if isinstance(registry, str) else json.dumps(registry))
    types = "node_types: [Note]\nconnection_types:\n  - {name: Link, from_types: [Note], to_types: [Note]}\n"
    (tmp_path / "_system" / "ontology.yaml").write_text(types)
    with pytest.raises(GraphError, match=text) as refused:
        await memory.transfer.import_folder(tmp_path)
    assert refused.value.code is Code.INVALID_ARCHIVE
    assert not await exists(memory, domain)


async def test_a_connections_text_comes_back_to_the_letter(memory: Memory, domain: str, tmp_path: Path) -> None:
    ids = await fill(memory, domain, 2)
    await memory.create_connection("Link", *ids[:2], content="a\r\nb\rc\n", id="note")
    await memory.transfer.export_folder(tmp_path / "out")
    copy = memory.in_domain((await memory.transfer.import_folder(tmp_path / "out", name=f"{domain}-copy")).domain)
    assert (await copy.get_connection("note", include_content=True)).content == "a\r\nb\rc\n"
    (tmp_path / "out" / "_content" / "connections" / "note.md").write_bytes(b"\xff" * 7)
    with pytest.raises(GraphError, match="note") as refused:
        await memory.transfer.import_folder(tmp_path / "out", name=f"{domain}-again")
    assert refused.value.code is Code.INVALID_ENCODING


@pytest.mark.long
async def test_ids_that_differ_in_case_alone_have_files_of_their_own_everywhere(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    await fill(memory, domain, 2)
    for text in ("foo", "Foo", "FOO"):
        await memory.create_node("Task", f"text of {text}", id=text)
    await memory.transfer.export_folder(tmp_path / "out")
    files = [path.name.lower() for path in (tmp_path / "out" / "_content" / "nodes").iterdir()]
    assert len(set(files)) == len(files)
    assert {"foo.md", "foo~2.md", "foo~3.md"} < set(files)
    copy = memory.in_domain((await memory.transfer.import_folder(tmp_path / "out", name=f"{domain}-copy")).domain)
    assert await state(copy) == await state(memory)


@pytest.mark.long
async def test_when_things_hold_is_kept(memory: Memory, domain: str, tmp_path: Path) -> None:
    ids = await fill(memory, domain, 2)
    [link, *_] = (await memory.query_connections()).connection_ids
    await memory.set_validity(ids[0], valid_from="2020-01-01", valid_to="2030-06-01T09:00:00.123456+02:00")
    await memory.set_validity(link, valid_to="2031-01-01")
    await memory.transfer.export_folder(tmp_path / "out")
    registry = json.loads((tmp_path / "out" / "_system" / "registry.json").read_text("utf-8"))
    result = registry["nodes"][ids[0]]
    assert (result["valid_from"], result["valid_to"]) == ("2020-01-01T00:00:00Z", "2030-06-01T07:00:00.123456Z")
    assert "valid_to" not in registry["nodes"][ids[1]]
    copy = memory.in_domain((await memory.transfer.import_folder(tmp_path / "out", name=f"{domain}-copy")).domain)
    assert await state(copy) == await state(memory)
    assert not (await copy.upkeep.verify()).differences


@posix_only
@pytest.mark.parametrize("through", ["a file", "a folder"])
async def test_a_link_does_not_lead_out_of_the_folder(
    memory: Memory, domain: str, tmp_path: Path, through: str
) -> None:
    await fill(memory, domain, 2)
    await memory.create_node("Task", "within", id="linked")
    out, beside = tmp_path / "out", tmp_path / "nodes"
    await memory.transfer.export_folder(out)
    if through == "a folder":
        (out / "_content" / "nodes").rename(beside)
        (out / "_content" / "nodes").symlink_to(beside)
    else:
        (out / "_content" / "nodes" / "linked.md").rename(beside)
        (out / "_content" / "nodes" / "linked.md").symlink_to(beside)
    with pytest.raises(GraphError, match="outside the folder") as refused:
        await memory.transfer.import_folder(out, name=f"{domain}-copy")
    assert refused.value.code is Code.INVALID_ARCHIVE
    assert not await exists(memory, f"{domain}-copy")


ONTOLOGY_OF_THE_SPECIFICATION = """
node_types:
  - Project
  - Action
  - Person
  - Document

connection_types:
  NextAction:
    from: [Project]
    to: [Action]
    description: "This action is next for this project"

  WaitingFor:
    from: [Action, Project]
    to: [Person]
    required_properties: [since, follow_up_date]
    description: "Waiting on person to provide/complete something"
"""
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"


def write_specified(folder: Path) -> dict[str, Any]:
    """Write a folder of the specification's own shape, and return its registry."""
    node = {
        "id": "mem_proj_001",
        "type": "Project",
        "created": "2025-10-16T10:00:00Z",
        "modified": "2025-10-16T15:30:00Z",
        "properties": {"status": "active"},
        "content": {"path": "_content/nodes/mem_proj_001.md", "format": "markdown", "size": 2048},
    }
    action = {"path": "_content/nodes/mem_act_001.md", "format": "markdown"}
    document = {"path": "_content/nodes/mem_doc_001.pdf", "format": "pdf", "size": len(PDF)}
    link = {
        "id": "conn_001",
        "type": "NextAction",
        "from": "mem_proj_001",
        "to": "mem_act_001",
        "created": "2025-10-16T10:15:00Z",
        "modified": "2025-10-16T10:15:00Z",
        "properties": {"priority": "high", "added": "2025-10-16"},
        "content": {"path": "_content/connections/conn_001.md", "format": "markdown", "size": 512},
    }
    nodes = {
        "mem_proj_001": node,
        "mem_act_001": {**node, "id": "mem_act_001", "type": "Action", "content": action},
        "mem_doc_001": {**node, "id": "mem_doc_001", "type": "Document", "content": document},
    }
    registry = {"nodes": nodes, "connections": {"conn_001": link}}
    for inner in ("_system", "_content/nodes", "_content/connections"):
        (folder / inner).mkdir(parents=True, exist_ok=True)
    (folder / "_content/nodes/mem_proj_001.md").write_bytes(b"# Renovate Kitchen\n".ljust(2048, b"."))
    (folder / "_content/nodes/mem_act_001.md").write_text("# Call contractor")
    (folder / "_content/nodes/mem_doc_001.pdf").write_bytes(PDF)
    (folder / "_content/connections/conn_001.md").write_bytes(b"notes".ljust(512, b"."))
    (folder / "_system/ontology.yaml").write_text(ONTOLOGY_OF_THE_SPECIFICATION)
    (folder / "_system/registry.json").write_text(json.dumps(registry, indent=2))
    return registry


async def test_a_folder_as_the_specification_shows_it_is_imported(memory: Memory, tmp_path: Path) -> None:
    write_specified(tmp_path)
    began = datetime.now(UTC)
    made = await memory.transfer.import_folder(tmp_path)
    assert (made.nodes, made.connections) == (3, 1)
    document = await memory.get_node_content("mem_doc_001")
    assert (document.encoding, document.format) == ("base64", "pdf")
    assert base64.b64decode(document.content) == PDF
    assert (await memory.get_node_content("mem_act_001")).encoding == "utf-8"
    project = await memory.get_node("mem_proj_001")
    assert project.created == datetime(2025, 10, 16, 10, tzinfo=UTC)
    assert project.modified == datetime(2025, 10, 16, 15, 30, tzinfo=UTC)
    link = await memory.get_connection("conn_001", include_content=True)
    assert (link.created, link.properties["priority"]) == (datetime(2025, 10, 16, 10, 15, tzinfo=UTC), "high")
    assert (link.content or "").startswith("notes")
    assert {entry.at >= began for entry in (await memory.history.log()).entries} == {True}
    assert (await memory.search_content("RENOVATE")).node_ids == ("mem_proj_001",)
    assert not (await memory.upkeep.verify()).differences


async def test_a_folder_that_tells_no_times_gets_those_of_its_import(memory: Memory, tmp_path: Path) -> None:
    registry = write_specified(tmp_path)
    for entry in (*registry["nodes"].values(), *registry["connections"].values()):
        del entry["modified"]
    del registry["nodes"]["mem_act_001"]["created"]
    (tmp_path / "_system/registry.json").write_text(json.dumps(registry))
    began = datetime.now(UTC)
    await memory.transfer.import_folder(tmp_path)
    project = await memory.get_node("mem_proj_001")
    assert project.created == project.modified == datetime(2025, 10, 16, 10, tzinfo=UTC)
    assert (await memory.get_node("mem_act_001")).created >= began


@for_rows(
    ("at", "value", "text"),
    [
        ("nodes.mem_act_001.created", "9999-01-01T00:00:00Z", "in the future"),
        ("nodes.mem_act_001.modified", "0001-01-01T00:00:00Z", "a time after 1899"),
        ("nodes.mem_act_001.created", 2025, "must be a time"),
        ("nodes.mem_act_001.id", "mem_act_002", "has another id"),
        ("nodes.mem_act_001.owner", "me", 'unexpected field "owner"'),
        ("nodes.mem_act_001._erased", True, 'unexpected field "_erased"'),
        ("nodes.mem_act_001.tags", "t", "tags"),
        ("nodes.mem_act_001.path", "", "is not a valid path"),
        ("nodes.mem_act_001.content.size", 5, "declares content of 5 bytes"),
        ("nodes.mem_act_001.content.size", -1, "size"),
        ("nodes.mem_act_001.content.path", "_content/nodes/\u0000.md", "must be a path inside the folder"),
        ("nodes.mem_act_001.content.path", "_content/nodes", "it is missing"),
        ("nodes.mem_act_001.content.path", "", "must be a path inside the folder"),
        ("nodes.mem_act_001.content.format", "a\nb", "is empty, longer than 100 characters"),
        ("nodes.mem_act_001.content.owner", "me", 'unexpected field "content.owner"'),
        (
            "connections.mem_act_001",
            {"type": "NextAction", "from": "mem_proj_001", "to": "mem_act_001"},
            "of more than one node",
        ),
        ("connections.conn_001.to", "mem_doc_001", "cannot connect"),
        ("connections.conn_001.type", "WaitingFor", "requires properties"),
        ("extra", {}, 'unexpected field "extra"'),
    ],
)
async def test_an_entry_at_fault_is_named_and_leaves_no_name_taken(
    memory: Memory, domain: str, tmp_path: Path, at: str, value: Any, text: str
) -> None:
    registry = write_specified(tmp_path)
    *parents, key = at.split(".")
    entry = registry
    for parent in parents:
        entry = entry[parent]
    entry[key] = value
    (tmp_path / "_system/registry.json").write_text(json.dumps(registry))
    with pytest.raises(GraphError, match=text) as refused:
        await memory.transfer.import_folder(tmp_path)
    assert refused.value.code in (Code.INVALID_ARCHIVE, Code.INVALID_ARGUMENT)
    assert refused.value.hint
    assert at == "extra" or "mem_act_001" in str(refused.value) or "conn_001" in str(refused.value)
    assert not await exists(memory, domain)


async def test_a_registry_that_nests_deeply_is_refused(memory: Memory, domain: str, tmp_path: Path) -> None:
    write_specified(tmp_path)
    for text in ("[" * 200_000, '{"nodes":' * 200_000, '{"nodes": {"a": "\\ud800"}}'):
        (tmp_path / "_system/registry.json").write_text(text)
        with pytest.raises(GraphError, match="not valid JSON") as refused:
            await memory.transfer.import_folder(tmp_path)
        assert refused.value.code is Code.INVALID_ARCHIVE
    assert not await exists(memory, domain)


@pytest.mark.long
async def test_a_folder_import_that_fails_leaves_the_name_free_and_one_that_was_cut_off_says_what_to_do(
    memory: Memory, domain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_specified(tmp_path)

    async def fails(*_: object) -> None:
        raise GraphError(Code.STORE_UNAVAILABLE, "gone", {"hint": "Wait."})

    with monkeypatch.context() as patched:
        patched.setattr(importing, "read_logged_types", fails)
        with pytest.raises(GraphError, match="gone"):
            await memory.transfer.import_folder(tmp_path)
    assert not await exists(memory, domain)
    with monkeypatch.context() as patched:
        patched.setattr(importing, "read_logged_types", None)
        with pytest.raises(TypeError):
            await memory.transfer.import_folder(tmp_path)
    with pytest.raises(GraphError, match="delete the domain and import the folder again") as busy:
        await memory.create_node("Project", "too early")
    assert busy.value.code is Code.DOMAIN_BUSY
    await memory.delete_domain(domain)
    assert (await memory.transfer.import_folder(tmp_path)).nodes == 3


async def test_what_two_entries_cannot_both_have_is_told_with_an_id_and_the_name_stays_free(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    await fill(memory, domain, 2)
    await memory.transfer.export_folder(tmp_path / "out")
    file = tmp_path / "out" / "_system" / "registry.json"
    file.write_text(file.read_text("utf-8").replace('"code": 1', '"code": 0'), "utf-8")
    with pytest.raises(GraphError, match="mem_") as taken:
        await memory.transfer.import_folder(tmp_path / "out", name=f"{domain}-copy")
    assert taken.value.code is Code.INVALID_ARCHIVE
    assert not await exists(memory, f"{domain}-copy")
    file.write_text(file.read_text("utf-8").replace('"code": 0', '"code": 1', 1), "utf-8")
    assert (await memory.transfer.import_folder(tmp_path / "out", name=f"{domain}-copy")).nodes == 4


@pytest.mark.long
async def test_a_folder_can_hold_what_was_in_a_domain_at_a_point(memory: Memory, domain: str, tmp_path: Path) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    await memory.create_node("Note", "# Tea", id="tea")
    then = (await memory.create_node("Note", "# Cup", id="cup")).version
    await memory.add_node_type(NodeType("Late"))
    await memory.update_node("tea", content="# Coffee", encoding="utf-8")
    await memory.delete_node("cup")
    result = await memory.transfer.export_folder(tmp_path / "then", at=then)
    assert (result.seq, result.nodes) == (then, 2)
    again = memory.in_domain(f"{domain}-then")
    await again.transfer.import_folder(tmp_path / "then")
    assert (await again.get_node_content("tea")).content == "# Tea"
    assert (await again.query_nodes()).node_ids == ("cup", "tea")
    assert [kind.name for kind in (await again.get_ontology()).node_types] == ["Note"]
    with pytest.raises(GraphError) as refused:
        await memory.transfer.export_folder(tmp_path / "before", at=1)
    assert refused.value.details["argument"] == "at"
    assert not (tmp_path / "before").exists()


@pytest.mark.parametrize("name", ["_system/registry.json", "_system/ontology.yaml"])
async def test_a_damaged_folder_is_imported_or_refused_in_words_of_our_own(
    memory: Memory, domain: str, tmp_path: Path, name: str
) -> None:
    await fill(memory, domain)
    await memory.transfer.export_folder(tmp_path / "out")
    file, chance, refused = tmp_path / "out" / name, random.Random(name), list[GraphError]()
    data = file.read_bytes()
    for number in range(DAMAGED):
        file.write_bytes(damage(data, chance))
        try:
            await memory.transfer.import_folder(tmp_path / "out", name=f"{domain}-{number}")
        except GraphError as error:
            refused.append(error)
    assert {error.code for error in refused} <= {
        *(Code.INVALID_ARCHIVE, Code.INVALID_ENCODING, Code.INVALID_ONTOLOGY, Code.INVALID_NODE_TYPE),
        Code.TYPE_ALREADY_EXISTS,
    }
    assert [str(error) for error in refused if any(word in str(error) for word in PYTHON_ERROR_FRAGMENTS)] == []
