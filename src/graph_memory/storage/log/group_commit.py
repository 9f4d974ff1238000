"""Group commit: one statement makes several waiting writes of this process to the same log.

Each write is decided as if the group's earlier writes had already been made. A write can therefore join the group only
if it reads no data that the earlier writes change. Other writes wait for the next group.
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
from graph_memory.model.rights import CALLER, Caller, run_as
from graph_memory.model.subjects.kinds import ONTOLOGY_KINDS, Kind
from graph_memory.storage.log.project import ROWS_AT_ONCE
from graph_memory.storage.log.tree import depends_on_others
from graph_memory.storage.log.work import CachedHead, CompletedWrite, WriteRequest
from graph_memory.storage.queries import Query
from graph_memory.storage.store import Reader

R = TypeVar("R")

MAX_WRITES = 64
"""Maximum number of writes in one group."""


class GroupCommitFailed(Exception):  # noqa: N818 - not an error: the write is repeated alone
    """Raised if a group cannot be written under the log's lock. Each of its writes is then made separately."""


@dataclass(frozen=True, slots=True)
class DecidedWrite:
    """The decided events of a write that is too large for a group, with the head of the log at the decision."""

    before: CachedHead
    events: Sequence[Event]
    report: Any
    projection: Projection

    def is_still_valid(self, cached_head: CachedHead) -> bool:
        """Return whether the decision is still valid: the log is unchanged, and no other domain affects the events."""
        is_same = (cached_head.head.seq, cached_head.epoch) == (self.before.head.seq, self.before.epoch)
        return is_same and not depends_on_others(cached_head.parent, [event.draft for event in self.events])


@dataclass(slots=True, eq=False)
class QueuedWrite:
    """A write that waits in its log's queue. Another write may include it in a group."""

    work: WriteRequest[Any, Any]
    written: CompletedWrite[Any] | None = None
    in_doubt: bool = False
    """Whether the write may have been committed although Neo4j's reply was lost."""
    report: Any = None
    """The report of the write's last decision."""
    decided: DecidedWrite | None = None
    caller: Caller | None = field(default_factory=CALLER.get)
    """This write's caller. The caller's rights apply even if another caller's write includes the write in a group."""


@dataclass(slots=True)
class CommitQueue:
    """This process's waiting writes to one log, and the lock of the current writer."""

    turn: anyio.Lock = field(default_factory=anyio.Lock)
    waiting: list[QueuedWrite] = field(default_factory=list[QueuedWrite])

    @contextmanager
    def enqueue(self, work: WriteRequest[Any, Any]) -> Generator[QueuedWrite]:
        """Yield the queued write. It stays in the queue until the end of the `with` block."""
        queued = QueuedWrite(work)
        self.waiting.append(queued)
        try:
            yield queued
        finally:
            self.waiting.remove(queued)

    def select_writes(self, first: QueuedWrite) -> list[QueuedWrite]:
        """Return `first` and up to `MAX_WRITES - 1` other queued writes that are neither made nor in doubt."""
        others = [
            waiting
            for waiting in self.waiting
            if waiting is not first and waiting.written is None and not waiting.in_doubt
        ]
        return [first, *others[: MAX_WRITES - 1]]


class TrackingReader(Reader):
    """A reader that records the ids of the subjects on which its results depend."""

    def __init__(self, reader: Reader, *, may_assume: bool) -> None:
        self._reader = reader
        self._may_assume = may_assume
        self._subjects: set[object] | None = set()

    def is_unaffected_by(self, changed: set[str]) -> bool:
        """Return whether the results so far do not depend on the changed subjects. `changed` contains their ids."""
        return not changed or (self._subjects is not None and self._subjects.isdisjoint(changed))

    def assumes(self, *nodes: str) -> bool:
        """Return whether these nodes' types can be assumed, because the write statement checks them."""
        if self._may_assume and self._subjects is not None:
            self._subjects.update(nodes)
        return self._may_assume

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
    """Writes that one statement makes, in the order of their events."""

    before: CachedHead
    inline_limit: int
    head: Head = field(init=False)
    """The head of the log after the group's writes, with their common time."""
    members: list[tuple[QueuedWrite, list[Event]]] = field(default_factory=list[tuple[QueuedWrite, list[Event]]])
    projection: Projection = field(init=False)
    _changed: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.head = self.before.head
        self.projection = Projection(self.head.domain)

    @property
    def events(self) -> list[Event]:
        """The events of all the group's writes, in order."""
        return [event for _, events in self.members for event in events]

    def set_in_doubt(self, *, in_doubt: bool) -> None:
        """Set whether the group's writes may have been committed without confirmation."""
        for queued, _ in self.members:
            queued.in_doubt = in_doubt

    def set_receipts(self) -> None:
        """Store the receipts and reports in the group's writes. The writes must be committed."""
        for queued, events in self.members:
            queued.written = CompletedWrite(Receipt.of(queued.work.domain, queued.work.batch, events), queued.report)
            queued.in_doubt = False

    def add(self, queued: QueuedWrite, reader: TrackingReader, snapshot: object) -> None:
        """Decide a write on its snapshot.

        Add it if the group's statement can make it together with the earlier writes.
        """
        if not reader.is_unaffected_by(self._changed):
            return
        try:
            events, report = queued.work.decide_events(self.head, snapshot)
        except GraphError:
            return  # the error may depend on changes by another process, so the write is decided again under the lock
        if not events:
            return
        projection = project(self.head.domain, events, self.head.ontology, inline_limit=self.inline_limit)
        if self.projection.size + projection.size > ROWS_AT_ONCE:
            queued.decided = None if self.members else DecidedWrite(self.before, events, report, projection)
            return
        subjects = {event.draft.subject for event in events}
        if not self._changed.isdisjoint(subjects) or (self.members and _changes_rules(events)):
            return
        queued.report = report
        self.members.append((queued, events))
        self.projection.extend(projection)
        self._changed |= subjects
        self.head = self.head.after(events)

    @property
    def is_closed(self) -> bool:
        """Whether no more writes can be added, because the group changes the ontology, the domain or a protection."""
        return _changes_rules(self.events)


async def form_group(
    reader: Reader, group: CommitGroup, queued_writes: Sequence[QueuedWrite], *, at_once: bool = True
) -> CommitGroup | None:
    """Add the first write and further suitable writes to the group.

    Returns None if the first write cannot be in a group. With `at_once`, the writes read concurrently, and do not read
    types of nodes that the statement checks. Otherwise they read one after the other, as a transaction requires. All
    events get the latest write's time.
    """
    group.head = group.head.with_next_event_time(max(write.work.now for write in queued_writes))
    pending = [(write, TrackingReader(reader, may_assume=at_once), _Snapshot()) for write in queued_writes]
    read_tasks = [
        partial(_read_snapshot, queued, tracking_reader, group.head, snapshot)
        for queued, tracking_reader, snapshot in pending
    ]
    if at_once:
        async with anyio.create_task_group() as tasks:
            for read_task in read_tasks:
                tasks.start_soon(read_task)
    else:
        for read_task in read_tasks:
            await read_task()
    for write, tracking_reader, snapshot in pending:
        if snapshot.is_read and not group.is_closed:
            group.add(write, tracking_reader, snapshot.value)
        if not group.members:
            return None
    return group


@dataclass(slots=True)
class _Snapshot:
    """The data that a write has read for its decision."""

    value: object = None
    is_read: bool = False


async def _read_snapshot(queued: QueuedWrite, reader: TrackingReader, head: Head, snapshot: _Snapshot) -> None:
    with suppress(GraphError), run_as(queued.caller):  # the write raises the error when it runs alone
        snapshot.value = await queued.work.read(reader, head)
        snapshot.is_read = True


def _changes_rules(events: Sequence[Event]) -> bool:
    drafts = [event.draft for event in events]
    return any(draft.kind in ONTOLOGY_KINDS or draft.kind is Kind.DOMAIN or protects(draft) for draft in drafts)
