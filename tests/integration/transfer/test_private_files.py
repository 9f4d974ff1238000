"""Exports write files for their owner alone, and only to the requested place."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.retention.archive_file import Archive
from integration.branches.test_branch import fill

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform == "win32", reason="modes and links are others there")]


@pytest.fixture
def open_umask() -> Iterator[None]:
    """The umask of most systems, under which others may read new files."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> set[tuple[str, int]]:
    """Return the modes of the files and the folders in a folder, each with what it is."""
    return {("folder" if path.is_dir() else "file", stat.S_IMODE(path.stat().st_mode)) for path in folder.rglob("*")}


def names_in(folder: Path) -> set[str]:
    """Return the names of what is in a folder."""
    return {path.name for path in folder.iterdir()}


@pytest.mark.usefixtures("open_umask")
async def test_exports_folders_and_archives_are_for_their_owner_alone(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    ids = await fill(memory, domain, 3)
    (tmp_path / "old.jsonl").write_text("readable by all")
    await memory.transfer.export_file(tmp_path / "old.jsonl")
    await memory.transfer.export_file(tmp_path / "new.jsonl.gz")
    await memory.transfer.export_folder(tmp_path / "out")
    (tmp_path / "empty").mkdir()
    await memory.transfer.export_folder(tmp_path / "empty")
    seq = (await memory.update_node(ids[0], properties={"rank": 8})).version
    await memory.history.compact(seq, archive=tmp_path / "archives" / "gone.jsonl.gz")
    assert modes(tmp_path) == {("file", 0o600), ("folder", 0o700)}


async def test_an_export_replaces_a_link_and_never_writes_through_it(
    memory: Memory, domain: str, tmp_path: Path
) -> None:
    await fill(memory, domain, 1)
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "out.jsonl").symlink_to(tmp_path / "precious")
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    await memory.transfer.export_file(tmp_path / "out.jsonl")
    assert (tmp_path / "precious").read_text() == "precious"
    with pytest.raises(GraphError) as refused:
        await memory.transfer.export_folder(tmp_path / "out")
    assert refused.value.code is Code.FILE_CREATION_FAILED
    assert names_in(tmp_path) == {"precious", "out.jsonl", "out"}


async def test_two_domains_that_are_compacted_to_one_path_at_once_keep_both_pasts(
    memory: Memory, domain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [domain, f"{domain}-b"]
    written, put = anyio.Event(), Archive.rename_to_final
    waiting = 0
    for name in both:
        result = memory.in_domain(name)
        await result.create_ontology(ontology_from({"node_types": ["Note"]}))
        for text in ("one", "two", "three"):
            await result.create_node("Note", text)

    async def together(archive: Archive) -> None:
        nonlocal waiting
        waiting += 1
        if waiting == 2:
            written.set()
        await written.wait()
        await put(archive)

    monkeypatch.setattr(Archive, "rename_to_final", together)
    refused: list[GraphError] = []
    compacted: list[str] = []

    async def compact(name: str) -> None:
        try:
            await memory.in_domain(name).history.compact(5, archive=tmp_path / "gone.jsonl.gz")
        except GraphError as error:
            refused.append(error)
        else:
            compacted.append(name)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            for name in both:
                tasks.start_soon(compact, name)
    [error], [done] = refused, compacted
    assert error.code is Code.FILE_CREATION_FAILED
    monkeypatch.undo()
    await memory.transfer.import_file(tmp_path / "gone.jsonl.gz", name=f"{domain}-past")
    [other] = {*both} - {done}
    assert len((await memory.in_domain(other).history.log()).entries) == 6
    await memory.in_domain(other).history.compact(5, archive=tmp_path / "other.jsonl.gz")
    assert names_in(tmp_path) == {"gone.jsonl.gz", "other.jsonl.gz"}
