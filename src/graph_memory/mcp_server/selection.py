"""Which domain a session has selected, if it has: that of the one client of a process, or of one session over HTTP."""

from __future__ import annotations

from graph_memory.mcp_server.callers import Context, is_over_http, session_of
from graph_memory.model.values.arguments import fault

MOST = 10_000
"""Sessions of which a server remembers it; of more, those are forgotten that selected longest ago."""


class Selection:
    """The domains that sessions have selected."""

    def __init__(self) -> None:
        self._domains: dict[str | None, str] = {}

    def of(self, ctx: Context, carried: str | None = None) -> str | None:
        """Return the domain that the session of a call has selected; None where it has not."""
        return self._domains.get(_session(ctx, carried)) if self._domains else None

    def select(self, ctx: Context, domain: str, carried: str | None = None) -> None:
        """Note what the session of a call has selected. Raises INVALID_ARGUMENT for one over HTTP that has no name.

        The session of a connection does not count: the client may open another at any time.
        """
        session = _session(ctx, carried)
        if session is None and is_over_http(ctx):
            hint = "Name the domain in each call, or name the session in the header Graph-Memory-Session."
            raise fault("name", "This client has no session that could remember a domain", hint)
        self._domains.pop(session, None)
        self._domains[session] = domain
        if len(self._domains) > MOST:
            del self._domains[next(iter(self._domains))]


def _session(ctx: Context, carried: str | None) -> str | None:
    """Return the session of a call over HTTP; over stdio there is one client, whatever it carries."""
    return (carried or session_of(ctx)) if is_over_http(ctx) else None
