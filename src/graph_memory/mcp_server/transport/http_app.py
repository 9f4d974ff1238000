"""The HTTP application: MCP at one path, a word of health at another, and what guards both."""

from __future__ import annotations

import logging
import sys

import anyio
from mcp import types
from mcp.server import Server
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_memory.mcp_server.startup import Startup
from graph_memory.mcp_server.transport.sessions import PATH, Sessions
from graph_memory.mcp_server.transport.surrogates import well_formed_bytes
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import shown
from graph_memory.settings import MIB

NAMES = ("127.0.0.1", "localhost", "[::1]")
"""What this machine calls itself in a `Host` or an `Origin`; any other name is somebody else's page."""

_ESCAPED = 6
"""The most characters that JSON spends on a byte of content, as in `\\u0001`."""
_AT_ONCE = 4
"""The largest bodies that are held at once."""
_DEFAULT_PORT = 80

_log = logging.getLogger(__name__)


def application(
    server: Server[Startup], port: int, content_bytes: int, body_seconds: float, sessions: int
) -> Lifetimes:
    """Return the application of a server on the port; it takes content of that size, and bodies within that time.

    It keeps so many sessions, if need be a few more while all are in use.
    """
    health = Route("/health", _health, methods=["GET"])
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,  # an answer as an event would be refused by clients that limit events to 1 MiB
        max_request_body_size=sys.maxsize,  # the limit is that of Bodies
        max_sessions=2 * sessions,
        custom_starlette_routes=[health],
    )
    bodies = Bodies(Sessions(app, sessions), _ESCAPED * content_bytes + MIB, body_seconds)
    return Lifetimes(Guard(bodies, port))


async def _health(_request: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})


_METHOD, _LISTEN = "mcp-method", "subscriptions/listen"
"""The header by which a request is known that opens a stream for messages from the server."""


class Guard:
    """Refuses, before anything is read, what a page of another site sends by way of the user's browser."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in NAMES} | {name for name in NAMES if port == _DEFAULT_PORT}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 421 for a foreign host and 403 for a foreign origin."""
        refusal = self._refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        """Return the answer to a request that is not let in: every host and origin given must be ours."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if not hosts or not self._hosts.issuperset(hosts):
            return _not_let_in("Host", hosts, 421)
        return None if self._origins.issuperset(origins) else _not_let_in("Origin", origins, 403)


def _not_let_in(name: str, values: list[str], status: int) -> PlainTextResponse:
    _log.warning("Refused a request: its %s is %s", name, shown(", ".join(values)))
    return PlainTextResponse(f"Invalid {name} header", status)


class Bodies:
    """Takes bodies whole, up to a limit and within a time, and mends halves of character pairs in them.

    Of all requests together, no more is held than so many of the largest bodies would be.
    """

    def __init__(self, app: ASGIApp, most: int, seconds: float) -> None:
        self._app = app
        self._most = most
        self._seconds = seconds
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its body, or answer 413, 408 or 503."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        try:
            refusal = await self._take(Request(scope, receive), body)
            whole: list[Message] = [
                {"type": "http.request", "body": well_formed_bytes(bytes(body)), "more_body": False}
            ]

            async def given() -> Message:
                return whole.pop() if whole else await receive()

            await (refusal(scope, receive, send) if refusal else self._app(scope, given, send))
        except ClientDisconnect:
            return
        finally:
            self._held -= len(body)

    async def _take(self, request: Request, body: bytearray) -> Response | None:
        """Take the body, or return the answer that refuses it."""
        announced = request.headers.get("content-length", "0")
        if announced.isdecimal() and int(announced) > self._most:
            return _too_large(self._most)
        with anyio.move_on_after(self._seconds):
            async for part in request.stream():
                body += part
                self._held += len(part)
                if len(body) > self._most:
                    return _too_large(self._most)
                if self._held > _AT_ONCE * self._most:
                    return PlainTextResponse("Too much at once", 503, {"Retry-After": "1", "Connection": "close"})
            return None
        return _too_slow(self._seconds)


def _too_large(most: int) -> JSONResponse:
    hint = "Split it into several nodes. The setting GRAPH_MEMORY_MCP_CONTENT_BYTES raises the limit."
    error = GraphError(Code.CONTENT_TOO_LARGE, f"The limit is {most:,} bytes a request", {"limit": most, "hint": hint})
    rendered = {"code": types.INVALID_REQUEST, "message": str(error), "data": error.to_dict()}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": rendered}, 413)


def _too_slow(seconds: float) -> PlainTextResponse:
    return PlainTextResponse(f"The body did not arrive within {seconds:g} s", 408, {"Connection": "close"})


class Lifetimes:
    """How long requests may take to be answered: until the server ends, or a little longer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._streams: set[anyio.CancelScope] = set()
        self._calls: set[anyio.CancelScope] = set()
        self._ending = False

    def end(self, grace: float) -> None:
        """Take no more; end the streams that wait for messages to the client, and in so many seconds the calls."""
        self._ending = True
        now = anyio.current_time()
        for scope in self._streams:
            scope.deadline = now
        for scope in self._calls:
            scope.deadline = now + grace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, to the end or as far as it came."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = Answer(send)
        if self._ending:
            await answer.close(scope, receive)
            return
        is_stream = scope["method"] == "GET" or Headers(scope=scope).get(_METHOD) == _LISTEN
        group = self._streams if is_stream else self._calls
        with anyio.CancelScope() as life:
            group.add(life)
            try:
                await self._app(scope, receive, answer.send)
            finally:
                group.discard(life)
        if life.cancelled_caught:
            await answer.close(scope, receive)


class Answer:
    """What of an answer has been sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False
        self._done = False

    async def send(self, message: Message) -> None:
        """Send a part of it."""
        self._begun = True
        self._done = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def close(self, scope: Scope, receive: Receive) -> None:
        """End it in form."""
        if not self._begun:
            await PlainTextResponse("The server is shutting down", 503)(scope, receive, self._send)
        elif not self._done:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
