"""Results of the operations on access keys of HTTP clients."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result, Timestamp


class KeyInfo(Result):
    """A key, without its secret."""

    name: str
    prefix: str = Field(description="Beginning of the secret, to recognise the key")
    rights: dict[str, str] = Field(description="Rights, keyed by domain pattern")
    toolsets: tuple[str, ...] | None = Field(default=None, description="Default: every tool of the server")
    created: Timestamp
    expires: Timestamp | None = None
    last_used: Timestamp | None = Field(default=None, description="Accurate to the minute")


class NewKey(KeyInfo):
    """A new key with its secret, which is not stored."""

    key: str


class KeyList(Result):
    """All keys, sorted by name."""

    keys: tuple[KeyInfo, ...]


class KeyRevocationResult(Result):
    """The deleted keys."""

    revoked: tuple[KeyInfo, ...]
