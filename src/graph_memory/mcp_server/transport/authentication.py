"""Requires a valid key or token for every MCP request, before the body is read. Health checks need none."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from pydantic import AnyHttpUrl
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_memory.mcp_server.access import IssuerUnavailable, KeyToken, Verifier
from graph_memory.model.errors import GraphError
from graph_memory.model.rights import Right

OPEN_PATHS = frozenset({"/health", "/health/live", "/health/ready", "/version"})
"""Paths that need no key, because they return no data."""
METADATA_PATH = "/.well-known/oauth-protected-resource"
"""Beginning of the paths of the metadata of a server with tokens (RFC 9728)."""
_NO_ISSUER = "The issuer of access tokens cannot be reached"


@dataclass(frozen=True, slots=True)
class ResourceMetadata:
    """The metadata of a server that accepts the tokens of an issuer (RFC 9728)."""

    resource: str
    """The URL of the server."""
    issuer: str

    @property
    def url(self) -> str:
        """The URL of the metadata."""
        parts = urlsplit(self.resource)
        return f"{parts.scheme}://{parts.netloc}{METADATA_PATH}{parts.path.rstrip('/')}"

    def routes(self) -> list[Route]:
        """Return the routes of the metadata."""
        path = urlsplit(self.url).path
        return [Route(place, self._answer, methods=["GET"]) for place in dict.fromkeys((METADATA_PATH, path))]

    async def _answer(self, _request: Request) -> JSONResponse:
        return JSONResponse(
            {
                "resource": self.resource,
                "authorization_servers": [self.issuer],
                "scopes_supported": [f"memory:{right}" for right in Right],
                "bearer_methods_supported": ["header"],
                "resource_name": "graph-memory",
            }
        )


class Authentication:
    """Answers requests without a valid key or token with 401, and with 503 while none can be verified.

    `metadata_url` is the address of the metadata of a server with tokens. A token without any right is answered with
    403, and the scope that it lacks.
    """

    def __init__(self, app: ASGIApp, verifier: Verifier, metadata_url: str | None = None) -> None:
        self._app = app
        self._metadata_url = metadata_url
        url = None if metadata_url is None else AnyHttpUrl(metadata_url)
        required = RequireAuthMiddleware(self._call, [], url)
        self._checked = AuthenticationMiddleware(required, BearerAuthBackend(verifier))

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = getattr(scope.get("user"), "access_token", None)
        if self._metadata_url is None or (isinstance(token, KeyToken) and token.principal.grants):
            await self._app(scope, receive, send)
            return
        challenge = f'Bearer error="insufficient_scope", scope="memory:read", resource_metadata="{self._metadata_url}"'
        body = {"error": "insufficient_scope", "error_description": "The token has no scope of this memory"}
        await JSONResponse(body, 403, {"WWW-Authenticate": challenge})(scope, receive, send)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the request if it has a valid key or its path needs none."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS or scope["path"].startswith(METADATA_PATH):
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def send_noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._checked(scope, receive, send_noted)
        except (GraphError, IssuerUnavailable) as error:  # of the verifier; calls turn their errors into answers
            if has_begun:
                raise
            text = f"{error.code}: {error.message}" if isinstance(error, GraphError) else _NO_ISSUER
            await PlainTextResponse(text, 503, {"Retry-After": "1"})(scope, receive, send)
