"""Reading the words of an index again, once the rules have changed, while searches go on.

What a passage says does not change, so its vector stays. Only rows that have other than ASCII characters are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.recall import names
from graph_memory.memory.recall.coverage import READING, Position
from graph_memory.memory.recall.rows import key_of, words_of
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Transaction

OWNERS = 200
"""Maximum number of owners whose rows are read at once."""
ROWS = 1_000
"""Maximum number of rows that are written in one transaction."""


@dataclass(frozen=True, slots=True)
class RereadRow:
    """A passage or a name of an owner; neither in the row that ends an owner."""

    owner: str
    id: str | None
    head: str | None
    text: str | None
    name: str | None


ROWS_TO_REREAD = query("recall/rows_to_reread", RereadRow)
REREAD = query("recall/reread", Nothing)
REREAD_TO = query("recall/reread_to", Nothing)


async def reread(core: Core, domain: str, position: Position) -> None:
    """Read the words of the next owners of an index again; note it where there are no others."""
    rows = await core.store.read(ROWS_TO_REREAD, domain=domain, after=position.reread_to, limit=OWNERS)
    found = [row for row in rows if row.id is not None]
    for start in range(0, len(found), ROWS):
        await _write(core, domain, found[start : start + ROWS])

    async def note(transaction: Transaction) -> None:
        owner, reading = (rows[-1].owner, None) if rows else (None, READING)
        await transaction.run(REREAD_TO, domain=domain, owner=owner, reading=reading)

    await core.store.write("reread", note)


async def _write(core: Core, domain: str, rows: Sequence[RereadRow]) -> None:
    passages = [{**asdict(row), "words": words_of(row.head or "", row.text or "")} for row in rows if row.name is None]
    named = [{**asdict(row), **_named(row.name)} for row in rows if row.name is not None]

    async def attempt(transaction: Transaction) -> None:
        await transaction.run(REREAD, domain=domain, passages=passages, names=named)

    await core.store.write("reread", attempt)


def _named(name: str) -> Mapping[str, str]:
    words = f" {' '.join(names.words(name))} "
    return {"words": words, "key": key_of(words)}
