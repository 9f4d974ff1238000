"""Files of an agent: what they are in the graph, and what the log makes of them."""

from __future__ import annotations

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, NodeType, Ontology
from graph_memory.file_memory.errors import FileError
from graph_memory.file_memory.layer import FileMemory
from graph_memory.file_memory.tree import format_size, parse_path
from tables import for_rows

pytestmark = pytest.mark.anyio

OUTSIDE = [
    *(
        "/memories/../etc/passwd",
        "/memories/a/../../etc",
        "/etc/passwd",
        "",
        "/memoriesx",
        "memories",
        "/memories/a\nb",
    ),
    *("/memories/\0", "/memories/\ud800", "/memories/" + "x" * 250, "\\memories\\a", "//memories/a"),
]


async def test_a_file_is_a_node_with_its_path_and_text(memory: Memory) -> None:
    files = FileMemory(memory)
    created = await files.create("/memories/house/plan.md", "# Plan\nPaint the kitchen.")
    assert created.node_id is not None
    node = await memory.get_node(created.node_id)
    assert (node.type, node.path, node.title, node.content_format) == (
        "MemoryFile",
        "/memories/house/plan.md",
        "plan.md",
        "markdown",
    )
    assert (await memory.search_content("paint the")).node_ids == (created.node_id,)
    results = await memory.recall.search_memories("kitchen")
    assert [hit.id for hit in results.hits] == [created.node_id]


async def test_an_earlier_text_can_be_viewed_and_a_change_reverted(memory: Memory) -> None:
    files = FileMemory(memory)
    first = await files.create("/memories/a.txt", "red")
    changed = await files.str_replace("/memories/a.txt", "red", "blue")
    assert first.version is not None
    assert changed.version is not None
    assert (await files.view("/memories/a.txt", at=first.version)).text.endswith("\tred")
    assert (await files.view("/memories/a.txt", at=changed.version)).text.endswith("\tblue")
    await memory.history.revert(event_ids=[changed.version])
    await files.rename("/memories/a.txt", "/memories/b.txt")
    assert (await files.view("/memories/b.txt")).text.endswith("\tred")


async def test_renaming_a_folder_is_one_batch_of_the_log(memory: Memory) -> None:
    files = FileMemory(memory)
    for name in ("a", "b/c", "b/d"):
        await files.create(f"/memories/old/{name}", name)
    await files.rename("/memories/old", "/memories/new")
    entries = (await memory.history.log(limit=3)).entries
    assert {entry.batch for entry in entries} == {entries[0].batch}
    assert entries[0].batch
    assert (await files.view("/memories")).text.split("\n")[1:] == [
        "7B\t/memories",
        "7B\t/memories/new/",
        "1B\t/memories/new/a",
        "6B\t/memories/new/b/",
    ]


async def test_a_node_that_moves_by_its_path_is_a_file_that_moves(memory: Memory) -> None:
    files = FileMemory(memory)
    created = await files.create("/memories/a", "text")
    await memory.update_node(str(created.node_id), path="/memories/b")
    assert (await files.view("/memories/b")).node_id == created.node_id


async def test_clearing_deletes_files_and_no_other_nodes(memory: Memory) -> None:
    await memory.create_ontology(Ontology.create([NodeType("Note")]))  # a closed one
    note = (await memory.create_node("Note", "stays", path="/memories/note")).node_id
    files = FileMemory(memory)
    await files.create("/memories/a/b", "goes")
    await files.delete("/memories/a/b")  # a mark keeps the folder
    await files.create("/memories/c", "goes")
    await files.clear()
    assert (await memory.query_nodes()).node_ids == (note,)
    assert (await files.view("/memories")).text.endswith("0B\t/memories")


async def test_concurrent_changes_of_a_file_are_all_kept(memory: Memory) -> None:
    files = FileMemory(memory)
    await files.create("/memories/log", "")
    errors: list[GraphError] = []

    async def create() -> None:
        try:
            await files.create("/memories/new", "")
        except GraphError as error:
            errors.append(error)

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(files.insert, "/memories/log", 0, str(number))
        for _ in range(4):
            tasks.start_soon(create)
    lines = (await files.view("/memories/log")).text.split("\n")[1:-1]
    assert sorted(line.partition("\t")[2] for line in lines) == [*map(str, range(8))]
    assert [error.code for error in errors] == [Code.NODE_ALREADY_EXISTS] * 3


async def test_a_text_of_a_megabyte_is_kept_and_a_larger_one_than_the_limit_refused(memory: Memory) -> None:
    files = FileMemory(memory)
    await files.create("/memories/large", "0123456789\n" * 100_000)
    assert (await files.view("/memories/large", [100_000, 100_000])).text.endswith("100000\t0123456789")
    with pytest.raises(GraphError) as caught:
        await files.create("/memories/larger", "x" * 9_000_000)
    assert caught.value.code is Code.CONTENT_TOO_LARGE


async def test_a_domain_without_files_is_not_created_by_refused_calls(memory: Memory) -> None:
    files = FileMemory(memory)
    assert (await files.view("/memories")).text.endswith("0B\t/memories")
    for call in (files.delete("/memories/a"), files.insert("/memories/a", 0, ""), files.create("/memories", "")):
        with pytest.raises(FileError):
            await call
    with pytest.raises(GraphError) as caught:
        await memory.domain_info()
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND


@for_rows("path", OUTSIDE)
def test_a_path_outside_the_root_or_with_control_characters_is_refused(path: str) -> None:
    with pytest.raises(GraphError) as caught:
        parse_path(path)
    assert caught.value.code is Code.INVALID_ARGUMENT


@for_rows(("size", "text"), [(0, "0B"), (1023, "1023B"), (1024, "1K"), (1536, "1.5K"), (3 << 40, "3072G")])
def test_sizes_are_in_the_largest_fitting_unit(size: int, text: str) -> None:
    assert format_size(size) == text
