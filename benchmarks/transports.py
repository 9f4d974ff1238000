"""The same calls from Python, over MCP on stdio, and over MCP on HTTP; and beside servers that do nothing."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

from mcp import types

from benchmarks.graph import ONTOLOGY, fresh, say, text_of
from benchmarks.measure import Call, Timings, in_turns
from benchmarks.report import milliseconds, table
from benchmarks.servers import Server, over_http, over_stdio
from graph_memory import Memory, Settings

PYTHON, STDIO, HTTP = "Python", "MCP, stdio", "MCP, HTTP"
BARE, LISTING = "a bare MCP server, stdio", "a bare MCP server that lists our tools"
BARE_SERVER = (sys.executable, "-m", "benchmarks.bare_server")


@dataclass(frozen=True)
class Ways:
    """The ways in, to one node of one domain."""

    memory: Memory
    node: str
    domain: str
    servers: Mapping[str, Server]

    def gets(self) -> dict[str, Call]:
        """Return the call that reads a node on each way. A bare server gives the same reply without looking."""
        arguments = {"node_id": self.node, "domain": self.domain}
        return {
            PYTHON: lambda _: self.memory.get_node(**arguments),
            **{name: server.tool("get_node", **arguments) for name, server in self.servers.items()},
        }

    def creates(self) -> dict[str, Call]:
        """Return the call that creates a node on each way."""
        text, domain = text_of(1), self.domain
        arguments = {"type": "Thing", "content": text, "format": "markdown", "domain": domain}
        return {
            PYTHON: lambda _: self.memory.create_node("Thing", text, domain=domain),
            **{name: self.servers[name].tool("create_node", **arguments) for name in (STDIO, HTTP)},
        }


async def transports(memory: Memory, settings: Settings, calls: int) -> str:
    """Return a table of the ways in, and where the time on stdio goes."""
    say("ways in")
    domain = fresh("ways-")
    await memory.create_ontology(ONTOLOGY, domain=domain)
    node = (await memory.create_node("Thing", text_of(1), properties={"code": 1}, domain=domain)).node_id
    async with over_stdio(settings) as stdio, over_http(settings) as http:
        reply = text_of_reply(await stdio.call("get_node", node_id=node, domain=domain))
        async with (
            over_stdio(settings, *BARE_SERVER, reply) as bare,
            over_stdio(settings, *BARE_SERVER, reply, await tools_of(stdio)) as listing,
        ):
            servers = {STDIO: stdio, HTTP: http, BARE: bare, LISTING: listing}
            return await _compare(Ways(memory, node, domain, servers), calls)


async def _compare(ways: Ways, calls: int) -> str:
    gets, creates = await _time_calls(ways.gets(), calls), await _time_calls(ways.creates(), calls, writes=True)
    heading = ("way in", "get_node p50", "p95", "over Python", "create_node p50", "p95", "over Python")
    rows = [(name, *_cells(gets, name), *_cells(creates, name)) for name in gets]
    over = gets[STDIO].p50 - gets[PYTHON].p50
    text = (
        f"Of the {over:.1f} ms that get_node takes longer on stdio than from Python, {gets[BARE].p50:.1f} ms are what "
        "a bare server takes: what the MCP library's client and server spend between them.\n"
    )
    return "\n".join(["## Ways in\n", table(heading, rows), text, await _processors(ways, calls)])


async def _time_calls(ways: Mapping[str, Call], calls: int, *, writes: bool = False) -> Mapping[str, Timings]:
    return dict(zip(ways, await in_turns(list(ways.values()), calls, turn=10, writes=writes), strict=True))


def _cells(ways: Mapping[str, Timings], name: str) -> tuple[str, ...]:
    if name not in ways:
        return "", "", ""
    over = f"{ways[name].p50 - ways[PYTHON].p50:.1f}" if name in (STDIO, HTTP) else ""
    return (*milliseconds(ways[name]), over)


async def _processors(ways: Ways, calls: int) -> str:
    """Return the processor time that a call takes of the caller and of the server process, Neo4j's left out."""
    rows = [await _measure_cpu(name, call, ways.servers.get(name), calls) for name, call in ways.gets().items()]
    return table(("processor time of one get_node", "caller", "server", "together"), rows)


async def _measure_cpu(name: str, call: Call, server: Server | None, calls: int) -> tuple[str, ...]:
    server_start, caller_start = server.cpu if server else 0.0, time.process_time()
    for place in range(calls):
        await call(place)
    caller = 1_000 * (time.process_time() - caller_start) / calls
    answerer = (server.cpu - server_start) / calls if server else 0.0
    return name, f"{caller:.2f}", f"{answerer:.2f}" if server else "", f"{caller + answerer:.2f}"


async def tools_of(server: Server) -> str:
    """Return the tools that a server lists, as JSON."""
    listed = (await server.client.list_tools()).tools
    return json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed])


def text_of_reply(result: types.CallToolResult) -> str:
    """Return the text of a reply."""
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return content.text
