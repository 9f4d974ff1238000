"""The viewer's API over HTTP: a request for each operation, logins, and an OpenAPI description."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import cast

from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from graph_memory.mcp_server.access import Access, IssuerUnavailable, KeyToken, Verifier
from graph_memory.mcp_server.advice import Advice
from graph_memory.mcp_server.callers import WITHOUT_SESSIONS
from graph_memory.mcp_server.control import CallControl
from graph_memory.mcp_server.errors import mask_internal_errors
from graph_memory.mcp_server.running import CallRunner, Client
from graph_memory.mcp_server.startup import Startup, report_nothing
from graph_memory.mcp_server.table import tool_of
from graph_memory.mcp_server.viewer.change_events import ChangeEvents
from graph_memory.mcp_server.viewer.front_end import serve_file
from graph_memory.mcp_server.viewer.gate import (
    LOGIN,
    LOGIN_STATE,
    LOGOUT,
    OPENAPI,
    SESSION,
    VIEW,
    cookie_name,
    cookie_of,
    is_json,
    login_required,
)
from graph_memory.mcp_server.viewer.logins import Login, Logins
from graph_memory.mcp_server.viewer.openapi import describe_api
from graph_memory.mcp_server.viewer.statuses import API, SAFE_HEADERS, error_response, json_response
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import Principal, Right
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.plain import NotJson, parse_json_strictly
from graph_memory.operations.table import OPERATIONS
from graph_memory.settings import Settings

ACTOR = "viewer"
"""The actor in the log for the viewer's changes on a server without keys."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HttpContext:
    """The context of an API call."""

    request: Request
    request_id: str
    lifespan_context: Startup
    protocol_version: str = WITHOUT_SESSIONS


class HttpApi:
    """The routes of the viewer and its API."""

    def __init__(
        self, settings: Settings, logins: Logins, verifier: Verifier | None, control: CallControl | None = None
    ) -> None:
        served = [operation for operation in OPERATIONS.values() if not (operation.local or operation.in_session)]
        self._tools = {operation.name: tool_of(operation) for operation in served}
        access = Access(verifier)
        self._runner = CallRunner(self._tools, settings, Advice(self._tools, ["all"]), access, control)
        self._events = ChangeEvents(self._runner, logins, verifier, settings.domain)
        self._settings = settings
        self._logins = logins
        self._verifier = verifier
        self._startup: Startup | None = None

    def attach(self, startup: Startup) -> None:
        """Use the running server's memory for API calls."""
        self._startup = startup

    def routes(self) -> list[Route]:
        """Return the routes of the viewer's files, the logins and the API."""
        return [
            Route("/", _redirect, methods=["GET"]),
            Route(VIEW.rstrip("/"), _redirect, methods=["GET"]),
            Route(f"{VIEW}{{path:path}}", serve_file, methods=["GET"]),
            Route(LOGIN, self._log_in, methods=["POST"]),
            Route(LOGOUT, self._log_out, methods=["POST"]),
            Route(SESSION, self._describe_session, methods=["GET"]),
            Route(OPENAPI, self._describe_api, methods=["GET"]),
            Route(f"{API}events", self._follow_changes, methods=["GET"]),
            Route(f"{API}{{operation:path}}", self._call, methods=["POST"]),
        ]

    async def _call(self, request: Request) -> Response:
        name = request.path_params["operation"]
        if (tool := self._tools.get(name)) is None:
            hint = suggestion(name, [*self._tools], f"See {OPENAPI} for the list of operations.")
            message = f"Operation {quote(name)} does not exist here"
            return error_response(GraphError(Code.INVALID_ARGUMENT, message, {"hint": hint}), 404)
        try:
            with mask_internal_errors():
                arguments = _read_object(await request.body())
                result = await self._runner.run(tool, arguments, self._context(request), self._client(request))
                return json_response(result)
        except GraphError as error:
            return error_response(error)

    def _context(self, request: Request) -> HttpContext:
        if self._startup is None:
            raise GraphError(Code.STARTING, "The server is starting", {"hint": "Try again in a moment."})
        return HttpContext(request, secrets.token_hex(8), self._startup)

    def _client(self, request: Request) -> Client:
        """Return the client of a request. A browser counts as a person, and a program with a key as an agent."""
        login: Login | None = getattr(request.state, LOGIN_STATE, None)
        return Client(ACTOR, report_nothing, source=None if login is None else "user")

    async def _follow_changes(self, request: Request) -> Response:
        try:
            with mask_internal_errors():
                return await self._events.respond(self._context(request), request)
        except GraphError as error:
            return error_response(error)

    async def _log_in(self, request: Request) -> Response:
        """Begin a login with a one-time token or, on a server with authentication, with a key or token."""
        try:
            if not is_json(request.headers):
                raise invalid_argument(
                    "token", "The body of a login must be JSON", "Send Content-Type: application/json."
                )
            secret = _read_object(await request.body()).get("token")
            if not isinstance(secret, str) or not secret:
                raise invalid_argument("token", "The login has no token", 'Send {"token": "…"}.')
            token = None if self._verifier is None else await self._verifier.verify_token(secret)
        except GraphError as error:
            return error_response(error)
        except IssuerUnavailable:
            return error_response(GraphError(Code.STORE_UNAVAILABLE, "The token issuer cannot be reached"))
        is_valid = isinstance(token, KeyToken) if self._verifier else self._logins.redeem(secret)
        if not is_valid:
            _log.warning("A browser's login was refused")
            return login_required(self._verifier is not None)
        self._logins.end(cookie_of(request.headers))
        response = Response(status_code=204, headers={**SAFE_HEADERS, "Cache-Control": "no-store"})
        cookie = self._logins.begin(token if isinstance(token, KeyToken) else None)
        name = cookie_name(request.headers)
        response.set_cookie(name, cookie, secure=self._is_secure(request), httponly=True, samesite="strict")
        return response

    def _is_secure(self, request: Request) -> bool:
        """Return whether the browser uses https, possibly to a proxy in front of the server."""
        urls = (str(request.url), self._settings.public_url or "", request.headers.get("origin", ""))
        return any(url.startswith("https://") for url in urls)

    async def _log_out(self, request: Request) -> Response:
        self._logins.end(cookie_of(request.headers))
        response = Response(status_code=204, headers={**SAFE_HEADERS, "Cache-Control": "no-store"})
        name = cookie_name(request.headers)
        response.delete_cookie(name, secure=self._is_secure(request), httponly=True, samesite="strict")
        return response

    async def _describe_session(self, request: Request) -> Response:
        """Answer with the sender's login state and rights."""
        kind = str(self._logins.auth)
        login: Login | None = getattr(request.state, LOGIN_STATE, None)
        user = request.scope.get("user")
        if login is None and user is None:
            return json_response({"authenticated": False, "kind": kind})
        principal: Principal | None = None if user is None else user.access_token.principal
        return json_response(
            {
                "authenticated": True,
                "kind": kind,
                "name": (self._settings.actor or ACTOR) if principal is None else principal.name,
                "rights": {"*": str(Right.ADMIN)} if principal is None else principal.rights(),
                "default_domain": self._settings.domain,
                "operations": [
                    name for name, tool in self._tools.items() if self._runner.access.offers(principal, tool.operation)
                ],
                "version": version("graph-memory"),
            }
        )

    async def _describe_api(self, request: Request) -> Response:
        operations = [tool.operation for tool in self._tools.values()]
        return json_response(describe_api(operations, version("graph-memory"), cookie_name(request.headers)))


def _read_object(body: bytes) -> Mapping[str, object]:
    """Return the JSON object in a body, or an empty object if it is empty. Raises INVALID_ARGUMENT for other bodies."""
    try:
        value: object = from_json(body) if body else {}
    except ValueError as error:
        hint = "Send the arguments as one JSON object."
        raise invalid_argument("body", f"The body is not valid JSON: {_json_problem(body)}", hint) from error
    if not isinstance(value, dict):
        raise invalid_argument("body", "The body is not a JSON object", "Send the arguments as one JSON object.")
    return cast("Mapping[str, object]", value)


def _json_problem(body: bytes) -> str:
    try:
        parse_json_strictly(body)
    except NotJson as problem:
        return str(problem)
    return "it cannot be read"


async def _redirect(_request: Request) -> Response:
    return RedirectResponse(VIEW, 307, SAFE_HEADERS)
