"""The HTTP application: MCP, other routes, and the guards in front of them."""

from __future__ import annotations

import logging
import sys

import anyio
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_memory.mcp_server.access import Verifier
from graph_memory.mcp_server.callers import BODY_SIZE
from graph_memory.mcp_server.startup import Startup
from graph_memory.mcp_server.transport.authentication import Authentication, ResourceMetadata, rpc_error_response
from graph_memory.mcp_server.transport.sessions import PATH, Sessions
from graph_memory.mcp_server.transport.surrogates import replace_lone_surrogates_in_bytes
from graph_memory.mcp_server.viewer.gate import ViewerGate
from graph_memory.mcp_server.viewer.logins import Logins
from graph_memory.mcp_server.viewer.statuses import API, error_response
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import printable
from graph_memory.settings import MIB

HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""This machine's names in `Host` and `Origin` headers. Requests from other sites' pages contain other hosts."""

FORWARDING = (
    *("forwarded", "via", "x-real-ip"),
    *("x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server"),
)
"""Headers that show that a proxy forwarded the request."""
_BEHIND_PROXY = (
    "The request came through a proxy, and this server has no authentication. Start `graph-memory serve` with "
    "`--auth keys` behind a proxy."
)
_BYTES_OF_ESCAPE = 6
"""Maximum number of JSON characters for one byte of content, as in `\\u0001`."""
_MAX_LARGE_BODIES = 4
"""Maximum total size of all requests' bodies, as a multiple of one body's maximum size."""
_DEFAULT_PORT = 80

_log = logging.getLogger(__name__)


def application(
    server: Server[Startup],
    port: int,
    content_bytes: int,
    body_seconds: float,
    sessions: int,
    routes: list[Route],
    logins: Logins,
    verifier: Verifier | None = None,
    metadata: ResourceMetadata | None = None,
) -> RequestTracker:
    """Return the server's application.

    `content_bytes` limits the size of content, and `body_seconds` the time to receive a body. The application keeps up
    to `sessions` sessions, or more while all of them are in use. With a verifier, requests need a key or token.
    Requests to the API need a key, a token or one of the `logins`.
    """
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,  # some clients limit events to 1 MiB
        max_request_body_size=sys.maxsize,  # `Bodies` has the limit
        max_sessions=2 * sessions,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guards have it
        custom_starlette_routes=routes,
    )
    bodies = Bodies(Sessions(app, sessions), _BYTES_OF_ESCAPE * content_bytes + MIB, body_seconds)
    mcp = bodies if verifier is None else Authentication(bodies, verifier, metadata and metadata.url)
    gate = ViewerGate(bodies, mcp, logins, verifier)
    return RequestTracker(Guard(gate, port) if verifier is None else OriginGuard(gate))


_METHOD_HEADER, _STREAM_METHOD = "mcp-method", "subscriptions/listen"
"""The header and its value for requests that open a stream of messages from the server."""


class Guard:
    """Rejects requests from other sites' pages in the user's browser and from proxies, without reading their bodies.

    Behind a proxy, every machine would have the rights of the local user.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in HOSTS} | {name for name in HOSTS if port == _DEFAULT_PORT}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._has_seen_key = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond with 421 to a foreign host, and with 403 to a foreign origin or a proxy. Pass on other requests."""
        refusal = self._rejection(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _rejection(self, headers: Headers) -> PlainTextResponse | None:
        """Return a response that rejects the request, or None if all its hosts and origins are on this machine."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if not hosts or not self._hosts.issuperset(hosts):
            return _reject("Host", hosts, 421)
        if "authorization" in headers and not self._has_seen_key:
            self._has_seen_key = True
            _log.warning("A client sent an access key, but this server ignores keys. Start it with --auth keys.")
        if forwarding := [name for name in FORWARDING if name in headers]:
            _log.warning("Rejected a request from a proxy, with the header %s", forwarding[0])
            return PlainTextResponse(_BEHIND_PROXY, 403)
        return None if self._origins.issuperset(origins) else _reject("Origin", origins, 403)


class OriginGuard:
    """Rejects requests from other sites' pages to a server with keys.

    It accepts any host name, because the server does not know the names under which it is reached.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond with 421 unless there is exactly one host, and with 403 if the origin is not that host."""
        refusal = self._rejection(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _rejection(self, headers: Headers) -> PlainTextResponse | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1:
            return _reject("Host", hosts, 421)
        own_origins = {f"{scheme}://{hosts[0]}" for scheme in ("http", "https")}
        return None if own_origins.issuperset(origins) else _reject("Origin", origins, 403)


def _reject(name: str, values: list[str], status: int) -> PlainTextResponse:
    _log.warning("Rejected a request: its %s is %s", name, printable(", ".join(values)))
    return PlainTextResponse(f"Invalid {name} header", status)


class Bodies:
    """Reads complete request bodies, and replaces lone surrogates in them.

    Limits the size of a body, the time to receive it, and the total size of the bodies of all requests.
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
            refusal = await self._read_body(Request(scope, receive), body)
            scope.setdefault("state", {})[BODY_SIZE] = len(body)
            messages: list[Message] = [
                {"type": "http.request", "body": replace_lone_surrogates_in_bytes(bytes(body)), "more_body": False}
            ]

            async def receive_body() -> Message:
                return messages.pop() if messages else await receive()

            await (refusal(scope, receive, send) if refusal else self._app(scope, receive_body, send))
        except ClientDisconnect:
            return
        finally:
            self._bytes_held -= len(body)

    async def _read_body(self, request: Request, body: bytearray) -> Response | None:
        """Read the body. Return a response if the request must be rejected, otherwise None."""
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._limit:
            return _too_large(self._limit, request)
        with anyio.move_on_after(self._seconds):
            async for part in request.stream():
                body += part
                self._bytes_held += len(part)
                if len(body) > self._limit:
                    return _too_large(self._limit, request)
                if self._bytes_held > _MAX_LARGE_BODIES * self._limit:
                    return _too_many(request)
            return None
        return PlainTextResponse(f"The body did not arrive within {self._seconds:g} s", 408, {"Connection": "close"})


def _too_large(limit: int, request: Request) -> Response:
    hint = "Split it into several nodes. Or raise the limit with the setting GRAPH_MEMORY_MCP_CONTENT_BYTES."
    error = GraphError(
        Code.CONTENT_TOO_LARGE, f"The request exceeds the limit of {limit:,} bytes", {"limit": limit, "hint": hint}
    )
    if request.url.path.startswith(API):
        return error_response(error)
    return rpc_error_response(error, 413)


def _too_many(request: Request) -> Response:
    headers = {"Retry-After": "1", "Connection": "close"}
    if request.url.path.startswith(API):
        return error_response(
            GraphError(Code.OVERLOADED, "Too many large request bodies are being received"), headers=headers
        )
    return PlainTextResponse("Too many large request bodies are being received", 503, headers)


class RequestTracker:
    """Tracks running requests, and ends them at shutdown. Tool calls get a grace period."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._streams: set[anyio.CancelScope] = set()
        self._calls: set[anyio.CancelScope] = set()
        self._is_ending = False

    def end(self, grace: float) -> None:
        """Accept no more requests, end streams at once, and end calls after `grace` seconds."""
        self._is_ending = True
        now = anyio.current_time()
        for scope in self._streams:
            scope.deadline = now
        for scope in self._calls:
            scope.deadline = now + grace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request. If it is ended early, complete its response as HTTP requires."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        response = TrackedResponse(send)
        if self._is_ending:
            await response.close(scope, receive)
            return
        is_stream = scope["method"] == "GET" or Headers(scope=scope).get(_METHOD_HEADER) == _STREAM_METHOD
        group = self._streams if is_stream else self._calls
        with anyio.CancelScope() as cancel_scope:
            group.add(cancel_scope)
            try:
                await self._app(scope, receive, response.send)
            finally:
                group.discard(cancel_scope)
        if cancel_scope.cancelled_caught:
            await response.close(scope, receive)


class TrackedResponse:
    """A response that records how much of it was sent, so that it can be closed at any time."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._has_begun = False
        self._is_complete = False

    async def send(self, message: Message) -> None:
        """Send a part of the response, and record the progress."""
        self._has_begun = True
        self._is_complete = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def close(self, scope: Scope, receive: Receive) -> None:
        """Send an error response or, if the response has begun, its end. Does nothing if the response is complete."""
        if not self._has_begun:
            await PlainTextResponse("The server is shutting down", 503)(scope, receive, self._send)
        elif not self._is_complete:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
