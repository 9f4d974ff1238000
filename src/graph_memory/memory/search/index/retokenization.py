"""Tokenizes the rows of an index again after the tokenization rules have changed. Searches still work meanwhile.

A passage's text does not change, so the passage keeps its vector. Only rows with apostrophes or non-ASCII characters
are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.search.index.coverage import WORD_RULES_VERSION, Position
from graph_memory.memory.search.index.rows import key_of, words_of
from graph_memory.memory.search.text import names
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.store import Transaction

OWNERS = 200
"""Maximum number of owners whose rows are read per page."""
ROWS = 1_000
"""Maximum number of rows written per transaction."""


@dataclass(frozen=True, slots=True)
class RetokenizedRow:
    """A passage or name of an owner. Each owner's last row contains neither."""

    owner: str
    id: str | None
    head: str | None
    text: str | None
    name: str | None


ROWS_TO_RETOKENIZE = query("search/rows_to_retokenize", RetokenizedRow)
RETOKENIZE = query("search/retokenize", NoRow)
RETOKENIZED_TO = query("search/retokenized_to", NoRow)


async def retokenize_page(core: Core, domain: str, position: Position) -> None:
    """Tokenize the rows of the next owners again. After the last owner, store the current version of the rules."""
    rows = await core.store.read(ROWS_TO_RETOKENIZE, domain=domain, after=position.retokenized_to, limit=OWNERS)
    rows_with_id = [row for row in rows if row.id is not None]
    for start in range(0, len(rows_with_id), ROWS):
        await _write(core, domain, rows_with_id[start : start + ROWS])

    async def record(transaction: Transaction) -> None:
        owner, word_rules_version = (rows[-1].owner, None) if rows else (None, WORD_RULES_VERSION)
        await transaction.run(RETOKENIZED_TO, domain=domain, owner=owner, word_rules_version=word_rules_version)

    await core.store.write("retokenize", record)


async def _write(core: Core, domain: str, rows: Sequence[RetokenizedRow]) -> None:
    passages = [{**asdict(row), "words": words_of(row.head or "", row.text or "")} for row in rows if row.name is None]
    names_to_write = [
        {**asdict(row), "words": (words := f" {' '.join(names.split_words(row.name))} "), "key": key_of(words)}
        for row in rows
        if row.name is not None
    ]

    async def attempt(transaction: Transaction) -> None:
        await transaction.run(RETOKENIZE, domain=domain, passages=passages, names=names_to_write)

    await core.store.write("retokenize", attempt)
