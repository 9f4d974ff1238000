"""Counts how often nodes are returned to callers, and stores the time of the last return.

Counts are kept in memory and written in the background. Each node of a reply about the present counts once: hits of a
search or recall, and nodes or contents that were requested by id. Complete lists, such as queries and neighbours, do
not count, since they do not show which nodes were useful.
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

WRITE_INTERVAL = 5.0
"""Seconds between two writes of the counts."""
PAGE = 500
"""Maximum number of nodes whose counts are written in one transaction. Other writers of the domain wait for it."""
CLOSING_SECONDS = 1.0
"""Seconds within which the last counts are written when the memory closes."""
MAX_LISTED = 1_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AccessRow:
    """How often a node was returned, and when it was last returned."""

    id: str
    count: int
    last: datetime


ADD_ACCESSES = query("search/add_accesses", int)
ADD_TOGETHER = query("search/add_together", int)
MOST_USED = query("search/most_used", AccessRow)
ACCESSES = query("search/accesses", AccessRow)
DROP_ACCESS = query("search/drop_access", Nothing)
DROP_ACCESSES = query("search/drop_accesses", int)


def note(core: Core, domain: str, ids: Iterable[str]) -> None:
    """Count nodes as returned. This only writes to memory and cannot fail. Ids of other subjects have no effect."""
    core.accesses.note(domain, ids)


async def most_used(core: Core, domain: str, limit: int) -> list[AccessRow]:
    """Return the existing nodes with the highest written counts, highest first."""
    return await core.store.read(MOST_USED, domain=domain, limit=min(limit, MAX_LISTED))


async def accesses_of(core: Core, domain: str, ids: Sequence[str]) -> Mapping[str, AccessRow]:
    """Return the written counts of nodes by id. Nodes without a count are omitted."""
    rows = await core.store.read(ACCESSES, domain=domain, ids=list(ids)) if ids else []
    return {row.id: row for row in rows}


async def count_accesses(core: Core) -> None:
    """Write the collected counts every few seconds, until cancelled."""
    while True:
        await anyio.sleep(WRITE_INTERVAL)
        try:
            await flush(core)
        except GraphError as error:
            _log.info("writing access counts: %s", error)


async def close(core: Core) -> None:
    """Write the remaining counts within a second, or drop them."""
    with anyio.move_on_after(CLOSING_SECONDS, shield=True):
        try:
            await flush(core)
        except GraphError as error:
            _log.info("writing access counts: %s", error)


async def flush(core: Core) -> None:
    """Write the collected counts. Counts that could not be written are kept for the next time."""
    for tally, statement in ((core.accesses, ADD_ACCESSES), (core.together, ADD_TOGETHER)):
        remaining = tally.take()
        try:
            while remaining:
                domain, counts = next(iter(remaining.items()))
                await _write(core, domain, counts, statement)
                del remaining[domain]
        finally:
            for domain, counts in remaining.items():
                tally.add(domain, counts)


async def _write(core: Core, domain: str, counts: dict[str, Access], statement: Query[int]) -> None:
    """Write the counts of a domain in pages, and remove them from `counts`. Drops the counts of a deleted domain."""
    while counts:
        page = sorted(counts)[:PAGE]
        rows = [
            {"id": subject_id, "count": counts[subject_id].count, "last": counts[subject_id].last}
            for subject_id in page
        ]

        async def add(transaction: Transaction, rows: Sequence[Mapping[str, object]] = rows) -> None:
            await transaction.run(statement, domain=domain, rows=rows)

        await core.store.write("accesses", add)
        for subject_id in page:
            del counts[subject_id]


async def delete_access(transaction: Transaction, domain: str, subject: str) -> None:
    """Delete the count of a node that is erased."""
    await transaction.run(DROP_ACCESS, domain=domain, id=subject)


async def delete_dead_accesses(transaction: Transaction, domain: str, limit: int) -> int:
    """Delete counts of deleted nodes, at most `limit` of them. Returns their number."""
    [deleted] = await transaction.run(DROP_ACCESSES, domain=domain, limit=limit)
    return deleted
