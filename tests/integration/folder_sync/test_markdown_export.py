"""A domain is exported as notes, and imported from them, without any difference in the notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_memory import GraphError, Memory

pytestmark = pytest.mark.anyio


def notes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_an_exported_folder_is_imported_and_exported_again_byte_for_byte(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    entities = [
        {"name": "Ada", "type": "person", "description": "Wrote [[Notes]].\n", "observations": ["likes tea", "a\n\nb"]},
        {"name": "ada", "type": "note", "properties": {"born": 1815, "tags": "x, y", "path": "../etc/passwd.md"}},
        {"name": "a/b: c?", "type": "Ω", "description": "- [fact] stays text\r\n---"},
    ]
    await memory.entities.create_entities(entities)
    relations = [("Ada", "ada", "knows well, and long"), ("ada", "Nobody", "links_to"), ("a/b: c?", "a/b: c?", "is")]
    await memory.entities.create_relations(
        [{"from": start, "to": end, "relationType": kind} for start, end, kind in relations]
    )
    before = (await memory.entities.read_graph()).to_dict()
    exported = await memory.transfer.export_graph(tmp_path / "first", "markdown")
    assert (exported.nodes, exported.connections) == (3, 3)
    copy = memory.in_domain(f"{domain}-copy")
    await copy.transfer.import_memory(tmp_path / "first", format="markdown")
    after = (await copy.entities.read_graph()).to_dict()
    assert sorted(map(str, after["entities"])) == sorted(map(str, before["entities"]))
    assert sorted(map(str, after["relations"])) == sorted(map(str, before["relations"]))
    await copy.transfer.export_graph(tmp_path / "second", "markdown")
    assert notes(tmp_path / "second") == notes(tmp_path / "first")
    assert not (tmp_path / "etc").exists()
    await memory.entities.delete_entities(["ada"])
    await memory.transfer.export_graph(tmp_path / "then", "markdown", at=exported.seq)
    assert notes(tmp_path / "then") == notes(tmp_path / "first")


async def test_a_binary_description_is_no_note(memory: Memory, tmp_path: Path) -> None:
    await memory.entities.create_entities([{"name": "Ada"}])
    opened = await memory.entities.open_nodes(["Ada"], detail=True)
    await memory.update_node(str(opened.entities[0].id), content=b"\xff", encoding="base64")
    with pytest.raises(GraphError, match="binary or too large"):
        await memory.transfer.export_graph(tmp_path / "notes", "markdown")
    assert not (tmp_path / "notes").exists()
