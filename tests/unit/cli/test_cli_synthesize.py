"""Texts for people about an answer that a model wrote, and about the material without a model."""

from __future__ import annotations

import json

import pytest

from graph_memory.cli.errors import error_text
from graph_memory.memory.entities.cleaning.results import Finding
from graph_memory.memory.recall.guide import GUIDE, IN_SHORT
from graph_memory.memory.recall.results import RecallResult
from graph_memory.memory.sessions.results import SessionStartResult
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import ReadyCall
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
    lines = error_text(GraphError(Code.NO_MODEL, "No model", {"hint": "Set one.", "material": material})).splitlines()
    assert lines[:2] == ["NO_MODEL: No model", "Hint: Set one."]
    [line] = lines[2:]
    assert line.startswith("  Tiles (Note) [mem_1]: They are")
    assert "\x1b" not in line


def test_an_empty_memory_is_told_to_a_person_and_not_as_the_guide_of_agents(memory: RecordingMemory):
    for content in (GUIDE, IN_SHORT, {"guide": GUIDE}):
        memory.answers["recall"] = RecallResult(depth="medium", tokens_used=300, content=content)
        shown = run("recall", "tiles").stdout
        assert shown.startswith("Nothing is stored in this domain yet.")
        assert "graph-memory remember" in shown
        assert len(shown.splitlines()) == 1


def test_corrections_in_an_empty_memory_are_told_without_the_guide_of_agents(memory: RecordingMemory):
    line = "Correction: call her Ann."
    for content in (f"{line}\n{GUIDE}", {"corrections": [line], "guide": IN_SHORT}):
        memory.answers["recall"] = RecallResult(depth="medium", tokens_used=300, content=content)
        shown = run("recall", "Ann")
        assert line in shown.stdout
        assert "graph-memory remember" in shown.output
        assert "This memory is empty" not in shown.output
    assert json.loads(shown.stdout) == {"corrections": [line]}


def test_an_open_question_has_a_command_for_each_choice_that_a_shell_can_run(memory: RecordingMemory):
    call = ReadyCall(tool="decide", arguments={"id": "question_1"})
    choices = {"close": "the known observation ends", "keep": "both are true"}
    finding = Finding(kind="open_question", about=("a", "b"), reason="Out of date?", call=call, choices=choices)
    memory.answers["session_start"] = SessionStartResult(empty=False, text="Blocks", tokens=3, questions=(finding,))
    assert run("session", "start").stdout.splitlines()[-4:] == [
        "  close: the known observation ends",
        "    graph-memory call decide id=question_1 decision=close",
        "  keep: both are true",
        "    graph-memory call decide id=question_1 decision=keep",
    ]
