"""The rights of a caller by domain. A server with authentication sets the caller; without one, everything is allowed.

A decision depends only on the caller and the name of the domain. So an unreadable domain is refused in the same way,
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
"""Number of characters of a secret that are stored and shown."""
_SECRET = re.compile(r"gm_[A-Za-z0-9_-]{43}")
_PATTERN = re.compile(r"[A-Za-z0-9*][A-Za-z0-9*._/-]{0,63}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


def new_secret() -> str:
    """Return the secret of a new key: `gm_` and 32 random bytes."""
    return f"gm_{secrets.token_urlsafe(32)}"


def hash_of(secret: str) -> str | None:
    """Return the hash of a secret, or None for text that cannot be one. A fast hash suffices for 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest() if _SECRET.fullmatch(secret) else None


def without_secrets(text: str) -> str:
    """Return the text with every secret of a key shortened to its prefix."""
    return _SECRET.sub(lambda secret: secret[0][:PREFIX_LENGTH], text)


class Right(StrEnum):
    """A right in a domain. Each includes the rights before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def includes(self, other: Right) -> bool:
        """Return whether this right includes another one."""
        order = list(Right)
        return order.index(self) >= order.index(other)


def check_right(text: str) -> Right:
    """Return the right with this name. Raises INVALID_ARGUMENT."""
    if text not in list(Right):
        raise invalid_argument("right", f"{quote(text)} is not a right", f"Use one of {join_names([*Right])}.")
    return Right(text)


@dataclass(frozen=True, slots=True)
class Grant:
    """A right in all domains whose names match a pattern. In a pattern, `*` stands for any characters."""

    pattern: str
    right: Right

    def covers(self, domain: str) -> bool:
        """Return whether the pattern matches a domain."""
        return fnmatchcase(domain, self.pattern)

    @classmethod
    def parse(cls, text: str, default: Right) -> Grant:
        """Return the grant for `PATTERN` or `PATTERN=RIGHT`. Raises INVALID_ARGUMENT."""
        pattern, is_given, right = text.partition("=")
        if not _PATTERN.fullmatch(pattern):
            hint = "Use a domain name, in which * matches any characters, as in team-*."
            raise invalid_argument("domain", f"{quote(pattern)} is not a valid domain pattern", hint)
        return cls(pattern, check_right(right) if is_given else default)


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated caller: its name, which the log records, its grants, and the toolsets that it may use."""

    name: str
    grants: tuple[Grant, ...]
    toolsets: tuple[str, ...] | None = None
    """Names of toolsets, presets and tools. None means every tool of the server."""
    expires: datetime | None = None
    kind: str = "key"
    """How errors call what the caller has shown: a key or a token."""

    def allows(self, domain: str, right: Right) -> bool:
        """Return whether the principal has a right in a domain."""
        return any(grant.right.includes(right) and grant.covers(domain) for grant in self.grants)

    def allows_somewhere(self, right: Right) -> bool:
        """Return whether the principal has a right in any domain."""
        return any(grant.right.includes(right) for grant in self.grants)

    def refusal(self, right: Right) -> GraphError:
        """Return the error for a missing right. It does not name the domain, which may be a default of the server."""
        grants = [f"{grant.pattern} ({grant.right})" for grant in self.grants]
        hint = (
            f"This {self.kind} has rights in {join_names(grants)}. Pass such a domain, or ask the operator of the "
            f"server for a {self.kind} with more rights."
        )
        message = f"The {self.kind} {self.name} has no right to {_VERBS[right]} this domain"
        return GraphError(Code.INSUFFICIENT_RIGHTS, message, {"right": str(right), "rights": grants, "hint": hint})


_VERBS = {Right.READ: "read", Right.WRITE: "write to", Right.ADMIN: "administer"}


@dataclass(slots=True)
class Caller:
    """The principal of a running call, and the domains that the call has omitted and changed."""

    principal: Principal
    needed: Right = Right.READ
    """The right that the operation of the call needs."""
    omitted: set[str] = field(default_factory=set[str])
    written: set[str] = field(default_factory=set[str])


CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)
"""The caller of the running call. None for the owner of the memory, and for the work of the service itself."""


@contextmanager
def calling(caller: Caller | None) -> Generator[Caller | None]:
    """Run the block for a caller. With None, run it as the service itself, which has all rights."""
    token = CALLER.set(caller)
    try:
        yield caller
    finally:
        CALLER.reset(token)


def service_context() -> contextvars.Context:
    """Return a copy of the present context without a caller, for work that outlives the call."""
    context = contextvars.copy_context()
    context.run(CALLER.set, None)
    return context


def require(domain: str, right: Right = Right.READ) -> str:
    """Return the domain. Raises INSUFFICIENT_RIGHTS if there is a caller who lacks this right in it."""
    caller = CALLER.get()
    if caller is not None and not caller.principal.allows(domain, right):
        raise caller.principal.refusal(right)
    if caller is not None and right is not Right.READ:
        caller.written.add(domain)
    return domain


def require_for_operation(domain: str) -> str:
    """Return the domain. Raises INSUFFICIENT_RIGHTS without the right that the running operation needs."""
    caller = CALLER.get()
    return domain if caller is None else require(domain, caller.needed)


def can_read(domain: str, *, counts: bool = True) -> bool:
    """Return whether the caller may read a domain. If not, the call reports it as omitted, unless `counts` is false."""
    caller = CALLER.get()
    if caller is None or caller.principal.allows(domain, Right.READ):
        return True
    if counts:
        caller.omitted.add(domain)
    return False


def readable(domains: Iterable[str]) -> list[str]:
    """Return the domains that the caller may read, in order. The others count as omitted."""
    return [domain for domain in domains if can_read(domain)]


def names_for_caller(domains: Sequence[str]) -> list[str]:
    """Return the domains that the caller may read, and the number of the others in words."""
    names = readable(domains)
    hidden = len(domains) - len(names)
    return [*names, *([f"{hidden} that this key may not read"] if hidden else [])]


def qualified_name(name: str) -> str:
    """Return a name, qualified by the caller, so that callers do not share the data with this name."""
    caller = CALLER.get()
    return name if caller is None else f"{caller.principal.name}\n{name}"


def check_key_name(name: str) -> str:
    """Check the name of a key, and return it. Raises INVALID_ARGUMENT."""
    if not _NAME.fullmatch(name):
        hint = "Use 1 to 64 letters, digits and . _ @ -, starting with a letter or digit, such as anns-laptop."
        raise invalid_argument("name", f"{quote(name)} is not the name of a key", hint)
    return name
