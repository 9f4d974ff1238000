"""Requires a valid key or token for every MCP request, before the body is read. Health checks need none."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_memory.mcp_server.access import IssuerUnavailable, KeyToken, Verifier
from graph_memory.model.errors import GraphError

OPEN_PATHS = frozenset({"/health", "/health/live", "/health/ready", "/version"})
"""Paths that need no key, because they return no data."""
METADATA_PATH = "/.well-known/oauth-protected-resource"
"""Beginning of the paths of the metadata of a server with tokens (RFC 9728)."""
FIRST_SCOPES = "memory:read memory:write"
"""The scopes that clients request when they sign in, because they request all that the answer names."""
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
        """Return the routes that serve the metadata."""
        path = urlsplit(self.url).path
        return [Route(place, self._answer, methods=["GET"]) for place in dict.fromkeys((METADATA_PATH, path))]

    async def _answer(self, _request: Request) -> JSONResponse:
        return JSONResponse(
            {
                "resource": self.resource,
                "authorization_servers": [self.issuer],
                "scopes_supported": FIRST_SCOPES.split(),
                "bearer_methods_supported": ["header"],
                "resource_name": "graph-memory",
            }
        )


class Authentication:
    """Answers requests without a valid key or token with 401, and with 503 while none can be verified.

    `metadata_url` is the address of the metadata of a server with tokens. Such a server answers a token without any
    right with 403. In both answers, it names the scopes that a client requests at first.
    """

    def __init__(self, app: ASGIApp, verifier: Verifier, metadata_url: str | None = None) -> None:
        self._app = app
        self._metadata_url = metadata_url
        self._checked = AuthenticationMiddleware(self._call, BearerAuthBackend(verifier))

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = getattr(scope["user"], "access_token", None)
        if not isinstance(token, KeyToken):
            refusal = self._challenge(401, "invalid_token", "Authentication required")
        elif self._metadata_url is not None and not token.principal.grants:
            refusal = self._challenge(403, "insufficient_scope", "The token has no scope of this memory")
        else:
            await self._app(scope, receive, send)
            return
        await refusal(scope, receive, send)

    def _challenge(self, status: int, error: str, description: str) -> JSONResponse:
        """Return the response to a request without a token or without a right (RFC 6750)."""
        body = {"error": error, "error_description": description}
        tells = {} if self._metadata_url is None else {"scope": FIRST_SCOPES, "resource_metadata": self._metadata_url}
        challenge = ", ".join(f'{name}="{value}"' for name, value in {**body, **tells}.items())
        return JSONResponse(body, status, {"WWW-Authenticate": f"Bearer {challenge}"})

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
