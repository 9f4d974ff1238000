"""Texts of entities and observations, indexed behind the searches: a write would pay more for it than for all else."""

from __future__ import annotations

from graph_memory.memory.core import Core
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Transaction

MANY = 250
"""Texts that wait in a domain before they are indexed: looking through so many does not slow a search down."""
_AT_ONCE = 1_000
"""Entities, and observations, that are indexed in one transaction."""

WAITING = query("entities/waiting", str)
INDEX_TEXTS = query("entities/index_texts", int)
INDEXED_TEXTS = query("entities/indexed_texts", int)


def index_behind(core: Core, domain: str) -> None:
    """Have the texts of a domain indexed that wait for it, behind what goes on."""
    core.background.start(f"indexing texts of domain {domain}", index_texts(core, domain))


async def index_texts(core: Core, domain: str) -> None:
    """Index the texts of a domain that wait for it, some at a time; it may be left off at any time."""
    while ids := await core.store.read(WAITING, domain=domain, limit=_AT_ONCE):
        if not await _index(core, domain, ids):
            return


async def _index(core: Core, domain: str, ids: list[str]) -> int:
    """Index texts, and return how many of them still waited. They stop waiting in a transaction of its own."""
    number = 0
    for statement in (INDEX_TEXTS, INDEXED_TEXTS):

        async def attempt(transaction: Transaction, statement: Query[int] = statement) -> int:
            return sum(await transaction.run(statement, domain=domain, ids=ids))

        number = await core.store.write("index_texts", attempt)
    return number
