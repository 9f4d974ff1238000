"""Limits the number of protocol sessions. Above the limit, the session that has been idle longest is ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/mcp"
"""The URL path of the MCP endpoint."""
ID = "mcp-session-id"


@dataclass
class SessionUse:
    """The running calls and open streams of a session."""

    calls: int = 0
    streams: int = 0
    """Number of open streams. An idle client may keep a stream open for messages from the server."""
    user: object = None
    """The authenticated caller that opened the session. Only this caller may end it."""


class Sessions:
    """Tracks the application's sessions, and ends sessions if there are too many.

    Only sessions without a running call are ended, first the sessions of the caller with the most sessions. Among them,
    sessions without an open stream come first, and then the sessions that have been idle longest.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit
        self._uses: dict[str, SessionUse] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the request, record its session, and end sessions if there are too many."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        session = Headers(scope=scope).get(ID)

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(scope, message["status"], session, Headers(raw=message["headers"]).get(ID))
            await send(message)

        with self._count_use(session, scope["method"]):
            await self._app(scope, receive, send_and_note)
        await self._end_surplus(scope)

    def _note(self, scope: Scope, status: int, session: str | None, new_session: str | None) -> None:
        use = self._uses.get(session or "")
        has_ended = status == 404 or (scope["method"] == "DELETE" and status == 200)
        if use is not None and caller_name(use.user) != caller_name(scope.get("user")):
            return  # to another caller, the session does not exist
        if session is not None and has_ended:
            self._uses.pop(session, None)
        elif session is None and new_session is not None and status < 400:
            self._uses[new_session] = SessionUse(user=scope.get("user"))

    @contextmanager
    def _count_use(self, session: str | None, method: str) -> Generator[None]:
        use = self._uses.get(session or "")
        if session is None or use is None:
            yield
            return
        added = {"GET": (0, 1)}.get(method, (1, 0))
        use.calls, use.streams = use.calls + added[0], use.streams + added[1]
        if added[0]:
            self._uses[session] = self._uses.pop(session)
        try:
            yield
        finally:
            use.calls, use.streams = use.calls - added[0], use.streams - added[1]

    async def _end_surplus(self, scope: Scope) -> None:
        while len(self._uses) > self._limit and (session := self._longest_idle()) is not None:
            use = self._uses.pop(session)
            await self._app(_deletion(scope, session, use.user), _receive_empty, _discard)

    def _longest_idle(self) -> str | None:
        *candidates, _last_used = self._uses
        idle = [session for session in candidates if not self._uses[session].calls]
        callers = {session: caller_name(use.user) for session, use in self._uses.items()}
        counts = Counter(callers.values())
        return min(idle, key=lambda session: (-counts[callers[session]], self._uses[session].streams), default=None)


def caller_name(user: object) -> object:
    """Return the name of an authenticated caller, otherwise None."""
    return getattr(user, "display_name", None)


def _deletion(scope: Scope, session: str, user: object) -> Scope:
    """Return a request that ends the session, in the form in which its client would send it."""
    host = [(name, value) for name, value in scope["headers"] if name == b"host"]
    owner = {} if user is None else {"user": user}
    return {
        **scope,
        **owner,
        "method": "DELETE",
        "path": PATH,
        "raw_path": PATH.encode(),
        "headers": [*host, (ID.encode(), session.encode())],
    }


async def _receive_empty() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _discard(_message: Message) -> None:
    """Discard the response to a request made by this server itself."""
