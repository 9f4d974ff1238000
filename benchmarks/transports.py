"""The same calls from Python, over MCP on stdio, and over MCP on HTTP."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

from benchmarks.graph import ONTOLOGY, text_of
from benchmarks.measure import Call, Timings, timed
from graph_memory import Memory, Settings

COMMAND = Path(sys.executable).with_name("graph-memory")


async def transports(memory: Memory, settings: Settings, calls: int) -> str:
    """Return a table of the three ways in."""
    domain = f"ways-{secrets.token_hex(3)}"
    await memory.create_ontology(ONTOLOGY, domain=domain)
    node = (await memory.create_node("Thing", text_of(1), domain=domain)).node_id
    environment = {**os.environ, "GRAPH_MEMORY_HOME": str(settings.home)}
    rows: dict[str, tuple[Timings, Timings]] = {}

    async def get(_: int) -> object:
        return await memory.get_node(node, domain=domain)

    async def create(place: int) -> object:
        return await memory.create_node("Thing", text_of(place * 1000 + 1), domain=domain)

    rows["Python"] = (await timed(get, calls), await timed(create, calls))
    parameters = StdioServerParameters(command=str(COMMAND), args=["mcp"], env=environment)
    async with Client(stdio_client(parameters)) as client:
        rows["MCP, stdio"] = await _through(client, node, domain, calls)
    command = [str(COMMAND), "mcp", "--transport", "http", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:  # noqa: ASYNC220
        assert server.stderr is not None
        url = server.stderr.readline().removeprefix("Serving MCP at ").partition(" ")[0]
        async with Client(url) as client:
            rows["MCP, HTTP"] = await _through(client, node, domain, calls)
        server.terminate()
    table = [
        f"| {name} | {get.p50:.1f} | {get.p95:.1f} | {create.p50:.1f} | {create.p95:.1f} |"
        for name, (get, create) in rows.items()
    ]
    heading = "| way in | get_node p50 | p95 | create_node p50 | p95 |\n|---|--:|--:|--:|--:|"
    return "\n".join(["## Ways in\n", heading, *table, ""])


async def _through(client: Client, node: str, domain: str, calls: int) -> tuple[Timings, Timings]:
    return (
        await timed(_tool(client, "get_node", {"node_id": node, "domain": domain}), calls),
        await timed(
            _tool(client, "create_node", {"type": "Thing", "content": text_of(1), "format": "text", "domain": domain}),
            calls,
        ),
    )


def _tool(client: Client, name: str, arguments: Mapping[str, Any]) -> Call:
    async def call(_: int) -> object:
        result = await client.call_tool(name, dict(arguments))
        assert not result.is_error
        return result

    return call
