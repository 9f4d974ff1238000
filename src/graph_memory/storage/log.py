"""The one write path: read, decide, append events, project them; all of it against one state of the log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Generic, TypeVar

import anyio

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Change, Draft, Event, Op, Origin, Receipt, new_id, number
from graph_memory.model.ontology import Ontology
from graph_memory.model.projection import Projection, project
from graph_memory.model.subjects import ONTOLOGY_KINDS, Kind
from graph_memory.storage.ontologies import Ontologies, Remembered, no_ontology
from graph_memory.storage.projecting import (
    APPEND,
    appended,
    expected_of,
    fits_one_statement,
    run_projection,
    steps_of,
    write_at_once,
)
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Reader, Store, Transaction, Unsettled

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class LockRow:
    """Where a domain's log stands, read under its lock."""

    seq: int
    ontology_version: int
    edition: str
    last_at: datetime
    state: str
    written: int | None


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One event of a batch that was written before."""

    op: str
    kind: str
    subject: str
    seq: int


BEGIN_DOMAIN = query("log/begin_domain", Nothing)
LOCK = query("log/lock", LockRow)
BATCH = query("log/batch", BatchRow)


@dataclass(frozen=True, slots=True)
class Head:
    """What every decision may look at: the domain, its ontology, and the time that its events will carry."""

    domain: str
    seq: int
    at: datetime
    ontology: Ontology


Read = Callable[[Reader, Head], Awaitable[S]]
Decide = Callable[[Head, S], Sequence[Draft]]
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Work(Generic[S]):
    """A write that was asked for. `batch` is the id of its first event, by which it is known again."""

    name: str
    domain: str
    origin: Origin
    read: Read[S]
    decide: Decide[S]
    batch: str
    now: datetime

    async def plan(self, reader: Reader, head: Head) -> tuple[list[Event], Projection]:
        """Return the events to append and what they do to the live graph; raises what `read` and `decide` raise."""
        drafts = self.decide(head, await self.read(reader, head))
        events = number(drafts, domain=self.domain, after=head.seq, at=head.at, batch=self.batch, origin=self.origin)
        return events, project(self.domain, events, head.ontology)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a log stood after a write of this process: all that the next write must know before it decides."""

    head: Head
    edition: str
    ontology_version: int
    is_undisturbed: bool = False
    """Whether nobody else wrote between this process's last two writes."""


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


class Log:
    """The logs of all domains in one store, and their ontologies as this process last read them."""

    def __init__(self, store: Store, *, inline_limit: int, clock: Clock = utc_now) -> None:
        self._store = store
        self._inline_limit = inline_limit
        self._clock = clock
        self._ontologies = Ontologies()
        self._standings: dict[str, Standing] = {}
        self._turns: dict[str, anyio.Lock] = {}

    async def write(
        self, name: str, domain: str, origin: Origin, read: Read[S], decide: Decide[S], *, begins: bool = False
    ) -> Receipt:
        """Write what `decide` makes of what `read` found, and return the receipt.

        `decide` must be pure: it can run several times. With `begins` the domain is made when there is none. A write
        whose commit was in doubt is recognised by its first event and not written twice.

        A process that has written alone of late writes in one statement, which checks that it still does; otherwise,
        and whenever that fails, under the log's lock. Raises ONTOLOGY_NOT_FOUND for a domain that does not exist,
        DOMAIN_BUSY, what `read` and `decide` raise, and the errors of `Store.write`.
        """
        work = Work(name, domain, origin, read, decide, batch=new_id("evt"), now=self._clock())
        async with self._turns.setdefault(domain, anyio.Lock()):
            before, in_doubt = self._standings.get(domain), False
            if before is not None and before.is_undisturbed and not begins:
                try:
                    if receipt := await self._write_at_once(work, before):
                        return receipt
                except Unsettled as unsettled:
                    in_doubt = unsettled.in_doubt
            return await self._write_locked(work, before, begins=begins, in_doubt=in_doubt)

    async def _write_at_once(self, work: Work[S], before: Standing) -> Receipt | None:
        """Decide by what this process knows of the log, and write in one statement that checks that it is so.

        None when it is not so, or there is a reason to look closer: then nothing was written. A refusal is such a
        reason, because it may rest on what somebody else has changed meanwhile. Raises Unsettled.
        """
        try:
            events, projection = await work.plan(self._store, _later(before.head, work.now))
        except GraphError:
            return None
        if not events or not fits_one_statement(projection):
            return None
        steps = steps_of(projection)
        written = await self._store.write_at_once(
            write_at_once(tuple(step for step, _ in steps)),
            batch=work.batch,
            known_seq=before.head.seq,
            edition=before.edition,
            rows=dict(steps),
            expected=[expected_of(step, len(rows)) for step, rows in steps],
            **appended(events, before.ontology_version, self._inline_limit),
        )
        if not written:
            return None
        self._stands(before, events)
        return Receipt.of(work.domain, work.batch, events)

    async def _write_locked(self, work: Work[S], before: Standing | None, *, begins: bool, in_doubt: bool) -> Receipt:
        """Take the log's lock, read, decide and write, in one transaction."""

        async def attempt(transaction: Transaction) -> tuple[Standing, Sequence[Event], Receipt]:
            if begins:
                await transaction.run(BEGIN_DOMAIN, domain=work.domain, at=work.now)
            lock = await self._lock(transaction, work.domain, work.batch)
            if lock.written is not None:
                receipt = await self._receipt(transaction, work.domain, work.batch, lock.written)
                return await self._standing(transaction, work.domain, lock), (), receipt
            standing = await self._standing(transaction, work.domain, lock)
            events, projection = await work.plan(transaction, _later(standing.head, work.now))
            if events:
                await transaction.run(APPEND, **appended(events, lock.ontology_version, self._inline_limit))
                await run_projection(transaction, projection)
            return standing, events, Receipt.of(work.domain, work.batch, events)

        standing, events, receipt = await self._store.write(work.name, attempt, in_doubt=in_doubt)
        alone = before is not None and before.head.seq == standing.head.seq
        self._stands(replace(standing, is_undisturbed=alone), events)
        return receipt

    def _stands(self, before: Standing, events: Sequence[Event]) -> None:
        """Note where a log stands after events; what changed the ontology has to be read anew."""
        if any(event.draft.kind in ONTOLOGY_KINDS for event in events):
            self._standings.pop(before.head.domain, None)
            return
        head = replace(before.head, seq=events[-1].seq, at=events[-1].at) if events else before.head
        self._standings[head.domain] = replace(before, head=head)

    async def ontology(self, domain: str) -> Ontology | None:
        """Return the domain's ontology as it is now, None when there is no such domain."""
        return await self._ontologies.present(self._store, domain)

    async def require_ontology(self, domain: str) -> Ontology:
        """Return the domain's ontology as it is now. Raises ONTOLOGY_NOT_FOUND."""
        ontology = await self.ontology(domain)
        if ontology is None:
            raise no_ontology(domain)
        return ontology

    def remembered(self, domain: str) -> Remembered | None:
        """Return the domain's ontology as it was last read, without a look at the store."""
        return self._ontologies.remembered(domain)

    def forget(self, domain: str) -> None:
        """Read the domain's ontology and standing anew when they are next needed."""
        self._ontologies.forget(domain)
        self._standings.pop(domain, None)

    async def head(self, transaction: Transaction, domain: str) -> Head:
        """Lock the domain for work that appends nothing, such as mending the live graph."""
        lock = await self._lock(transaction, domain, "")
        return (await self._standing(transaction, domain, lock)).head

    async def _lock(self, transaction: Transaction, domain: str, batch: str) -> LockRow:
        lock = await transaction.one(LOCK, domain=domain, batch=batch)
        if lock is None:
            raise no_ontology(domain)
        return lock

    async def _standing(self, transaction: Transaction, domain: str, lock: LockRow) -> Standing:
        if lock.state != "ready":
            raise _busy(domain, lock.state)
        ontology = await self._ontologies.locked(transaction, domain, lock.edition, lock.ontology_version)
        return Standing(Head(domain, lock.seq, lock.last_at, ontology), lock.edition, lock.ontology_version)

    async def _receipt(self, transaction: Transaction, domain: str, batch: str, first: int) -> Receipt:
        rows = await transaction.run(BATCH, domain=domain, batch=batch, first=first)
        changes = tuple(Change(Op(row.op), Kind(row.kind), row.subject, row.seq) for row in rows)
        return Receipt(domain=domain, batch=batch, changes=changes)


def _later(head: Head, now: datetime) -> Head:
    """Return the head with the time that the next events carry: never before that of the last."""
    return replace(head, at=max(now, head.at))


def _busy(domain: str, state: str) -> GraphError:
    hint = "Reads go on; try the change again when it is done."
    return GraphError(Code.DOMAIN_BUSY, f"Domain {domain} is busy: {state}", {"domain": domain, "hint": hint})
