"""A write that was asked for: what to read, a pure decision, and the state of the log that both look at."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from graph_memory.model.events import Draft, Event, Head, Origin, Request, number
from graph_memory.storage.log.tree import with_inherited
from graph_memory.storage.store import Reader, Transaction

S = TypeVar("S")


Read = Callable[[Reader, Head], Awaitable[S]]
Decide = Callable[[Head, S], Sequence[Draft]]
AfterWrite = Callable[[Reader, Sequence[Event]], Awaitable[None]]
"""Looks at what was written before it is committed; whatever it raises undoes it."""
BeforeProjection = Callable[[Transaction, Sequence[Event]], Awaitable[None]]
"""Makes the live graph ready for events that were decided, before they are projected."""
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Work(Generic[S]):
    """A write that was asked for. `batch` is the id of its first event, by which it is known again.

    Where the batch began with an earlier write, as in a transaction of several, `first` is the id of its first event.
    """

    name: str
    domain: str
    origin: Origin
    read: Read[S]
    decide: Decide[S]
    batch: str
    now: datetime
    after_write: AfterWrite | None = None
    before_projection: BeforeProjection | None = None
    request: Request | None = None
    first: str | None = None

    def events(self, head: Head, found: S) -> list[Event]:
        """Return the events to append after a head whose time is theirs; raises what `decide` raises."""
        drafts = with_inherited(head.ontology, self.decide(head, found))
        return number(
            drafts,
            domain=self.domain,
            after=head.seq,
            at=head.at,
            batch=self.batch,
            origin=self.origin,
            first=self.first,
            request=self.request.hash if self.request else None,
            refused=self.request.refused() if self.request else None,
        )


@dataclass(frozen=True, slots=True)
class CachedHead:
    """Where a log stood after a write of this process: all that the next write must know before it decides."""

    head: Head
    epoch: str
    ontology_version: int
    parent: str | None = None
    is_exclusive: bool = False
    """Whether nobody else wrote between this process's last two writes."""
