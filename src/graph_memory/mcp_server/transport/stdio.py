"""MCP over stdio."""

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

from graph_memory.mcp_server.control import CallControl
from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.startup import Startup
from graph_memory.mcp_server.transport.pipes import LineReader, TextWriter, claim_stdin, claim_stdout
from graph_memory.mcp_server.transport.process import (
    BackgroundWork,
    exit_process,
    opener_of,
    own_session,
    termination_signals,
)
from graph_memory.mcp_server.transport.surrogates import replace_lone_surrogates
from graph_memory.mcp_server.transport.telemetry import export_telemetry
from graph_memory.settings import Settings


def serve_stdio(settings: Settings, toolsets: Sequence[str], background_work: BackgroundWork | None = None) -> NoReturn:
    """Serve until standard input is closed, or SIGTERM or SIGINT arrives. Then close the memory and end the process.

    Raises INVALID_ARGUMENT for an unknown toolset before it starts.
    """
    opener = opener_of(settings, own_session(settings), toolsets, background_work)
    control = CallControl()
    with export_telemetry(control, "pipe"):
        anyio.run(_serve, build_server(opener, settings, toolsets, control=control))
    exit_process()


async def _serve(server: Server[Startup]) -> None:
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_on_signal, tasks.cancel_scope)
            lines, answers = MessageLines(LineReader(claim_stdin())), TextWriter(claim_stdout())
            async with stdio_server(
                stdin=cast("anyio.AsyncFile[str]", lines), stdout=cast("anyio.AsyncFile[str]", answers)
            ) as (read, write):
                lines.answer_on(write)
                await server.run(read, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    except* BrokenPipeError:
        pass  # the client has closed standard output


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    async for _ in termination_signals():
        scope.cancel()


class MessageStream(Protocol):
    """A stream of messages to the client."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        ...


class MessageLines:
    """An iterator over the lines that are valid messages. It answers other lines with an error."""

    def __init__(self, source: LineReader) -> None:
        self._source = source
        self._answers: MessageStream | None = None

    def answer_on(self, answers: MessageStream) -> None:
        """Start sending errors about invalid lines to this stream. The SDK itself would drop such lines."""
        self._answers = answers

    def __aiter__(self) -> MessageLines:
        return self

    async def __anext__(self) -> str:
        while True:
            line = await self._source.readline()
            if not line:
                raise StopAsyncIteration
            line = replace_lone_surrogates(line)
            error = parse_error_response(line)
            if error is None or self._answers is None:
                return line
            await self._answers.send(SessionMessage(error))


_ID = r'"id"\s*:\s*(?P<id>-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")\s*'
_VERSION = r'"jsonrpc"\s*:\s*"2\.0"\s*'
_LEADING_ID = re.compile(rf"\s*\{{\s*(?:{_VERSION},\s*)?{_ID},")
_TRAILING_ID = re.compile(rf",\s*{_ID}(?:,\s*{_VERSION})?\}}\s*\Z")
_TRAILING_CHARACTERS = 400


def parse_error_response(line: str) -> types.JSONRPCError | None:
    """Return the error response to an invalid line, or None if the line is empty or a valid message."""
    if not line.strip():
        return None
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return types.JSONRPCError(jsonrpc="2.0", id=_id_of(line), error=_describe_error(error))
    return None


def _describe_error(error: ValidationError) -> types.ErrorData:
    fault = error.errors(include_url=False, include_input=False)[0]
    if fault["type"] != "json_invalid":
        return types.ErrorData(code=types.INVALID_REQUEST, message="This is JSON, but not a JSON-RPC 2.0 message")
    reason = fault.get("ctx", {}).get("error", "")
    return types.ErrorData(code=types.PARSE_ERROR, message=f"The message cannot be read as JSON: {reason}")


def _id_of(line: str) -> str | int | None:
    """Return the id of an invalid request, or None. Searches only the start and end, where clients put the id."""
    match = _LEADING_ID.match(line) or _TRAILING_ID.search(line, max(0, len(line) - _TRAILING_CHARACTERS))
    try:
        return None if match is None else json.loads(match["id"])
    except ValueError:
        return None
