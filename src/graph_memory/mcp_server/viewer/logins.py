"""Browser logins, and the one-time tokens with which the owner of the home folder logs in without a key."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from dataclasses import dataclass
from time import monotonic

from graph_memory.mcp_server.access import KeyToken
from graph_memory.mcp_server.callers import new_session
from graph_memory.mcp_server.presets import Auth

COOKIE = "graph_memory_viewer"
"""Prefix of the cookie's name. See `cookie_name`."""
TOKEN_SECONDS = 300.0
"""Time in seconds for which a one-time token is valid."""
IDLE_SECONDS = 12 * 3_600.0
"""Time in seconds after which an unused login ends."""
MAX_TOKENS = 16
"""Maximum number of one-time tokens. Above it, the oldest token is dropped."""
MAX_LOGINS = 1_000
"""Maximum number of logins. Above it, the least recently used login of the caller with the most logins ends."""


@dataclass(slots=True)
class Login:
    """A browser's login to the viewer."""

    session: str
    """The session id in the log for changes made with the login."""
    key_hash: str | None
    """The hash of the key or token. None on a server without authentication."""
    caller: str
    used_at: float


class Logins:
    """A server's logins and one-time tokens. Only hashes of tokens and cookies are kept, in this process."""

    def __init__(self, auth: Auth) -> None:
        self.auth = auth
        self.url: str | None = None
        """The address of the viewer, once the server listens."""
        self._tokens: dict[str, float] = {}
        """The time at which each one-time token expires, keyed by its hash, oldest first."""
        self._logins: dict[str, Login] = {}
        """The logins, keyed by the hash of their cookie, least recently used first."""

    def new_viewer_url(self) -> str | None:
        """Return an address that opens the viewer, or None while the server does not listen.

        On a server without authentication, the address contains a one-time token in its fragment.
        """
        if self.url is None or self.auth is not Auth.NONE:
            return self.url
        return f"{self.url}#token={self.new_token()}"

    def new_token(self) -> str:
        """Return a new one-time token of 32 random bytes. It is valid for `TOKEN_SECONDS`."""
        if len(self._tokens) >= MAX_TOKENS:
            del self._tokens[next(iter(self._tokens))]
        token = secrets.token_urlsafe(32)
        self._tokens[_digest(token)] = monotonic() + TOKEN_SECONDS
        return token

    def redeem(self, token: str) -> bool:
        """Return whether the text is a valid one-time token, and invalidate it."""
        expires_at = self._tokens.pop(_digest(token), None)
        return expires_at is not None and monotonic() < expires_at

    def begin(self, token: KeyToken | None) -> str:
        """Begin a login, and return the value of its cookie."""
        if len(self._logins) >= MAX_LOGINS:
            busiest_caller = Counter(login.caller for login in self._logins.values()).most_common(1)[0][0]
            del self._logins[next(key for key, login in self._logins.items() if login.caller == busiest_caller)]
        cookie = secrets.token_urlsafe(32)
        key_hash, caller = (None, "") if token is None else (token.hash, token.principal.name)
        self._logins[_digest(cookie)] = Login(new_session(), key_hash, caller, monotonic())
        return cookie

    def find(self, cookie: str) -> Login | None:
        """Return the login with this cookie, and record its use.

        Returns None if there is no such login, or it has ended.
        """
        key = _digest(cookie)
        login = self._logins.pop(key, None)
        if login is None or not _is_fresh(login):
            return None
        login.used_at = monotonic()
        self._logins[key] = login
        return login

    def is_open(self, cookie: str) -> bool:
        """Return whether the login with this cookie is still valid. This does not count as use."""
        login = self._logins.get(_digest(cookie))
        return login is not None and _is_fresh(login)

    def end(self, cookie: str) -> None:
        """End the login with this cookie, if it exists."""
        self._logins.pop(_digest(cookie), None)


def _is_fresh(login: Login) -> bool:
    return monotonic() - login.used_at < IDLE_SECONDS


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
