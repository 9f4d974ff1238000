"""Indexes texts of entities and observations in the background, since indexing would dominate the cost of a write."""

from __future__ import annotations

from graph_memory.memory.core import Core
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Transaction

MIN_WAITING = 250
"""Number of unindexed texts in a domain at which indexing starts. A search can scan fewer without delay."""
_MAX_PER_TRANSACTION = 1_000
"""Maximum number of entities and observations that are indexed in one transaction."""

WAITING = query("entities/waiting", str)
INDEX_TEXTS = query("entities/index_texts", int)
MARK_INDEXED = query("entities/indexed_texts", int)


def index_in_background(core: Core, domain: str) -> None:
    """Index the pending texts of a domain in the background."""
    core.background.start(f"indexing texts of domain {domain}", index_texts(core, domain))


async def index_texts(core: Core, domain: str) -> None:
    """Index the pending texts of a domain in pages. The function can be cancelled at any time."""
    while ids := await core.store.read(WAITING, domain=domain, limit=_MAX_PER_TRANSACTION):
        if not await _index(core, domain, ids):
            return


async def _index(core: Core, domain: str, ids: list[str]) -> int:
    """Index texts, then mark them as indexed in a second transaction. Returns the number of marked texts."""
    marked_count = 0
    for statement in (INDEX_TEXTS, MARK_INDEXED):

        async def attempt(transaction: Transaction, statement: Query[int] = statement) -> int:
            return sum(await transaction.run(statement, domain=domain, ids=ids))

        marked_count = await core.store.write("index_texts", attempt)
    return marked_count
