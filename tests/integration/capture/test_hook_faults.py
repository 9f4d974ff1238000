"""Hooks on disks that are full, read-only, broken or slow, with clocks that differ, and payloads of old clients."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graph_memory import Memory
from graph_memory.agent.capture.briefing import session_briefing
from graph_memory.agent.capture.drain import drain
from graph_memory.hooks.clients import CLIENTS
from graph_memory.hooks.events import HookEvent
from integration.capture.conftest import Answer, Client, Project
from tables import for_rows

pytestmark = pytest.mark.anyio
SLACK = 4.0
"""Seconds that a loaded machine may add to a budget."""
SHIM = """
import errno, os, resource, time
fault, open_file, sync = os.environ["FAULT"], os.open, os.fsync
def fail(number):
    raise OSError(number, os.strerror(number))
if fault == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
if fault in ("EROFS", "EACCES", "ENOSPC"):
    number = getattr(errno, fault)
    os.mkdir = lambda *_, **__: fail(number)
    os.open = lambda path, flags, *rest, **options: (
        fail(number) if flags & os.O_CREAT else open_file(path, flags, *rest, **options))
if fault == "EIO":
    os.fsync = lambda _: fail(errno.EIO)
if fault == "slow":
    os.fsync = lambda descriptor: (time.sleep(60), sync(descriptor))
"""
"""Code that runs at the start of a hook's process, and breaks its disk."""


def run_broken(client: Client, folder: Path, fault: str, event: str) -> Answer:
    """Run a hook whose disk has a fault."""
    (folder / "shim").mkdir(exist_ok=True)
    (folder / "shim" / "sitecustomize.py").write_text(SHIM)
    paths = ":".join([str(folder / "shim"), *filter(None, sys.path)])
    payload = {"session_id": "s1", "cwd": str(folder), "prompt": "Ship it", "tool_name": "Bash"}
    return client.run(event, payload, variables={"FAULT": fault, "PYTHONPATH": paths})


@for_rows("fault", ["full", "ENOSPC", "EROFS", "EACCES", "EIO", "slow"])
def test_a_disk_with_a_fault_stops_no_client(client: Client, tmp_path: Path, fault: str) -> None:
    for has_spool in (False, True):
        for event, budget in (("SessionStart", 2.0), ("UserPromptSubmit", 0.7), ("PostToolUse", 0.3)):
            answer = run_broken(client, tmp_path, fault, event)
            assert (answer.status, answer.output, answer.errors) == (0, "", "")
            assert answer.seconds < budget + SLACK
        assert len(client.spool.names()) == has_spool
        if not has_spool:
            client.run("Stop", {"last_assistant_message": "The disk works again."})
    client.spool.remove(client.spool.names()[0])
    for path in client.spool.files():
        path.unlink()


OLD: Mapping[str, Mapping[str, Any]] = {
    "claude-code": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "plain text"},
    "codex": {"tool_name": "shell", "tool_input": ["ls", "-l"], "tool_response": None},
    "cursor": {"conversation_id": "c", "generation_id": "g", "tool_name": "Shell", "tool_output": "plain text"},
    "gemini-cli": {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": []},
}
"""Calls of tools as old versions, or clients with faults, report them: without ids, and with values of other types."""


@for_rows("name", CLIENTS)
def test_an_old_version_of_a_client_is_captured_as_far_as_it_says_anything(client: Client, name: str) -> None:
    for path in client.spool.files():
        path.unlink()
    for event, kind in CLIENTS[name].events.items():
        command = [sys.executable, "-m", "graph_memory", "hook", event, "--client", name]
        payload = {"cwd": str(client.folder), **(OLD[name] if kind == "tool" else {})}
        done = subprocess.run(
            command, input=json.dumps(payload).encode(), capture_output=True, env=dict(client.variables()), timeout=30
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), event
    events = [HookEvent.from_json(client.spool.read(name, 99_999)) for name in client.spool.names()]
    kinds = [event.kind for event in events]
    assert kinds == [kind for kind in CLIENTS[name].events.values() if kind not in ("prompt", "reply", "summary")]


async def test_clocks_of_two_machines_change_no_order_and_lose_nothing(memory: Memory, project: Project) -> None:
    for number, days in enumerate((0, 40_000, -9_000)):
        project.add("UserPromptSubmit", prompt=f"Step {number} of the migration")
        path = max(project.spool.folder.glob("*.json"))
        event = HookEvent.from_json(path.read_bytes())
        shifted = event.to_json().replace(event.at.encode(), _shift(event.at, days).encode())
        path.write_bytes(shifted)
    project.add("SessionEnd", reason="clear")
    assert await drain(memory, project.spool) == 4
    events = (await memory.agent.episodic.get_recent("s1")).events
    assert {event.title for event in events} == {f"Step {number} of the migration" for number in range(3)}
    entries = (await memory.history.log(limit=50)).entries
    times = [entry.at for entry in entries]
    assert times == sorted(times, reverse=True)
    assert "the migration" in (await session_briefing(memory, "s2", None)).text


def _shift(time: str, days: int) -> str:
    return (datetime.fromisoformat(time) + timedelta(days=days)).isoformat(timespec="milliseconds")
