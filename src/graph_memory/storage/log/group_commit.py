"""Group commit: waiting writes of this process to the same log are written together, in one statement.

Each write is decided as if the earlier writes of the group were already written. This is valid only if it reads nothing
that they change. Other writes wait for the next turn.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, cast

import anyio

from graph_memory.model.errors import GraphError
from graph_memory.model.events import Event, Head, Receipt, protects
from graph_memory.model.projection import Projection, project
from graph_memory.model.rights import CALLER, Caller, calling
from graph_memory.model.subjects.kinds import ONTOLOGY_KINDS, Kind
from graph_memory.storage.log.project import ROWS_AT_ONCE
from graph_memory.storage.log.tree import depends_on_others
from graph_memory.storage.log.work import CachedHead, Work, Written
from graph_memory.storage.queries import Query
from graph_memory.storage.store import Reader

R = TypeVar("R")

MAX_WRITES = 64
"""Maximum number of writes in one group."""


@dataclass(frozen=True, slots=True)
class DecidedWrite:
    """The decided events of a write that is too large for a group, with the log position at which it was decided."""

    before: CachedHead
    events: Sequence[Event]
    report: Any
    projection: Projection

    def holds_at(self, standing: CachedHead) -> bool:
        """Return whether the decision is still valid, because the log has not changed since."""
        is_same = (standing.head.seq, standing.epoch) == (self.before.head.seq, self.before.epoch)
        return is_same and not depends_on_others(standing.parent, [event.draft for event in self.events])


@dataclass(slots=True, eq=False)
class QueuedWrite:
    """A write that waits in the queue of its log. Another write may include it in a group."""

    work: Work[Any, Any]
    written: Written[Any] | None = None
    in_doubt: bool = False
    """Whether the write may have been committed although the reply was lost."""
    report: Any = None
    """The report of the last decision whose events were sent to the server."""
    decided: DecidedWrite | None = None
    caller: Caller | None = field(default_factory=CALLER.get)
    """The caller of this write. Another write that includes it must not lend it its rights."""


@dataclass(slots=True)
class CommitQueue:
    """The waiting writes of this process to one log, and the lock that one of them holds while it writes."""

    turn: anyio.Lock = field(default_factory=anyio.Lock)
    waiting: list[QueuedWrite] = field(default_factory=list[QueuedWrite])

    @contextmanager
    def enqueue(self, work: Work[Any, Any]) -> Generator[QueuedWrite]:
        """Keep the write in the queue until the end of the block."""
        queued = QueuedWrite(work)
        self.waiting.append(queued)
        try:
            yield queued
        finally:
            self.waiting.remove(queued)

    def writable_from(self, first: QueuedWrite) -> list[QueuedWrite]:
        """Return the queued writes that can be written now, `first` at the beginning."""
        others = [
            waiting
            for waiting in self.waiting
            if waiting is not first and waiting.written is None and not waiting.in_doubt
        ]
        return [first, *others[: MAX_WRITES - 1]]


class TrackingReader(Reader):
    """A reader that records on which subjects its results depend. None means all subjects."""

    def __init__(self, reader: Reader, *, assumes: bool) -> None:
        self._reader = reader
        self._assumes = assumes
        self._subjects: set[object] | None = set()

    def is_unaffected_by(self, changed: set[str]) -> bool:
        """Return whether the results depend on none of the changed subjects."""
        return not changed or (self._subjects is not None and self._subjects.isdisjoint(changed))

    def assumes(self, *nodes: str) -> bool:
        """Return whether the types of these nodes may be assumed, because the write statement checks them."""
        if self._assumes and self._subjects is not None:
            self._subjects.update(nodes)
        return self._assumes

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one read statement, and return its rows."""
        if query.subjects is None:
            self._subjects = None
        elif self._subjects is not None:
            for value in (params[name] for name in query.subjects):
                self._subjects.update(cast("list[object]", value) if isinstance(value, list) else [value])
        return await self._reader.read(query, **params)


@dataclass(slots=True)
class CommitGroup:
    """Writes that are made by one statement, in the order of their events."""

    before: CachedHead
    inline_limit: int
    head: Head = field(init=False)
    """The head of the log after the members, with their common time."""
    members: list[tuple[QueuedWrite, list[Event]]] = field(default_factory=list[tuple[QueuedWrite, list[Event]]])
    projection: Projection = field(init=False)
    _changed: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.head = self.before.head
        self.projection = Projection(self.head.domain)

    @property
    def events(self) -> list[Event]:
        """The events of all members, in order."""
        return [event for _, events in self.members for event in events]

    def set_doubt(self, *, in_doubt: bool) -> None:
        """Set whether the members may have been committed although this is not confirmed."""
        for waiting, _ in self.members:
            waiting.in_doubt = in_doubt

    def set_receipts(self) -> None:
        """Set the receipts and reports of the committed members."""
        for waiting, events in self.members:
            waiting.written = Written(Receipt.of(waiting.work.domain, waiting.work.batch, events), waiting.report)
            waiting.in_doubt = False

    def add(self, waiting: QueuedWrite, reader: TrackingReader, snapshot: object) -> None:
        """Add a write, if it can be written together with the earlier members."""
        if not reader.is_unaffected_by(self._changed):
            return
        try:
            events, report = waiting.work.events(self.head, snapshot)
        except GraphError:
            return  # the error may depend on changes by another process, so the write is decided again under the lock
        if not events:
            return
        projection = project(self.head.domain, events, self.head.ontology, inline_limit=self.inline_limit)
        if self._lacks_room_for(projection):
            waiting.decided = None if self.members else DecidedWrite(self.before, events, report, projection)
            return
        subjects = {event.draft.subject for event in events}
        if not self._changed.isdisjoint(subjects):
            return
        if self.members and _changes_rules(events):
            return
        waiting.report = report
        self.members.append((waiting, events))
        self.projection.extend(projection)
        self._changed |= subjects
        self.head = self.head.after(events)

    @property
    def is_closed(self) -> bool:
        """Whether no more writes can be added, because they depend on the group's changes of ontology or protection."""
        return _changes_rules(self.events)

    def _lacks_room_for(self, more: Projection) -> bool:
        return self.projection.size + more.size > ROWS_AT_ONCE


async def form_group(
    reader: Reader, group: CommitGroup, waiting: Sequence[QueuedWrite], *, at_once: bool = True
) -> CommitGroup | None:
    """Return a group with the first write and others that fit, or None if the first write does not fit.

    With `at_once`, the writes read concurrently, and types of nodes may be assumed, because the statement checks them.
    Otherwise they read one after the other, as in a transaction. All events get the time of the latest write.
    """
    group.head = group.head.at_or_after(max(write.work.now for write in waiting))
    pending = [(write, TrackingReader(reader, assumes=at_once), _Snapshot()) for write in waiting]
    reads = [
        partial(_read_snapshot, waiting, tracking_reader, group.head, snapshot)
        for waiting, tracking_reader, snapshot in pending
    ]
    if at_once:
        async with anyio.create_task_group() as tasks:
            for read in reads:
                tasks.start_soon(read)
    else:
        for read in reads:
            await read()
    for write, tracking_reader, snapshot in pending:
        if snapshot.is_read and not group.is_closed:
            group.add(write, tracking_reader, snapshot.value)
        if not group.members:
            return None
    return group


@dataclass(slots=True)
class _Snapshot:
    """The data that a write has read."""

    value: object = None
    is_read: bool = False


async def _read_snapshot(waiting: QueuedWrite, reader: TrackingReader, head: Head, snapshot: _Snapshot) -> None:
    with suppress(GraphError), calling(waiting.caller):  # the write raises the error when it runs alone
        snapshot.value = await waiting.work.read(reader, head)
        snapshot.is_read = True


def _changes_rules(events: Sequence[Event]) -> bool:
    drafts = [event.draft for event in events]
    return any(draft.kind in ONTOLOGY_KINDS or draft.kind is Kind.DOMAIN or protects(draft) for draft in drafts)
