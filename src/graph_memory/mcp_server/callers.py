"""Determines the actor and the session of a call, for the log."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import Protocol, cast

from mcp.server import ServerRequestContext
from starlette.requests import Request

from graph_memory.mcp_server.startup import Startup
from graph_memory.model.errors import Hint
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument

SESSION = "Graph-Memory-Session"
"""The HTTP header with which a client can set the session id for its changes in the log."""

_PROTOCOL_SESSION_HEADER = "Mcp-Session-Id"
WITHOUT_SESSIONS = "2026-07-28"
"""The first version of MCP without sessions. With this version, the SDK ignores the session header."""
_SESSION_NAME = re.compile(r"[!-~]{1,128}")
_CURRENT = "current"
"""The session argument that stands for the caller's own session."""

SESSION_ID = "session_id"
"""The argument for the session id returned by `session_start`."""
CONNECTION_SESSION = "graph_memory_session"
"""The field in an HTTP request's state for the connection's session id."""

BODY_SIZE = "body_size"
"""The field in an HTTP request's state for the body's size in bytes."""

McpContext = ServerRequestContext[Startup]
"""The context of a request from an MCP client."""


class Context(Protocol):
    """The context of a call from an MCP client or from another HTTP client."""

    @property
    def request(self) -> object:
        """The HTTP request, or None over stdio."""
        ...

    @property
    def request_id(self) -> str | int | None:
        """The request id from the client."""
        ...

    @property
    def protocol_version(self) -> str:
        """The version of MCP. For clients without MCP, it is the newest version, which has no sessions."""
        ...

    @property
    def lifespan_context(self) -> Startup:
        """The server's startup, which opens its memory."""
        ...


def actor_of(ctx: McpContext) -> str | None:
    """Return the client's name and version, or None if the client has not sent them."""
    params = ctx.session.client_params
    return f"{printable(params.client_info.name)} {printable(params.client_info.version)}".strip() if params else None


def asks_within_calls(ctx: McpContext) -> bool:
    """Return whether the server can ask the client questions only in the result of a call.

    The client then repeats the call with its answer.
    """
    return ctx.protocol_version >= WITHOUT_SESSIONS


def session_of(ctx: Context) -> str | None:
    """Return the session of an HTTP call for the log. Returns None over stdio, or if there is no session.

    The session is the id that the client sends in a header. If there is no such header, it is derived from
    the session of the protocol. Raises INVALID_ARGUMENT if the header is not a valid session id.
    """
    request = cast("Request | None", ctx.request)
    if request is None:
        return None
    if names := request.headers.getlist(SESSION):
        if len(names) > 1 or not _SESSION_NAME.fullmatch(names[0]) or names[0] == _CURRENT:
            hint = (
                "Pass one name of up to 128 letters, digits and marks, without spaces. The name `current` is reserved."
            )
            raise invalid_argument(SESSION, f"The header {SESSION} does not contain a valid session name", hint)
        return names[0]
    protocol_session = _protocol_session(ctx, request)
    if not protocol_session:
        return None
    # A hash, because a reader of the log could use the id itself to take over the session.
    return f"session_{hashlib.sha256(protocol_session.encode()).hexdigest()[:32]}"


def is_bound(ctx: Context) -> bool:
    """Return whether all calls of the caller's session reach this server process.

    This is true over stdio, and for calls in a session of the protocol.
    """
    request = cast("Request | None", ctx.request)
    return request is None or _protocol_session(ctx, request) is not None


def _protocol_session(ctx: Context, request: Request) -> str | None:
    return request.headers.get(_PROTOCOL_SESSION_HEADER) if ctx.protocol_version < WITHOUT_SESSIONS else None


def is_over_http(ctx: Context) -> bool:
    """Return whether the call was made over HTTP, where one server has many clients."""
    return ctx.request is not None


def connection_session(ctx: Context) -> str | None:
    """Return the session of the call's HTTP connection, or None over stdio."""
    request = cast("Request | None", ctx.request)
    return None if request is None else getattr(request.state, CONNECTION_SESSION, None)


def key_of(ctx: Context) -> str | None:
    """Return the name of the request's key, or None on a server without keys."""
    request = cast("Request | None", ctx.request)
    return None if request is None else getattr(request.scope.get("user"), "display_name", None)


def body_size_of(ctx: Context) -> int:
    """Return the size of the request body in bytes, or 0 over stdio."""
    request = cast("Request | None", ctx.request)
    return 0 if request is None else getattr(request.state, BODY_SIZE, 0)


def new_session() -> str:
    """Return a new session id. It is short, because the agent repeats it in each call."""
    return f"session_{secrets.token_hex(6)}"


def session_argument_of(arguments: Mapping[str, object]) -> str | None:
    """Return the session argument of a call, or None if it is missing or empty.

    Raises INVALID_ARGUMENT if it is not a session id.
    """
    session = arguments.get(SESSION_ID)
    if session in (None, ""):
        return None
    if not isinstance(session, str) or not _SESSION_NAME.fullmatch(session) or session == _CURRENT:
        hint = Hint("Pass the session_id that {session_start} returned, or omit it.")
        raise invalid_argument(SESSION_ID, f"{quote(session)} is not the id of a session", hint)
    return session
