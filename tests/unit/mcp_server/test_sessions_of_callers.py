"""The limits of sessions: one caller does not end or change the sessions of another."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from starlette.types import Message, Receive, Scope, Send

from graph_memory.mcp_server import selection as module
from graph_memory.mcp_server.callers import SESSION, Context
from graph_memory.mcp_server.selection import Selection
from graph_memory.mcp_server.transport.sessions import ID, Sessions
from graph_memory.model.rights import Caller, Grant, Principal, Right, run_as

pytestmark = pytest.mark.anyio


class Protocol:
    """An application that opens a session for each request without one, and records the sessions that are ended."""

    def __init__(self) -> None:
        self.opened = 0
        self.ended: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "DELETE":
            self.ended.append(dict(scope["headers"])[ID.encode()].decode())
            return
        self.opened += 1
        session = f"{scope['user'].display_name}-{self.opened}"
        await send({"type": "http.response.start", "status": 200, "headers": [(ID.encode(), session.encode())]})


async def test_the_caller_with_most_sessions_loses_its_own_first():
    protocol = Protocol()
    sessions = Sessions(protocol, 3)

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(_message: Message) -> None:
        """Ignore the message."""

    for name in ("ann", "bob", "bob", "bob", "bob"):
        user = SimpleNamespace(display_name=name)
        scope: Scope = {"type": "http", "method": "POST", "headers": [], "user": user}
        await sessions(scope, receive, send)
    assert protocol.ended == ["bob-2", "bob-3"]


def context_of(session: str) -> Context:
    """Return the context of an HTTP call that names a session."""
    headers = SimpleNamespace(getlist=lambda name: [session] if name == SESSION else [])
    return cast("Context", SimpleNamespace(request=SimpleNamespace(headers=headers)))


def test_callers_with_different_keys_share_neither_a_selection_nor_its_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_SESSIONS", 2)
    selection = Selection()
    ann, bob = (Caller(Principal(name, (Grant("*", Right.READ),))) for name in ("ann", "bob"))
    with run_as(ann):
        selection.select(context_of("shared"), "recipes")
    with run_as(bob):
        assert selection.selected_domain(context_of("shared")) is None
        for session in ("first", "second", "third"):
            selection.select(context_of(session), "travel")
        assert selection.selected_domain(context_of("first")) is None
        assert selection.selected_domain(context_of("third")) == "travel"
    with run_as(ann):
        assert selection.selected_domain(context_of("shared")) == "recipes"
