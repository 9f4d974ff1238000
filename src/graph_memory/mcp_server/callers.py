"""Who calls: what the log names for the changes of a call."""

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
from graph_memory.model.text.wording import quoted, shown
from graph_memory.model.values.arguments import fault

SESSION = "Graph-Memory-Session"
"""The header in which a client over HTTP may name the session that its changes belong to."""

_PROTOCOL_SESSION = "Mcp-Session-Id"
_WITHOUT_SESSIONS = "2026-07-28"
"""The version of the protocol, a date, from which on it has none; the SDK then does not look at their header."""
_NAME = re.compile(r"[!-~]{1,128}")
_CURRENT = "current"
"""What the tools call the session of whoever asks."""

CARRIED = "session_id"
"""The argument in which a call carries the session that `session_start` gave."""
CONNECTION = "graph_memory_session"
"""What the state of a request over HTTP calls the session of its connection."""

Context = ServerRequestContext[Startup]


def actor_of(ctx: Context) -> str | None:
    """Return who calls, as the client names itself."""
    params = ctx.session.client_params
    return f"{shown(params.client_info.name)} {shown(params.client_info.version)}".strip() if params else None


def asks_within_calls(ctx: Context) -> bool:
    """Say whether the client is asked for something only by the answer to a call, which it then repeats."""
    return ctx.protocol_version >= _WITHOUT_SESSIONS


def session_of(ctx: Context) -> str | None:
    """Return the session of the log that a call over HTTP belongs to; None when it has none, and over stdio.

    It is the one that the client names, else one for each session of the protocol. Raises INVALID_ARGUMENT for a name
    that cannot be.
    """
    request = cast("Request | None", ctx.request)
    if request is None:
        return None
    if named := request.headers.getlist(SESSION):
        return _checked(named)
    own = request.headers.get(_PROTOCOL_SESSION) if ctx.protocol_version < _WITHOUT_SESSIONS else None
    return f"session_{_unguessable(own)}" if own else None


def is_over_http(ctx: Context) -> bool:
    """Return whether a call comes over HTTP, where one server has many clients."""
    return ctx.request is not None


def connection_session(ctx: Context) -> str | None:
    """Return the session of the connection that a call over HTTP came by; None over stdio."""
    request = cast("Request | None", ctx.request)
    return None if request is None else getattr(request.state, CONNECTION, None)


def new_session() -> str:
    """Return a new session, short enough for an agent to carry in each call."""
    return f"session_{secrets.token_hex(6)}"


def carried_session(given: Mapping[str, object]) -> str | None:
    """Return the session that a call carries, None for none. Raises INVALID_ARGUMENT."""
    session = given.get(CARRIED)
    if session in (None, ""):
        return None
    if not isinstance(session, str) or not _NAME.fullmatch(session) or session == _CURRENT:
        hint = Hint("Pass the session_id that {session_start} returned, or leave it out.")
        raise fault(CARRIED, f"{quoted(session)} is not the id of a session", hint)
    return session


def _checked(named: list[str]) -> str:
    if len(named) > 1 or not _NAME.fullmatch(named[0]) or named[0] == _CURRENT:
        hint = "Give one name of up to 128 letters, digits and marks, without spaces. `current` means your own."
        raise fault(SESSION, f"The header {SESSION} does not name a session", hint)
    return named[0]


def _unguessable(own: str) -> str:
    """Return a name that everybody may read in the log; with the id itself they could end or hear the session."""
    return hashlib.sha256(own.encode()).hexdigest()[:32]
