"""Files are export_store as a memory store with their versions, and imported exactly once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from graph_memory import GraphError, Memory
from graph_memory.file_memory.layer import FileMemory

pytestmark = pytest.mark.anyio


async def export_store(files: FileMemory, target: Path) -> dict[str, Any]:
    await files.export_store(target)
    return json.loads(await anyio.Path(target).read_text())


def history(store: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (version["memory_id"], version["operation"], version["path"], version["content"], version["content_sha256"])
        for version in store["memory_versions"]
    ]


async def test_versions_and_actors_come_back_in_another_domain_exactly_once(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    session = FileMemory(memory.acting_as("user_ann", "s1"))
    await session.create("/memories/a.md", "one")
    await session.str_replace("/memories/a.md", "one", "two")
    await session.rename("/memories/a.md", "/memories/d/b.md")
    await session.create("/memories/gone.md", "x")
    await session.delete("/memories/gone.md")
    store = await export_store(session, tmp_path / "store.json")
    assert [memory["path"] for memory in store["memories"]] == ["/d/b.md"]
    assert store["memories"][0]["memory_version_id"] == store["memory_versions"][2]["id"]
    assert store["memory_versions"][0]["created_by"] == {"type": "user_actor", "user_id": "user_ann"}

    other = FileMemory(memory, domain=f"{domain}-copy")
    copy = memory.in_domain(f"{domain}-copy")
    tried = await other.import_store(tmp_path / "store.json", dry_run=True)
    with pytest.raises(GraphError):
        await copy.domain_info()
    done = await other.import_store(tmp_path / "store.json")
    assert (tried.memories, tried.versions) == (done.memories, done.versions)
    assert (done.memories.new, done.versions.new) == (2, 5)
    again = await other.import_store(tmp_path / "store.json")
    assert (again.session, again.versions.new, again.notes) == (None, 0, ())
    back = await export_store(other, tmp_path / "back.json")
    assert history(back) == history(store)
    assert back["memory_versions"][0]["created_by"] == {"type": "user_actor", "user_id": "user_ann"}

    await session.str_replace("/memories/d/b.md", "two", "three")
    await session.export_store(tmp_path / "store.json")
    assert (await other.import_store(tmp_path / "store.json")).versions.new == 1
    assert (await other.view("/memories/d/b.md")).text.endswith("\tthree")
    await copy.history.revert_session(str(done.session), on_conflict="force")
    assert (await copy.query_nodes()).node_ids == ()


async def test_a_file_that_was_changed_or_deleted_here_is_left_as_it_is(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    files, other = FileMemory(memory), FileMemory(memory, domain=f"{domain}-copy")
    for name in ("a", "b"):
        await files.create(f"/memories/{name}", "one")
    await files.export_store(tmp_path / "store.json.gz")
    assert (tmp_path / "store.json.gz").read_bytes()[:2] == b"\x1f\x8b"
    await other.import_store(tmp_path / "store.json.gz")
    for name in ("a", "b"):
        await files.str_replace(f"/memories/{name}", "one", "two")
    await files.export_store(tmp_path / "store.json")
    await other.str_replace("/memories/a", "one", "mine")
    await other.delete("/memories/b")
    done = await other.import_store(tmp_path / "store.json")
    assert (done.versions.new, len(done.notes)) == (0, 2)
    assert (await other.view("/memories/a")).text.endswith("\tmine")
    await other.create("/memories/c", "taken")
    await other.create("/memories/d/e", "taken")
    store = json.loads((tmp_path / "store.json").read_text())
    store["memories"][0] |= {"id": "mem_other", "path": "/c"}
    for path, message in (
        ("/c", "Another file has the path"),
        ("/c/d", "Another file has the path"),
        ("/d", "is a folder"),
    ):
        store["memories"][0]["path"] = path
        (tmp_path / "store.json").write_text(json.dumps({"memories": store["memories"][:1]}))
        with pytest.raises(GraphError, match=message):
            await other.import_store(tmp_path / "store.json")


async def test_a_compacted_file_and_a_restored_file_are_exported_and_imported(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    files, other = FileMemory(memory), FileMemory(memory, domain=f"{domain}-copy")
    await files.create("/memories/a", "one")
    await files.create("/memories/b", "one")
    last = (await memory.history.log()).entries[0].seq
    await memory.history.compact(last, archive=tmp_path / "archive.jsonl.gz")
    await files.delete("/memories/b")
    [deletion] = [entry for entry in (await memory.history.log()).entries if entry.operation == "delete"]
    await memory.history.revert(event_ids=[deletion.id])
    store = await export_store(files, tmp_path / "store.json")
    assert [(memory["path"], memory["content"]) for memory in store["memories"]] == [("/a", "one"), ("/b", "one")]
    assert [version[1:3] for version in history(store)] == [("created", "/a"), ("deleted", "/b"), ("created", "/b")]
    assert (await other.import_store(tmp_path / "store.json")).memories.new == 2
    assert [(await other.view(f"/memories/{name}")).text[-3:] for name in "ab"] == ["one", "one"]


async def test_a_file_that_no_memory_can_be_is_refused(memory: Memory, tmp_path: Path) -> None:
    files = FileMemory(memory)
    await files.create("/memories/large", "x" * 102_401)
    with pytest.raises(GraphError, match="102,400 bytes"):
        await files.export_store(tmp_path / "store.json")
    assert not (tmp_path / "store.json").exists()
