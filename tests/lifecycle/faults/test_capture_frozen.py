"""Hooks while Neo4j is frozen: they end in time, and a server stores their events once it goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from graph_memory import Settings, local, open_memory_sync
from graph_memory.hooks.events import HookEvent
from integration.capture.conftest import Client

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
SLACK = 4.0
"""Seconds that a loaded machine may add to a budget."""
BUDGETS = {"SessionStart": 2.0, "UserPromptSubmit": 0.7, "PostToolUse": 0.3, "Stop": 0.3}


@pytest.fixture
def client(tmp_path: Path, domain: str) -> Iterator[Client]:
    """A client whose home has a Neo4j of its own, which may be frozen."""
    with TemporaryDirectory(prefix="gm-") as home:
        settings = Settings(home=Path(home).resolve())
        try:
            yield Client(settings, tmp_path, domain)
        finally:
            local.stop(settings)


def wait_until(is_done: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.5)


def test_hooks_end_in_time_while_neo4j_is_frozen(client: Client, domain: str) -> None:
    with open_memory_sync(client.settings) as memory:
        memory.in_domain(domain).entities.remember("Deploys run at noon.", name="Deploy", type="process")
    command = [sys.executable, "-m", "graph_memory", "mcp", "--for", "agent"]
    variables = dict(client.variables())
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=variables) as server:
        wait_until(lambda: client.run("SessionStart", {"source": "startup"}).output != "")
        pid = local.status(client.settings).pid
        assert pid
        os.kill(pid, signal.SIGSTOP)
        try:
            for event, budget in BUDGETS.items():
                payload = {"prompt": "Deploy it", "tool_name": "Bash", "last_assistant_message": "Done."}
                answer = client.run(event, payload)
                assert (answer.status, answer.output, answer.errors) == (0, "", "")
                assert answer.seconds < budget + SLACK, event
            events = [HookEvent.from_json(client.spool.read(name, 99_999)) for name in client.spool.names()]
            assert events
        finally:
            os.kill(pid, signal.SIGCONT)
        wait_until(lambda: not client.spool.names())
        assert server.stdin
        server.stdin.close()
        server.wait(30)
    with open_memory_sync(client.settings) as memory:
        titles = [event.title for event in memory.in_domain(domain).agent.episodic.get_recent("s1").events]
    assert sorted(titles) == sorted(event.text or event.tool for event in events if event.kind != "start")
