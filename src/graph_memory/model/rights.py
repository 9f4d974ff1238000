"""A caller's rights per domain. A server with authentication sets the caller. If none is set, everything is allowed.

A decision depends only on the caller and the domain's name. An unreadable domain is therefore rejected in the same way,
and in the same time, whether it exists or not.
"""

from __future__ import annotations

import contextvars
import hashlib
import re
import secrets
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from fnmatch import fnmatchcase

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.wording import join_names, quote
from graph_memory.model.values.arguments import invalid_argument

PREFIX_LENGTH = 11
"""Number of a secret's characters that are stored and shown."""
ALL_DOMAINS = "*"
FROM_ISSUER = "token"
"""The kind of a principal with a token. Its rights are signed by an issuer."""
_SECRET = re.compile(r"gm_[A-Za-z0-9_-]{43}")
PATTERN = r"[A-Za-z0-9*][A-Za-z0-9*._/-]{0,63}"
"""A domain name in which `*` matches any characters."""
_PATTERN = re.compile(PATTERN)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


def new_secret() -> str:
    """Return the secret of a new key: `gm_` and 32 random bytes."""
    return f"gm_{secrets.token_urlsafe(32)}"


def hash_of(secret: str) -> str | None:
    """Return the SHA-256 of a key's secret, or None if the text is not a secret. 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest() if _SECRET.fullmatch(secret) else None


def without_secrets(text: str) -> str:
    """Return the text with every secret of a key shortened to its prefix."""
    return _SECRET.sub(lambda secret: secret[0][:PREFIX_LENGTH], text)


class Right(StrEnum):
    """The rights in a domain, in ascending order. Each right includes the preceding rights."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def includes(self, other: Right) -> bool:
        """Return whether this right includes another right."""
        order = list(Right)
        return order.index(self) >= order.index(other)

    def scope(self, pattern: str = ALL_DOMAINS) -> str:
        """Return the OAuth scope for this right in the domains that match the pattern."""
        return f"memory:{self}" if pattern == ALL_DOMAINS else f"memory:{pattern}:{self}"


def check_right(text: str) -> Right:
    """Return the right with this name. Raises INVALID_ARGUMENT if there is none."""
    if text not in list(Right):
        raise invalid_argument("right", f"{quote(text)} is not a valid right", f"Use one of {join_names([*Right])}.")
    return Right(text)


@dataclass(frozen=True, slots=True)
class Grant:
    """A right in all domains whose names match a pattern. In the pattern, `*` matches any characters."""

    pattern: str
    right: Right

    def covers(self, domain: str) -> bool:
        """Return whether the pattern matches a domain."""
        return fnmatchcase(domain, self.pattern)

    @classmethod
    def parse(cls, text: str, default: Right) -> Grant:
        """Parse a grant of the form `PATTERN=RIGHT`, or `PATTERN` for the default right.

        Raises INVALID_ARGUMENT if the pattern or the right is invalid.
        """
        pattern, is_given, right = text.partition("=")
        if not _PATTERN.fullmatch(pattern):
            hint = "Use a domain name, in which * matches any characters, as in team-*."
            raise invalid_argument("domain", f"{quote(pattern)} is not a valid domain pattern", hint)
        return cls(pattern, check_right(right) if is_given else default)


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated caller: its name for the log, its grants, and the toolsets that it may use."""

    name: str
    grants: tuple[Grant, ...]
    toolsets: tuple[str, ...] | None = None
    """The toolsets, presets and tools that the caller may use. None means all tools of the server."""
    expires: datetime | None = None
    kind: str = "key"
    """The kind of the caller's credential in error messages: `key` or `token`."""

    def scopes(self) -> list[str]:
        """Return the OAuth scopes that correspond to the grants."""
        return [grant.right.scope(grant.pattern) for grant in self.grants]

    def rights(self) -> dict[str, str]:
        """Return the highest right for each domain pattern of the grants."""
        grants = sorted(self.grants, key=lambda grant: list(Right).index(grant.right))
        return {grant.pattern: str(grant.right) for grant in grants}

    def allows(self, domain: str, right: Right) -> bool:
        """Return whether the principal has a right in a domain."""
        return any(grant.right.includes(right) and grant.covers(domain) for grant in self.grants)

    def allows_somewhere(self, right: Right) -> bool:
        """Return whether the principal has the right in at least one domain."""
        return any(grant.right.includes(right) for grant in self.grants)

    def missing_right_error(self, right: Right) -> GraphError:
        """Return the INSUFFICIENT_RIGHTS error, without the domain's name, which may be a server's default."""
        grants = [f"{grant.pattern} ({grant.right})" for grant in self.grants]
        has_other_domain = right is not Right.ADMIN and self.allows_somewhere(right)
        advice = "Use a domain with this right, or ask" if has_other_domain else "Ask"
        hint = (
            f"This {self.kind} has rights in {join_names(grants)}. {advice} the operator of the server for a "
            f"{self.kind} with more rights."
        )
        message = f"The {self.kind} {quote(self.name)} has no right to {_VERBS[right]} this domain"
        return GraphError(Code.INSUFFICIENT_RIGHTS, message, {"right": str(right), "rights": grants, "hint": hint})


_VERBS = {Right.READ: "read", Right.WRITE: "write to", Right.ADMIN: "administer"}


@dataclass(slots=True)
class Caller:
    """The principal of a running call, the domains omitted for missing rights, and the changed domains."""

    principal: Principal
    needed: Right = Right.READ
    """The right that the called operation needs in its domain."""
    omitted: set[str] = field(default_factory=set[str])
    written: set[str] = field(default_factory=set[str])


CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)
"""The running call's caller. None means the memory's owner or the service itself, which have all rights."""


@contextmanager
def run_as(caller: Caller | None) -> Generator[Caller | None]:
    """Run the `with` block with the caller's rights. With None, run it as the service itself, with all rights."""
    token = CALLER.set(caller)
    try:
        yield caller
    finally:
        CALLER.reset(token)


def service_context() -> contextvars.Context:
    """Return a copy of the current context without a caller, for background work that outlives the call."""
    context = contextvars.copy_context()
    context.run(CALLER.set, None)
    return context


def require(domain: str, right: Right = Right.READ) -> str:
    """Return the domain. Raises INSUFFICIENT_RIGHTS if the caller does not have this right in the domain."""
    caller = CALLER.get()
    if caller is not None and not caller.principal.allows(domain, right):
        raise caller.principal.missing_right_error(right)
    if caller is not None and right is not Right.READ:
        caller.written.add(domain)
    return domain


def require_for_operation(domain: str) -> str:
    """Return the domain. Raises INSUFFICIENT_RIGHTS if the caller does not have the running operation's right in it."""
    caller = CALLER.get()
    return domain if caller is None else require(domain, caller.needed)


def can_read(domain: str, *, counts: bool = True) -> bool:
    """Return whether the caller may read a domain. If not, the call reports it as omitted, unless `counts` is False."""
    caller = CALLER.get()
    if caller is None or caller.principal.allows(domain, Right.READ):
        return True
    if counts:
        caller.omitted.add(domain)
    return False


def readable(domains: Iterable[str]) -> list[str]:
    """Return the domains that the caller may read, in order. The call reports the other domains as omitted."""
    return [domain for domain in domains if can_read(domain)]


def names_for_caller(domains: Sequence[str]) -> list[str]:
    """Return the domains that the caller may read. If some are missing, the last item states how many."""
    names = readable(domains)
    hidden_count = len(domains) - len(names)
    return [*names, *([f"{hidden_count} that this key may not read"] if hidden_count else [])]


def qualified_name(name: str) -> str:
    """Return the name prefixed with the caller's name, so that callers do not share data.

    If there is no caller, the name is returned unchanged.
    """
    caller = CALLER.get()
    return name if caller is None else f"{caller.principal.name}\n{name}"


def check_key_name(name: str) -> str:
    """Check the name of a key, and return it. Raises INVALID_ARGUMENT if the name is invalid."""
    if not _NAME.fullmatch(name):
        hint = "Use 1 to 64 letters, digits and . _ @ -, starting with a letter or digit, such as anns-laptop."
        raise invalid_argument("name", f"{quote(name)} is not a valid key name", hint)
    return name
