"""How often, and when last, a node was given to somebody: noted in memory, written behind the calls.

Counted are the nodes of a reply about what is now, each once: the hits of a search or a recall, and a node or content
that was asked for by its id. Complete lists, such as queries and neighbours, say nothing of what was of use.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import anyio

from graph_memory.memory.access_counter import Access
from graph_memory.memory.core import Core
from graph_memory.model.errors import GraphError
from graph_memory.storage.queries import Nothing, Query, query
from graph_memory.storage.store import Transaction

EVERY = 5.0
"""Seconds between two times that counts are written."""
PAGE = 500
"""Nodes whose counts are written in one transaction: writers of the domain wait for it."""
AT_END = 1.0
"""Seconds that closing gives to writing the last counts."""
MOST_LISTED = 1_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AccessRow:
    """How often a node was given to somebody, and when last."""

    id: str
    count: int
    last: datetime


ADD = query("search/add_accesses", int)
ADD_TOGETHER = query("search/add_together", int)
MOST_USED = query("search/most_used", AccessRow)
ACCESSES = query("search/accesses", AccessRow)
DROP_ACCESS = query("search/drop_access", Nothing)
DROP_ACCESSES = query("search/drop_accesses", int)


def note(core: Core, domain: str, ids: Iterable[str]) -> None:
    """Count that nodes were given to somebody. It costs nothing and cannot fail; ids of others are left out later."""
    core.accesses.note(domain, ids)


async def most_used(core: Core, domain: str, limit: int) -> list[AccessRow]:
    """Return the living nodes that were given to somebody most often, as far as that is written: the most first."""
    return await core.store.read(MOST_USED, domain=domain, limit=min(limit, MOST_LISTED))


async def accesses_of(core: Core, domain: str, ids: Sequence[str]) -> Mapping[str, AccessRow]:
    """Return how often nodes were given to somebody, as far as that is written; those that never were are left out."""
    rows = await core.store.read(ACCESSES, domain=domain, ids=list(ids)) if ids else []
    return {row.id: row for row in rows}


async def count_accesses(core: Core) -> None:
    """Write what was noted every few seconds, until it is cancelled."""
    while True:
        await anyio.sleep(EVERY)
        try:
            await flush(core)
        except GraphError as error:
            _log.info("counting what is used: %s", error)


async def close(core: Core) -> None:
    """Write what is left, in a moment or not at all."""
    with anyio.move_on_after(AT_END, shield=True):
        try:
            await flush(core)
        except GraphError as error:
            _log.info("counting what is used: %s", error)


async def flush(core: Core) -> None:
    """Write what was noted. What could not be written is kept for the next time."""
    for tally, statement in ((core.accesses, ADD), (core.together, ADD_TOGETHER)):
        taken = tally.take()
        try:
            while taken:
                domain, found = next(iter(taken.items()))
                await _write(core, domain, found, statement)
                del taken[domain]
        finally:
            for domain, found in taken.items():
                tally.add(domain, found)


async def _write(core: Core, domain: str, found: dict[str, Access], statement: Query[int]) -> None:
    """Write the counts of a domain in pages, and take away what is written; those of no such domain are forgotten."""
    while found:
        page = sorted(found)[:PAGE]
        rows = [{"id": each, "count": found[each].count, "last": found[each].last} for each in page]

        async def add(transaction: Transaction, rows: Sequence[Mapping[str, object]] = rows) -> None:
            await transaction.run(statement, domain=domain, rows=rows)

        await core.store.write("accesses", add)
        for each in page:
            del found[each]


async def take_out_access(transaction: Transaction, domain: str, subject: str) -> None:
    """Forget how often a node was given to somebody, as it is erased."""
    await transaction.run(DROP_ACCESS, domain=domain, id=subject)


async def take_out_dead(transaction: Transaction, domain: str, limit: int) -> int:
    """Forget some of the nodes that were deleted, and tell how many."""
    [deleted] = await transaction.run(DROP_ACCESSES, domain=domain, limit=limit)
    return deleted
