"""A disk that is full: that of the blobs, and that of Neo4j."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, Settings, local, ontology_from, open_memory

CAN_MOUNT = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not CAN_MOUNT, reason="a small disk is made with `mount -t tmpfs`, which takes root on Linux"),
]

ONTOLOGY = ontology_from({"node_types": ["Note"], "connection_types": []})
LARGE = "A text that is kept as a blob. " * 4_000
WRITERS = 3


@contextmanager
def mount(folder: Path, size: str) -> Iterator[Path]:
    """Give a disk of a size of its own."""
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {made.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path) -> Path:
    """Write until nothing more fits, and return the file that takes the room."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except OSError:
            return filler


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk that is soon full."""
    with mount(tmp_path / "disk", "160m") as disk:
        yield disk


async def test_a_full_disk_for_blobs_refuses_the_content_and_keeps_everything_else(
    settings: Settings, domain: str, disk: Path
) -> None:
    on_disk = settings.model_copy(update={"domain": domain, "blob_url": str(disk / "blobs")})
    async with open_memory(on_disk) as memory:
        await memory.create_ontology(ONTOLOGY)
        kept = await memory.create_node("Note", LARGE)
        filler = fill(disk)
        for change in (memory.create_node("Note", LARGE + "more"), update(memory, kept.node_id, LARGE + "more")):
            with pytest.raises(GraphError) as caught:
                await change
            assert caught.value.code is Code.FILE_CREATION_FAILED
            assert "space" in caught.value.message
            assert "space" in (caught.value.hint or "")
        assert (await memory.get_node_content(kept.node_id)).content == LARGE
        small = await memory.create_node("Note", "small text needs no blob")
        filler.unlink()
        large = await memory.create_node("Note", LARGE + "more")
        nodes = (await memory.query_nodes()).node_ids
        assert set(nodes) == {kept.node_id, small.node_id, large.node_id}
        assert not list((disk / "blobs").rglob("*.tmp"))
        assert (await memory.upkeep.verify()).clean


async def update(memory: Memory, node_id: str, content: str) -> None:
    await memory.update_node(node_id, content=content, encoding="utf-8")


@pytest.fixture
async def own(disk: Path, anyio_backend: str) -> AsyncIterator[Settings]:
    """A Neo4j of the test's own, on a disk that is soon full."""
    settings = Settings(home=disk / "home", domain="full")
    try:
        yield settings
    finally:
        (disk / "filler").unlink(missing_ok=True)
        local.stop(settings)


async def all_nodes(memory: Memory) -> set[str]:
    page = await memory.query_nodes(limit=1000)
    stored_ids = set(page.node_ids)
    while page.next_cursor:
        page = await memory.query_nodes(limit=1000, cursor=page.next_cursor)
        stored_ids |= set(page.node_ids)
    return stored_ids


async def refusals(memory: Memory, acknowledged: set[str]) -> list[GraphError]:
    """Write with several writers until each is refused, and return how they were."""
    refused: list[GraphError] = []

    async def write(writer: int) -> None:
        turn = 0
        while True:
            turn += 1
            try:
                made = await memory.create_node("Note", f"by {writer} in turn {turn}")
            except GraphError as error:
                refused.append(error)
                return
            acknowledged.add(made.node_id)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            for writer in range(WRITERS):
                tasks.start_soon(write, writer)
    return refused


async def test_a_full_disk_for_neo4j_is_told_and_after_a_restart_all_that_was_acknowledged_is_there(
    own: Settings, disk: Path
) -> None:
    async with open_memory(own) as memory:
        await memory.create_ontology(ONTOLOGY)
        acknowledged = {(await memory.create_node("Note", "before")).node_id for _ in range(3)}
        filler = fill(disk)
        refused = await refusals(memory, acknowledged)
        assert {error.code for error in refused} == {Code.STORE_UNAVAILABLE}
        assert any("may or may not" in error.message for error in refused)  # those that shared the statement
        assert all("disk" in (error.hint or "") for error in refused)
        filler.unlink()
        with pytest.raises(GraphError) as caught:  # Neo4j itself serves no more until it is started again
            await memory.query_nodes()
        assert caught.value.code is Code.STORE_UNAVAILABLE
        local.stop(own)
        local.ensure_running(own.model_copy(update={"neo4j_salvage": True}))  # or it does not recover a torn log
        made = await memory.create_node("Note", "after")
        stored_ids = await all_nodes(memory)
        assert acknowledged | {made.node_id} <= stored_ids
        assert len(stored_ids) <= len(acknowledged) + 1 + 1
        assert (await memory.upkeep.verify()).clean


def enlarge(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=160m", disk], check=True)


async def test_a_disk_too_full_to_begin_on_is_told_and_the_next_start_begins_anew(tmp_path: Path) -> None:
    with mount(tmp_path / "tiny", "64k") as disk:
        settings = Settings(home=disk / "home", domain="tiny", start_timeout=20)
        try:
            with pytest.raises(GraphError) as caught:
                local.ensure_running(settings)
            assert caught.value.code in {Code.STORE_UNAVAILABLE, Code.STARTING}
            assert caught.value.hint
            enlarge(disk)
            local.stop(settings)
            settings = settings.model_copy(update={"start_timeout": 180.0})
            async with open_memory(settings) as memory:
                await memory.create_ontology(ONTOLOGY)
                assert (await memory.upkeep.verify()).clean
        finally:
            local.stop(settings)
