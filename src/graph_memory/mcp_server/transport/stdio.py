"""MCP over standard input and output, from the first line to a clean end."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NoReturn, Protocol, cast

import anyio
from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.startup import Startup
from graph_memory.mcp_server.transport.pipes import LineReader, TextWriter, claim_stdin, claim_stdout
from graph_memory.mcp_server.transport.process import Beside, leave, opener_of, own_session, requests_to_end
from graph_memory.mcp_server.transport.surrogates import well_formed
from graph_memory.settings import Settings


def serve_stdio(settings: Settings, toolsets: Sequence[str], beside: Beside | None = None) -> NoReturn:
    """Serve until the client closes standard input, or SIGTERM or SIGINT; then close the memory and end the process.

    Raises INVALID_ARGUMENT, before anything is started, for a toolset that there is not.
    """
    opener = opener_of(settings, own_session(settings), toolsets, beside)
    anyio.run(_serve, build_server(opener, settings, toolsets))
    leave()


async def _serve(server: Server[Startup]) -> None:
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_on_signal, tasks.cancel_scope)
            lines, answers = Lines(LineReader(claim_stdin())), TextWriter(claim_stdout())
            async with stdio_server(
                stdin=cast("anyio.AsyncFile[str]", lines), stdout=cast("anyio.AsyncFile[str]", answers)
            ) as (read, write):
                lines.answer_on(write)
                await server.run(read, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* BrokenPipeError:
        pass  # the client has gone without saying so


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    async for _ in requests_to_end():
        scope.cancel()


class Answers(Protocol):
    """Where messages to the client go."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send one."""
        ...


class Lines:
    """The lines that are messages, as the SDK's transport reads them; the others are answered here."""

    def __init__(self, source: LineReader) -> None:
        self._source = source
        self._answers: Answers | None = None

    def answer_on(self, answers: Answers) -> None:
        """Answer lines that are no messages on this stream, from now on; the SDK drops them without a word."""
        self._answers = answers

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        while True:
            line = await self._source.readline()
            if not line:
                raise StopAsyncIteration
            line = well_formed(line)
            refused = refusal(line)
            if refused is None or self._answers is None:
                return line
            await self._answers.send(SessionMessage(refused))


_ID = r'"id"\s*:\s*(?P<id>-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")\s*'
_VERSION = r'"jsonrpc"\s*:\s*"2\.0"\s*'
_FIRST = re.compile(rf"\s*\{{\s*(?:{_VERSION},\s*)?{_ID},")
_LAST = re.compile(rf",\s*{_ID}(?:,\s*{_VERSION})?\}}\s*\Z")
_END = 400


def refusal(line: str) -> types.JSONRPCError | None:
    """Return the error that answers a line, None for one that is a message or empty."""
    if not line.strip():
        return None
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return types.JSONRPCError(jsonrpc="2.0", id=_id_of(line), error=_told(error))
    return None


def _told(error: ValidationError) -> types.ErrorData:
    fault = error.errors(include_url=False, include_input=False)[0]
    if fault["type"] != "json_invalid":
        return types.ErrorData(code=types.INVALID_REQUEST, message="This is JSON, but not a JSON-RPC 2.0 message")
    reason = fault.get("ctx", {}).get("error", "")
    return types.ErrorData(code=types.PARSE_ERROR, message=f"The message cannot be read as JSON: {reason}")


def _id_of(line: str) -> str | int | None:
    """Return the id of a request that cannot be read whole, if it stands first or last, as clients write it."""
    match = _FIRST.match(line) or _LAST.search(line, max(0, len(line) - _END))
    try:
        return None if match is None else json.loads(match["id"])
    except ValueError:
        return None
