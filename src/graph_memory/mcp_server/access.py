"""Identifies callers by their keys, verifies the keys, and decides which operations each caller may call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Generator, MutableMapping
from contextlib import contextmanager, suppress
from time import monotonic, time
from typing import Any, Protocol, cast

from mcp.server.auth.provider import AccessToken
from starlette.requests import Request

from graph_memory.mcp_server.callers import Context
from graph_memory.mcp_server.startup import Startup, report_nothing
from graph_memory.mcp_server.table import tools_of
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import FROM_ISSUER, Caller, Principal, Right, hash_of, run_as
from graph_memory.model.text.wording import join_names, quote
from graph_memory.operations.operation import AnyOperation

CACHE_SECONDS = 2.0
"""Time in seconds for which a server caches a key. A revoked key is rejected within this time."""
MAX_CACHED_TOKENS = 1_000
"""Maximum number of verified keys or tokens in a server's cache."""
NEEDED_SCOPES = "needed_scopes"
"""The field in a request's state for the scopes that a rejected request needs."""


class IssuerUnavailable(Exception):  # noqa: N818 - the state of another service
    """Raised if the issuer of access tokens cannot be reached, so that tokens cannot be verified."""


class KeyToken(AccessToken):
    """The access token of a request with a valid key, or with an issuer's valid token."""

    principal: Principal
    hash: str


class Verifier(Protocol):
    """Verifies the keys or tokens of HTTP requests."""

    def attach(self, startup: Startup) -> None:
        """Use the running server's memory for verification."""
        ...

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access token for a key or token, or None if the key or token is not valid."""
        ...

    async def verify_hash(self, key_hash: str) -> KeyToken | None:
        """Return the access token for the key or token with this hash, or None if there is no valid one."""
        ...


class KeyVerifier:
    """Looks up the keys of requests in the database. Valid keys are cached for `CACHE_SECONDS`."""

    def __init__(self) -> None:
        self._startup: Startup | None = None
        self._cache: dict[str, tuple[float, KeyToken]] = {}

    def attach(self, startup: Startup) -> None:
        """Use the running server's memory to look up keys."""
        self._startup = startup

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access token for a key, or None if the key is not valid.

        While the memory is opening, raises STARTING. If opening failed, raises its error.
        """
        key_hash = hash_of(token)
        return None if key_hash is None else await self.verify_hash(key_hash)

    async def verify_hash(self, key_hash: str) -> KeyToken | None:
        """Return the access token for the key with this hash, or None if the key is not valid."""
        until, cached = self._cache.get(key_hash, (0.0, None))
        if cached is None or monotonic() >= until:
            self._cache.pop(key_hash, None)
            read_time = monotonic()
            if (cached := await self._read_key(key_hash)) is None:
                return None
            if len(self._cache) >= MAX_CACHED_TOKENS:
                del self._cache[next(iter(self._cache))]
            self._cache[key_hash] = (read_time + CACHE_SECONDS, cached)
        return None if cached.expires_at is not None and cached.expires_at <= time() else cached

    async def _read_key(self, key_hash: str) -> KeyToken | None:
        if self._startup is None:
            raise GraphError(Code.STARTING, "The server is starting", {"hint": "Try again in a moment."})
        memory = await self._startup.memory(report_nothing)  # the request has not been read yet
        principal = await memory.keys.find(key_hash)
        if principal is None:
            return None
        expires_at = None if principal.expires is None else int(principal.expires.timestamp())
        return KeyToken(
            token="", client_id=principal.name, scopes=[], expires_at=expires_at, principal=principal, hash=key_hash
        )


NotificationCheck = Callable[[Collection[str]], Awaitable[bool]]
"""Returns whether a client may be notified of a change in these domains."""


class Access:
    """Runs calls with the rights of their callers. With a verifier, every call needs a key."""

    def __init__(self, verifier: Verifier | None) -> None:
        self._verifier = verifier
        self._tools_by_toolsets: dict[tuple[str, ...], frozenset[str]] = {}

    def principal_of(self, ctx: Context) -> Principal | None:
        """Return the caller of this request, or None on a server without keys.

        The caller is the sender of the request, even if another caller opened its session. Raises INSUFFICIENT_RIGHTS
        if the request has no key.
        """
        return None if self._verifier is None else _token_of(ctx).principal

    def notification_check(self, ctx: Context) -> NotificationCheck:
        """Return a function that checks whether the caller may be notified of changes.

        The function returns False once the caller's key is no longer valid.
        """
        verifier = self._verifier
        key_hash = "" if verifier is None else _token_of(ctx).hash

        async def may_notify(domains: Collection[str]) -> bool:
            if verifier is None:
                return True
            token = None
            with suppress(GraphError):  # a key that cannot be read now must not fail the call that made the change
                token = await verifier.verify_hash(key_hash)
            return token is not None and any(token.principal.allows(domain, Right.READ) for domain in domains)

        return may_notify

    @contextmanager
    def run_as_caller(self, ctx: Context, operation: AnyOperation | None = None) -> Generator[Caller | None]:
        """Run the block with the caller's rights. Raises INSUFFICIENT_RIGHTS if they do not include the operation."""
        principal = self.principal_of(ctx)
        if principal is None:
            yield None
            return
        if operation is not None:
            self._check_call(ctx, principal, operation)
        with run_as(Caller(principal, operation.right if operation else Right.READ)) as caller:
            yield caller

    def offers(self, principal: Principal | None, operation: AnyOperation) -> bool:
        """Return whether the caller may call the operation in at least one domain."""
        return principal is None or (
            self._has_tool(principal, operation.name) and principal.allows_somewhere(operation.right)
        )

    def _has_tool(self, principal: Principal, tool: str) -> bool:
        if principal.toolsets is None:
            return True
        if principal.toolsets not in self._tools_by_toolsets:
            self._tools_by_toolsets[principal.toolsets] = frozenset(tools_of(principal.toolsets))
        return tool in self._tools_by_toolsets[principal.toolsets]

    def _check_call(self, ctx: Context, principal: Principal, operation: AnyOperation) -> None:
        if not self._has_tool(principal, operation.name):
            toolsets = principal.toolsets or ()
            tools = join_names(toolsets)
            hint = f"This {principal.kind} has the tools of {tools}. Ask the operator of the server for more."
            details: dict[str, Any] = {"toolsets": list(toolsets), "hint": hint}
            message = f"The {principal.kind} {quote(principal.name)} has no right to call {quote(operation.name)}"
            raise GraphError(Code.INSUFFICIENT_RIGHTS, message, details)
        if not principal.allows_somewhere(operation.right):
            if principal.kind == FROM_ISSUER:
                _state_of(ctx)[NEEDED_SCOPES] = " ".join(dict.fromkeys([*principal.scopes(), operation.right.scope()]))
            raise principal.missing_right_error(operation.right)


def needs_scopes(ctx: Context) -> bool:
    """Return whether this request was rejected because its token lacks a scope."""
    return ctx.request is not None and NEEDED_SCOPES in _state_of(ctx)


def _state_of(ctx: Context) -> MutableMapping[str, object]:
    return cast("Request", ctx.request).scope.setdefault("state", {})


def _token_of(ctx: Context) -> KeyToken:
    request = cast("Request | None", ctx.request)
    token = None if request is None else getattr(request.scope.get("user"), "access_token", None)
    if not isinstance(token, KeyToken):
        hint = "Send a key in the header Authorization: Bearer gm_…"
        raise GraphError(Code.INSUFFICIENT_RIGHTS, "This request has no key", {"hint": hint})
    return token
