"""Several writes to one domain in one open transaction, as one batch in the log."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TypeVar

import anyio

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Event, Head, Origin, Receipt, Request, new_id, ontology_version
from graph_memory.model.rights import Right, require
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log.group_commit import QueuedWrite
from graph_memory.storage.log.tree import parent_after
from graph_memory.storage.log.work import (
    AfterWrite,
    BeforeProjection,
    CachedHead,
    Decide,
    Decision,
    Read,
    Work,
    Written,
)
from graph_memory.storage.log.writing import Log
from graph_memory.storage.open_transaction import OpenTransaction, StoreWithin, not_within
from graph_memory.storage.queries import Mark
from graph_memory.storage.store import Indeterminate, Store, Transaction

S = TypeVar("S")
R = TypeVar("R")

MAX_CHANGES = 10_000
"""Maximum number of changes per transaction."""


class LogWithin(Log):
    """A domain's log within an open transaction. All writes belong to one batch, and each sees the earlier ones."""

    def __init__(self, outer: Log, store: StoreWithin, held: OpenTransaction, batch: str, standing: CachedHead) -> None:
        super().__init__(store, inline_limit=outer.inline_limit, text_limit=outer.text_limit, clock=outer.clock)
        self.domain = standing.head.domain
        self._held = held
        self.batch = batch
        self.is_rolled_back = False
        self._known = standing
        self._turn = anyio.Lock()
        self.count = 0
        """Number of changes so far."""

    @property
    def reached(self) -> Mark:
        """The position of the log after the changes so far."""
        return Mark(self._known.head.seq, self._known.epoch)

    def rollback(self) -> None:
        """Roll back all changes and end the transaction."""
        self.is_rolled_back = True
        self._held.end(invalid_argument("transaction", "The transaction was rolled back", "Start another one."))

    async def write(
        self,
        name: str,
        domain: str,
        origin: Origin,
        read: Read[S],
        decide: Decide[S, R],
        *,
        creates_domain: bool = False,
        after_write: AfterWrite[R] | None = None,
        before_projection: BeforeProjection[R] | None = None,
        request: Request | None = None,
        dry_run: bool = False,
        in_thread: bool = False,
    ) -> Written[R]:
        """Write as `Log.write` does. Raises INVALID_ARGUMENT for another domain, and for too many changes."""
        if creates_domain or after_write or before_projection or request or dry_run:
            not_within(name)
        require(domain, Right.WRITE)
        if domain != self.domain:
            message = f"The transaction is for domain {self.domain}, and cannot change domain {domain}"
            raise invalid_argument("domain", message, f"Change domain {domain} in a separate transaction.")

        def decide_limited(head: Head, snapshot: S) -> Decision[R]:
            decision = decide(head, snapshot)
            if self.count + len(decision.drafts) > MAX_CHANGES:
                message = f"The transaction has {self.count:,} changes, and takes at most {MAX_CHANGES:,}"
                raise invalid_argument(
                    "transaction", message, "Commit these changes, and continue in another transaction."
                )
            return decision

        async with self._turn:
            first = new_id("evt") if self.count else None
            work = Work(
                name, domain, origin, read, decide_limited, self.batch, self.clock(), first=first, in_thread=in_thread
            )
            queued = QueuedWrite(work)
            events = await self._add(queued)
        return Written(Receipt.of(domain, self.batch, events), queued.report)

    async def _add(self, queued: QueuedWrite) -> Sequence[Event]:
        """Append the events of a write. If it fails halfway, the whole transaction is rolled back."""
        before, written = self._known, self._held.written
        reason = "it was interrupted"
        try:
            events = await self._append_one(self._held, before, queued)
            self.count += len(events)
            version = ontology_version(events, before.ontology_version)
            parent = parent_after([event.draft for event in events], before.parent)
            head = before.head.after(events)
            if (version, parent) != (before.ontology_version, before.parent):
                ontology = await self._ontologies.read_at(self._held, queued.work.domain, before.epoch, version, parent)
                head = replace(head, ontology=ontology)
            self._known = replace(before, head=head, ontology_version=version, parent=parent)
        except GraphError as error:
            reason = error.message
            raise
        finally:  # a cancelled write may have written half of its events
            if self._known is before and self._held.written != written:
                self._held.end(
                    invalid_argument(
                        "transaction", f"A change failed halfway: {reason}", "Run the whole transaction again."
                    )
                )
        return events


@asynccontextmanager
async def log_within(store: Store, log: Log, domain: str) -> AsyncGenerator[tuple[StoreWithin, LogWithin]]:
    """Open a transaction that locks the domain, yield the store and the log within it, and commit at the end.

    An exception or a call of `OpenTransaction.end` rolls it back. Raises TRANSACTION_LOST, TIMEOUT, ONTOLOGY_NOT_FOUND,
    DOMAIN_BUSY, and STORE_UNAVAILABLE if it is unknown whether it was committed.
    """
    batch = new_id("evt")

    async def begin(transaction: Transaction) -> CachedHead:
        return await log.locked_head(transaction, domain, batch)

    stack, inner, head = await store.begin_transaction("transaction", begin)
    async with stack:
        held = OpenTransaction(inner, store.write_limit)
        inside = StoreWithin(store, held)
        within = LogWithin(log, inside, held, batch, head)
        try:
            yield inside, within
            if not within.is_rolled_back:
                held.check()
                await _commit(log, held, stack, within)
        finally:
            held.end(
                invalid_argument(
                    "transaction", "The transaction has ended", "Start another one, or use the memory itself."
                )
            )


async def _commit(log: Log, held: OpenTransaction, stack: AsyncExitStack, within: LogWithin) -> None:
    """Commit the changes, if any. If the reply is lost, find out whether they were committed."""
    if not within.count:
        return
    try:
        await held.commit()
    except Indeterminate as lost:
        await stack.aclose()
        if not await log.is_written(within.domain, within.batch):
            message = "The connection to Neo4j was lost during the commit; nothing was changed"
            hint = "Run the whole transaction again."
            raise GraphError(Code.TRANSACTION_LOST, message, {"hint": hint}) from lost
    log.forget(within.domain)
    log.record_position(within.domain, within.reached)
