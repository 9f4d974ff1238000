"""The domains that sessions have selected. Over stdio, there is only one session."""

from __future__ import annotations

from graph_memory.mcp_server.callers import Context, is_over_http, session_of
from graph_memory.model.rights import qualified_name
from graph_memory.model.values.arguments import invalid_argument

MOST_SESSIONS = 10_000
"""Maximum number of sessions with a selection. Beyond it, the oldest selections are dropped."""


class Selection:
    """The domains that sessions have selected."""

    def __init__(self) -> None:
        self._domains: dict[str | None, str] = {}

    def of(self, ctx: Context, carried: str | None = None) -> str | None:
        """Return the domain selected in the session of the call, or None."""
        return self._domains.get(_session(ctx, carried)) if self._domains else None

    def select(self, ctx: Context, domain: str, carried: str | None = None) -> None:
        """Select a domain for the session of the call. Raises INVALID_ARGUMENT for an HTTP call without a session.

        The session of the connection does not count, because the client may open another connection at any time.
        """
        session = _session(ctx, carried)
        if session is None and is_over_http(ctx):
            hint = "Name the domain in each call, or name the session in the header Graph-Memory-Session."
            raise invalid_argument("name", "This client has no session that could remember a domain", hint)
        self._domains.pop(session, None)
        self._domains[session] = domain
        if len(self._domains) > MOST_SESSIONS:
            del self._domains[next(iter(self._domains))]


def _session(ctx: Context, carried: str | None) -> str | None:
    """Return the session of an HTTP call. Returns None over stdio, because there is only one client.

    Callers with different keys never share a session, even if they choose the same name.
    """
    return qualified_name(carried or session_of(ctx)) if is_over_http(ctx) else None
