"""Sessions of the protocol, as many as are kept: for one more, the one that has been idle longest ends."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/mcp"
"""Where MCP is served."""
ID = "mcp-session-id"


@dataclass
class Use:
    """What a session is used for now."""

    calls: int = 0
    streams: int = 0
    """Clients may keep one open for messages from the server, and be idle all the same."""


class Sessions:
    """Sees the sessions that the application opens, and has it end one when there are too many.

    Sessions are kept in the order of their last call; those with a stream end after those without.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self._uses: dict[str, Use] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note what session it is of."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(ID)

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(scope["method"], message["status"], given, Headers(raw=message["headers"]).get(ID))
            await send(message)

        with self._used(given, scope["method"]):
            await self._app(scope, receive, noting)
        await self._end_surplus(scope)

    def _note(self, method: str, status: int, given: str | None, rendered: str | None) -> None:
        has_gone = status == 404 or (method == "DELETE" and status == 200)
        if given is not None and has_gone:
            self._uses.pop(given, None)
        elif given is None and rendered is not None and status < 400:
            self._uses[rendered] = Use()

    @contextmanager
    def _used(self, session: str | None, method: str) -> Generator[None]:
        use = self._uses.get(session or "")
        if session is None or use is None:
            yield
            return
        step = {"GET": (0, 1)}.get(method, (1, 0))
        use.calls, use.streams = use.calls + step[0], use.streams + step[1]
        if step[0]:
            self._uses[session] = self._uses.pop(session)
        try:
            yield
        finally:
            use.calls, use.streams = use.calls - step[0], use.streams - step[1]

    async def _end_surplus(self, scope: Scope) -> None:
        while len(self._uses) > self._most and (session := self._longest_idle()) is not None:
            self._uses.pop(session)
            await self._app(_deletion(scope, session), _nothing, _unheard)

    def _longest_idle(self) -> str | None:
        *others, _last_used = self._uses
        idle = [session for session in others if not self._uses[session].calls]
        return min(idle, key=lambda session: self._uses[session].streams, default=None)


def _deletion(scope: Scope, session: str) -> Scope:
    """Return the request with which a client ends a session."""
    host = [(name, value) for name, value in scope["headers"] if name == b"host"]
    return {
        **scope,
        "method": "DELETE",
        "path": PATH,
        "raw_path": PATH.encode(),
        "headers": [*host, (ID.encode(), session.encode())],
    }


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(_message: Message) -> None:
    """Let an answer go that nobody waits for."""
