"""What a person sees of what a model wrote, and of what there is to read without one."""

from __future__ import annotations

import pytest

from graph_memory.cli.errors import explained
from graph_memory.memory.recall.tiers.results import QueryResult
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import NodeBrief
from unit.cli.test_cli_commands import memory, run
from unit.mcp_server.mcp_fakes import RecordingMemory

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


def test_an_answer_is_followed_by_what_it_cites_and_why_it_is_so_deep(memory: RecordingMemory):
    cited = (NodeBrief(id="mem_1", type="Note", title="Tiles"),)
    memory.answers["memory_query"] = QueryResult(
        depth="deep",
        tokens_used=7,
        content="Late [mem_1].",
        why="deep: it asks why.",
        written_by="ollama",
        citations=cited,
    )
    shown = run("ask", "Why are the tiles late?", "--max-tokens", "300")
    assert shown.stdout.splitlines() == ["Late [mem_1].", "[mem_1] Tiles  Note"]
    assert "deep: it asks why. Written by ollama." in " ".join(shown.stderr.split())
