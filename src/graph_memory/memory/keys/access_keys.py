"""Access keys of HTTP clients. A key is a node without a domain, and contains only a hash of the secret."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.rights import PREFIX_LENGTH, Grant, Principal, Right, hash_of, new_secret
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.schema import STEPS_LOCK
from graph_memory.storage.store import Store, Transaction


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A stored key. `grants` is JSON with pairs of a pattern and a right."""

    hash: str
    name: str
    prefix: str
    grants: str
    toolsets: list[str] | None
    created: datetime
    expires: datetime | None
    used: datetime | None

    @property
    def principal(self) -> Principal:
        """The caller identified by this key, with its rights."""
        grants = tuple(Grant(pattern, Right(right)) for pattern, right in json.loads(self.grants))
        toolsets = None if self.toolsets is None else tuple(self.toolsets)
        return Principal(self.name, grants, toolsets, self.expires)

    def is_expired(self, now: datetime) -> bool:
        """Return whether the key has expired."""
        return self.expires is not None and self.expires <= now


CREATE = query("keys/create", NoRow)
FIND = query("keys/find", KeyRow)
LIST = query("keys/list", KeyRow)
SHORTEN_VALIDITY = query("keys/shorten", NoRow)
DELETE = query("keys/delete", NoRow)
RECORD_USE = query("keys/used", NoRow)


async def find_key(store: Store, key_hash: str) -> KeyRow | None:
    """Return the key with this hash, or None. Hashes are compared in constant time."""
    row = await store.first_row(FIND, hash=key_hash)
    return row if row is not None and secrets.compare_digest(row.hash, key_hash) else None


async def list_keys(store: Store) -> list[KeyRow]:
    """Return all keys, sorted by name. Keys with the same name are sorted newest first."""
    return await store.read(LIST)


async def create_key(store: Store, principal: Principal, now: datetime) -> str:
    """Store a key and return its secret. Raises INVALID_ARGUMENT if its name is in use."""
    secret = new_secret()

    async def create(transaction: Transaction) -> None:
        await transaction.run(STEPS_LOCK)
        rows = await transaction.read(LIST)
        keys_with_name = [row for row in rows if row.name == principal.name and row.hash != hash_of(secret)]
        if keys_with_name:
            hint = Hint("Choose another name, or run {graph-memory key rotate} to replace the key.")
            if all(row.is_expired(now) for row in keys_with_name):
                hint = Hint("It has expired. Run {graph-memory key revoke}, and create it again.")
            raise invalid_argument("name", f"A key named {principal.name} already exists", hint)
        await _create(transaction, secret, principal, now)

    await store.write("create_key", create)
    return secret


async def rotate_key(store: Store, name: str, now: datetime, until: datetime) -> tuple[str, Principal]:
    """Create a second key with the same name and rights. Return its secret and its principal.

    The old key expires at `until`. Raises INVALID_ARGUMENT if the name is unknown or the old key has expired.
    """
    secret = new_secret()

    async def rotate(transaction: Transaction) -> Principal:
        await transaction.run(STEPS_LOCK)
        rows = [row for row in await transaction.read(LIST) if row.name == name and row.hash != hash_of(secret)]
        if not rows:
            raise unknown_key_error(name)
        if rows[0].is_expired(now):
            hint = Hint("Run {graph-memory key revoke}, and create a key with this name.")
            raise invalid_argument("name", f"The key {quote(name)} has expired", hint)
        await transaction.run(SHORTEN_VALIDITY, hashes=[row.hash for row in rows], at=until)
        await _create(transaction, secret, rows[0].principal, now)
        return rows[0].principal

    return secret, await store.write("rotate_key", rotate)


async def _create(transaction: Transaction, secret: str, principal: Principal, now: datetime) -> None:
    await transaction.run(
        CREATE,
        hash=hash_of(secret),
        name=principal.name,
        prefix=secret[:PREFIX_LENGTH],
        grants=json.dumps([(grant.pattern, str(grant.right)) for grant in principal.grants]),
        toolsets=None if principal.toolsets is None else list(principal.toolsets),
        at=now,
        expires=principal.expires,
    )


async def revoke_keys(store: Store, name: str) -> Sequence[KeyRow]:
    """Delete and return the keys with this name or prefix. Raises INVALID_ARGUMENT if there are none."""

    async def revoke(transaction: Transaction) -> Sequence[KeyRow]:
        rows = [row for row in await transaction.read(LIST) if name in (row.name, row.prefix)]
        await transaction.run(DELETE, hashes=[row.hash for row in rows])
        return rows

    rows = await store.write("revoke_key", revoke)
    if not rows:
        raise unknown_key_error(name)
    return rows


def unknown_key_error(name: str) -> GraphError:
    """Return the error for an unknown key name or prefix."""
    hint = Hint("Run {graph-memory key list} to see the keys.")
    return GraphError(Code.INVALID_ARGUMENT, f"No key is named {quote(name)}", {"argument": "name", "hint": hint})


async def record_use(store: Store, key_hash: str, now: datetime) -> None:
    """Store `now` as the time at which the key was last used."""

    async def record(transaction: Transaction) -> None:
        await transaction.run(RECORD_USE, hash=key_hash, at=now)

    await store.write("key_used", record)
