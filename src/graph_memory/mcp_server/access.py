"""Identifies the callers of a server with keys, checks their keys, and decides what each may call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Generator
from contextlib import contextmanager, suppress
from time import monotonic, time
from typing import Any, Protocol, cast

from mcp.server.auth.provider import AccessToken
from starlette.requests import Request

from graph_memory.mcp_server.callers import Context
from graph_memory.mcp_server.startup import Startup
from graph_memory.mcp_server.table import tools_of
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import Caller, Principal, Right, calling, hash_of
from graph_memory.model.text.wording import join_names, quote
from graph_memory.operations.operation import AnyOperation

CACHE_SECONDS = 2.0
"""Time for which a server trusts a key that it has read. A revoked key is rejected after this time at the latest."""
MOST_CACHED = 1_000


class IssuerUnavailable(Exception):  # noqa: N818 - a state of another service
    """The issuer of access tokens cannot be reached, so no token can be verified."""


class KeyToken(AccessToken):
    """The access token of a request with a valid key, or with a valid token of an issuer."""

    principal: Principal
    hash: str


class Verifier(Protocol):
    """Verifies the keys or tokens of requests."""

    def attach(self, startup: Startup) -> None:
        """Use the memory of the running server."""
        ...

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access token for a key or token, or None if it is not valid."""
        ...

    async def verify_hash(self, key_hash: str) -> KeyToken | None:
        """Return the access token for the key or token with this hash, or None if it is not valid."""
        ...


class KeyVerifier:
    """Looks up the keys of requests in the database. A key that was found is trusted for a short time."""

    def __init__(self) -> None:
        self._startup: Startup | None = None
        self._cache: dict[str, tuple[float, KeyToken]] = {}

    def attach(self, startup: Startup) -> None:
        """Use the memory of the running server to look up keys."""
        self._startup = startup

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access token for a key, or None if it is not valid. Raises the errors of opening the memory."""
        key_hash = hash_of(token)
        return None if key_hash is None else await self.verify_hash(key_hash)

    async def verify_hash(self, key_hash: str) -> KeyToken | None:
        """Return the access token for the key with this hash, or None if the key is not valid."""
        until, cached = self._cache.get(key_hash, (0.0, None))
        if cached is None or monotonic() >= until:
            self._cache.pop(key_hash, None)
            read_at = monotonic()
            if (cached := await self._read(key_hash)) is None:
                return None
            if len(self._cache) >= MOST_CACHED:
                del self._cache[next(iter(self._cache))]
            self._cache[key_hash] = (read_at + CACHE_SECONDS, cached)
        return None if cached.expires_at is not None and cached.expires_at <= time() else cached

    async def _read(self, key_hash: str) -> KeyToken | None:
        if self._startup is None:
            raise GraphError(Code.STARTING, "The server is starting", {"hint": "Try again in a moment."})
        memory = await self._startup.memory(_no_progress)
        principal = await memory.keys.find(key_hash)
        if principal is None:
            return None
        end = None if principal.expires is None else int(principal.expires.timestamp())
        return KeyToken(
            token="", client_id=principal.name, scopes=[], expires_at=end, principal=principal, hash=key_hash
        )


async def _no_progress(_seconds: float, _stage: str) -> None:
    """Report no progress, since the request is not read yet."""


Watch = Callable[[Collection[str]], Awaitable[bool]]
"""Returns whether a client that waits for changes may know of a change of these domains."""


class Access:
    """Runs calls with the rights of their callers. With a verifier, every call needs a key."""

    def __init__(self, verifier: Verifier | None) -> None:
        self._verifier = verifier
        self._tools: dict[tuple[str, ...], frozenset[str]] = {}

    def principal_of(self, ctx: Context) -> Principal | None:
        """Return the caller of this request, not of its session. Returns None on a server without keys.

        Raises INSUFFICIENT_RIGHTS for a request without a key.
        """
        return None if self._verifier is None else _token_of(ctx).principal

    def watch(self, ctx: Context) -> Watch:
        """Return a function that checks whether the caller may know of changes. It never may with an invalid key."""
        verifier = self._verifier
        key_hash = "" if verifier is None else _token_of(ctx).hash

        async def may_know(domains: Collection[str]) -> bool:
            if verifier is None:
                return True
            token = None
            with suppress(GraphError):  # the key cannot be read now, and the call of another client has succeeded
                token = await verifier.verify_hash(key_hash)
            return token is not None and any(token.principal.allows(domain, Right.READ) for domain in domains)

        return may_know

    @contextmanager
    def acting(self, ctx: Context, operation: AnyOperation | None = None) -> Generator[Caller | None]:
        """Run the block with the rights of the caller, if they allow the operation. Raises INSUFFICIENT_RIGHTS."""
        principal = self.principal_of(ctx)
        if principal is None:
            yield None
            return
        if operation is not None:
            self._check(principal, operation)
        with calling(Caller(principal, operation.right if operation else Right.READ)) as caller:
            yield caller

    def offers(self, principal: Principal | None, operation: AnyOperation) -> bool:
        """Return whether the caller may call the operation in at least one domain."""
        return principal is None or (self._has_tool(principal, operation.name) and _has_right(principal, operation))

    def _has_tool(self, principal: Principal, tool: str) -> bool:
        if principal.toolsets is None:
            return True
        if principal.toolsets not in self._tools:
            self._tools[principal.toolsets] = frozenset(tools_of(principal.toolsets))
        return tool in self._tools[principal.toolsets]

    def _check(self, principal: Principal, operation: AnyOperation) -> None:
        if not self._has_tool(principal, operation.name):
            toolsets = principal.toolsets or ()
            tools = join_names(toolsets)
            hint = f"This {principal.kind} has the tools of {tools}. Ask the operator of the server for more."
            details: dict[str, Any] = {"toolsets": list(toolsets), "hint": hint}
            message = f"The {principal.kind} {principal.name} has no right to call {quote(operation.name)}"
            raise GraphError(Code.INSUFFICIENT_RIGHTS, message, details)
        if not _has_right(principal, operation):
            raise principal.refusal(operation.right)


def _token_of(ctx: Context) -> KeyToken:
    request = cast("Request | None", ctx.request)
    token = None if request is None else getattr(request.scope.get("user"), "access_token", None)
    if not isinstance(token, KeyToken):
        hint = "Send a key in the header Authorization: Bearer gm_…"
        raise GraphError(Code.INSUFFICIENT_RIGHTS, "This request has no key", {"hint": hint})
    return token


def _has_right(principal: Principal, operation: AnyOperation) -> bool:
    return principal.allows_somewhere(operation.right)
