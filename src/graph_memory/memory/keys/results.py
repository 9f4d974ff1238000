"""Results of the operations on access keys of HTTP clients."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result, Timestamp


class KeyInfo(Result):
    """A key, without its secret."""

    name: str
    prefix: str = Field(description="Beginning of the secret, by which you can recognise the key")
    rights: dict[str, str] = Field(description="The rights of the key, by domain pattern")
    toolsets: tuple[str, ...] | None = Field(
        default=None, description="The toolsets that the key can use; absent if it can use all tools of the server"
    )
    created: Timestamp
    expires: Timestamp | None = Field(
        default=None, description="Time at which the key expires; absent if it never does"
    )
    last_used: Timestamp | None = Field(default=None, description="Time of the last use, accurate to the minute")


class NewKey(KeyInfo):
    """A new key with its secret, which is not stored."""

    key: str = Field(description="The secret")


class KeyList(Result):
    """All keys, sorted by name."""

    keys: tuple[KeyInfo, ...]


class KeyRevocationResult(Result):
    """The deleted keys."""

    revoked: tuple[KeyInfo, ...]
