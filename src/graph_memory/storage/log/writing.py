"""The write path: reads data, decides, appends events and projects them, based on one state of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread

from graph_memory.model.errors import GraphError
from graph_memory.model.events import Change, Draft, Event, Head, Op, Origin, Receipt, Request, new_id, number_events
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.rights import Right, require
from graph_memory.model.subjects.kinds import ONTOLOGY_KINDS, Kind
from graph_memory.model.subjects.protection import Protections
from graph_memory.storage.log.group_commit import CommitGroup, CommitQueue, GroupCommitFailed, QueuedWrite, form_group
from graph_memory.storage.log.jobs import BEGIN_DOMAIN, READY, busy_error, idempotency_conflict_error
from graph_memory.storage.log.ontologies import CachedOntology, Ontologies, no_ontology_error
from graph_memory.storage.log.parents import check_parent
from graph_memory.storage.log.project import (
    append_events,
    append_params,
    expected_rows,
    statement_rows,
    steps_of,
    write_at_once,
)
from graph_memory.storage.log.protection import check_drafts
from graph_memory.storage.log.sizes import MOST_TEXT, check_sizes
from graph_memory.storage.log.tree import depends_on_others, with_inherited
from graph_memory.storage.log.work import (
    AfterWrite,
    BeforeProjection,
    CachedHead,
    Clock,
    CompletedWrite,
    Decide,
    DryRun,
    Read,
    WriteRequest,
)
from graph_memory.storage.queries import LogMark, query
from graph_memory.storage.store import Reader, RetryableWriteError, Store, Transaction

S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class LockRow:
    """A domain's log position, job and protection, read while the domain is locked."""

    seq: int
    ontology_version: int
    epoch: str
    last_at: datetime
    state: str
    job: str | None
    written: int | None
    request: str | None
    rejected_parts: str | None
    protection: str | None
    has_protected: bool
    parent: str | None

    @property
    def protections(self) -> Protections:
        """The domain's protection, and whether its subjects may be protected."""
        return Protections.of(self.protection, self.has_protected)


@dataclass(frozen=True, slots=True)
class BatchRow:
    """An event of a batch that an earlier call wrote."""

    op: str
    kind: str
    subject: str
    seq: int


LOCK = query("log/lock", LockRow)
BATCH = query("log/batch", BatchRow)


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class Log:
    """The logs of all domains in one store, and their cached ontologies."""

    def __init__(self, store: Store, *, inline_limit: int, text_limit: int = MOST_TEXT, clock: Clock = utc_now) -> None:
        self._store = store
        self.inline_limit = inline_limit
        self.text_limit = text_limit
        self.clock = clock
        self._ontologies = Ontologies()
        self._cached_heads: dict[str, CachedHead] = {}
        self._queues: dict[str, CommitQueue] = {}
        self._marks: dict[str, LogMark] = {}

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
        """Call `read`, pass its result to `decide`, write the decided events, and return the receipt and the report.

        `creates_domain` creates the domain if it is missing. If it is unknown whether a write was committed, it is
        recognised by its first event and not repeated. If no other process wrote recently, the write is one statement,
        with other waiting writes of this process. Otherwise it runs under the log's lock. `before_projection` prepares
        the live graph, `after_write` checks the written events before the commit, and `dry_run` rolls back instead.
        `in_thread` runs `decide` in a thread. A repeated `request` returns the first receipt and no report. Raises
        ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, PROTECTED, INSUFFICIENT_RIGHTS, IDEMPOTENCY_CONFLICT, and the errors of the
        given functions and of `Store.write`.
        """
        require(domain, Right.WRITE)
        batch = request.batch if request else new_id("evt")
        now = self.clock()
        work = WriteRequest(
            name, domain, origin, read, decide, batch, now, after_write, before_projection, request, in_thread=in_thread
        )
        queue = self._queues.setdefault(domain, CommitQueue())
        if creates_domain or after_write or before_projection or request or dry_run or in_thread:
            async with queue.turn:
                return await self._write_locked(QueuedWrite(work), creates_domain=creates_domain, dry_run=dry_run)
        with queue.enqueue(work) as queued:
            async with queue.turn:
                if queued.written is None and not queued.in_doubt:
                    await self._write_group(domain, queue.select_writes(queued))
                return queued.written or await self._write_under_lock(queue, queued)

    async def _write_group(self, domain: str, queued_writes: Sequence[QueuedWrite]) -> None:
        """Try to make the first write, and further suitable writes, with one statement. Sets their receipts."""
        before = self._cached_heads.get(domain)
        if before is None or not before.is_exclusive:
            return
        store = self._store.of(domain)  # reads no domain of another database, with which it cannot be committed
        group = await form_group(store, CommitGroup(before, self.inline_limit), queued_writes)
        if group is not None and await self._is_allowed(store, group) and await self._commit_group(group, before):
            self._cache_head(before, group.events)
            group.set_receipts()

    async def _is_allowed(self, reader: Reader, group: CommitGroup) -> bool:
        """Return whether the group passes all checks. If not, its writes must run separately to raise their errors."""
        if depends_on_others(group.before.parent, [event.draft for event in group.events]):
            return False
        head = replace(group.before.head, at=group.head.at)
        try:
            for queued, events in group.members:
                drafts = [event.draft for event in events]
                await check_drafts(reader, head, queued.work.origin, drafts)
                await check_sizes(reader, head.domain, drafts, self.text_limit)
        except GraphError:
            return False
        return True

    async def _commit_group(self, group: CommitGroup, before: CachedHead) -> bool:
        """Write the group with one statement. Return whether it was written. Until then, its writes are in doubt."""
        steps = steps_of(group.projection)
        group.set_in_doubt(in_doubt=True)
        try:
            written = await self._store.write_at_once(
                write_at_once(tuple(step for step, _ in steps)),
                batch=group.members[0][0].work.batch,
                known_seq=before.head.seq,
                epoch=before.epoch,
                rows={step: statement_rows(step, rows) for step, rows in steps},
                expected=[expected_rows(step, len(rows)) for step, rows in steps],
                **append_params(group.events, before.ontology_version, self.inline_limit, group.projection),
            )
        except RetryableWriteError as error:
            group.set_in_doubt(in_doubt=error.in_doubt)
            return False
        except GraphError:
            group.set_in_doubt(in_doubt=False)
            if len(group.members) == 1:
                raise
            return False  # each write raises its own error when it runs alone
        group.set_in_doubt(in_doubt=False)
        return bool(written)

    async def _write_under_lock(self, queue: CommitQueue, leader: QueuedWrite) -> CompletedWrite[Any]:
        """Write under the log's lock, together with waiting writes. If the group fails, write only `leader`."""
        queued = () if leader.in_doubt else queue.select_writes(leader)[1:]
        try:
            return await self._write_locked(leader, queued)
        except GroupCommitFailed:
            return await self._write_locked(leader)

    async def _write_locked(
        self,
        leader: QueuedWrite,
        queued: Sequence[QueuedWrite] = (),
        *,
        creates_domain: bool = False,
        dry_run: bool = False,
    ) -> CompletedWrite[Any]:
        """Lock the log, read, decide and write in one transaction. Raises GroupCommitFailed if the group fails."""
        work, before = leader.work, self._cached_heads.get(leader.work.domain)

        async def attempt(transaction: Transaction) -> tuple[CachedHead, CommitGroup | None, Sequence[Event], Receipt]:
            if creates_domain:
                await transaction.run(BEGIN_DOMAIN, domain=work.domain, at=work.now)
            lock = await self._lock(transaction, work.domain, work.batch)
            cached_head = await self._head_of(transaction, work.domain, lock)
            if lock.written is not None:
                return cached_head, None, (), await self._repeated_receipt(transaction, work, lock)
            group = CommitGroup(cached_head, self.inline_limit)
            if queued and (group := await form_group(transaction, group, [leader, *queued], at_once=False)):
                await self._append_group(transaction, group)
                return cached_head, group, group.events, Receipt.of(work.domain, work.batch, group.members[0][1])
            events = await self._append_one(transaction, cached_head, leader)
            if dry_run:
                raise DryRun(Receipt.of(work.domain, work.batch, events))
            return cached_head, None, events, Receipt.of(work.domain, work.batch, events)

        try:
            cached_head, group, events, receipt = await self._store.write(work.name, attempt, in_doubt=leader.in_doubt)
        except DryRun as result:
            return CompletedWrite(result.receipt, leader.report)
        is_exclusive = before is not None and before.head.seq == cached_head.head.seq
        self._cache_head(replace(cached_head, is_exclusive=is_exclusive), events)
        if group is not None:
            group.set_receipts()
        return CompletedWrite(receipt, leader.report)

    async def _append_one(
        self, transaction: Transaction, cached_head: CachedHead, queued: QueuedWrite
    ) -> Sequence[Event]:
        work, decided, projection = queued.work, queued.decided, None
        head = cached_head.head.with_next_event_time(work.now)
        if decided is not None and decided.is_still_valid(cached_head):
            events, queued.report, projection = decided.events, decided.report, decided.projection
        else:
            decide = partial(work.decide_events, head, await work.read(transaction, head))
            events, queued.report = await anyio.to_thread.run_sync(decide) if work.in_thread else decide()
        if events:
            drafts = [event.draft for event in events]
            await check_drafts(transaction, head, work.origin, drafts)
            await check_sizes(transaction, head.domain, drafts, self.text_limit)
            await check_parent(transaction, self._ontologies, work.domain, cached_head.parent, drafts)
            version, prepare = cached_head.ontology_version, work.before_projection
            prepare = prepare and partial(prepare, transaction, events, queued.report)
            await append_events(transaction, events, head.ontology, version, self.inline_limit, prepare, projection)
            if work.after_write is not None:
                await work.after_write(transaction, events, queued.report)
        return events

    async def _append_group(self, transaction: Transaction, group: CommitGroup) -> None:
        if not await self._is_allowed(transaction, group):
            raise GroupCommitFailed
        group.set_in_doubt(in_doubt=True)
        try:
            head, version = group.before.head, group.before.ontology_version
            await append_events(
                transaction, group.events, head.ontology, version, self.inline_limit, projection=group.projection
            )
        except GraphError as error:
            group.set_in_doubt(in_doubt=False)
            raise GroupCommitFailed from error

    def _cache_head(self, before: CachedHead, events: Sequence[Event]) -> None:
        self.record_position(before.head.domain, LogMark(before.head.after(events).seq, before.epoch))
        if any(event.draft.kind in (*ONTOLOGY_KINDS, Kind.DOMAIN) for event in events):
            self._cached_heads.pop(before.head.domain, None)
            return
        self._cached_heads[before.head.domain] = replace(before, head=before.head.after(events))

    async def ontology(self, domain: str) -> Ontology | None:
        """Return a domain's current ontology, or None if the domain does not exist."""
        return await self._ontologies.read_current(self._store, domain)

    async def require_ontology(self, domain: str) -> Ontology:
        """Return a domain's current ontology. Raises ONTOLOGY_NOT_FOUND if the domain does not exist."""
        ontology = await self.ontology(domain)
        if ontology is None:
            raise no_ontology_error(domain)
        return ontology

    def cached_ontology(self, domain: str) -> CachedOntology | None:
        """Return the domain's cached ontology, or None. Does not access the database."""
        return self._ontologies.cached_ontology(domain)

    def forget(self, domain: str) -> None:
        """Remove a domain's ontology, head and position from the caches."""
        self._ontologies.forget(domain)
        self._cached_heads.pop(domain, None)
        self._marks.pop(domain, None)

    @property
    def domains(self) -> list[str]:
        """The domains whose log positions this process has recorded, sorted by name."""
        return sorted(self._marks)

    def mark(self, domain: str) -> LogMark | None:
        """Return the last known log position, or None. Statements that start now see all events up to this position."""
        return self._marks.get(domain)

    def record_position(self, domain: str, mark: LogMark) -> None:
        """Record a log position that a completed statement has seen, unless a later position is already recorded."""
        recorded_mark = self._marks.get(domain)
        if recorded_mark is None or recorded_mark.epoch != mark.epoch or recorded_mark.seq < mark.seq:
            self._marks[domain] = mark

    async def lock(self, transaction: Transaction, domain: str) -> None:
        """Lock the domain for work that appends no events, such as a repair.

        Raises ONTOLOGY_NOT_FOUND if it does not exist, and DOMAIN_BUSY during a job.
        """
        _check_ready(domain, await self._lock(transaction, domain, ""))

    async def locked_head(self, transaction: Transaction, domain: str, batch: str) -> CachedHead:
        """Lock the domain, and return its log's head. Raises the errors of `lock`."""
        lock = await self._lock(transaction, domain, batch)
        return await self._head_of(transaction, domain, lock)

    async def is_written(self, domain: str, batch: str) -> bool:
        """Wait until the writer has released the lock, and return whether the batch was committed."""

        async def check(transaction: Transaction) -> bool:
            return (await self._lock(transaction, domain, batch)).written is not None

        return await self._store.write("settle", check, in_doubt=True)

    async def append(
        self,
        transaction: Transaction,
        domain: str,
        origin: Origin,
        batch: str,
        drafts: Sequence[Draft],
        request: str | None = None,
    ) -> Sequence[Event]:
        """Append further events of a job's batch, project them, and return them. Raises the errors of all checks."""
        lock = await self._lock(transaction, domain, batch)
        ontology = await self._ontologies.read_at(transaction, domain, lock.epoch, lock.ontology_version, lock.parent)
        head = Head(domain, lock.seq, lock.last_at, ontology, lock.protections).with_next_event_time(self.clock())
        drafts = with_inherited(ontology, drafts)
        await check_drafts(transaction, head, origin, drafts)
        await check_sizes(transaction, domain, drafts, self.text_limit)
        await check_parent(transaction, self._ontologies, domain, lock.parent, drafts)
        first, request = (batch, request) if lock.written is None else (new_id("evt"), None)
        events = number_events(
            drafts, domain=domain, after=head.seq, at=head.at, batch=batch, origin=origin, first=first, request=request
        )
        await append_events(transaction, events, ontology, lock.ontology_version, self.inline_limit)
        return events

    async def check(self, domain: str, origin: Origin, drafts: Sequence[Draft]) -> None:
        """Raise PROTECTED if a protection forbids drafts that a job will append later."""

        async def check_with_lock(transaction: Transaction) -> None:
            lock = await self._lock(transaction, domain, "")
            head = Head(domain, lock.seq, lock.last_at, Ontology(), lock.protections).with_next_event_time(self.clock())
            await check_drafts(transaction, head, origin, drafts)

        await self._store.write("protection", check_with_lock)

    async def _lock(self, transaction: Transaction, domain: str, batch: str) -> LockRow:
        lock = await transaction.first_row(LOCK, domain=domain, batch=batch)
        if lock is None:
            raise no_ontology_error(domain)
        return lock

    async def _head_of(self, transaction: Transaction, domain: str, lock: LockRow) -> CachedHead:
        _check_ready(domain, lock)
        ontology = await self._ontologies.read_at(transaction, domain, lock.epoch, lock.ontology_version, lock.parent)
        head = Head(domain, lock.seq, lock.last_at, ontology, lock.protections)
        return CachedHead(head, lock.epoch, lock.ontology_version, lock.parent)

    async def _repeated_receipt(self, transaction: Transaction, work: WriteRequest[Any, Any], lock: LockRow) -> Receipt:
        """Return the receipt of a batch that was already written. Raises IDEMPOTENCY_CONFLICT for another request."""
        if lock.request != (work.request.hash if work.request else None):
            raise idempotency_conflict_error(work.domain, lock.written, is_gone=lock.request is None)
        rows = await transaction.run(BATCH, domain=work.domain, batch=work.batch, first=lock.written)
        changes = tuple(Change(Op(row.op), Kind(row.kind), row.subject, row.seq) for row in rows)
        return Receipt(
            domain=work.domain, batch=work.batch, changes=changes, repeated=True, rejected_parts=lock.rejected_parts
        )


def _check_ready(domain: str, lock: LockRow) -> None:
    if lock.state != READY:
        raise busy_error(domain, lock.state, lock.job)
