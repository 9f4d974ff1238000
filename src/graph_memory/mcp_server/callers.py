"""Who calls: what the log names for the changes of a call."""

from __future__ import annotations

import hashlib
import re
from typing import cast

from mcp.server import ServerRequestContext
from starlette.requests import Request

from graph_memory.mcp_server.startup import Startup
from graph_memory.model.arguments import fault
from graph_memory.model.wording import shown

SESSION = "Graph-Memory-Session"
"""The header in which a client over HTTP may name the session that its changes belong to."""

_PROTOCOL_SESSION = "Mcp-Session-Id"
_WITHOUT_SESSIONS = "2026-07-28"
"""The version of the protocol, a date, from which on it has none; the SDK then does not look at their header."""
_NAME = re.compile(r"[!-~]{1,128}")
_CURRENT = "current"
"""What the tools call the session of whoever asks."""

Context = ServerRequestContext[Startup]


def actor_of(ctx: Context) -> str | None:
    """Return who calls, as the client names itself."""
    given = ctx.session.client_params
    return f"{shown(given.client_info.name)} {shown(given.client_info.version)}".strip() if given else None


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


def _checked(named: list[str]) -> str:
    if len(named) > 1 or not _NAME.fullmatch(named[0]) or named[0] == _CURRENT:
        hint = "Give one name of up to 128 letters, digits and marks, without spaces. `current` means your own."
        raise fault(SESSION, f"The header {SESSION} does not name a session", hint)
    return named[0]


def _unguessable(own: str) -> str:
    """Return a name that everybody may read in the log; with the id itself they could end or hear the session."""
    return hashlib.sha256(own.encode()).hexdigest()[:32]
