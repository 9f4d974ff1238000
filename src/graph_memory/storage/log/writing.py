"""The one write path: read, decide, append events, project them; all of it against one state of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Change, Draft, Event, Head, Op, Origin, Receipt, Request, new_id, number
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.subjects.kinds import ONTOLOGY_KINDS, Kind
from graph_memory.model.subjects.protection import Guard
from graph_memory.storage.log.group_commit import CommitQueue, Group, Waiting, grouped
from graph_memory.storage.log.jobs import BEGIN_DOMAIN, READY, busy
from graph_memory.storage.log.ontologies import CachedOntology, Ontologies, no_ontology
from graph_memory.storage.log.parents import check_parent
from graph_memory.storage.log.project import append_events, appended, expected_of, sent, steps_of, write_at_once
from graph_memory.storage.log.protection import check_drafts
from graph_memory.storage.log.sizes import MOST_TEXT, check_sizes
from graph_memory.storage.log.tree import rests_on_others, with_inherited
from graph_memory.storage.log.work import AfterWrite, BeforeProjection, CachedHead, Clock, Decide, Read, Work, Written
from graph_memory.storage.queries import Mark, query
from graph_memory.storage.store import Indeterminate, Reader, Store, Transaction

S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class LockRow:
    """Where a domain's log stands, read under its lock."""

    seq: int
    ontology_version: int
    epoch: str
    last_at: datetime
    state: str
    job: str | None
    written: int | None
    request: str | None
    refused: str | None
    protection: str | None
    has_protected: bool
    parent: str | None

    @property
    def guard(self) -> Guard:
        """What of the domain is protected."""
        return Guard.of(self.protection, self.has_protected)


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One event of a batch that was written before."""

    op: str
    kind: str
    subject: str
    seq: int


LOCK = query("log/lock", LockRow)
BATCH = query("log/batch", BatchRow)


class GroupCommitFailed(Exception):  # noqa: N818 - it is no error: the write is made again, alone
    """A group could not be written under the lock, by whoever's fault."""


class DryRun(Exception):  # noqa: N818 - it is no error: it undoes a write that was only tried
    """Ends a rehearsal, with the receipt of what would have been written."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__()
        self.receipt = receipt


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


class Log:
    """The logs of all domains in one store, and their ontologies as this process last read them."""

    def __init__(self, store: Store, *, inline_limit: int, text_limit: int = MOST_TEXT, clock: Clock = utc_now) -> None:
        self._store = store
        self.inline_limit = inline_limit
        self.text_limit = text_limit
        self.clock = clock
        self._ontologies = Ontologies()
        self._standings: dict[str, CachedHead] = {}
        self._lines: dict[str, CommitQueue] = {}
        self._marks: dict[str, Mark] = {}

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
        """Write what `decide` makes of what `read` found, and return the receipt and the report of that decision.

        With `creates_domain` the domain is made when there is none. A write whose commit was in doubt is recognised by
        its first event and not written twice.

        A process that has written alone of late writes in one statement, which checks that it still does, and takes
        with it what waits in this process for the same log; otherwise, and whenever that fails, under the log's lock.
        `before_projection` readies the live graph for the events, `after_write` looks at what was written before it is
        committed; with `dry_run` it is then undone. With `in_thread` a decision that takes long is made in a thread. A
        repeated `request` returns the first receipt, and no report. Raises ONTOLOGY_NOT_FOUND for a domain that does
        not exist, DOMAIN_BUSY, PROTECTED, IDEMPOTENCY_CONFLICT, what the given functions raise, and the errors of
        `Store.write`.
        """
        batch = request.batch if request else new_id("evt")
        now = self.clock()
        work = Work(
            name, domain, origin, read, decide, batch, now, after_write, before_projection, request, in_thread=in_thread
        )
        line = self._lines.setdefault(domain, CommitQueue())
        if creates_domain or after_write or before_projection or request or dry_run or in_thread:
            async with line.turn:
                return await self._write_locked(Waiting(work), creates_domain=creates_domain, dry_run=dry_run)
        with line.place_for(work) as mine:
            async with line.turn:
                if mine.written is None and not mine.in_doubt:
                    await self._write_together(domain, line.batch_from(mine))
                return mine.written or await self._write_in_company(line, mine)

    async def _write_together(self, domain: str, waiting: Sequence[Waiting]) -> None:
        """Make the first of these writes, and what fits to it, in one statement that checks where the log stands.

        It is decided by what this process knows of the log. Nothing is written when that is not so any more, or when
        there is a reason to look closer. A refusal is such a reason, because it may rest on what somebody else has
        changed meanwhile.
        """
        before = self._standings.get(domain)
        if before is None or not before.is_exclusive:
            return
        group = await grouped(self._store, Group(before, self.inline_limit), waiting)
        if group is not None and await self._is_allowed(self._store, group) and await self._is_committed(group, before):
            self._stands(before, group.events)
            group.settle()

    async def _is_allowed(self, reader: Reader, group: Group) -> bool:
        """Return whether a group passes the checks for protection, parent domains and sizes.

        If not, each write runs alone and raises its own error.
        """
        if rests_on_others(group.before.parent, [event.draft for event in group.events]):
            return False
        head = replace(group.before.head, at=group.head.at)
        try:
            for one, events in group.members:
                drafts = [event.draft for event in events]
                await check_drafts(reader, head, one.work.origin, drafts)
                await check_sizes(reader, head.domain, drafts, self.text_limit)
        except GraphError:
            return False
        return True

    async def _is_committed(self, group: Group, before: CachedHead) -> bool:
        """Write a group in one statement; when its answer is lost, all of its writes are in doubt."""
        steps = steps_of(group.projection)
        group.set_doubt(in_doubt=True)
        try:
            written = await self._store.write_at_once(
                write_at_once(tuple(step for step, _ in steps)),
                batch=group.members[0][0].work.batch,
                known_seq=before.head.seq,
                epoch=before.epoch,
                rows={step: sent(step, rows) for step, rows in steps},
                expected=[expected_of(step, len(rows)) for step, rows in steps],
                **appended(group.events, before.ontology_version, self.inline_limit, group.projection),
            )
        except Indeterminate as unsettled:
            group.set_doubt(in_doubt=unsettled.in_doubt)
            return False
        except GraphError:
            group.set_doubt(in_doubt=False)
            if len(group.members) == 1:
                raise
            return False  # whose fault it is shows when each is made alone
        group.set_doubt(in_doubt=False)
        return bool(written)

    async def _write_in_company(self, line: CommitQueue, mine: Waiting) -> Written[Any]:
        """Make a write under the log's lock, with what fits to it of those that wait; alone if that fails."""
        queued = () if mine.in_doubt else line.batch_from(mine)[1:]
        try:
            return await self._write_locked(mine, queued)
        except GroupCommitFailed:
            return await self._write_locked(mine)

    async def _write_locked(
        self, mine: Waiting, queued: Sequence[Waiting] = (), *, creates_domain: bool = False, dry_run: bool = False
    ) -> Written[Any]:
        """Take the log's lock, read, decide and write, in one transaction. Others' faults raise GroupCommitFailed."""
        work, before = mine.work, self._standings.get(mine.work.domain)

        async def attempt(transaction: Transaction) -> tuple[CachedHead, Group | None, Sequence[Event], Receipt]:
            if creates_domain:
                await transaction.run(BEGIN_DOMAIN, domain=work.domain, at=work.now)
            lock = await self._lock(transaction, work.domain, work.batch)
            standing = await self._standing(transaction, work.domain, lock)
            if lock.written is not None:
                return standing, None, (), await self._receipt(transaction, work, lock)
            group = Group(standing, self.inline_limit)
            if queued and (group := await grouped(transaction, group, [mine, *queued], at_once=False)):
                await self._append_group(transaction, group)
                return standing, group, group.events, Receipt.of(work.domain, work.batch, group.members[0][1])
            events = await self._append_one(transaction, standing, mine)
            if dry_run:
                raise DryRun(Receipt.of(work.domain, work.batch, events))
            return standing, None, events, Receipt.of(work.domain, work.batch, events)

        try:
            standing, group, events, receipt = await self._store.write(work.name, attempt, in_doubt=mine.in_doubt)
        except DryRun as rehearsed:
            return Written(rehearsed.receipt, mine.report)
        alone = before is not None and before.head.seq == standing.head.seq
        self._stands(replace(standing, is_exclusive=alone), events)
        if group is not None:
            group.settle()
        return Written(receipt, mine.report)

    async def _append_one(self, transaction: Transaction, standing: CachedHead, mine: Waiting) -> Sequence[Event]:
        work, decided, projection = mine.work, mine.decided, None
        head = standing.head.at_or_after(work.now)
        if decided is not None and decided.holds_at(standing):
            events, mine.report, projection = decided.events, decided.report, decided.projection
        else:
            decide = partial(work.events, head, await work.read(transaction, head))
            events, mine.report = await anyio.to_thread.run_sync(decide) if work.in_thread else decide()
        if events:
            drafts = [event.draft for event in events]
            await check_drafts(transaction, head, work.origin, drafts)
            await check_sizes(transaction, head.domain, drafts, self.text_limit)
            await check_parent(transaction, self._ontologies, work.domain, standing.parent, drafts)
            version, ready = standing.ontology_version, work.before_projection
            ready = ready and partial(ready, transaction, events, mine.report)
            await append_events(transaction, events, head.ontology, version, self.inline_limit, ready, projection)
            if work.after_write is not None:
                await work.after_write(transaction, events, mine.report)
        return events

    async def _append_group(self, transaction: Transaction, group: Group) -> None:
        if not await self._is_allowed(transaction, group):
            raise GroupCommitFailed
        group.set_doubt(in_doubt=True)
        try:
            head, version = group.before.head, group.before.ontology_version
            await append_events(
                transaction, group.events, head.ontology, version, self.inline_limit, projection=group.projection
            )
        except GraphError as error:
            group.set_doubt(in_doubt=False)
            raise GroupCommitFailed from error

    def _stands(self, before: CachedHead, events: Sequence[Event]) -> None:
        """Note where a log stands after events; what changed the ontology has to be read anew."""
        self.met(before.head.domain, Mark(before.head.after(events).seq, before.epoch))
        if any(event.draft.kind in (*ONTOLOGY_KINDS, Kind.DOMAIN) for event in events):
            self._standings.pop(before.head.domain, None)
            return
        self._standings[before.head.domain] = replace(before, head=before.head.after(events))

    async def ontology(self, domain: str) -> Ontology | None:
        """Return the domain's ontology as it is now, None when there is no such domain."""
        return await self._ontologies.present(self._store, domain)

    async def require_ontology(self, domain: str) -> Ontology:
        """Return the domain's ontology as it is now. Raises ONTOLOGY_NOT_FOUND."""
        ontology = await self.ontology(domain)
        if ontology is None:
            raise no_ontology(domain)
        return ontology

    def cached_ontology(self, domain: str) -> CachedOntology | None:
        """Return the domain's ontology as it was last read, without a look at the store."""
        return self._ontologies.cached_ontology(domain)

    def forget(self, domain: str) -> None:
        """Read the domain's ontology and standing anew when they are next needed."""
        self._ontologies.forget(domain)
        self._standings.pop(domain, None)
        self._marks.pop(domain, None)

    @property
    def domains(self) -> list[str]:
        """The domains that this process has met."""
        return sorted(self._marks)

    def mark(self, domain: str) -> Mark | None:
        """Return where the log stood when this process last met it: statements that begin now see all up to there."""
        return self._marks.get(domain)

    def met(self, domain: str, mark: Mark) -> None:
        """Note where a statement that has ended found the log."""
        known = self._marks.get(domain)
        if known is None or known.epoch != mark.epoch or known.seq < mark.seq:
            self._marks[domain] = mark

    async def head(self, transaction: Transaction, domain: str) -> Head:
        """Lock the domain for work that appends nothing, such as mending the live graph."""
        return (await self.standing(transaction, domain, "")).head

    async def standing(self, transaction: Transaction, domain: str, batch: str) -> CachedHead:
        """Lock the domain, and return where its log stands. Raises ONTOLOGY_NOT_FOUND and DOMAIN_BUSY."""
        lock = await self._lock(transaction, domain, batch)
        return await self._standing(transaction, domain, lock)

    async def is_written(self, domain: str, batch: str) -> bool:
        """Say whether a batch that may have been committed was, once whoever wrote it has let go of the domain."""

        async def look(transaction: Transaction) -> bool:
            return (await self._lock(transaction, domain, batch)).written is not None

        return await self._store.write("settle", look, in_doubt=True)

    async def append(
        self,
        transaction: Transaction,
        domain: str,
        origin: Origin,
        batch: str,
        drafts: Sequence[Draft],
        request: str | None = None,
    ) -> Sequence[Event]:
        """Append more events of a batch to the log of a domain that is busy with it, and project them."""
        lock = await self._lock(transaction, domain, batch)
        ontology = await self._ontologies.locked(transaction, domain, lock.epoch, lock.ontology_version, lock.parent)
        head = Head(domain, lock.seq, lock.last_at, ontology, lock.guard).at_or_after(self.clock())
        drafts = with_inherited(ontology, drafts)
        await check_drafts(transaction, head, origin, drafts)
        await check_sizes(transaction, domain, drafts, self.text_limit)
        await check_parent(transaction, self._ontologies, domain, lock.parent, drafts)
        first, request = (batch, request) if lock.written is None else (new_id("evt"), None)
        events = number(
            drafts, domain=domain, after=head.seq, at=head.at, batch=batch, origin=origin, first=first, request=request
        )
        await append_events(transaction, events, ontology, lock.ontology_version, self.inline_limit)
        return events

    async def check(self, domain: str, origin: Origin, drafts: Sequence[Draft]) -> None:
        """Raise PROTECTED for drafts that are to be appended to the log of a domain that is busy with it."""

        async def look(transaction: Transaction) -> None:
            lock = await self._lock(transaction, domain, "")
            head = Head(domain, lock.seq, lock.last_at, Ontology(), lock.guard).at_or_after(self.clock())
            await check_drafts(transaction, head, origin, drafts)

        await self._store.write("protection", look)

    async def _lock(self, transaction: Transaction, domain: str, batch: str) -> LockRow:
        lock = await transaction.one(LOCK, domain=domain, batch=batch)
        if lock is None:
            raise no_ontology(domain)
        return lock

    async def _standing(self, transaction: Transaction, domain: str, lock: LockRow) -> CachedHead:
        if lock.state != READY:
            raise busy(domain, lock.state, lock.job)
        ontology = await self._ontologies.locked(transaction, domain, lock.epoch, lock.ontology_version, lock.parent)
        head = Head(domain, lock.seq, lock.last_at, ontology, lock.guard)
        return CachedHead(head, lock.epoch, lock.ontology_version, lock.parent)

    async def _receipt(self, transaction: Transaction, work: Work[Any, Any], lock: LockRow) -> Receipt:
        """Return the receipt of a write that the log has. Raises IDEMPOTENCY_CONFLICT where it was another request."""
        if lock.request != (work.request.hash if work.request else None):
            raise _other_request(work.domain, lock.written, is_gone=lock.request is None)
        rows = await transaction.run(BATCH, domain=work.domain, batch=work.batch, first=lock.written)
        changes = tuple(Change(Op(row.op), Kind(row.kind), row.subject, row.seq) for row in rows)
        return Receipt(domain=work.domain, batch=work.batch, changes=changes, repeated=True, refused=lock.refused)


def _other_request(domain: str, seq: int | None, *, is_gone: bool) -> GraphError:
    """Return the error for a key that was used; erasing and compacting take the hash by which its request was known."""
    used, hint = "for other operations", "To repeat a batch, give exactly its operations; for others, give another key."
    if is_gone:
        used = "before, and something that was written then has been erased or compacted since"
        hint = "Nothing was changed. Look at what is there, and give another key for what is to be written anew."
    message = f"The idempotency key was used {used}, at number {seq} of the log of domain {domain}"
    return GraphError(Code.IDEMPOTENCY_CONFLICT, message, {"domain": domain, "seq": seq, "hint": hint})
