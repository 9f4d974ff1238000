"""Verifies access tokens signed by an OAuth 2.1 or OpenID Connect issuer, and converts their scopes to rights.

The service is a resource server, which issues no tokens itself (RFC 6750, RFC 9728). Tokens are JWTs (RFC 9068). The
issuer's keys are located with OpenID Connect Discovery or RFC 8414.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic, time
from typing import Any, cast
from urllib.parse import urlsplit

import anyio
import httpx2
import jwt

from graph_memory.mcp_server.access import MAX_CACHED_TOKENS, IssuerUnavailable, KeyToken
from graph_memory.mcp_server.startup import Startup
from graph_memory.model.errors import GraphError
from graph_memory.model.rights import FROM_ISSUER, Grant, Principal, Right
from graph_memory.model.text.visible import to_visible
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.settings import Settings

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signature algorithms with a public key. Tokens with other algorithms, such as `none` and HMAC, are rejected."""
LEEWAY_SECONDS = 30
"""Maximum tolerated difference in seconds between the issuer's clock and this machine's clock."""
KEYS_VALID_SECONDS = 3_600.0
"""Time in seconds for which the issuer's keys are trusted after they were fetched."""
PAUSE_SECONDS = 10.0
"""Minimum time in seconds between two requests for keys, so that not every forged token causes a request."""
MAX_TOKEN = 16_384
"""Maximum number of characters of a token. A longer token is rejected."""
MAX_SUBJECT = 256
"""Maximum number of characters of a subject. The log records the subject as the actor."""
_MAX_RESPONSE_BYTES = 1 << 20
FETCH_SECONDS = 5.0
"""Maximum time in seconds to fetch the metadata and the keys of the issuer."""
_FETCH_ERRORS = (httpx2.HTTPError, httpx2.InvalidURL, ValueError, AttributeError, RecursionError)
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SCOPE = "memory:"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TokenRules:
    """The issuer and audience that tokens must have, and the rights that claim values grant."""

    issuer: str
    audience: str
    claim: str = "groups"
    rights: Mapping[str, Sequence[Grant]] = field(default_factory=dict[str, Sequence[Grant]])

    @classmethod
    def of(cls, settings: Settings, resource: str) -> TokenRules:
        """Return the token rules from the settings. By default, the audience is the server's URL.

        Raises INVALID_ARGUMENT if no issuer is set, or a URL or right is invalid.
        """
        issuer = settings.oidc_issuer or ""
        if not is_secure_url(issuer):
            hint = "Set GRAPH_MEMORY_OIDC_ISSUER to the https URL of the issuer, exactly as in its tokens."
            raise invalid_argument("auth", f"{quote(issuer)} is not the URL of an issuer", hint)
        rights = {
            value: tuple(Grant.parse(text.strip(), Right.READ) for text in grants.split(","))
            for value, grants in settings.oidc_rights.items()
        }
        return cls(issuer, settings.oidc_audience or resource, settings.oidc_claim, rights)


class Issuer:
    """An issuer's signing keys. They are fetched when needed, and cached."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._keys: dict[str, jwt.PyJWK] = {}
        self._valid_until = self._next_try = float("-inf")
        self._is_reachable = False
        self._fetch_lock = anyio.Lock()

    async def key(self, key_id: str) -> jwt.PyJWK | None:
        """Return the key with this id, or None if the issuer has no such key.

        Raises IssuerUnavailable if the issuer cannot be reached and the cached keys have expired or do not include this
        key.
        """
        if key_id in self._keys and monotonic() < self._valid_until:
            return self._keys[key_id]
        async with self._fetch_lock:
            is_cached = key_id in self._keys and monotonic() < self._valid_until
            if not is_cached and monotonic() >= self._next_try:
                self._next_try = monotonic() + PAUSE_SECONDS
                await self._refresh()
        if monotonic() >= self._valid_until or (key_id not in self._keys and not self._is_reachable):
            raise IssuerUnavailable
        return self._keys.get(key_id)

    async def _refresh(self) -> None:
        """Fetch the keys. If that fails, the cached keys stay valid until `KEYS_VALID_SECONDS` after their fetch."""
        self._is_reachable = False
        try:
            with anyio.fail_after(FETCH_SECONDS):
                document = await _fetch(str((await self._metadata())["jwks_uri"]))
            self._keys = dict(_usable_keys(document["keys"]))
        except (*_FETCH_ERRORS, KeyError, TypeError, TimeoutError) as error:
            _log.warning("No keys from the issuer %s: %s", self._url, _describe(error))
            return
        self._valid_until = monotonic() + KEYS_VALID_SECONDS
        self._is_reachable = True

    async def _metadata(self) -> Mapping[str, Any]:
        """Return the issuer's metadata. Raises ValueError if no metadata contains exactly the issuer's URL."""
        parts = urlsplit(self._url)
        path = parts.path.rstrip("/")
        urls = (
            f"{self._url.rstrip('/')}/.well-known/openid-configuration",
            f"{parts.scheme}://{parts.netloc}/.well-known/oauth-authorization-server{path}",
        )
        for url in urls:
            with suppress(*_FETCH_ERRORS):
                metadata = await _fetch(url)
                if metadata.get("issuer") == self._url:
                    return metadata
        raise ValueError("no metadata under this URL names an issuer with exactly this URL")


async def _fetch(url: str) -> Mapping[str, Any]:
    """Return the JSON object at a URL.

    Raises ValueError if the URL is not secure, or the answer is too large or not JSON. Raises the errors of httpx2.
    """
    if not is_secure_url(url):
        raise ValueError(f"{url} does not begin with https://")
    is_local = urlsplit(url).hostname in _LOOPBACK  # proxies do not serve loopback addresses
    async with (
        httpx2.AsyncClient(timeout=FETCH_SECONDS, trust_env=not is_local) as client,
        client.stream("GET", url, headers={"Accept-Encoding": "identity"}) as response,
    ):
        response.raise_for_status()
        body = bytearray()
        async for part in response.aiter_raw():  # decoded parts may be of any size
            body += part
            if len(body) > _MAX_RESPONSE_BYTES:
                raise ValueError(f"{url} answered with more than {_MAX_RESPONSE_BYTES:,} bytes")
    return cast("Mapping[str, Any]", json.loads(body))


def _usable_keys(keys: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, jwt.PyJWK]]:
    """Yield each public key for signatures with its id. Other keys are skipped."""
    for key in keys:
        if key.get("kty") in ("RSA", "EC", "OKP") and key.get("use", "sig") == "sig":
            with suppress(jwt.PyJWTError, ValueError):
                yield str(key.get("kid", "")), jwt.PyJWK(dict(key))


def is_secure_url(url: str) -> bool:
    """Return whether a URL uses https, or http on this machine.

    Other machines cannot forge the answers of such a URL.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    is_local = parts.scheme == "http" and parts.hostname in _LOOPBACK
    return bool(parts.hostname) and (parts.scheme == "https" or is_local)


class OidcVerifier:
    """Verifies the access tokens of requests. Valid tokens are cached until they expire."""

    def __init__(self, rules: TokenRules) -> None:
        self._rules = rules
        self._issuer = Issuer(rules.issuer)
        self._tokens: dict[str, KeyToken] = {}

    def attach(self, startup: Startup) -> None:
        """Do nothing, because tokens are verified without the memory."""

    async def verify_token(self, token: str) -> KeyToken | None:
        """Return the access token with its rights, or None if it is not valid.

        Raises IssuerUnavailable if the token's key cannot be fetched.
        """
        if len(token) > MAX_TOKEN or not token.isascii():
            return None
        token_hash = hashlib.sha256(token.encode()).hexdigest()
        if (cached_token := await self.verify_hash(token_hash)) is not None:
            return cached_token
        try:
            new_token = self._token_of(await self._claims(token), token_hash)
        except (jwt.PyJWTError, ValueError, TypeError, ArithmeticError, RecursionError) as error:
            _log.warning("Rejected a token: %s", _describe(error))
            return None
        if len(self._tokens) >= MAX_CACHED_TOKENS:
            del self._tokens[next(iter(self._tokens))]
        self._tokens[token_hash] = new_token
        return new_token

    async def verify_hash(self, key_hash: str) -> KeyToken | None:
        """Return the token with this hash if it was verified before and has not expired, otherwise None."""
        token = self._tokens.get(key_hash)
        if token is not None and token.expires_at is not None and token.expires_at <= time():
            del self._tokens[key_hash]
            return None
        return token

    async def _claims(self, token: str) -> Mapping[str, Any]:
        """Return the claims of a valid token. Raises ValueError or an error of jwt if the token is not valid."""
        header = jwt.get_unverified_header(token)
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS:
            raise ValueError(f"its algorithm is not one of {', '.join(ALGORITHMS)}")
        key = await self._issuer.key(str(header.get("kid", "")))
        if key is None:
            raise ValueError("the issuer has no key with its key id")
        return jwt.decode(
            token,
            key.key,
            algorithms=[algorithm],
            audience=self._rules.audience,
            issuer=self._rules.issuer,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True},
        )

    def _token_of(self, claims: Mapping[str, Any], token_hash: str) -> KeyToken:
        """Return the access token for these claims.

        Raises ValueError if the subject is empty, too long, or has invisible characters that the log cannot show.
        """
        name = str(claims["sub"])
        if name != to_visible(name).strip() or not 0 < len(name) <= MAX_SUBJECT:
            raise ValueError(f"its subject is not a string of 1 to {MAX_SUBJECT} visible characters")
        principal = Principal(name, tuple(grants_of(claims, self._rules)), kind=FROM_ISSUER)
        expires = int(claims["exp"]) + LEEWAY_SECONDS
        return KeyToken(token="", client_id=name, scopes=[], expires_at=expires, principal=principal, hash=token_hash)


def grants_of(claims: Mapping[str, Any], rules: TokenRules) -> Iterator[Grant]:
    """Yield the grants of the token's scopes, and the grants that the rules assign to its claim values.

    The scope `memory:RIGHT` grants a right in all domains, and `memory:PATTERN:RIGHT` in the domains that match the
    pattern. Other scopes are ignored.
    """
    for scope in (*_values_of(claims.get("scope")), *_values_of(claims.get("scp"))):
        if scope.startswith(_SCOPE):
            pattern, has_pattern, right = scope.removeprefix(_SCOPE).rpartition(":")
            with suppress(GraphError):
                yield Grant.parse(f"{pattern if has_pattern else '*'}={right}", Right.READ)
    for value in _values_of(claims.get(rules.claim)):
        yield from rules.rights.get(value, ())


def _describe(error: Exception) -> str:
    """Return an error's message in printable form for the log, because it may quote a token."""
    return printable(str(error)) or type(error).__name__


def _values_of(claim: object) -> list[str]:
    """Return the values of a claim. A claim is a list, or a string of words separated by spaces."""
    if isinstance(claim, list):
        return [value for value in cast("list[object]", claim) if isinstance(value, str)]
    return claim.split() if isinstance(claim, str) else []
