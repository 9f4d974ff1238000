"""Consistent reads of several rows without a lock, while other clients write.

Neo4j reads each row at a different moment and applies a commit in parts. Therefore a read during a commit can miss
existing rows: an index entry may be deleted and not yet recreated, or only a part of a node may be visible. A read can
only miss rows that the commit changes, because unchanged rows are never written. Therefore each such read ends with a
mark, which is the current position of the log. Subjects that changed up to the mark are read again from their last
event, which is immutable.

If this process has already read a commit, later reads see all of it, because the driver sends bookmarks and the server
waits until they are applied. Therefore only changes after the last log position known to this process can be incomplete
(docs/decisions/0016-reads-beside-writers.md).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.model.values.arguments import UNLIMITED
from graph_memory.storage.log.ontologies import HEAD
from graph_memory.storage.queries import LogMark, Query, query, without_mark

R = TypeVar("R")
S = TypeVar("S")

MAX_CHANGES = 500
"""Maximum number of concurrent events that are checked individually. If there are more, the read is repeated."""
MAX_READS = 4
"""Maximum number of reads. After the last read, any number of concurrent events is checked."""


@dataclass(frozen=True, slots=True)
class ConcurrentChange:
    """A subject that changed during a read: its last event, and its inline text."""

    subject: str
    event: Mapping[str, object] | None
    text: str | None


CONCURRENT_CHANGES = query("graph/concurrent_changes", ConcurrentChange)


@dataclass(frozen=True, slots=True)
class MarkedRows(Generic[R]):
    """The rows of a statement, and the range of log positions whose changes may be missing from the rows."""

    rows: Sequence[R]
    after: int = 0
    until: int = 0
    epoch: str = ""

    def with_rows(self, rows: Sequence[S]) -> MarkedRows[S]:
        """Return the given rows, which are derived from these rows, with the same range of log positions."""
        return MarkedRows(rows, self.after, self.until, self.epoch)


async def read_marked(
    core: Core, statement: Query[LogMark | Sequence[R]], domain: str, **params: object
) -> MarkedRows[R]:
    """Run a statement that ends with a mark, and return its rows. Returns no rows if the domain does not exist."""
    mark = core.log.mark(domain)
    if mark is None and (head := await core.store.first_row(HEAD, domain=domain)):
        mark = LogMark(head.seq, head.epoch)
    result: MarkedRows[R] = MarkedRows(())
    for _ in range(MAX_READS if mark else 0):
        rows = await core.store.read(statement, domain=domain, **params)
        last = rows[-1]
        if not isinstance(last, LogMark):
            core.log.forget(domain)
            return MarkedRows(())
        is_same_log = mark is not None and mark.epoch == last.epoch and mark.seq <= last.seq
        if not is_same_log:
            core.log.forget(domain)
        core.log.record_position(domain, last)
        after = mark.seq if mark is not None and is_same_log else 0
        result = MarkedRows(without_mark(rows), after, last.seq, last.epoch)
        if is_same_log and last.seq - after <= MAX_CHANGES:
            break
        mark = last
    return result


async def fetch_concurrent_changes(
    core: Core, domain: str, marked_rows: MarkedRows[R], at: int = END
) -> Sequence[ConcurrentChange]:
    """Return the nodes and connections that changed during a read, with their state at the log position `at`."""
    if marked_rows.after >= marked_rows.until:
        return ()
    return await core.store.read(
        CONCURRENT_CHANGES, domain=domain, after=marked_rows.after, until=marked_rows.until, at=at
    )


async def read_id_page(
    core: Core,
    domain: str,
    after: str,
    limit: int,
    read: Callable[[str, int], Awaitable[MarkedRows[str | None]]],
    matches: Callable[[ConcurrentChange], Awaitable[bool]],
    *,
    at: int = END,
) -> list[str]:
    """Return up to `limit` ids that follow the id `after`, in order.

    `read` takes an id and a limit, and returns at least the first ids after that id. `matches` returns whether a
    subject that changed concurrently belongs to the results.
    """
    results: list[str] = []
    size = min(limit, UNLIMITED)
    while True:
        marked_rows = await read(after, size)
        ids = {row for row in marked_rows.rows if row is not None}
        is_last = len(marked_rows.rows) < size
        if not is_last and not ids:
            continue  # all rows of the page were incomplete
        horizon = None if is_last else sorted(ids)[:size][-1]
        for row in await fetch_concurrent_changes(core, domain, marked_rows, at):
            ids.discard(row.subject)
            if row.subject > after and await matches(row):
                ids.add(row.subject)
        results += sorted(subject_id for subject_id in ids if horizon is None or subject_id <= horizon)
        if horizon is None or len(results) >= size:
            return results[:size]
        after = horizon
