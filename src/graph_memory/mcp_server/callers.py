"""Determines the actor and the session of a call, for the log."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from typing import cast

from mcp.server import ServerRequestContext
from starlette.requests import Request

from graph_memory.mcp_server.startup import Startup
from graph_memory.model.errors import Hint
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument

SESSION = "Graph-Memory-Session"
"""The header in which an HTTP client may name the session of its changes."""

_PROTOCOL_SESSION = "Mcp-Session-Id"
_WITHOUT_SESSIONS = "2026-07-28"
"""The first version of the protocol without sessions. The SDK then ignores their header."""
_NAME = re.compile(r"[!-~]{1,128}")
_CURRENT = "current"
"""The name by which tools refer to the caller's session."""

SESSION_ID = "session_id"
"""The argument with the session that `session_start` returned."""
CONNECTION_SESSION = "graph_memory_session"
"""The key of the connection's session in the state of an HTTP request."""

Context = ServerRequestContext[Startup]


def actor_of(ctx: Context) -> str | None:
    """Return the client's name and version, or None if the client has not given them."""
    params = ctx.session.client_params
    return f"{printable(params.client_info.name)} {printable(params.client_info.version)}".strip() if params else None


def asks_within_calls(ctx: Context) -> bool:
    """Return whether the server can ask the client only by answering a call, which the client then repeats."""
    return ctx.protocol_version >= _WITHOUT_SESSIONS


def session_of(ctx: Context) -> str | None:
    """Return the session of an HTTP call, for the log, or None if it has none. Returns None over stdio.

    This is the session that the client names in a header. By default, it is derived from the protocol's session. Raises
    INVALID_ARGUMENT for an invalid name.
    """
    request = cast("Request | None", ctx.request)
    if request is None:
        return None
    if names := request.headers.getlist(SESSION):
        return _check_header(names)
    protocol_session = _protocol_session(ctx, request)
    return f"session_{_digest(protocol_session)}" if protocol_session else None


def is_bound(ctx: Context) -> bool:
    """Return whether all calls of the caller's session reach this server: over stdio, and in a protocol's session."""
    request = cast("Request | None", ctx.request)
    return request is None or _protocol_session(ctx, request) is not None


def _protocol_session(ctx: Context, request: Request) -> str | None:
    return request.headers.get(_PROTOCOL_SESSION) if ctx.protocol_version < _WITHOUT_SESSIONS else None


def is_over_http(ctx: Context) -> bool:
    """Return whether the call was made over HTTP, where one server has many clients."""
    return ctx.request is not None


def connection_session(ctx: Context) -> str | None:
    """Return the session of the HTTP connection of the call, or None over stdio."""
    request = cast("Request | None", ctx.request)
    return None if request is None else getattr(request.state, CONNECTION_SESSION, None)


def key_of(ctx: Context) -> str | None:
    """Return the name of the key with which the request was sent, or None on a server without keys."""
    request = cast("Request | None", ctx.request)
    return None if request is None else getattr(request.scope.get("user"), "display_name", None)


def new_session() -> str:
    """Return a new session id, which is short enough to be repeated in each call."""
    return f"session_{secrets.token_hex(6)}"


def session_argument_of(arguments: Mapping[str, object]) -> str | None:
    """Return the session in the call's arguments, or None if there is none. Raises INVALID_ARGUMENT."""
    session = arguments.get(SESSION_ID)
    if session in (None, ""):
        return None
    if not isinstance(session, str) or not _NAME.fullmatch(session) or session == _CURRENT:
        hint = Hint("Pass the session_id that {session_start} returned, or omit it.")
        raise invalid_argument(SESSION_ID, f"{quote(session)} is not the id of a session", hint)
    return session


def _check_header(names: list[str]) -> str:
    if len(names) > 1 or not _NAME.fullmatch(names[0]) or names[0] == _CURRENT:
        hint = "Pass one name of up to 128 letters, digits and marks, without spaces. `current` means your own."
        raise invalid_argument(SESSION, f"The header {SESSION} does not name a session", hint)
    return names[0]


def _digest(session: str) -> str:
    """Return a hash of the session id, for the log.

    With the id itself, a reader of the log could take over the session.
    """
    return hashlib.sha256(session.encode()).hexdigest()[:32]
