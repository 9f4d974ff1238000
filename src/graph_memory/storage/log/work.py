"""A requested write, with its read and decide functions, and the state of the log that they use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from graph_memory.model.events import Draft, Event, Head, Origin, Receipt, Request, number_events
from graph_memory.storage.log.tree import with_inherited
from graph_memory.storage.store import Reader, Transaction

S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Decision(Generic[R]):
    """The drafts of a write, and a report for the caller (None if the receipt is sufficient)."""

    drafts: Sequence[Draft]
    report: R
    refused: str | None = None
    """The omitted operations, as text that is stored with the request."""


@dataclass(frozen=True, slots=True)
class Written(Generic[R]):
    """The receipt of a completed write, and the report of its decision."""

    receipt: Receipt
    report: R


Read = Callable[[Reader, Head], Awaitable[S]]
"""Returns a snapshot of the stored data that the decision needs."""
Decide = Callable[[Head, S], Decision[R]]
"""Decides on a snapshot, without side effects because it can run several times."""
AfterWrite = Callable[[Reader, Sequence[Event], R], Awaitable[None]]
"""Checks the written events and the report before the commit. An exception rolls the write back."""
BeforeProjection = Callable[[Transaction, Sequence[Event], R], Awaitable[None]]
"""Prepares the live graph for decided events, before they are projected."""
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Work(Generic[S, R]):
    """A requested write. `batch` is the id of its first event, by which a repetition is recognised.

    If an earlier write started the batch, as in an open transaction, `first` is the id of this write's first event.
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
    """Whether the decision runs in a thread, because it takes long."""

    def events(self, head: Head, snapshot: S) -> tuple[list[Event], R]:
        """Call `decide`. Return the events that follow the head, and the report. Raises the errors of `decide`."""
        decision = self.decide(head, snapshot)
        events = number_events(
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
    """The head of a log after a write of this process, with everything that the next decision needs."""

    head: Head
    epoch: str
    ontology_version: int
    parent: str | None = None
    is_exclusive: bool = False
    """Whether no other process wrote between this process's last two writes."""
