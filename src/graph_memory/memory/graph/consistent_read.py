"""Reads of several rows that hold beside writers, without a lock.

Neo4j shows each row as it is when it is looked at, and a commit bit by bit, so a read that meets a commit can miss what
is there all the while: an entry of an index is gone and not yet made anew, a node is seen by halves. Only what that
commit changed can be missed so, because rows that stay equal are never written. So each such read ends with a mark,
which says where the log stood, and what was changed up to there is judged by its last event, which never changes.

A commit that was there when an earlier statement of this process ended is seen whole: the driver hands on bookmarks,
and the server lets a statement wait until what they name is applied. So only what came after the last number that this
process has met can be in doubt (docs/decisions/0016-reads-beside-writers.md).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.model.values.arguments import UNLIMITED
from graph_memory.storage.log.ontologies import HEAD
from graph_memory.storage.queries import Mark, Query, query, unmarked

R = TypeVar("R")
S = TypeVar("S")

MANY = 500
"""Events that are judged one by one; when more came in between, the read is made again."""
ATTEMPTS = 4
"""How often a read is made again before what overtook it is judged all the same."""


@dataclass(frozen=True, slots=True)
class OvertakenRow:
    """A subject that was changed while something was read: its last event, and its text where that is small."""

    subject: str
    event: Mapping[str, object] | None
    text: str | None


OVERTOOK = query("graph/overtook", OvertakenRow)


@dataclass(frozen=True, slots=True)
class Look(Generic[R]):
    """What a statement gave, and the numbers of the log after which and until which changes may have overtaken it."""

    rows: Sequence[R]
    after: int = 0
    until: int = 0
    epoch: str = ""

    @property
    def is_overtaken(self) -> bool:
        """Whether there are changes that it may have met."""
        return self.after < self.until

    def of(self, rows: Sequence[S]) -> Look[S]:
        """Return the same look with other rows, made of these."""
        return Look(rows, self.after, self.until, self.epoch)


async def look(core: Core, statement: Query[Mark | Sequence[R]], domain: str, **params: object) -> Look[R]:
    """Run a marked statement. It gives nothing for a domain that does not exist."""
    known = core.log.mark(domain) or await _first_mark(core, domain)
    found: Look[R] = Look(())
    for _ in range(ATTEMPTS if known else 0):
        rows = await core.store.read(statement, domain=domain, **params)
        last = rows[-1]
        if not isinstance(last, Mark):
            core.log.forget(domain)
            return Look(())
        is_same_log = known is not None and known.epoch == last.epoch and known.seq <= last.seq
        if not is_same_log:
            core.log.forget(domain)
        core.log.met(domain, last)
        after = known.seq if known is not None and is_same_log else 0
        found = Look(unmarked(rows), after, last.seq, last.epoch)
        if is_same_log and last.seq - after <= MANY:
            break
        known = last
    return found


async def _first_mark(core: Core, domain: str) -> Mark | None:
    head = await core.store.one(HEAD, domain=domain)
    return Mark(head.seq, head.epoch) if head else None


async def overtaken(core: Core, domain: str, found: Look[R], at: int = END) -> Sequence[OvertakenRow]:
    """Return the nodes and connections that changed while something was read, as they were after a number."""
    if not found.is_overtaken:
        return ()
    return await core.store.read(OVERTOOK, domain=domain, after=found.after, until=found.until, at=at)


async def page_of(
    core: Core,
    domain: str,
    after: str,
    limit: int,
    read: Callable[[str, int], Awaitable[Look[str | None]]],
    is_meant: Callable[[OvertakenRow], Awaitable[bool]],
    *,
    at: int = END,
) -> list[str]:
    """Return ids after one, in order: as many as asked for, if there are as many.

    `read` gives at least the first ids after one, as many as it is asked for; `is_meant` judges what overtook that.
    """
    results: list[str] = []
    size = min(limit, UNLIMITED)
    while True:
        seen = await read(after, size)
        ids = {row for row in seen.rows if row is not None}
        is_last = len(seen.rows) < size
        if not is_last and not ids:
            continue  # a whole page was seen by halves
        horizon = None if is_last else sorted(ids)[:size][-1]
        for row in await overtaken(core, domain, seen, at):
            ids.discard(row.subject)
            if row.subject > after and await is_meant(row):
                ids.add(row.subject)
        results += sorted(id_ for id_ in ids if horizon is None or id_ <= horizon)
        if horizon is None or len(results) >= size:
            return results[:size]
        after = horizon
