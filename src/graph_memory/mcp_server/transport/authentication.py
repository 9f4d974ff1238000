"""Requires a valid key or token for every MCP request, before its body is read. Health checks need no key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from mcp import types
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_memory.mcp_server.access import NEEDED_SCOPES, IssuerUnavailable, KeyToken, Verifier
from graph_memory.mcp_server.viewer.gate import reject_large_body
from graph_memory.model.errors import Code, GraphError

OPEN_PATHS = frozenset({"/health", "/health/live", "/health/ready", "/version"})
"""Paths that need no key, because they return no data."""
METADATA_PATH = "/.well-known/oauth-protected-resource"
"""The path prefix for the metadata of a server with tokens (RFC 9728)."""
FIRST_SCOPES = "memory:read memory:write"
"""The scopes in the metadata and in most rejections. Clients request all of them when they sign in."""
_NO_ISSUER = "The issuer of access tokens cannot be reached"


def rpc_error_response(error: GraphError, status: int, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response to an MCP request that is rejected before its body is parsed. Clients show its message."""
    rendered = {"code": types.INVALID_REQUEST, "message": str(error), "data": error.to_dict()}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": rendered}, status, headers)


@dataclass(frozen=True, slots=True)
class ResourceMetadata:
    """The metadata of a server that accepts the tokens of an issuer (RFC 9728)."""

    resource: str
    """The server's public URL, for which the issuer creates tokens."""
    issuer: str

    @property
    def url(self) -> str:
        """The URL of the metadata on this server."""
        parts = urlsplit(self.resource)
        return f"{parts.scheme}://{parts.netloc}{METADATA_PATH}{parts.path.rstrip('/')}"

    def routes(self) -> list[Route]:
        """Return the routes that serve the metadata."""
        path = urlsplit(self.url).path
        return [Route(route, self._answer, methods=["GET"]) for route in dict.fromkeys((METADATA_PATH, path))]

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
    """Answers requests without a valid key or token with 401. If keys or tokens cannot be verified, answers with 503.

    `metadata_url` is the URL of the metadata of a server with tokens. That server answers with 403 if the token has no
    rights. These 401 and 403 answers list the scopes that a client should request first. If the token has rights but no
    scope for the called operation, the server also answers with 403, and lists the scopes that the client needs.
    """

    def __init__(self, app: ASGIApp, verifier: Verifier, metadata_url: str | None = None) -> None:
        self._app = app
        self._metadata_url = metadata_url
        self._authenticated_app = AuthenticationMiddleware(self._call, BearerAuthBackend(verifier))

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = getattr(scope["user"], "access_token", None)
        if not isinstance(token, KeyToken):
            refusal = self._challenge(401, "invalid_token", self._missing_token_error(Headers(scope=scope)))
        elif self._metadata_url is not None and not token.principal.grants:
            error = GraphError(Code.INSUFFICIENT_RIGHTS, "The token has no scope for this memory")
            refusal = self._challenge(403, "insufficient_scope", error)
        else:
            await self._app(scope, receive, self._add_challenge(scope, send))
            return
        await refusal(scope, receive, send)

    def _add_challenge(self, scope: Scope, send: Send) -> Send:
        """Return a function that sends the response. If the request needs more scopes, it adds the challenge."""

        async def send_challenged(message: Message) -> None:
            needed = scope.get("state", {}).get(NEEDED_SCOPES)
            if message["type"] == "http.response.start" and needed is not None:
                message["status"] = 403
                MutableHeaders(scope=message)["WWW-Authenticate"] = self._challenge_text(
                    {"error": "insufficient_scope", "error_description": "The operation needs more scopes"}, needed
                )
            await send(message)

        return send_challenged

    def _missing_token_error(self, headers: Headers) -> GraphError:
        has_keys = self._metadata_url is None
        kind = "access key" if has_keys else "access token"
        scheme, _, secret = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            message, hint = f"The request has no {kind}", "Send it in the header `Authorization: Bearer …`."
        else:
            message = f"The {kind} is not valid"
            key_hint = "It is unknown, expired or revoked. Ask the operator of the server for a new one."
            hint = key_hint if has_keys else "It has expired, or is not for this server. Sign in again."
        return GraphError(Code.INSUFFICIENT_RIGHTS, message, {"hint": hint})

    def _challenge(self, status: int, code: str, error: GraphError) -> JSONResponse:
        """Return the response to a request without a valid token or without rights (RFC 6750)."""
        challenge = {"error": code, "error_description": error.message}
        return rpc_error_response(error, status, {"WWW-Authenticate": self._challenge_text(challenge, FIRST_SCOPES)})

    def _challenge_text(self, error: Mapping[str, str], scopes: str) -> str:
        parameters = {} if self._metadata_url is None else {"scope": scopes, "resource_metadata": self._metadata_url}
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in {**error, **parameters}.items())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the request if it has a valid key or its path needs no key."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["path"] in OPEN_PATHS or scope["path"].startswith(METADATA_PATH):
            await (reject_large_body(Headers(scope=scope)) or self._app)(scope, receive, send)
            return
        has_begun = False

        async def send_and_note(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._authenticated_app(scope, receive, send_and_note)
        except (GraphError, IssuerUnavailable) as error:  # raised by the verifier; errors of calls become answers
            if has_begun:
                raise
            text = f"{error.code}: {error.message}" if isinstance(error, GraphError) else _NO_ISSUER
            await PlainTextResponse(text, 503, {"Retry-After": "1"})(scope, receive, send)
