"""Requires a valid key for every MCP request, before the body is read. Health checks need no key."""

from __future__ import annotations

from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_memory.mcp_server.access import KeyVerifier
from graph_memory.model.errors import GraphError

OPEN_PATHS = frozenset({"/health", "/health/live", "/health/ready", "/version"})
"""Paths that need no key, because they return no data."""


class Authentication:
    """Answers requests without a valid key with 401, and with 503 while keys cannot be read."""

    def __init__(self, app: ASGIApp, verifier: KeyVerifier) -> None:
        self._app = app
        self._checked = AuthenticationMiddleware(RequireAuthMiddleware(app, []), BearerAuthBackend(verifier))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the request if it has a valid key or its path needs none."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def send_noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._checked(scope, receive, send_noted)
        except GraphError as error:  # of the verifier; calls turn their errors into answers
            if has_begun:
                raise
            await PlainTextResponse(f"{error.code}: {error.message}", 503, {"Retry-After": "1"})(scope, receive, send)
