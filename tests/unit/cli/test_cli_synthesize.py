"""What a person sees of what a model wrote, and of what there is to read without one."""

from __future__ import annotations

import pytest

from graph_memory.cli.errors import explained
from graph_memory.model.errors import Code, GraphError
from unit.cli.test_cli_commands import memory, run

__all__ = ["memory"]


@pytest.mark.usefixtures("memory")
def test_the_text_is_followed_by_what_it_cites():
    shown = run("synthesize", "tiles")
    assert shown.stdout.splitlines() == ["Tiles are late [mem_1].", "", "[mem_1] Tiles  Note"]
    assert "ollama/llama3.2" in shown.stderr


def test_without_a_model_there_is_what_it_would_have_read():
    material = [
        {"id": "mem_1", "type": "Note", "title": "Tiles", "text": "They are\n\x1b[2Jlate."},
        {"from": "mem_1", "connection": "About", "to": "mem_2"},
    ]
    lines = explained(GraphError(Code.NO_MODEL, "No model", {"hint": "Set one.", "material": material})).splitlines()
    assert lines[:2] == ["NO_MODEL: No model", "Hint: Set one."]
    [line] = lines[2:]
    assert line.startswith("  Tiles (Note) [mem_1]: They are")
    assert "\x1b" not in line
