"""Several writes to one domain in one open transaction. The log records them as one batch."""

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
    CompletedWrite,
    Decide,
    Decision,
    Read,
    WriteRequest,
)
from graph_memory.storage.log.writing import Log
from graph_memory.storage.open_transaction import OpenTransaction, TransactionStore, reject_in_transaction
from graph_memory.storage.queries import LogMark
from graph_memory.storage.store import RetryableWriteError, Store

S = TypeVar("S")
R = TypeVar("R")

MAX_CHANGES = 10_000
"""Maximum number of changes in an open transaction."""


class TransactionLog(Log):
    """A domain's log within an open transaction.

    All writes belong to one batch, and each sees the results of the earlier writes.
    """

    def __init__(
        self, outer: Log, store: TransactionStore, transaction: OpenTransaction, batch: str, cached_head: CachedHead
    ) -> None:
        super().__init__(store, inline_limit=outer.inline_limit, text_limit=outer.text_limit, clock=outer.clock)
        self.domain = cached_head.head.domain
        self._transaction = transaction
        self.batch = batch
        self.is_rolled_back = False
        self._cached_head = cached_head
        self._write_lock = anyio.Lock()
        self.count = 0
        """Number of changes in the transaction so far."""

    @property
    def position(self) -> LogMark:
        """The log position after the transaction's changes so far."""
        return LogMark(self._cached_head.head.seq, self._cached_head.epoch)

    def rollback(self) -> None:
        """Discard all changes, and end the transaction. Later calls raise INVALID_ARGUMENT."""
        self.is_rolled_back = True
        self._transaction.end(invalid_argument("transaction", "The transaction was rolled back", "Start another one."))

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
    ) -> CompletedWrite[R]:
        """Write like `Log.write`. Raises INVALID_ARGUMENT for another domain, too many changes, or other options."""
        if creates_domain or after_write or before_projection or request or dry_run:
            reject_in_transaction(name)
        require(domain, Right.WRITE)
        if domain != self.domain:
            message = f"The transaction is for domain {self.domain}, and cannot change domain {domain}"
            raise invalid_argument("domain", message, f"Change domain {domain} in a separate transaction.")

        def decide_limited(head: Head, snapshot: S) -> Decision[R]:
            decision = decide(head, snapshot)
            if self.count + len(decision.drafts) > MAX_CHANGES:
                message = f"The transaction has {self.count:,} changes, and allows at most {MAX_CHANGES:,}"
                raise invalid_argument(
                    "transaction", message, "Commit these changes, and continue in another transaction."
                )
            return decision

        async with self._write_lock:
            first = new_id("evt") if self.count else None
            work = WriteRequest(
                name, domain, origin, read, decide_limited, self.batch, self.clock(), first=first, in_thread=in_thread
            )
            queued = QueuedWrite(work)
            events = await self._add(queued)
        return CompletedWrite(Receipt.of(domain, self.batch, events), queued.report)

    async def _add(self, queued: QueuedWrite) -> Sequence[Event]:
        """Append and return the events of a write. If it fails halfway, the whole transaction is rolled back."""
        before, written = self._cached_head, self._transaction.written
        reason = "it was interrupted"
        try:
            events = await self._append_one(self._transaction, before, queued)
            self.count += len(events)
            version = ontology_version(events, before.ontology_version)
            parent = parent_after([event.draft for event in events], before.parent)
            head = before.head.after(events)
            if (version, parent) != (before.ontology_version, before.parent):
                ontology = await self._ontologies.read_at(
                    self._transaction, queued.work.domain, before.epoch, version, parent
                )
                head = replace(head, ontology=ontology)
            self._cached_head = replace(before, head=head, ontology_version=version, parent=parent)
        except GraphError as error:
            reason = error.message
            raise
        finally:  # a cancelled write may have written half of its events
            if self._cached_head is before and self._transaction.written != written:
                self._transaction.end(
                    invalid_argument(
                        "transaction", f"A change failed halfway: {reason}", "Run the whole transaction again."
                    )
                )
        return events


@asynccontextmanager
async def open_log_transaction(
    store: Store, log: Log, domain: str
) -> AsyncGenerator[tuple[TransactionStore, TransactionLog]]:
    """Open a transaction that locks the domain, yield its store and its log, and commit at the end.

    An exception or a call of `OpenTransaction.end` rolls it back. Raises TRANSACTION_LOST if the connection breaks,
    TIMEOUT if the transaction is open for too long, ONTOLOGY_NOT_FOUND if the domain does not exist, DOMAIN_BUSY during
    a job, and STORE_UNAVAILABLE if it is unknown whether the transaction was committed.
    """
    batch = new_id("evt")
    stack, inner, head = await store.begin_transaction(
        "transaction", lambda transaction: log.locked_head(transaction, domain, batch)
    )
    async with stack:
        transaction = OpenTransaction(inner, store.write_limit, store.of(domain).check)
        transaction_store = TransactionStore(store, transaction, domain)
        transaction_log = TransactionLog(log, transaction_store, transaction, batch, head)
        try:
            yield transaction_store, transaction_log
            if not transaction_log.is_rolled_back:
                transaction.check()
                await _commit(log, transaction, stack, transaction_log)
        finally:
            transaction.end(
                invalid_argument(
                    "transaction", "The transaction has ended", "Start another one, or use the memory itself."
                )
            )


async def _commit(
    log: Log, transaction: OpenTransaction, stack: AsyncExitStack, transaction_log: TransactionLog
) -> None:
    """Commit the changes, if any. If Neo4j's reply is lost, read in the log whether they were committed."""
    if not transaction_log.count:
        return
    try:
        await transaction.commit()
    except RetryableWriteError as lost:
        await stack.aclose()
        if not await log.is_written(transaction_log.domain, transaction_log.batch):
            message = "The connection to Neo4j was lost during the commit; nothing was changed"
            hint = "Run the whole transaction again."
            raise GraphError(Code.TRANSACTION_LOST, message, {"hint": hint}) from lost
    log.forget(transaction_log.domain)
    log.record_position(transaction_log.domain, transaction_log.position)
