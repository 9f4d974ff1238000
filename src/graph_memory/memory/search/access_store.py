"""Counts how often nodes are returned to callers, and stores when each was last returned.

Counts are kept in memory, and written in the background. A node counts once for each reply about the current state: as
a hit of a search or recall, or if the node or its content is requested by id. Complete lists, such as query results or
a node's neighbours, do not count, because they do not show which nodes were useful.
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
from graph_memory.model.results import NodeUse, NodeUses
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.queries import NoRow, Query, query
from graph_memory.storage.store import Transaction

WRITE_INTERVAL = 5.0
"""Seconds between two writes of the access counts."""
PAGE = 500
"""Maximum number of nodes whose counts are written in one transaction, which blocks other writers of the domain."""
CLOSING_SECONDS = 1.0
"""Maximum number of seconds for writing the last access counts when the memory closes."""
MAX_LISTED = 1_000
MAX_REQUESTED = 2_000
"""Maximum number of nodes in one request for access counts."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AccessRow:
    """A node's access count, and the time at which it was last returned."""

    id: str
    count: int
    last: datetime


ADD_ACCESSES = query("search/add_accesses", int)
ADD_TOGETHER = query("search/add_together", int)
MOST_USED = query("search/most_used", AccessRow)
ACCESSES = query("search/accesses", AccessRow)
DROP_ACCESS = query("search/drop_access", NoRow)
DROP_ACCESSES = query("search/drop_accesses", int)


def record_accesses(core: Core, domain: str, ids: Iterable[str]) -> None:
    """Add 1 to each node's access count. This cannot fail, because the counts are kept in memory at first.

    Ids of subjects that are not nodes are ignored.
    """
    core.accesses.record(domain, ids)


async def read_most_used(core: Core, domain: str, limit: int) -> list[AccessRow]:
    """Return up to `limit` existing nodes with the highest stored access counts, highest first."""
    return await core.store.read(MOST_USED, domain=domain, limit=min(limit, MAX_LISTED))


async def accesses_of(core: Core, domain: str, ids: Sequence[str]) -> Mapping[str, AccessRow]:
    """Return the nodes' stored access counts by node id. Nodes without a count are omitted."""
    rows = await core.store.read(ACCESSES, domain=domain, ids=list(ids)) if ids else []
    return {row.id: row for row in rows}


async def uses_of(core: Core, domain: str, ids: Sequence[str]) -> NodeUses:
    """Return the nodes' stored access counts, highest first. See `Recall.get_node_uses`."""
    if len(ids) > MAX_REQUESTED:
        raise invalid_argument("node_ids", f"{len(ids):,} node ids are too many", f"Pass at most {MAX_REQUESTED:,}.")
    await core.log.require_ontology(domain)
    rows = sorted((await accesses_of(core, domain, ids)).values(), key=lambda row: (-row.count, row.id))
    return NodeUses(nodes=tuple(NodeUse(id=row.id, count=row.count, last=row.last) for row in rows))


async def write_access_counts_periodically(core: Core) -> None:
    """Write the collected access counts every `WRITE_INTERVAL` seconds, until cancelled."""
    while True:
        await anyio.sleep(WRITE_INTERVAL)
        try:
            await flush(core)
        except GraphError as error:
            _log.info("writing access counts: %s", error)


async def close(core: Core) -> None:
    """Write the remaining access counts. Counts are lost if writing fails or takes longer than `CLOSING_SECONDS`."""
    with anyio.move_on_after(CLOSING_SECONDS, shield=True):
        try:
            await flush(core)
        except GraphError as error:
            _log.info("writing access counts: %s", error)


async def flush(core: Core) -> None:
    """Write the collected access counts. If that fails, they are kept for the next attempt."""
    for tally, statement in ((core.accesses, ADD_ACCESSES), (core.co_accesses, ADD_TOGETHER)):
        remaining = tally.take()
        try:
            for domain, counts in [*remaining.items()]:
                try:
                    await _write(core, domain, counts, statement)
                except GraphError as error:
                    if "database" not in error.details:  # else the other databases may still be able to store counts
                        raise
                    _log.info("writing access counts of %s: %s", domain, error)
                else:
                    del remaining[domain]
        finally:
            for domain, counts in remaining.items():
                tally.add(domain, counts)


async def _write(core: Core, domain: str, counts: dict[str, Access], statement: Query[int]) -> None:
    """Write a domain's access counts in pages, and remove them from `counts`. Drop the counts of a deleted domain."""
    while counts:
        page = sorted(counts)[:PAGE]
        rows = [
            {"id": subject_id, "count": counts[subject_id].count, "last": counts[subject_id].last}
            for subject_id in page
        ]

        async def add_counts(transaction: Transaction, rows: Sequence[Mapping[str, object]] = rows) -> None:
            await transaction.run(statement, domain=domain, rows=rows)

        await core.store.write("accesses", add_counts)
        for subject_id in page:
            del counts[subject_id]


async def delete_access(transaction: Transaction, domain: str, subject: str) -> None:
    """Delete an erased node's access count."""
    await transaction.run(DROP_ACCESS, domain=domain, id=subject)


async def delete_dead_accesses(transaction: Transaction, domain: str, limit: int) -> int:
    """Delete up to `limit` access counts of deleted nodes. Return the number of deleted counts."""
    [deleted] = await transaction.run(DROP_ACCESSES, domain=domain, limit=limit)
    return deleted
