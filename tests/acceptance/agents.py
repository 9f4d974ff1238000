"""An agent's tools: the tools of a server process, called through the official client over stdio."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from graph_memory import Settings
from graph_memory.cli import main
from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.table import tools_of
from graph_memory.mcp_server.transport.process import opener_of, own_session
from graph_memory.model.errors import Code

COMMAND = Path(sys.executable).with_name("graph-memory")

GTD: dict[str, Any] = {
    "node_types": ["Project", "Action", "Context", "Person"],
    "connection_types": [
        {"name": "NextAction", "from_types": ["Project"], "to_types": ["Action"]},
        {"name": "DependsOn", "from_types": ["Action", "Project"], "to_types": ["Action", "Project"]},
        {"name": "RequiresContext", "from_types": ["Action"], "to_types": ["Context"]},
        {
            "name": "WaitingFor",
            "from_types": ["Action", "Project"],
            "to_types": ["Person"],
            "required_properties": ["since", "follow_up_date"],
        },
    ],
}
"""The types of the specification's examples. Tests share their names: each new connection type costs a constraint."""


OFFERED = list(tools_of(Settings().toolsets))
"""The tools that a server offers by default."""


class ToolError(Exception):
    """A tool's answer that it could not do what it was asked for."""

    def __init__(self, tool: str, answer: Mapping[str, Any]) -> None:
        self.code = Code(answer["code"])
        self.message: str = answer["message"]
        self.details: dict[str, Any] = answer["details"]
        super().__init__(f"{tool}: {self.code}: {self.message} {self.details}")


@dataclass(frozen=True)
class Agent:
    """A client, and the domain that its calls name; none leaves the choice to the server."""

    client: Client
    domain: str | None = None

    def within(self, domain: str | None) -> Agent:
        """Return the same agent at work in another domain."""
        return replace(self, domain=domain)

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the result of a tool. Raises ToolError. Asserts that data and text of the answer are equal."""
        where = {} if self.domain is None else {"domain": self.domain}
        result = await self.client.call_tool(tool, {**where, **arguments})
        answer, [block, *_] = result.structured_content, result.content
        assert block.type == "text"
        assert answer is not None
        if result.is_error:
            assert answer.keys() == {"code", "message", "details"}
            assert answer["code"] in block.text
            assert answer["message"] in block.text
            raise ToolError(tool, answer)
        assert json.loads(block.text) == answer
        return answer

    async def error_of(self, tool: str, /, **arguments: Any) -> ToolError:
        """Return the error that a call ends in."""
        with pytest.raises(ToolError) as caught:
            await self.call(tool, **arguments)
        return caught.value

    async def ids_of(self, tool: str, /, **arguments: Any) -> list[str]:
        """Return the ids that a tool finds, sorted. Asserts that it returns only ids and warnings."""
        answer = await self.call(tool, **arguments)
        answer.pop("warnings", None)
        [ids] = answer.values()
        assert len(set(ids)) == len(ids)
        return sorted(ids)

    async def pages(self, tool: str, /, **arguments: Any) -> list[list[str]]:
        """Return the ids that a tool finds, page by page."""
        pages: list[list[str]] = []
        turn: dict[str, str] = {}
        while True:
            answer = await self.call(tool, **arguments, **turn)
            pages.append(answer.get("node_ids", answer.get("connection_ids")))
            if "next_cursor" not in answer:
                return pages
            turn = {"cursor": answer["next_cursor"]}

    async def tools(self) -> list[str]:
        """Return the names of the tools that the server offers."""
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def node(self, kind: str = "Project", content: str = "", **rest: Any) -> str:
        """Create a node and return its id."""
        answer = await self.call("create_node", **{"type": kind, "content": content, "format": "markdown", **rest})
        return answer["node_id"]

    async def connection(self, kind: str, from_node_id: str, to_node_id: str, **rest: Any) -> str:
        """Create a connection and return its id."""
        ends = {"from_node_id": from_node_id, "to_node_id": to_node_id}
        return (await self.call("create_connection", type=kind, **ends, **rest))["connection_id"]

    async def content(self, node_id: str) -> str:
        """Return the content of a node."""
        return (await self.call("get_node_content", node_id=node_id))["content"]


def environment_of(settings: Settings, **others: str) -> dict[str, str]:
    """Return the variables that lead a process to the home and cache of the settings, and to the code under test."""
    return {
        **{name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
        "GRAPH_MEMORY_HOME": str(settings.home),
        "GRAPH_MEMORY_CACHE": str(settings.cache),
        "GRAPH_MEMORY_NEO4J_HEAP": settings.neo4j_heap,
        "GRAPH_MEMORY_AOT": settings.aot,
        "GRAPH_MEMORY_BACKGROUND_INDEX": str(settings.background_index).lower(),
        **others,
    }


@asynccontextmanager
async def connect(
    environment: Mapping[str, str], *arguments: str, domain: str | None = None, mode: Any = "auto"
) -> AsyncIterator[Agent]:
    """Give an agent with a server process of its own, which ends with it. What the server logs goes to stderr."""
    parameters = StdioServerParameters(command=str(COMMAND), args=["mcp", *arguments], env=dict(environment))
    with open(os.devnull if sys.__stderr__ is None else os.dup(2), "w") as log:  # noqa: PTH123, ASYNC230
        async with Client(stdio_client(parameters, errlog=log), read_timeout_seconds=60, mode=mode) as client:
            yield Agent(client, domain)


@asynccontextmanager
async def serve_agent(
    environment: Mapping[str, str], *arguments: str, domain: str | None = None, mode: Any = "auto"
) -> AsyncIterator[Agent]:
    """Give an agent whose server runs in this process, with a memory of its own, as the command would serve it."""
    with patch("graph_memory.mcp_server.transport.stdio.serve_stdio") as serve:
        done = run({**environment, "GRAPH_MEMORY_USE_COUNTS": "true"}, "mcp", *arguments)
    assert done.returncode == 0, done.stderr
    settings, toolsets, _ = serve.call_args.args
    server = build_server(opener_of(settings, own_session(settings), toolsets), settings, toolsets)
    async with Client(server, read_timeout_seconds=60, mode=mode) as client:
        yield Agent(client, domain)


@asynccontextmanager
async def over_http(
    url: str,
    domain: str | None = None,
    mode: Any = "auto",
    headers: Mapping[str, str] | None = None,
    noting: Callable[[httpx2.Response], Awaitable[None]] | None = None,
) -> AsyncIterator[Agent]:
    """Give an agent that shares the server at the URL with others; each response can be noted."""
    hooks = {"response": [noting] if noting else []}
    async with httpx2.AsyncClient(headers=headers, timeout=60, event_hooks=hooks) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, read_timeout_seconds=60, mode=mode) as client:
            yield Agent(client, domain)


@contextmanager
def http_server(environment: Mapping[str, str], *arguments: str, auth: str | None = None) -> Iterator[str]:
    """Give the URL of a server process of its own, on a free port; it must end well when it is told to."""
    served = ["serve", "--auth", auth] if auth else ["mcp", "--transport", "http"]
    command = [COMMAND, *served, "--port", "0", *arguments]
    pipe = subprocess.PIPE
    variables = {**os.environ, **environment}
    with subprocess.Popen(command, env=variables, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stderr is not None
        try:
            result = next((line for line in process.stderr if line.startswith("Serving MCP at ")), "")
            yield result.removeprefix("Serving MCP at ").partition(" ")[0]
            process.terminate()
            text, logged = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, text) == (0, ""), logged


def run(
    environment: Mapping[str, str],
    *arguments: str,
    input: str | None = None,  # noqa: A002
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, in this process: a new process would spend most of its time on imports."""

    def work() -> subprocess.CompletedProcess[str]:
        status: Any = 0
        with CliRunner().isolation(input, environment) as (out, err, _), own_log():
            try:
                main.run()
            except SystemExit as end:
                status = end.code or 0
            sys.stdout.flush()
            sys.stderr.flush()
            return subprocess.CompletedProcess(arguments, status, out.getvalue().decode(), err.getvalue().decode())

    with patch.object(sys, "argv", [str(COMMAND), *arguments]), ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result(timeout=60)  # a thread of its own has no event loop yet


@contextmanager
def own_log() -> Iterator[None]:
    """Let a command set up its log as if it were alone, and forget it afterwards."""
    root, driver = logging.getLogger(), logging.getLogger("neo4j")
    handlers, levels = root.handlers, (root.level, driver.level)
    root.handlers = []
    try:
        yield
    finally:
        root.handlers = handlers
        root.setLevel(levels[0])
        driver.setLevel(levels[1])


def verify(environment: Mapping[str, str], domain: str) -> dict[str, Any]:
    """Return the result of `graph-memory verify`. Asserts that graph and log agree."""
    done = run(environment, "verify", "--domain", domain, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["differences"] == []
    assert result["domain"] == domain
    return result
