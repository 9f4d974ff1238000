"""Server processes, and the official client that calls them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolResult

from benchmarks.measure import Call
from graph_memory import Settings

COMMAND = Path(sys.executable).with_name("graph-memory")


def local_settings() -> Settings:
    """Return the settings: of a Neo4j in the home that the environment names, or else in one for benchmarks alone."""
    for name in [name for name in os.environ if name.startswith("NEO4J_")]:
        del os.environ[name]
    os.environ.setdefault("GRAPH_MEMORY_HOME", str(Path.cwd() / ".bench"))
    return Settings(agent_limits={"events": 10_000_000, "patterns": 10_000_000})


@dataclass(frozen=True)
class Server:
    """A client, and the process that answers it."""

    client: Client
    process: psutil.Process

    def tool(self, name: str, /, **arguments: object) -> Call:
        """Return the call of a tool, always with the same arguments."""

        async def call(_: int) -> object:
            return await self.call(name, **arguments)

        return call

    async def call(self, name: str, /, **arguments: object) -> CallToolResult:
        """Call a tool, which must do what it is asked for."""
        result = await self.client.call_tool(name, arguments)
        assert not result.is_error, result
        return result

    @property
    def cpu(self) -> float:
        """Milliseconds of processor time that the process has used."""
        times = self.process.cpu_times()
        return 1_000 * (times.user + times.system)


@asynccontextmanager
async def over_stdio(settings: Settings, *command: str) -> AsyncGenerator[Server]:
    """Give a server process of ours, or of another command, that ends with its client."""
    program, *arguments = command or (str(COMMAND), "mcp")
    before = set(psutil.Process().children())
    parameters = StdioServerParameters(command=program, args=arguments, env=environment_of(settings))
    async with Client(stdio_client(parameters)) as client:
        [process] = set(psutil.Process().children()) - before
        yield Server(client, process)


@asynccontextmanager
async def over_http(settings: Settings) -> AsyncGenerator[Server]:
    """Give a server process that listens on a free port of this machine."""
    with listening(settings) as (process, url):
        async with Client(url) as client:
            yield Server(client, psutil.Process(process.pid))


@contextmanager
def listening(settings: Settings, *options: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """Give a server process that listens on a free port of this machine, and its URL."""
    command = [str(COMMAND), "serve", "--port", "0", *options]
    with subprocess.Popen(command, env=environment_of(settings), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        result = next(line for line in process.stderr if line.startswith("Serving MCP at "))
        try:
            yield process, result.removeprefix("Serving MCP at ").partition(" ")[0]
        finally:
            process.terminate()


def environment_of(settings: Settings, **others: str) -> dict[str, str]:
    """Return the variables that lead a process to the home of the settings."""
    return {**os.environ, "GRAPH_MEMORY_HOME": str(settings.home), **others}
