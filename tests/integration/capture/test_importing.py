"""Conversations become events of the log once, whatever is imported how often."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conversations import CLAUDE_CODE, KEY, write_lines, write_samples
from graph_memory import GraphError, Memory, Settings
from graph_memory.agent.capture.drain import drain
from graph_memory.agent.capture.transcript_formats import FORMS, Form
from graph_memory.hooks import events as hook_events
from graph_memory.hooks.clients import Kind
from graph_memory.hooks.events import HookEvent
from graph_memory.hooks.redact import redact
from graph_memory.hooks.spool import Spool
from graph_memory.model.errors import Code
from integration.capture.conftest import Client

pytestmark = pytest.mark.anyio


def prompt_entry(text: str, name: str) -> Mapping[str, Any]:
    """Return the entry of a prompt in a transcript of Claude Code."""
    return {**CLAUDE_CODE[-1], "uuid": name, "message": {"role": "user", "content": text}}


def captured_event(kind: Kind, text: str, at: str) -> HookEvent:
    """Return an event of the session of the samples, as a hook puts it into the spool."""
    return HookEvent("claude-code", kind, "s-claude", at, "/nowhere/shop", "default", text=text)


@pytest.mark.parametrize("form", FORMS)
async def test_a_second_import_adds_nothing(form: Form, memory: Memory, tmp_path: Path) -> None:
    path = write_samples(tmp_path)[form]
    tried = await memory.agent.import_conversations(path, dry_run=True)
    assert (tried.added, tried.dry_run) == (tried.events, True)
    with pytest.raises(GraphError) as missing:
        await memory.history.log()
    assert missing.value.code is Code.ONTOLOGY_NOT_FOUND
    first = await memory.agent.import_conversations(path.parent)
    assert (first.format, first.sessions, first.events, first.added) == (form, 1, tried.events, tried.events)
    last = (await memory.history.log(limit=1)).entries[0].seq
    for dry_run in (True, False):
        again = await memory.agent.import_conversations(path, format=form, dry_run=dry_run)
        assert (again.events, again.added) == (first.events, 0)
    assert (await memory.history.log(limit=1)).entries[0].seq == last
    assert (await memory.upkeep.verify()).clean


async def test_an_imported_session_has_its_actors_times_source_and_summary(memory: Memory, tmp_path: Path) -> None:
    path = write_samples(tmp_path)["claude-code"]
    imported = await memory.agent.import_conversations(path)
    assert (imported.secrets, imported.unreadable) == (1, 0)
    events = (await memory.agent.episodic.get_recent("s-claude")).events
    assert [(event.event_type, event.actor) for event in events] == [
        *(("message", "user"), ("message", "agent"), ("tool_call", "agent"), ("message", "user")),
    ]
    assert events[0].timestamp.startswith("2026-03-01T10:01")
    results = await memory.recall.search_memories("round each line")
    assert "round each line" in str(results.to_dict())
    summary = (await memory.entities.session_start(session_id="s-claude", project="shop")).to_dict()
    assert "Repair the basket test" in json.dumps(summary)
    assert KEY not in json.dumps([entry.to_dict() for entry in (await memory.history.log(limit=50, full=True)).entries])


async def test_an_interrupted_import_continues(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [prompt_entry(f"Step {number}", f"u{number}") for number in range(250)]
    path = write_lines(tmp_path / "s.jsonl", entries)

    def end(text: str, _share: float | None) -> None:
        if text.startswith("200 "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await memory.agent.import_conversations(path, progress=end)
    assert (await memory.agent.import_conversations(path)).added == 50


@pytest.mark.parametrize("is_captured_first", [True, False])
async def test_a_message_of_a_hook_and_of_the_transcript_is_stored_once(
    is_captured_first: bool, memory: Memory, domain: str, tmp_path: Path
) -> None:
    path = write_samples(tmp_path)["claude-code"]
    spool = Spool.of(tmp_path / str(is_captured_first))
    for event in (
        captured_event("prompt", "Now the invoice.", "2026-03-01T10:00:59.400+00:00"),
        captured_event("prompt", "Now the invoice.", "2026-03-01T10:01:00.100+00:00"),  # from the plugin's hook
        captured_event("reply", "We decided to round each line.", "2026-03-01T10:00:09.300+00:00"),
        captured_event("prompt", "Now the invoice.", "2026-03-01T10:05:00.000+00:00"),  # written again later
    ):
        spool.add(replace(event, domain=domain).to_json())
    if is_captured_first:
        assert await drain(memory, spool) == 4
    await memory.agent.import_conversations(path)
    assert await drain(memory, spool) == (0 if is_captured_first else 4)
    events = (await memory.agent.episodic.get_recent("s-claude")).events
    assert sorted(event.title[:16] for event in events if event.event_type == "message") == [
        *("Now the invoice.", "Now the invoice.", "Repair the baske", "We decided to ro"),
    ]


async def test_a_second_import_adds_nothing_after_the_rules_for_secrets_change(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the user erased the message."""
    erased, kept = "The door opens with sesame.", "The cellar opens with marjoram."
    path = write_lines(tmp_path / "s.jsonl", [prompt_entry(erased, "u1"), prompt_entry(kept, "u2")])
    assert (await memory.agent.import_conversations(path)).added == 2
    events = {event.title: event.id for event in (await memory.agent.episodic.get_recent("s-claude")).events}
    await memory.history.erase(events[erased])

    def redact_more(text: str, length: int | None = None) -> tuple[str, int]:
        cleaned, count = redact(text, length)
        return re.sub("sesame|marjoram", "[secret: password]", cleaned), count + 1

    monkeypatch.setattr(hook_events, "redact", redact_more)
    again = await memory.agent.import_conversations(path)
    assert (again.events, again.added, again.secrets) == (2, 0, 0)


async def test_a_dry_run_counts_an_event_of_two_files_once(memory: Memory, tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        write_lines(tmp_path / "project" / name, [prompt_entry("Sow the peas.", "u1")])
    tried = await memory.agent.import_conversations(tmp_path / "project", dry_run=True)
    done = await memory.agent.import_conversations(tmp_path / "project")
    assert (tried.added, done.added, done.events) == (1, 1, 2)


async def test_an_excluded_project_is_left_out(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / ".graph-memory-ignore").write_text("*")
    entries = [{**CLAUDE_CODE[-1], "cwd": str(tmp_path)}]
    assert (await memory.agent.import_conversations(write_lines(tmp_path / "s.jsonl", entries))).events == 0


async def test_a_source_without_conversations_is_refused(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    for source in (tmp_path / "notes.txt", tmp_path / "missing"):
        with pytest.raises(GraphError) as refused:
            await memory.agent.import_conversations(source)
        assert refused.value.code is Code.INVALID_ARGUMENT
    (tmp_path / "conversations.json").write_text('[{"mapping": {}}, {"mapping"')
    with pytest.raises(GraphError) as refused:
        await memory.agent.import_conversations(tmp_path / "conversations.json")
    assert refused.value.code is Code.INVALID_SOURCE


def test_the_command_recognises_conversations_and_puts_each_project_into_its_domain(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    entries = [{**entry, "cwd": str(folder)} if "cwd" in entry else entry for entry in CLAUDE_CODE]
    path = write_lines(tmp_path / "transcripts" / "s.jsonl", entries)
    variables = {**client.variables(), "GRAPH_MEMORY_HOME": str(settings.home)}
    command = [sys.executable, "-m", "graph_memory", "import", str(path.parent), "--by-project"]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Imported 4 events of 1 session of claude-code; 4 were new." in done.stdout
    assert "domain shop-" in done.stdout
