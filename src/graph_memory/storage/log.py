"""The one write path: lock the domain, read, decide, append events, project them; all in one transaction."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import (
    Change,
    Draft,
    Event,
    Op,
    Origin,
    Receipt,
    new_id,
    number,
    ontology_version,
)
from graph_memory.model.ontology import Ontology, connection_type_from, node_type_from
from graph_memory.model.projection import Projection, Step, project
from graph_memory.model.subjects import Kind
from graph_memory.storage.queries import Nothing, Query, query
from graph_memory.storage.store import Store, Transaction

S = TypeVar("S")

HALF_SEEN = 20
"""How often an ontology is read that was seen by halves."""
ROWS_AT_ONCE = 500
"""Rows that one projecting statement is given."""


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
class HeadRow:
    """Where a domain's log stands, read without the lock."""

    seq: int
    ontology_version: int
    edition: str


@dataclass(frozen=True, slots=True)
class OntologyRow:
    """A domain's ontology as stored."""

    ontology_version: int
    edition: str
    newest: int
    open: bool
    node_types: list[str]
    connection_types: list[str]


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One event of a batch that was written before."""

    op: str
    kind: str
    subject: str
    seq: int


@dataclass(frozen=True, slots=True)
class Found:
    """How many rows a projecting statement has settled."""

    found: int


BEGIN_DOMAIN = query("log/begin_domain", Nothing)
LOCK = query("log/lock", LockRow)
APPEND = query("log/append", Nothing)
BATCH = query("log/batch", BatchRow)
HEAD = query("log/head", HeadRow)
ONTOLOGY = query("ontology/load", OntologyRow)

PROJECT: dict[Step, Query[Found]] = {step: query(f"project/{step}", Found) for step in Step}


@dataclass(frozen=True, slots=True)
class Head:
    """What every decision may look at: the domain, its ontology, and the time that its events will carry."""

    domain: str
    seq: int
    at: datetime
    ontology: Ontology


Read = Callable[[Transaction, Head], Awaitable[S]]
Decide = Callable[[Head, S], Sequence[Draft]]
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


class Log:
    """The logs of all domains in one store, and their ontologies as this process last read them."""

    def __init__(self, store: Store, *, inline_limit: int, clock: Clock = utc_now) -> None:
        self._store = store
        self._inline_limit = inline_limit
        self._clock = clock
        self._ontologies: dict[str, tuple[tuple[str, int], Ontology]] = {}

    async def write(
        self, name: str, domain: str, origin: Origin, read: Read[S], decide: Decide[S], *, begins: bool = False
    ) -> Receipt:
        """Write what `decide` makes of what `read` found, and return the receipt.

        `decide` must be pure: after a deadlock both run again. With `begins` the domain is made when there is
        none. A write whose commit was in doubt is recognised by its first event and not written twice.

        Raises ONTOLOGY_NOT_FOUND for a domain that does not exist, DOMAIN_BUSY, what `read` and `decide` raise,
        and the errors of `Store.write`.
        """
        batch, now = new_id("evt"), self._clock()

        async def work(transaction: Transaction) -> Receipt:
            if begins:
                await transaction.run(BEGIN_DOMAIN, domain=domain, at=now)
            lock = await transaction.one(LOCK, domain=domain, batch=batch)
            if lock is None:
                raise no_ontology(domain)
            if lock.written is not None:
                return await self._receipt(transaction, domain, batch, lock.written)
            head = await self._head(transaction, domain, lock, now)
            drafts = decide(head, await read(transaction, head))
            if not drafts:
                return Receipt(domain=domain, batch=batch)
            events = number(drafts, domain=domain, after=head.seq, at=head.at, batch=batch, origin=origin)
            await self._append(transaction, lock, events)
            await run_projection(transaction, project(domain, events, head.ontology))
            return Receipt.of(domain, batch, events)

        return await self._store.write(name, work)

    async def ontology(self, domain: str) -> Ontology | None:
        """Return the domain's ontology as it is now, None when there is no such domain."""
        head = await self._store.one(HEAD, domain=domain)
        if head is None:
            return None
        known = self._known(domain, (head.edition, head.ontology_version))
        return known if known is not None else await self._load(domain)

    def forget(self, domain: str) -> None:
        """Read the domain's ontology anew when it is next needed."""
        self._ontologies.pop(domain, None)

    async def _load(self, domain: str) -> Ontology | None:
        """Read the ontology until it was seen whole; a reader can see the halves of a change.

        One that a hand has damaged never agrees with its version: it is returned, but not remembered.
        """
        row = None
        for _ in range(HALF_SEEN):
            row = await self._store.one(ONTOLOGY, domain=domain)
            if row is not None and row.newest == row.ontology_version:
                return self._remember(domain, row)
        return _ontology_of(row) if row is not None else None

    async def require_ontology(self, domain: str) -> Ontology:
        """Return the domain's ontology as it is now. Raises ONTOLOGY_NOT_FOUND."""
        ontology = await self.ontology(domain)
        if ontology is None:
            raise no_ontology(domain)
        return ontology

    async def head(self, transaction: Transaction, domain: str) -> Head:
        """Lock the domain for work that appends nothing, such as mending the live graph."""
        lock = await transaction.one(LOCK, domain=domain, batch="")
        if lock is None:
            raise no_ontology(domain)
        return await self._head(transaction, domain, lock, self._clock())

    async def _head(self, transaction: Transaction, domain: str, lock: LockRow, now: datetime) -> Head:
        if lock.state != "ready":
            raise _busy(domain, lock.state)
        ontology = self._known(domain, (lock.edition, lock.ontology_version))
        if ontology is None:
            row = await transaction.one(ONTOLOGY, domain=domain)
            ontology = self._remember(domain, row) if row else Ontology()
        return Head(domain=domain, seq=lock.seq, at=max(now, lock.last_at), ontology=ontology)

    def _known(self, domain: str, edition: tuple[str, int]) -> Ontology | None:
        known_edition, ontology = self._ontologies.get(domain, (None, None))
        return ontology if known_edition == edition else None

    def _remember(self, domain: str, row: OntologyRow) -> Ontology:
        ontology = _ontology_of(row)
        self._ontologies[domain] = ((row.edition, row.ontology_version), ontology)
        return ontology

    async def _append(self, transaction: Transaction, lock: LockRow, events: Sequence[Event]) -> None:
        last = events[-1]
        await transaction.run(
            APPEND,
            domain=last.domain,
            seq=last.seq,
            at=last.at,
            ontology_version=ontology_version(events, lock.ontology_version),
            events=[event.row() for event in events],
            contents=inline_contents(events, self._inline_limit),
        )

    async def _receipt(self, transaction: Transaction, domain: str, batch: str, first: int) -> Receipt:
        rows = await transaction.run(BATCH, domain=domain, batch=batch, first=first)
        changes = tuple(Change(Op(row.op), Kind(row.kind), row.subject, row.seq) for row in rows)
        return Receipt(domain=domain, batch=batch, changes=changes)


def _ontology_of(row: OntologyRow) -> Ontology:
    return ontology_from_definitions(row.node_types, row.connection_types, is_open=row.open)


def ontology_from_definitions(nodes: Iterable[str], connections: Iterable[str], *, is_open: bool) -> Ontology:
    """Return the ontology of types that are given as the JSON of their definitions."""
    return Ontology.create(
        [node_type_from(json.loads(text)) for text in nodes],
        [connection_type_from(json.loads(text)) for text in connections],
        open=is_open,
    )


def inline_contents(events: Sequence[Event], limit: int) -> list[dict[str, object]]:
    """Return the texts of the events that are kept in Neo4j: those of at most `limit` bytes."""
    contents = (event.draft.content for event in events)
    return [{"sha256": c.sha256, "text": c.text} for c in contents if c is not None and c.is_text and c.size <= limit]


async def run_projection(transaction: Transaction, projection: Projection) -> None:
    """Run the steps of a projection that have rows.

    Raises DANGLING_REFERENCE when a put finds fewer places than it has rows: an end of a connection is gone.
    """
    for step in Step:
        rows = projection.rows.get(step, [])
        for start in range(0, len(rows), ROWS_AT_ONCE):
            page = rows[start : start + ROWS_AT_ONCE]
            given: dict[str, object] = {"domain": projection.domain, "rows": page}
            found = await transaction.run(PROJECT[step], **{key: given[key] for key in PROJECT[step].params})
            _check_found(step, found, len(page))


def _check_found(step: Step, found: Sequence[Found], expected: int) -> None:
    counted = sum(row.found for row in found)
    if step.name.startswith("PUT_") and counted != expected:
        raise GraphError(
            Code.DANGLING_REFERENCE,
            f"{step.value}: {expected - counted} of {expected} have no place in the live graph",
            {"hint": "Run `graph-memory verify` to see where the graph and its log differ."},
        )


def no_ontology(domain: str) -> GraphError:
    """Return the error for a domain that has no ontology, and so does not exist."""
    return GraphError(
        Code.ONTOLOGY_NOT_FOUND,
        f"Domain {domain} has no ontology",
        {"domain": domain, "hint": "Call create_ontology first; it says which node and connection types may exist."},
    )


def _busy(domain: str, state: str) -> GraphError:
    hint = "Reads go on; try the change again when it is done."
    return GraphError(Code.DOMAIN_BUSY, f"Domain {domain} is busy: {state}", {"domain": domain, "hint": hint})
