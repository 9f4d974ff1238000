"""A requested write, its functions for reading and deciding, and the state of the log on which it is based."""

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
    """A write's drafts, and a report for the caller, or None if the receipt is sufficient."""

    drafts: Sequence[Draft]
    report: R
    rejected_parts: str | None = None
    """The operations omitted from the write, as text for storage with the request, or None."""


@dataclass(frozen=True, slots=True)
class CompletedWrite(Generic[R]):
    """A completed write's receipt, and its decision's report."""

    receipt: Receipt
    report: R


class DryRun(Exception):  # noqa: N818 - not an error: it rolls a dry run back
    """Raised to roll back a dry run. It contains the receipt of the rolled-back changes."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__()
        self.receipt = receipt


Read = Callable[[Reader, Head], Awaitable[S]]
"""A function that returns a snapshot of the stored data for deciding the write."""
Decide = Callable[[Head, S], Decision[R]]
"""A function that decides a write on a snapshot. It has no side effects, because it can run several times."""
AfterWrite = Callable[[Reader, Sequence[Event], R], Awaitable[None]]
"""A function that checks the written events and the report before the commit. An exception rolls the write back."""
BeforeProjection = Callable[[Transaction, Sequence[Event], R], Awaitable[None]]
"""A function that prepares the live graph for the decided events, before they are projected."""
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class WriteRequest(Generic[S, R]):
    """A requested write. `batch` is the id of the batch's first event. A repeated write is recognised by this id.

    If an earlier write began the batch, as in an open transaction, `first` is the id of this write's first event.
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

    def decide_events(self, head: Head, snapshot: S) -> tuple[list[Event], R]:
        """Call `decide`, and return the events that follow the head, and its report. Raises the errors of `decide`."""
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
            rejected_parts=decision.rejected_parts if self.request else None,
        )
        return events, decision.report


@dataclass(frozen=True, slots=True)
class CachedHead:
    """The head of a log after this process's last write, with the versions on which the next write is based."""

    head: Head
    epoch: str
    ontology_version: int
    parent: str | None = None
    is_exclusive: bool = False
    """Whether no other process wrote to the log between this process's last two writes."""
