"""The HTTP application: MCP, other routes, and the guards in front of them."""

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

from graph_memory.mcp_server.access import Verifier
from graph_memory.mcp_server.startup import Startup
from graph_memory.mcp_server.transport.authentication import Authentication
from graph_memory.mcp_server.transport.sessions import PATH, Sessions
from graph_memory.mcp_server.transport.surrogates import well_formed_bytes
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import printable
from graph_memory.settings import MIB

HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""The names of this machine in `Host` and `Origin` headers. Pages of other sites have other names."""

_BYTES_OF_ESCAPE = 6
"""Maximum number of JSON characters for a byte of content, as in `\\u0001`."""
_MOST_LARGE_BODIES = 4
"""Number of bodies of the maximum size for which all requests together have memory."""
_DEFAULT_PORT = 80

_log = logging.getLogger(__name__)


def application(
    server: Server[Startup],
    port: int,
    content_bytes: int,
    body_seconds: float,
    sessions: int,
    routes: list[Route],
    verifier: Verifier | None = None,
    metadata_url: str | None = None,
) -> Lifetimes:
    """Return the server's application. Limits: `content_bytes` for content, `body_seconds` to receive a body.

    It keeps up to `sessions` sessions, or more while all are in use. With a verifier, requests need a key or token.
    """
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,  # some clients limit events to 1 MiB
        max_request_body_size=sys.maxsize,  # `Bodies` has the limit
        max_sessions=2 * sessions,
        custom_starlette_routes=routes,
    )
    bodies = Bodies(Sessions(app, sessions), _BYTES_OF_ESCAPE * content_bytes + MIB, body_seconds)
    if verifier is not None:
        return Lifetimes(OriginGuard(Authentication(bodies, verifier, metadata_url)))
    return Lifetimes(Guard(bodies, port))


_METHOD, _LISTEN = "mcp-method", "subscriptions/listen"
"""The header and its value of a request that opens a stream for messages from the server."""


class Guard:
    """Rejects requests that other sites' pages send through the user's browser, without reading the bodies."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in HOSTS} | {name for name in HOSTS if port == _DEFAULT_PORT}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond with 421 to a foreign host, and with 403 to a foreign origin. Pass on all other requests."""
        refusal = self._refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        """Return a response that rejects the request. None if all its hosts and origins are on this machine."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if not hosts or not self._hosts.issuperset(hosts):
            return _reject("Host", hosts, 421)
        return None if self._origins.issuperset(origins) else _reject("Origin", origins, 403)


class OriginGuard:
    """Rejects requests from other sites' pages to a server with keys. Accepts any host name, as its own are unknown."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond with 421 unless there is one host, and with 403 to an origin that is not that host."""
        refusal = self._refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1:
            return _reject("Host", hosts, 421)
        own = {f"{scheme}://{hosts[0]}" for scheme in ("http", "https")}
        return None if own.issuperset(origins) else _reject("Origin", origins, 403)


def _reject(name: str, values: list[str], status: int) -> PlainTextResponse:
    _log.warning("Refused a request: its %s is %s", name, printable(", ".join(values)))
    return PlainTextResponse(f"Invalid {name} header", status)


class Bodies:
    """Reads complete bodies, with limits for size and time, and replaces lone surrogates in them.

    The total size of the bodies of all requests is also limited.
    """

    def __init__(self, app: ASGIApp, limit: int, seconds: float) -> None:
        self._app = app
        self._limit = limit
        self._seconds = seconds
        self._bytes_held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the request with its body, or respond with 413, 408 or 503."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        try:
            refusal = await self._take(Request(scope, receive), body)
            messages: list[Message] = [
                {"type": "http.request", "body": well_formed_bytes(bytes(body)), "more_body": False}
            ]

            async def receive_body() -> Message:
                return messages.pop() if messages else await receive()

            await (refusal(scope, receive, send) if refusal else self._app(scope, receive_body, send))
        except ClientDisconnect:
            return
        finally:
            self._bytes_held -= len(body)

    async def _take(self, request: Request, body: bytearray) -> Response | None:
        """Read the body. Returns a response if it must be rejected."""
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._limit:
            return _too_large(self._limit)
        with anyio.move_on_after(self._seconds):
            async for part in request.stream():
                body += part
                self._bytes_held += len(part)
                if len(body) > self._limit:
                    return _too_large(self._limit)
                if self._bytes_held > _MOST_LARGE_BODIES * self._limit:
                    return PlainTextResponse("Too many large bodies", 503, {"Retry-After": "1", "Connection": "close"})
            return None
        return _too_slow(self._seconds)


def _too_large(limit: int) -> JSONResponse:
    hint = "Split it into several nodes. The setting GRAPH_MEMORY_MCP_CONTENT_BYTES raises the limit."
    error = GraphError(
        Code.CONTENT_TOO_LARGE, f"The request is over the limit of {limit:,} bytes", {"limit": limit, "hint": hint}
    )
    rendered = {"code": types.INVALID_REQUEST, "message": str(error), "data": error.to_dict()}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": rendered}, 413)


def _too_slow(seconds: float) -> PlainTextResponse:
    return PlainTextResponse(f"The body did not arrive within {seconds:g} s", 408, {"Connection": "close"})


class Lifetimes:
    """Ends running requests at shutdown. Calls have a grace period."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._streams: set[anyio.CancelScope] = set()
        self._calls: set[anyio.CancelScope] = set()
        self._ending = False

    def end(self, grace: float) -> None:
        """Accept no more requests, end streams at once, and end calls after `grace` seconds."""
        self._ending = True
        now = anyio.current_time()
        for scope in self._streams:
            scope.deadline = now
        for scope in self._calls:
            scope.deadline = now + grace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request. If it is ended early, close the response properly."""
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
    """A response, with the state of its transmission."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False
        self._done = False

    async def send(self, message: Message) -> None:
        """Send a part of the response."""
        self._begun = True
        self._done = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def close(self, scope: Scope, receive: Receive) -> None:
        """End the response as HTTP requires."""
        if not self._begun:
            await PlainTextResponse("The server is shutting down", 503)(scope, receive, self._send)
        elif not self._done:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
