"""Conversations of four programs, read as events."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from conversations import CHATGPT, CLAUDE, CLAUDE_CODE, CODEX, KEY, write_lines, write_samples
from graph_memory.agent.capture.transcript_formats import FORMS, Form
from graph_memory.agent.capture.transcripts import Conversations, recognise
from graph_memory.hooks.events import HookEvent
from graph_memory.hooks.redact import rules
from graph_memory.memory.transfer.formats.records import UnreadableSource

Row = tuple[str, str, str, str, str]


def events_of(source: Path, form: Form) -> list[HookEvent]:
    return [event for session in Conversations(source, form).sessions() for event in session]


def rows_of(source: Path, form: Form) -> list[Row]:
    return [(event.kind, event.session, event.key, event.at[:19], event.text) for event in events_of(source, form)]


def test_prompts_last_replies_and_calls_of_a_claude_code_transcript_are_events(tmp_path: Path):
    path = write_samples(tmp_path)["claude-code"]
    assert rows_of(path, "claude-code") == [
        (
            *("prompt", "s-claude", "u1", "2026-03-01T10:00:00"),
            "Repair the basket test. My key is [secret: token]",
        ),
        ("tool", "s-claude", "toolu_1", "2026-03-01T10:00:05", "1 failed: total is 0"),
        ("reply", "s-claude", "u4", "2026-03-01T10:00:09", "We decided to round each line."),
        ("prompt", "s-claude", "u5", "2026-03-01T10:01:00", "Now the invoice."),
    ]
    call = events_of(path, "claude-code")[1]
    assert (call.tool, call.target, call.outcome) == ("Bash", "pytest basket", "failure")
    assert KEY not in repr(events_of(path, "claude-code"))


def test_calls_of_a_codex_transcript_have_the_exit_code_as_their_outcome(tmp_path: Path):
    path = write_samples(tmp_path)["codex"]
    kinds = [(event.kind, event.session, event.key, event.text) for event in events_of(path, "codex")]
    assert kinds == [
        ("prompt", "s-codex", "line 3", "Why is the build red?"),
        ("tool", "s-codex", "call_1", "no rule"),
        ("reply", "s-codex", "line 6", "The target is missing."),
    ]
    call = events_of(path, "codex")[1]
    assert (call.tool, call.target, call.outcome) == ("shell", "make test", "failure")


@pytest.mark.parametrize("output", ["Exit code: 0\nWall time: 1\nOutput:\nfine", {"content": "fine", "success": True}])
def test_newer_outputs_of_codex_are_read(output: object, tmp_path: Path):
    patch = "*** Begin Patch\n*** Add File: a.py\n+PAYROLL\n*** End Patch"
    custom = {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "c"}
    result = {"type": "custom_tool_call_output", "call_id": "c", "output": output}
    entries = [CODEX[0], *({"type": "response_item", "payload": payload} for payload in (custom, result))]
    [call] = events_of(write_lines(tmp_path / "r.jsonl", entries), "codex")
    assert (call.tool, call.target, call.outcome) == ("apply_patch", "a.py", "success")


def test_the_shown_branch_of_a_chatgpt_conversation_is_read(tmp_path: Path):
    assert rows_of(write_samples(tmp_path)["chatgpt"], "chatgpt") == [
        ("prompt", "s-chatgpt", "a", "2025-10-09T08:53:21", "Which tea keeps me awake?"),
        ("reply", "s-chatgpt", "c", "2025-10-09T08:53:22", "Assam, for example."),
    ]


def test_messages_of_claude_ai_are_read(tmp_path: Path):
    assert rows_of(write_samples(tmp_path)["claude-ai"], "claude-ai") == [
        ("prompt", "s-claude-ai", "m1", "2026-02-01T09:00:00", "When do I sow peas?"),
        ("reply", "s-claude-ai", "m2", "2026-02-01T09:00:03", "In March."),
    ]


@pytest.mark.parametrize("form", FORMS)
def test_files_and_folders_are_recognised_by_their_contents(form: Form, tmp_path: Path):
    path = write_samples(tmp_path)[form]
    assert recognise(path) == form
    assert recognise(path.parent) == form
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert recognise(packed) == form


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "[1]", "nothing", '{"type": "entity", "name": "Ann"}', '{"memory": "x"}', "# Notes", "[{"]
)
def test_other_files_are_not_recognised(text: str, tmp_path: Path):
    path = tmp_path / "file"
    path.write_text(text)
    assert recognise(path) is None


def test_turns_of_subagents_are_marked_and_their_prompts_left_out(tmp_path: Path):
    of_subagent = {**CLAUDE, "isSidechain": True, "agentId": "a1"}
    entries = [
        {**of_subagent, "type": "user", "uuid": "1", "message": {"role": "user", "content": "Look."}},
        {**of_subagent, "type": "assistant", "uuid": "2", "message": {"role": "assistant", "content": "Found."}},
    ]
    [reply] = events_of(write_lines(tmp_path / "agent-1.jsonl", entries), "claude-code")
    assert (reply.kind, reply.agent, reply.text) == ("reply", "a1", "Found.")


def test_damaged_lines_are_counted_and_other_files_are_read(tmp_path: Path):
    (tmp_path / "a.jsonl").write_bytes(b'{"type": "us\n[1]\n\xff\xfe\n' + json.dumps(CLAUDE_CODE[2]).encode())
    write_lines(tmp_path / "b.jsonl", CLAUDE_CODE[-1:])
    conversations = Conversations(tmp_path, "claude-code")
    keys = [event.key for session in conversations.sessions() for event in session]
    assert keys == ["u1", "u5"]
    assert [str(place.line) for place in conversations.unreadable] == ["1", "2", "3"]


@pytest.mark.parametrize(
    "entry",
    [
        {**CLAUDE, "type": "user", "message": 1},
        {**CLAUDE, "type": "user", "message": {"content": [1, {"type": "text"}, {"type": "tool_result"}]}},
        {**CLAUDE, "type": "assistant", "message": {"content": [{"type": "tool_use"}]}},
        {**CLAUDE, "type": ["user"], "sessionId": 1, "cwd": 2, "uuid": {}, "timestamp": []},
    ],
)
def test_odd_entries_are_no_events(entry: dict[str, object], tmp_path: Path):
    assert events_of(write_lines(tmp_path / "a.jsonl", [entry]), "claude-code") == []


@pytest.mark.parametrize("at", ["yesterday", 1e300, True, None, "2026-99-01", {}])
def test_a_time_that_cannot_be_read_is_the_present(at: object, tmp_path: Path):
    [event] = events_of(write_lines(tmp_path / "a.jsonl", [{**CLAUDE_CODE[2], "timestamp": at}]), "claude-code")
    assert event.at == ""


@pytest.mark.parametrize("text", ['[{"mapping": {}}', '[{"mapping": {}} x', '{"mapping": {}}', "[" * 100_000])
def test_a_damaged_export_is_named(text: str, tmp_path: Path):
    path = tmp_path / "conversations.json"
    path.write_text(text)
    with pytest.raises(UnreadableSource, match=r"not a list|ends early"):
        events_of(path, "chatgpt")


@pytest.mark.parametrize("current", [[], {}, None, 1, "unknown"])
def test_a_conversation_without_a_current_message_ends_at_its_last_one(current: object, tmp_path: Path):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{**CHATGPT[0], "current_node": current}]))
    assert [event.key for event in events_of(path, "chatgpt")] == ["a", "c"]


def test_parents_in_a_circle_end(tmp_path: Path):
    nodes = {name: {"message": {}, "parent": parent} for name, parent in (("a", "b"), ("b", "a"))}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{**CHATGPT[0], "mapping": nodes, "current_node": "a"}]))
    assert events_of(path, "chatgpt") == []


@pytest.mark.long
def test_a_large_transcript_and_a_large_export_are_read_in_constant_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("graph_memory.memory.transfer.formats.memories.json_lines._CHUNK", 1 << 14)
    rules()  # which are read once
    lines = b"".join(json.dumps(entry).encode() + b"\n" for entry in CLAUDE_CODE[2:])
    (tmp_path / "large.jsonl").write_bytes(lines * (600_000 // len(lines)))
    conversation = json.dumps(CHATGPT[0]).encode()
    (tmp_path / "conversations.json").write_bytes(
        b"[" + b",\n".join([conversation] * (600_000 // len(conversation))) + b"]"
    )
    tracemalloc.start()
    try:
        for path, form in ((tmp_path / "large.jsonl", "claude-code"), (tmp_path / "conversations.json", "chatgpt")):
            assert sum(1 for session in Conversations(path, form).sessions() for _ in session) > 1_200
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300_000


def test_turns_without_names_are_different_events(tmp_path: Path):
    entry = {key: value for key, value in CLAUDE_CODE[-1].items() if key != "uuid"}
    assert [event.key for event in events_of(write_lines(tmp_path / "a.jsonl", [entry] * 2), "claude-code")] == [
        *("turn 1", "turn 2"),
    ]


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [("/gone/shop", "/gone/shop"), ("C:\\gone\\shop", "/C:/gone/shop"), ("shop", None), ("/a\0", None)],
)
def test_a_session_stays_in_its_folder_if_that_is_gone(cwd: str, folder: str | None, tmp_path: Path):
    [event] = events_of(write_lines(tmp_path / "a.jsonl", [{**CLAUDE_CODE[-1], "cwd": cwd}]), "claude-code")
    assert event.folder == (folder or str(Path.cwd()))
