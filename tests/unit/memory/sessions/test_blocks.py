"""Blocks whose text cannot be read: they keep their labels, and hide no block that can be read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from graph_memory.memory.core import Core
from graph_memory.memory.sessions import blocks
from graph_memory.memory.sessions.notes import Note
from graph_memory.model.errors import Code, GraphError

pytestmark = pytest.mark.anyio

CORE = cast("Core", SimpleNamespace(store=None))
LOST = GraphError(Code.CONTENT_READ_FAILED, 'MemoryBlock "rules" cannot be read', {"label": "rules"})


def readable(label: str) -> Note:
    node = SimpleNamespace(id="mem_1", version=1, properties={"label": label})
    return cast("Note", SimpleNamespace(node=node, text="No shoes.", properties=node.properties))


@pytest.fixture
def readable_blocks(monkeypatch: pytest.MonkeyPatch) -> list[Note]:
    """The readable blocks. Reading also reports an unreadable block."""
    notes: list[Note] = []

    async def notes_of(*_: object, unreadable: list[GraphError], **__: object) -> list[Note]:
        unreadable.append(LOST)
        return notes

    monkeypatch.setattr(blocks, "notes_of", notes_of)
    return notes


@pytest.mark.usefixtures("readable_blocks")
async def test_an_edit_keeps_the_label_of_a_block_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async def write(*args: Any) -> None:
        keys.append(args[4])
        raise LOST

    keys: list[str] = []
    monkeypatch.setattr(blocks, "write_note", write)
    with pytest.raises(GraphError, match="cannot be read"):
        await blocks.edit_block(CORE, "home", blocks.Edit(label="RULES", text="No smoke."))
    assert keys == ["rules"]


async def test_a_block_that_can_be_read_is_returned_beside_one_of_its_label_that_cannot(
    readable_blocks: list[Note],
) -> None:
    with pytest.raises(GraphError, match="cannot be read"):
        await blocks.get_blocks(CORE, "home", "Rules")
    readable_blocks.append(readable("RULES"))
    for label in ("RULES", "rules"):
        result = await blocks.get_blocks(CORE, "home", label)
        assert [block.text for block in result.blocks] == ["No shoes."]
        assert "cannot be read" in str(result.warnings)
