"""Imports of memories of Claude: instructions as blocks, `memories.json`, the memory tool's and Claude Code's folders.

The samples are synthetic, after public descriptions and readers of the formats.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory
from graph_memory.memory.transfer.results import MemoryFormat
from tables import for_rows
from unit.memory.transfer.test_memories import write

pytestmark = pytest.mark.anyio
INSTRUCTIONS = """\
Read this first.

# Commands
Run `make check`.
```sh
# not a heading
## nor this
```

## Style ##
### Names
Nouns for values.

# Empty

# Commands
Twice.
"""
MEMORIES_JSON: list[dict[str, Any]] = [
    {
        "account_uuid": "a-1",
        "conversations_memory": "**Work context**\n\nAda builds ships.\n\nShe leads a team.\n\n## Taste\n\nLikes tea.",
        "project_memories": {"p-1": "The deadline is in May."},
    }
]


async def blocks_of(memory: Memory) -> dict[str, str]:
    """Return the texts of the blocks that are not empty, by label."""
    return {block.label: block.text for block in (await memory.entities.get_block()).blocks if block.text}


async def last_number(memory: Memory) -> int:
    return (await memory.history.log(limit=1)).entries[0].seq


async def test_sections_of_instructions_become_blocks_which_a_later_import_updates(
    memory: Memory, tmp_path: Path
) -> None:
    file = write(tmp_path / "shop", "CLAUDE.md", INSTRUCTIONS)
    tried = await memory.transfer.import_memory(file, dry_run=True)
    assert await blocks_of(memory) == {}
    done = await memory.transfer.import_memory(file)
    assert (done.format, done.blocks) == ("instructions", tried.blocks)
    assert done.blocks
    assert (done.blocks.new, done.blocks.changed, done.blocks.already_there) == (4, 0, 0)
    style = "### Names\nNouns for values."
    assert await blocks_of(memory) == {
        "shop/CLAUDE.md": "Read this first.",
        "shop/CLAUDE.md: Commands": "Run `make check`.\n```sh\n# not a heading\n## nor this\n```",
        "shop/CLAUDE.md: Style": style,
        "shop/CLAUDE.md: Commands (2)": "Twice.",
    }
    assert done.session
    [block] = (await memory.entities.get_block("shop/CLAUDE.md: Style")).blocks
    [node] = await memory.describe_nodes([str(block.id)])
    assert node.properties["source"] == str(file)
    number = await last_number(memory)
    again = await memory.transfer.import_memory(file)
    assert again.blocks
    assert (again.blocks.new, again.blocks.changed, again.blocks.already_there, again.session) == (0, 0, 4, None)
    assert await last_number(memory) == number
    await memory.entities.edit_block("project", "Mine.")
    await memory.transfer.import_memory(write(tmp_path / "blog", "CLAUDE.md", "# Style\nShort."))
    text = INSTRUCTIONS.replace("Twice.", "").replace("# Commands\nR", "# commands\nDo not r")
    changed = write(tmp_path / "shop", "CLAUDE.md", text)
    updated = await memory.transfer.import_memory(changed)
    assert updated.blocks
    assert (updated.blocks.new, updated.blocks.changed, updated.blocks.already_there) == (0, 2, 2)
    blocks = await blocks_of(memory)
    assert sorted(blocks) == [
        *("blog/CLAUDE.md: Style", "project", "shop/CLAUDE.md", "shop/CLAUDE.md: Commands", "shop/CLAUDE.md: Style"),
    ]
    assert blocks["shop/CLAUDE.md: Commands"].startswith("Do not run")
    assert (await memory.transfer.import_memory(changed)).session is None
    await memory.history.revert_session(str(updated.session))
    assert (await blocks_of(memory))["shop/CLAUDE.md: Commands (2)"] == "Twice."
    assert (await memory.upkeep.verify()).clean


@for_rows(
    ("text", "code"),
    [
        (b"# A\n\xff", Code.INVALID_SOURCE),
        ("# A\n" + "x" * 20_001, Code.INVALID_SOURCE),
        ("# A\u202eB\ntext", Code.INVALID_SOURCE),
        ("# A\n" + "x" * 5_000_000, Code.INVALID_SOURCE),
        ("".join(f"# {number}\ntext\n" for number in range(60)), Code.INVALID_ARGUMENT),
        ("", None),
        ("# Only\n## Headings\n", None),
        ("```\n# open fence\n", None),
        (f"# {'long ' * 40}\na\n# {'long ' * 40}\nb", None),
    ],
)
async def test_odd_instructions_are_refused_or_stored_once(
    text: str | bytes, code: Code | None, memory: Memory, tmp_path: Path
) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = await blocks_of(memory)
    if code is None:
        await memory.transfer.import_memory(file)
        blocks = await blocks_of(memory)
        await memory.transfer.import_memory(file)
        assert await blocks_of(memory) == blocks
        return
    with pytest.raises(GraphError) as refused:
        await memory.transfer.import_memory(file)
    assert refused.value.code is code
    assert refused.value.hint
    assert await blocks_of(memory) == before


async def test_a_link_to_instructions_and_a_missing_file(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "shop", "CLAUDE.md", "# Style\nShort.")
    (tmp_path / "shop" / "AGENTS.md").symlink_to("CLAUDE.md")
    await memory.transfer.import_memory(tmp_path / "shop" / "AGENTS.md")
    assert await blocks_of(memory) == {"shop/AGENTS.md: Style": "Short."}
    with pytest.raises(GraphError) as refused:
        await memory.transfer.import_memory(tmp_path / "CLAUDE.md")
    assert refused.value.code is Code.INVALID_ARGUMENT


def folder_of_the_memory_tool(base: Path) -> Path:
    folder = base / "memories"
    write(folder / "people", "ada.xml", "<name>Ada</name>\n# no title")
    write(folder, "progress.md", "# Done\n- [step] one")
    write(folder, "empty.txt", "")
    (folder / "link.txt").symlink_to("/etc/passwd")
    return folder


@pytest.mark.parametrize("form", ["claude-memories", "memory-tool", "markdown"])
async def test_memories_of_claude_are_imported_once_with_their_sources(
    form: MemoryFormat, memory: Memory, tmp_path: Path
) -> None:
    write(tmp_path, "memories.json", json.dumps(MEMORIES_JSON))
    folder_of_the_memory_tool(tmp_path)
    front = "name: no-mocks\ndescription: Tests use a real database\nmetadata:\n  type: feedback"
    write(tmp_path / "memory", "feedback_tests.md", f"---\n{front}\n---\nNo mocks in tests. See [[user_role]].")
    write(tmp_path / "memory", "MEMORY.md", "- [Tests](feedback_tests.md): no mocks")
    source = {"claude-memories": "memories.json", "memory-tool": "memories", "markdown": "memory"}[form]
    tried = await memory.transfer.import_memory(tmp_path / source, dry_run=True)
    done = await memory.transfer.import_memory(tmp_path / source)
    assert (done.format, done.entities) == (form, tried.entities)
    number = await last_number(memory)
    again = await memory.transfer.import_memory(tmp_path / source, format=form)
    assert (again.entities.new, again.relations.new, again.observations.new, again.session) == (0, 0, 0, None)
    assert await last_number(memory) == number
    graph = (await memory.entities.read_graph()).entities
    entities = {entity.name: (entity.entity_type, list(entity.observations)) for entity in graph}
    answer = (await memory.recall.search_memories("mocks in tests, deadline, name Ada")).to_dict()
    if form == "claude-memories":
        assert entities == {
            "user": (
                "user",
                ["Work context: Ada builds ships.", "Work context: She leads a team.", "Taste: Likes tea."],
            ),
            "p-1": ("project", ["The deadline is in May."]),
        }
        [user] = (await memory.entities.open_nodes(["user"], detail=True)).entities
        assert {detail.source for detail in user.observation_details or ()} == {"claude.ai, a-1"}
    elif form == "memory-tool":
        assert sorted(entities) == ["/memories/empty.txt", "/memories/people/ada.xml", "/memories/progress.md"]
        assert {kind for kind, _ in entities.values()} == {"memory_file"}
        [ada] = (await memory.entities.open_nodes(["/memories/people/ada.xml"], detail=True)).entities
        assert ada.properties == {"path": "/memories/people/ada.xml", "source": "memory-tool"}
        assert "<name>Ada</name>" in json.dumps(answer)
        assert "links in the file system" in str(done.notes)
    else:
        assert entities["feedback_tests"][0] == "feedback"
        assert "No mocks in tests" in json.dumps(answer)
    assert (await memory.upkeep.verify()).clean


@for_rows(
    "data",
    [
        [1],
        "text",
        [{"conversations_memory": 1}],
        [{"project_memories": ["p"]}],
        [{"project_memories": {"p": {}}}],
        [{}],
        {"conversations_memory": "\ud800"},
    ],
)
async def test_odd_memories_are_refused_with_a_place(data: Any, memory: Memory, tmp_path: Path) -> None:
    file = write(tmp_path, "memories.json", json.dumps(data))
    with pytest.raises(GraphError) as refused:
        await memory.transfer.import_memory(file, format="claude-memories")
    assert refused.value.code is Code.INVALID_SOURCE
    assert "memories.json" in refused.value.message
    assert (await memory.entities.read_graph()).entities == ()


async def test_odd_files_of_the_memory_tool_are_refused(memory: Memory, tmp_path: Path) -> None:
    folder = folder_of_the_memory_tool(tmp_path)
    (folder / "photo.png").write_bytes(b"\x89PNG\xff\x00")
    with pytest.raises(GraphError) as refused:
        await memory.transfer.import_memory(folder)
    assert refused.value.code is Code.INVALID_SOURCE
    assert "photo.png" in refused.value.message
    skipped = await memory.transfer.import_memory(folder, skip_invalid=True)
    assert (skipped.refused.count, skipped.entities.new) == (1, 3)
    with pytest.raises(GraphError) as refused:
        await memory.transfer.import_memory(folder / "progress.md", format="memory-tool")
    assert refused.value.code is Code.INVALID_ARGUMENT
