"""A write that was asked for: what to read, a pure decision, and the state of the log that both look at."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from graph_memory.model.events import Draft, Event, Head, Origin, Receipt, Request, number
from graph_memory.storage.log.tree import with_inherited
from graph_memory.storage.store import Reader, Transaction

S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Decision(Generic[R]):
    """The drafts that a write decides on, and its report to the caller: None if the receipt says everything."""

    drafts: Sequence[Draft]
    report: R
    refused: str | None = None
    """The operations that were left out, as text that the log keeps with the request."""


@dataclass(frozen=True, slots=True)
class Written(Generic[R]):
    """The receipt of a write, and the report of the decision whose events the log has."""

    receipt: Receipt
    report: R


Read = Callable[[Reader, Head], Awaitable[S]]
"""Returns a snapshot. It may compute what to read next, but it decides nothing."""
Decide = Callable[[Head, S], Decision[R]]
"""Decides on a snapshot. It is pure, because it can run several times."""
AfterWrite = Callable[[Reader, Sequence[Event], R], Awaitable[None]]
"""Looks at what was written, and at the report, before the commit. An exception undoes the write."""
BeforeProjection = Callable[[Transaction, Sequence[Event], R], Awaitable[None]]
"""Makes the live graph ready for events that were decided, before they are projected."""
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Work(Generic[S, R]):
    """A write that was asked for. `batch` is the id of its first event, by which it is known again.

    Where the batch began with an earlier write, as in a transaction of several, `first` is the id of its first event.
    """

    name: str
    domain: str
    origin: Origin
    read: Read[S]
    decide: Decide[S, R]
    batch: str
    now: datetime
    after_write: AfterWrite[R] | None = None
    before_projection: BeforeProjection[R] | None = None
    request: Request | None = None
    first: str | None = None
    in_thread: bool = False
    """Whether the decision takes so long that it is made in a thread."""

    def events(self, head: Head, found: S) -> tuple[list[Event], R]:
        """Return the events after a head, which have its time, and the report. Raises what `decide` raises."""
        decision = self.decide(head, found)
        events = number(
            with_inherited(head.ontology, decision.drafts),
            domain=self.domain,
            after=head.seq,
            at=head.at,
            batch=self.batch,
            origin=self.origin,
            first=self.first,
            request=self.request.hash if self.request else None,
            refused=decision.refused if self.request else None,
        )
        return events, decision.report


@dataclass(frozen=True, slots=True)
class CachedHead:
    """Where a log stood after a write of this process: all that the next write must know before it decides."""

    head: Head
    epoch: str
    ontology_version: int
    parent: str | None = None
    is_exclusive: bool = False
    """Whether nobody else wrote between this process's last two writes."""
