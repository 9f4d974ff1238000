"""The selected domain of each session. Over stdio, there is only one session."""

from __future__ import annotations

from graph_memory.mcp_server.callers import Context, is_over_http, session_of
from graph_memory.model.rights import qualified_name
from graph_memory.model.values.arguments import invalid_argument

MAX_SESSIONS = 10_000
"""Maximum number of sessions per caller with a selected domain. Above it, the oldest selection is dropped."""


class Selection:
    """Stores the selected domain of each caller's sessions."""

    def __init__(self) -> None:
        self._by_caller: dict[str, dict[str | None, str]] = {}

    def selected_domain(self, ctx: Context, session_argument: str | None = None) -> str | None:
        """Return the selected domain of the call's session, or None."""
        domains = self._domains()
        return domains.get(_session(ctx, session_argument)) if domains else None

    def select(self, ctx: Context, domain: str, session_argument: str | None = None) -> None:
        """Select a domain for the call's session. Raises INVALID_ARGUMENT if an HTTP call has no session.

        An HTTP connection alone is not a session, because the client may open another connection at any time.
        """
        session = _session(ctx, session_argument)
        if session is None and is_over_http(ctx):
            hint = "Pass the domain in each call, or a session name in the header Graph-Memory-Session."
            raise invalid_argument("name", "This client has no session, so the selected domain cannot be stored", hint)
        domains = self._domains()
        domains.pop(session, None)
        domains[session] = domain
        if len(domains) > MAX_SESSIONS:
            del domains[next(iter(domains))]

    def _domains(self) -> dict[str | None, str]:
        """Return the caller's selected domains by session. Each key has separate sessions and a separate limit."""
        return self._by_caller.setdefault(qualified_name(""), {})


def _session(ctx: Context, session_argument: str | None) -> str | None:
    """Return the session of an HTTP call, or None over stdio, where there is only one client."""
    return (session_argument or session_of(ctx)) if is_over_http(ctx) else None
