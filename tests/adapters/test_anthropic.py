"""Anthropic's memory tool on the graph, beside the SDK's own tool on local files: the same calls, the same replies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from anthropic.tools import BetaLocalFilesystemMemoryTool, ToolError
from hypothesis import given
from hypothesis import strategies as st

from graph_memory import Memory
from graph_memory.adapters.anthropic import AsyncMemoryTool, MemoryTool
from graph_memory.sync import SyncMemory

Command = Mapping[str, Any]
NAMES = ("a", "b.md", "c d.txt", ".hidden", "é")
ODD_PATHS = (
    *("/memories/", "/memories/a/", "/memories/a/../b.md", "/memories//a", "/memories/./b.md", "", "/etc/passwd"),
    *("/memories/../../etc/passwd", "memories/a", "/memories/..", "/memories/../memories/a"),
)
segments = st.lists(st.sampled_from([*NAMES, "a", "b.md"]), min_size=0, max_size=4)
paths = st.one_of(
    segments.map(lambda names: "/".join(["/memories", *names])),
    segments.map(lambda names: "/".join(["/memories", *names])),
    st.sampled_from(ODD_PATHS),
)
texts = st.one_of(
    st.lists(st.sampled_from(["", "one", "two", "one two", "  x", "ü🧠", "\r"]), max_size=6).map("\n".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
parts = st.sampled_from(["one", "two", "o", "e\n", "", "ü", "missing", "one\ntwo"])
commands = st.one_of(
    st.builds(lambda path, text: {"command": "create", "path": path, "file_text": text}, paths, texts),
    st.builds(lambda path: {"command": "view", "path": path}, paths),
    st.builds(
        lambda path, span: {"command": "view", "path": path, "view_range": span},
        paths,
        st.lists(st.integers(-2, 8), min_size=1, max_size=3),
    ),
    st.builds(
        lambda path, old, new: {"command": "str_replace", "path": path, "old_str": old, "new_str": new},
        paths,
        parts,
        texts,
    ),
    st.builds(
        lambda path, line, text: {"command": "insert", "path": path, "insert_line": line, "insert_text": text},
        paths,
        st.integers(-1, 6),
        texts,
    ),
    st.builds(lambda path: {"command": "delete", "path": path}, paths),
    st.builds(lambda old, new: {"command": "rename", "old_path": old, "new_path": new}, paths, paths),
    st.just({"command": "clear"}),
)
create = st.builds(lambda path, text: {"command": "create", "path": path, "file_text": text}, paths, texts)


class Local:
    """The SDK's tool on local files, without the folders that its refused calls leave."""

    def __init__(self, folder: Path) -> None:
        self.tool = BetaLocalFilesystemMemoryTool(str(folder))
        self.root = folder / "memories"

    def run(self, command: Command) -> tuple[str, str]:
        before = {path for path in self.root.rglob("*") if path.is_dir()}
        kind, reply = outcome(self.tool, command)
        if kind != "reply":
            for path in sorted({path for path in self.root.rglob("*") if path.is_dir()} - before, reverse=True):
                path.rmdir()
        return kind, reply


def outcome(tool: Any, command: Command) -> tuple[str, str]:
    """Return whether a call was answered, refused or failed, and the text."""
    try:
        reply = tool.clear_all_memory() if command["command"] == "clear" else tool.call(dict(command))
    except ToolError as error:
        return "refusal", str(error)
    except (OSError, UnicodeError) as error:
        return "failure", str(error)
    return "reply", reply


def without_folder_sizes(reply: str) -> str:
    """Return the list of a folder without the sizes of folders, which depend on the file system."""
    if not reply.startswith("Here're the files"):
        return reply
    header, own, *rows = reply.split("\n")
    shown = [re.sub(r"^\S+\t", "", row) if row.endswith("/") else row for row in rows]
    return "\n".join([header, own.partition("\t")[2], *shown])


@given(st.lists(st.one_of(create, commands, commands), min_size=1, max_size=25))
def test_replies_and_refusals_equal_those_of_the_tool_for_local_files(
    memory_sync: SyncMemory, tmp_path_factory: pytest.TempPathFactory, calls: list[Command]
) -> None:
    local = Local(tmp_path_factory.mktemp("local"))
    tool = MemoryTool(memory_sync, domain=f"test-{uuid4().hex[:20]}")
    for command in [*calls, {"command": "view", "path": "/memories"}]:
        kind, expected = local.run(command)
        answer = outcome(tool, command)
        if kind == "failure":  # the SDK lets errors of the operating system through, such as a file as a folder
            assert answer[0] == "refusal", command
        else:
            assert (answer[0], without_folder_sizes(answer[1])) == (kind, without_folder_sizes(expected)), command


@pytest.mark.anyio
async def test_the_async_tool_names_its_actor_and_session_in_the_log(memory: Memory) -> None:
    tool = AsyncMemoryTool(memory, session="monday")
    reply = await tool.call({"command": "create", "path": "/memories/plan.md", "file_text": "# Plan"})
    assert reply == "File created successfully at: /memories/plan.md"
    await tool.call({"command": "insert", "path": "/memories/plan.md", "insert_line": 1, "insert_text": "Paint."})
    entries = (await memory.history.log(session="monday")).entries
    assert {entry.actor for entry in entries} == {"claude"}
    assert await tool.call({"command": "view", "path": "/memories/plan.md", "view_range": [2, 2]}) == (
        "Here's the content of /memories/plan.md with line numbers:\n     2\tPaint."
    )
    await tool.call({"command": "rename", "old_path": "/memories/plan.md", "new_path": "/memories/old/plan.md"})
    await tool.call(
        {"command": "str_replace", "path": "/memories/old/plan.md", "old_str": "Paint", "new_str": "Plaster"}
    )
    await tool.call({"command": "delete", "path": "/memories/old"})
    assert await tool.clear_all_memory() == "All memory cleared"


@pytest.mark.anyio
async def test_what_only_the_memory_refuses_is_told_to_the_model_with_its_hint(memory: Memory) -> None:
    tool = AsyncMemoryTool(memory)
    with pytest.raises(ToolError, match=r"Use at most 255 characters\."):
        await tool.call({"command": "create", "path": f"/memories/{'x' * 300}", "file_text": ""})


def test_a_runner_sends_the_definition_of_the_tool(memory_sync: SyncMemory) -> None:
    tool = MemoryTool(memory_sync, cache_control={"type": "ephemeral"})
    definition = {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}}
    assert tool.to_dict() == definition
