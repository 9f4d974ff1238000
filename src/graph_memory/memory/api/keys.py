"""`Keys`: creates, lists, rotates and revokes the keys of HTTP clients."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from graph_memory.memory.core import Core
from graph_memory.memory.keys import access_keys
from graph_memory.memory.keys.access_keys import KeyRow
from graph_memory.memory.keys.results import KeyInfo, KeyList, KeyRevocationResult, NewKey
from graph_memory.model.rights import PREFIX_LENGTH, Grant, Principal, check_key_name, check_right
from graph_memory.model.time.points import parse_instant
from graph_memory.model.values.arguments import invalid_argument

GRACE = timedelta(hours=24)
"""Default period for which the old key stays valid after a rotation."""
_MIN_USE_INTERVAL = timedelta(minutes=1)
"""Minimum time between two updates of a key's last use."""


class Keys:
    """The keys of HTTP clients, and their rights. Use it as `Memory.keys`.

    A key has a name, which the log records as the actor, and rights in all domains that match its patterns. It can also
    have toolsets and an expiry time. Every server on this database accepts it.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    async def create(
        self,
        name: str,
        *,
        domains: Sequence[str],
        right: str = "read",
        toolsets: Sequence[str] | None = None,
        expires: datetime | str | None = None,
    ) -> NewKey:
        """Create a key, and return it with its secret. The secret is not stored.

        Each entry of `domains` is a pattern in which `*` matches any characters. A pattern may have its own right, as
        in `archive=read`. Raises INVALID_ARGUMENT if an argument is invalid or the name is already in use.
        """
        now = self._core.log.clock()
        default = check_right(right)
        grants = tuple(Grant.parse(text, default) for text in domains)
        if not grants:
            raise invalid_argument("domain", "The key has no rights", "Pass a domain pattern, such as team-*.")
        expiry = None if expires is None else parse_instant("expires", expires, now)
        if expiry is not None and expiry <= now:
            raise invalid_argument(
                "expires", "The expiry time of the key is in the past", 'Pass a later time, such as "in 90 days".'
            )
        names = None if toolsets is None else tuple(toolsets)
        principal = Principal(check_key_name(name), grants, names, expiry)
        with self._core.audit.act("create_key", name, origin=self._core.origin):
            secret = await access_keys.create_key(self._core.store, principal, now)
        return _new_key(secret, principal, now)

    async def list(self) -> KeyList:
        """Return all keys with their rights, without their secrets, sorted by name."""
        return KeyList(keys=tuple(map(_key_info, await access_keys.list_keys(self._core.store))))

    async def revoke(self, name: str) -> KeyRevocationResult:
        """Delete all keys with this name, or the key with this prefix. All servers reject them within five seconds."""
        with self._core.audit.act("revoke_key", name, origin=self._core.origin):
            revoked = await access_keys.revoke_keys(self._core.store, name)
        return KeyRevocationResult(revoked=tuple(map(_key_info, revoked)))

    async def rotate(self, name: str, *, grace: timedelta = GRACE) -> NewKey:
        """Create and return another key with the same name, rights and expiry. The old key stays valid for `grace`."""
        now = self._core.log.clock()
        with self._core.audit.act("rotate_key", name, origin=self._core.origin):
            secret, principal = await access_keys.rotate_key(self._core.store, name, now, now + grace)
        return _new_key(secret, principal, now)

    async def find(self, key_hash: str) -> Principal | None:
        """Return the caller whose key has this hash, or None if there is no such key or it has expired."""
        now = self._core.log.clock()
        row = await access_keys.find_key(self._core.store, key_hash)
        if row is None or row.is_expired(now):
            return None
        if row.used is None or now - row.used > _MIN_USE_INTERVAL:
            await access_keys.record_use(self._core.store, row.hash, now)
        return row.principal


def _new_key(secret: str, principal: Principal, now: datetime) -> NewKey:
    return NewKey(
        key=secret,
        name=principal.name,
        prefix=secret[:PREFIX_LENGTH],
        rights=principal.rights(),
        toolsets=principal.toolsets,
        created=now,
        expires=principal.expires,
    )


def _key_info(row: KeyRow) -> KeyInfo:
    principal = row.principal
    return KeyInfo(
        name=row.name,
        prefix=row.prefix,
        rights=principal.rights(),
        toolsets=principal.toolsets,
        created=row.created,
        expires=row.expires,
        last_used=row.used,
    )
