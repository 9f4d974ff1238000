"""The domains that sessions have selected. Over stdio, there is only one session."""

from __future__ import annotations

from graph_memory.mcp_server.callers import Context, is_over_http, session_of
from graph_memory.model.rights import qualified_name
from graph_memory.model.values.arguments import invalid_argument

MOST_SESSIONS = 10_000
"""Maximum number of sessions of a caller with a selection. Beyond it, its oldest selections are dropped."""


class Selection:
    """The domains that sessions have selected."""

    def __init__(self) -> None:
        self._by_caller: dict[str, dict[str | None, str]] = {}

    def of(self, ctx: Context, carried: str | None = None) -> str | None:
        """Return the domain selected in the session of the call, or None."""
        domains = self._domains()
        return domains.get(_session(ctx, carried)) if domains else None

    def select(self, ctx: Context, domain: str, carried: str | None = None) -> None:
        """Select a domain for the session of the call. Raises INVALID_ARGUMENT for an HTTP call without a session.

        The session of the connection does not count, because the client may open another connection at any time.
        """
        session = _session(ctx, carried)
        if session is None and is_over_http(ctx):
            hint = "Name the domain in each call, or name the session in the header Graph-Memory-Session."
            raise invalid_argument("name", "This client has no session that could remember a domain", hint)
        domains = self._domains()
        domains.pop(session, None)
        domains[session] = domain
        if len(domains) > MOST_SESSIONS:
            del domains[next(iter(domains))]

    def _domains(self) -> dict[str | None, str]:
        """Return the selected domains by session. Callers with different keys share no session and no limit."""
        return self._by_caller.setdefault(qualified_name(""), {})


def _session(ctx: Context, carried: str | None) -> str | None:
    """Return the session of an HTTP call. None over stdio, where there is only one client."""
    return (carried or session_of(ctx)) if is_over_http(ctx) else None
