"""Coding agents from npm, each with a home, a project and no network."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import anyio
import pytest

from acceptance.agents import COMMAND
from acceptance.coding_agents.model_api import ModelApi, Step, says, text_of
from graph_memory import Memory

TOOLS = Path(__file__).parents[3] / "tools"
NO_NETWORK = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9"),
    "NO_PROXY": "127.0.0.1,localhost",
}
"""Sends requests to other machines to a port on which nothing listens."""

PATIENT = """
from graph_memory import remote
from graph_memory.hooks import clients

clients.BUDGETS = {"start": 4.0, "prompt": 4.0}
clients.SHORT_BUDGET = 4.0
remote.ANSWER_SECONDS = 3.0
"""
"""Python runs this at its start. A busy machine would exceed the budgets of hooks, which other tests measure."""


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder with the programs of the coding agents. No script of a package runs but the one named `link`."""
    command = [sys.executable, TOOLS / "node_packages.py", TOOLS / "coding_agents", "link"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"The coding agents of these tests need the npm registry once:\n{done.stdout}{done.stderr}")
    return TOOLS / "coding_agents/node_modules/.bin"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a project with a note."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "notes.txt").write_text("The cellar is locked.\n")
    return folder


@pytest.fixture
def client_environment(own_home: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment of a client with its own home folder, and a memory that no other server uses."""
    kept = {name: value for name, value in own_home.items() if not name.startswith(("ANTHROPIC_", "CLAUDE", "OPENAI_"))}
    home, patient = tmp_path / "user", tmp_path / "patient"
    home.mkdir()
    patient.mkdir()
    (patient / "sitecustomize.py").write_text(PATIENT)
    paths = os.pathsep.join(filter(None, [str(patient), os.environ.get("PYTHONPATH")]))
    return {**kept, **NO_NETWORK, "HOME": str(home), "PYTHONPATH": paths, "GRAPH_MEMORY_STARTING_WAIT": "60"}


def install(client: str, environment: Mapping[str, str], domain: str, folder: Path) -> None:
    """Install the memory in a client, as its user does."""
    command = [str(COMMAND), "install", client, "--domain", domain]
    subprocess.run(command, env={**os.environ, **environment}, cwd=folder, check=True, capture_output=True)


async def warm(environment: Mapping[str, str], domain: str, prompt: str) -> None:
    """Ask the running server once as hooks do, since Neo4j takes long for its first plans."""
    for command in (["briefing"], ["context", prompt]):
        await anyio.run_process([str(COMMAND), "session", *command, "--domain", domain], env=dict(environment))


async def captured_events(memory: Memory, session: str, number: int) -> Sequence[tuple[str, str, str]]:
    """Return type, actor and content of the events of a session, oldest first, once there are so many."""
    with anyio.fail_after(60):
        while len(events := (await memory.agent.episodic.get_recent(session, limit=100)).events) < number:  # noqa: ASYNC110 - another process stores them
            await anyio.sleep(1)
    return [
        (event.event_type, event.actor or "", str((await memory.get_node_content(event.id)).content))
        for event in sorted(events, key=lambda event: event.timestamp)
    ]


async def briefed_request(api: ModelApi, ask: Callable[[str, Step], Awaitable[object]], prompt: str) -> str:
    """Return the text of the first request of a session.

    Starts up to five sessions while a busy machine leaves their hooks no time for both answers.
    """
    for _ in range(5):
        await ask(prompt, says("Done."))
        if text_of(api.requests[0]).count("</graph-memory>") == 2:
            break
    return text_of(api.requests[0])
