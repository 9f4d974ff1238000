"""Indexes texts of entities and observations in the background, since indexing would dominate the cost of a write."""

from __future__ import annotations

from graph_memory.memory.core import Core
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Transaction

MIN_WAITING = 250
"""Minimum number of waiting texts in a domain before they are indexed. Scanning fewer does not slow a search down."""
_AT_ONCE = 1_000
"""Maximum number of entities and observations that are indexed in one transaction."""

WAITING = query("entities/waiting", str)
INDEX_TEXTS = query("entities/index_texts", int)
INDEXED_TEXTS = query("entities/indexed_texts", int)


def index_in_background(core: Core, domain: str) -> None:
    """Index the waiting texts of a domain in the background."""
    core.background.start(f"indexing texts of domain {domain}", index_texts(core, domain))


async def index_texts(core: Core, domain: str) -> None:
    """Index the waiting texts of a domain in pages. May be interrupted at any time."""
    while ids := await core.store.read(WAITING, domain=domain, limit=_AT_ONCE):
        if not await _index(core, domain, ids):
            return


async def _index(core: Core, domain: str, ids: list[str]) -> int:
    """Index texts, and return how many still waited. A second transaction marks them as indexed."""
    number = 0
    for statement in (INDEX_TEXTS, INDEXED_TEXTS):

        async def attempt(transaction: Transaction, statement: Query[int] = statement) -> int:
            return sum(await transaction.run(statement, domain=domain, ids=ids))

        number = await core.store.write("index_texts", attempt)
    return number
