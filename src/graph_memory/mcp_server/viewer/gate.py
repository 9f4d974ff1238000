"""Requires a login or key for the API before a request's body is read. The viewer's files need neither."""

from __future__ import annotations

from dataclasses import dataclass

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from graph_memory.mcp_server.access import IssuerUnavailable, KeyToken, Verifier
from graph_memory.mcp_server.callers import CONNECTION_SESSION
from graph_memory.mcp_server.viewer.logins import COOKIE, Login, Logins
from graph_memory.mcp_server.viewer.statuses import API, error_response
from graph_memory.model.errors import Code, GraphError

VIEW = "/view/"
"""Prefix of the URL paths of the viewer's files."""
HEADER, HEADER_VALUE = "X-Graph-Memory", "viewer"
"""A header that other sites' pages cannot send, and its value."""
LOGIN, LOGOUT, SESSION, OPENAPI = (f"{API}{name}" for name in ("login", "logout", "session", "openapi.json"))
MAX_LOGIN_BYTES = 20_000
"""Maximum size of the body of a request without a login or key, in bytes."""
LOGIN_STATE = "viewer_login"
"""The field in a request's state for the browser's login."""
_OPEN_PATHS = frozenset({LOGIN, LOGOUT, SESSION, OPENAPI})
"""API paths that need no login."""
_OWN_PATHS = frozenset({"/", VIEW.rstrip("/")})


@dataclass(frozen=True, slots=True)
class Visitor:
    """A request's authenticated sender: a browser with a login, or a program with a key."""

    token: KeyToken | None
    login: Login | None


class ViewerGate:
    """Passes requests for the viewer to `app`, and other requests to `others`."""

    def __init__(self, app: ASGIApp, others: ASGIApp, logins: Logins, verifier: Verifier | None) -> None:
        self._app = app
        self._others = others
        self._logins = logins
        self._verifier = verifier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the request, or respond with 400, 401, 403, 413 or 503."""
        path = scope["path"] if scope["type"] == "http" else ""
        if path not in _OWN_PATHS and not path.startswith((VIEW, API)):
            await self._others(scope, receive, send)
            return
        refusal = await self._admit(scope)
        await (self._app if refusal is None else refusal)(scope, receive, send)

    async def _admit(self, scope: Scope) -> Response | None:
        """Add the sender's key or login to an API request. If the request is rejected, return an error response."""
        request, path = Request(scope), scope["path"]
        is_open = not path.startswith(API) or path in _OPEN_PATHS
        if is_open and (refusal := reject_large_body(request.headers)):
            return refusal
        if path != LOGIN and (refusal := _reject_forgery(request)):
            return refusal
        if is_open and path != SESSION:
            return None
        try:
            visitor = await self._identify(request)
        except GraphError as error:
            return error_response(error)
        except IssuerUnavailable:
            message = "The issuer of access tokens cannot be reached"
            return error_response(GraphError(Code.STORE_UNAVAILABLE, message, {"hint": "Try again in a moment."}))
        if visitor is None:
            return None if path == SESSION else login_required(self._verifier is not None)
        if visitor.token is not None:
            scope["user"] = AuthenticatedUser(visitor.token)
        if visitor.login is not None:
            session = {CONNECTION_SESSION: visitor.login.session, LOGIN_STATE: visitor.login}
            scope["state"] = {**scope.get("state", {}), **session}
        return None

    async def _identify(self, request: Request) -> Visitor | None:
        """Return a request's sender, or None if it has no valid key or login. A key in a header takes precedence."""
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme:
            if self._verifier is None or scheme.lower() != "bearer":
                return None
            token = await self._verifier.verify_token(secret.strip())
            return Visitor(token, None) if isinstance(token, KeyToken) else None
        cookie = cookie_of(request.headers)
        login = self._logins.find(cookie)
        if login is None or self._verifier is None or login.key_hash is None:
            return None if login is None else Visitor(None, login)
        token = await self._verifier.verify_hash(login.key_hash)
        if token is None:
            self._logins.end(cookie)
            return None
        return Visitor(token, login)


def cookie_name(headers: Headers) -> str:
    """Return the name of the viewer's cookie.

    It contains the port, because browsers send cookies to all ports of a host.
    """
    port = headers.get("host", "").rpartition(":")[2]
    return f"{COOKIE}_{port}" if port.isdecimal() else COOKIE


def cookie_of(headers: Headers) -> str:
    """Return the value of the viewer's cookie, or an empty string."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers), "")


def is_json(headers: Headers) -> bool:
    """Return whether a request's body is JSON. A form on another site cannot send this type."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _reject_forgery(request: Request) -> Response | None:
    """Return an error response if another site's page could have caused this writing request, otherwise None."""
    headers = request.headers
    if request.method in ("GET", "HEAD") or "authorization" in headers or not cookie_of(headers):
        return None
    if headers.get(HEADER) == HEADER_VALUE and is_json(headers):
        return None
    hint = f"Send the headers {HEADER}: {HEADER_VALUE} and Content-Type: application/json."
    message = "The request may come from another site's page"
    return error_response(GraphError(Code.INSUFFICIENT_RIGHTS, message, {"hint": hint}))


def reject_large_body(headers: Headers) -> Response | None:
    """Return an error response if a request without login or key has a body that is too large or of unknown size.

    Otherwise, returns None.
    """
    is_chunked = "transfer-encoding" in headers  # HTTP then ignores the length
    length = "unknown" if is_chunked else headers.get("content-length", "0")
    if length.isdecimal() and int(length) <= MAX_LOGIN_BYTES:
        return None
    message = f"The body has {length} bytes; without a login, the limit is {MAX_LOGIN_BYTES:,}"
    return error_response(GraphError(Code.CONTENT_TOO_LARGE, message, {"limit": MAX_LOGIN_BYTES}))


def login_required(has_keys: bool) -> Response:
    """Return the response to a request without a valid login or key."""
    key_hint = "Log in with a key, or send a key in the header Authorization: Bearer gm_…"
    hint = key_hint if has_keys else "Run `graph-memory view`, and open the address that it prints."
    error = GraphError(Code.INSUFFICIENT_RIGHTS, "This request has no valid login or key", {"hint": hint})
    headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'} if has_keys else {}
    return error_response(error, 401, headers)
