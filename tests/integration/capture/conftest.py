"""A server of commands in a home of its own, and hooks as a client runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import anyio.to_thread
import pytest

from graph_memory import Memory, Settings, remote
from graph_memory.cli import served
from graph_memory.hooks.events import HookEvent
from graph_memory.hooks.spool import Spool
from hook_events import read_event


class Project:
    """A client's events of a session, put into a spool."""

    def __init__(self, home: Path, folder: Path, domain: str) -> None:
        self.spool = Spool.of(home)
        self._folder = folder
        self._domain = domain

    def read(self, event: str, session: str = "s1", **payload: Any) -> HookEvent:
        fields = {"session_id": session, "cwd": str(self._folder), **payload}
        read = read_event("claude-code", event, fields, domain=self._domain)
        assert read
        return read

    def add(self, event: str, session: str = "s1", **payload: Any) -> None:
        assert self.spool.add(self.read(event, session, **payload).to_json())

    def call(self, tool: str, target: str, error: str = "", **payload: Any) -> None:
        arguments = {"command" if tool == "Bash" else "file_path": target}
        failure = {"error": error} if error else {}
        self.add("PostToolUse", tool_name=tool, tool_input=arguments, **failure, **payload)


@dataclass(frozen=True)
class Answer:
    """The output of a hook, and its duration."""

    status: int
    output: str
    errors: str
    seconds: float

    @property
    def context(self) -> str:
        return json.loads(self.output)["hookSpecificOutput"]["additionalContext"] if self.output else ""


@dataclass(frozen=True)
class Client:
    """A client that runs hooks in a project."""

    settings: Settings
    folder: Path
    domain: str

    @property
    def spool(self) -> Spool:
        return Spool.of(self.settings.home)

    def variables(self) -> Mapping[str, str]:
        own = {"GRAPH_MEMORY_HOME": str(self.settings.home), "GRAPH_MEMORY_NEO4J_HEAP": self.settings.neo4j_heap}
        return {**os.environ, **own, "GRAPH_MEMORY_DOMAIN": self.domain}

    def run(
        self,
        event: str,
        payload: Mapping[str, Any] | bytes,
        *options: str,
        session: str = "s1",
        variables: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run a hook in a process of its own."""
        common = {"session_id": session, "cwd": str(self.folder), "hook_event_name": event}
        data = payload if isinstance(payload, bytes) else json.dumps({**common, **payload}).encode()
        command = [sys.executable, "-m", "graph_memory", "hook", event, "--client", "claude-code", *options]
        env = {**self.variables(), **(variables or {})}
        start = time.monotonic()
        done = subprocess.run(command, input=data, capture_output=True, env=env, timeout=30)
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode(), time.monotonic() - start)

    async def hook(self, event: str, payload: Mapping[str, Any], session: str = "s1") -> Answer:
        return await anyio.to_thread.run_sync(lambda: self.run(event, payload, session=session))


@pytest.fixture
def client(settings: Settings, domain: str, tmp_path: Path) -> Iterator[Client]:
    """A client whose home has a short path, because the kernel limits the length of a socket's path."""
    with TemporaryDirectory(prefix="gm-") as home:
        yield Client(settings.model_copy(update={"home": Path(home).resolve()}), tmp_path, domain)


@pytest.fixture
def project(tmp_path: Path, domain: str) -> Project:
    return Project(tmp_path / "home", tmp_path, domain)


@asynccontextmanager
async def serving(memory: Memory, settings: Settings) -> AsyncIterator[None]:
    """Run commands of other processes, as an MCP server does."""
    path = remote.sockets_folder(settings.home) / f"{os.getpid()}.sock"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(served.serve_commands, settings, memory)
        with anyio.fail_after(10):
            while not path.exists():  # noqa: ASYNC110 - another task makes it
                await anyio.sleep(0.01)
        yield
        tasks.cancel_scope.cancel()
