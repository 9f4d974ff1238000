"""Group commit: writes of one process that wait for the same log, made together in one statement.

Each is decided as if those before it had been made already. That is sound as long as what it read does not depend on
what they change; a write of which that cannot be said waits for a turn of its own.
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
from graph_memory.model.subjects.kinds import ONTOLOGY_KINDS, Kind
from graph_memory.storage.log.project import ROWS_AT_ONCE
from graph_memory.storage.log.tree import rests_on_others
from graph_memory.storage.log.work import CachedHead, Work, Written
from graph_memory.storage.queries import Query
from graph_memory.storage.store import Reader

R = TypeVar("R")

MOST = 64
"""Writes in one group."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Events that were decided on where a log stood, too many to go with others."""

    before: CachedHead
    events: Sequence[Event]
    report: Any
    projection: Projection

    def holds_at(self, standing: CachedHead) -> bool:
        """Say whether nothing was written since."""
        is_same = (standing.head.seq, standing.epoch) == (self.before.head.seq, self.before.epoch)
        return is_same and not rests_on_others(standing.parent, [event.draft for event in self.events])


@dataclass(slots=True, eq=False)
class Waiting:
    """A write in the line for its log. Whoever has the turn may make it too."""

    work: Work[Any, Any]
    written: Written[Any] | None = None
    in_doubt: bool = False
    """Whether it may have been committed, although nobody saw the answer."""
    report: Any = None
    """The report of the last decision whose events were sent: if it was committed, it was with those."""
    decided: Decided | None = None


@dataclass(slots=True)
class CommitQueue:
    """The writes of this process that wait for one log, and the turn that one of them has."""

    turn: anyio.Lock = field(default_factory=anyio.Lock)
    waiting: list[Waiting] = field(default_factory=list[Waiting])

    @contextmanager
    def place_for(self, work: Work[Any, Any]) -> Generator[Waiting]:
        """Give a write a place in the line."""
        mine = Waiting(work)
        self.waiting.append(mine)
        try:
            yield mine
        finally:
            self.waiting.remove(mine)

    def batch_from(self, mine: Waiting) -> list[Waiting]:
        """Return the writes that could be made now, mine first."""
        others = [one for one in self.waiting if one is not mine and one.written is None and not one.in_doubt]
        return [mine, *others[: MOST - 1]]


class TrackingReader(Reader):
    """A reader that notes on which subjects its answers depend; None are all."""

    def __init__(self, reader: Reader, *, assumes: bool) -> None:
        self._reader = reader
        self._assumes = assumes
        self._subjects: set[object] | None = set()

    def holds_after(self, changed: set[str]) -> bool:
        """Say whether the answers are the same after these subjects have changed."""
        return not changed or (self._subjects is not None and self._subjects.isdisjoint(changed))

    def assumes(self, *nodes: str) -> bool:
        """Say whether the types of these nodes may be assumed: the statement that writes looks at them itself."""
        if self._assumes and self._subjects is not None:
            self._subjects.update(nodes)
        return self._assumes

    async def read(self, query: Query[R], **params: object) -> list[R]:
        """Run one statement that only reads and return its rows."""
        if query.subjects is None:
            self._subjects = None
        elif self._subjects is not None:
            for given in (params[name] for name in query.subjects):
                self._subjects.update(cast("list[object]", given) if isinstance(given, list) else [given])
        return await self._reader.read(query, **params)


@dataclass(slots=True)
class Group:
    """Writes that one statement can make, in the order of their events."""

    before: CachedHead
    inline_limit: int
    head: Head = field(init=False)
    """Where the log stands after the members, with the time that all of them carry."""
    members: list[tuple[Waiting, list[Event]]] = field(default_factory=list[tuple[Waiting, list[Event]]])
    projection: Projection = field(init=False)
    _changed: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.head = self.before.head
        self.projection = Projection(self.head.domain)

    @property
    def events(self) -> list[Event]:
        """All events, in order."""
        return [event for _, events in self.members for event in events]

    def set_doubt(self, *, in_doubt: bool) -> None:
        """Note whether the members may have been committed."""
        for one, _ in self.members:
            one.in_doubt = in_doubt

    def settle(self) -> None:
        """Give the members, which were committed, their receipts and reports."""
        for one, events in self.members:
            one.written = Written(Receipt.of(one.work.domain, one.work.batch, events), one.report)
            one.in_doubt = False

    def add(self, waiting: Waiting, noted: TrackingReader, found: object) -> None:
        """Add a write if it can be made now, and together with those before it."""
        if not noted.holds_after(self._changed):
            return
        try:
            events, report = waiting.work.events(self.head, found)
        except GraphError:
            return  # it may rest on what another process has changed: it is decided again under the lock
        if not events:
            return
        projection = project(self.head.domain, events, self.head.ontology, inline_limit=self.inline_limit)
        if self._lacks_room_for(projection):
            waiting.decided = None if self.members else Decided(self.before, events, report, projection)
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
        """Whether nothing may follow: what comes after a change of the ontology, or of protection, has to know it."""
        return _changes_rules(self.events)

    def _lacks_room_for(self, more: Projection) -> bool:
        return self.projection.size + more.size > ROWS_AT_ONCE


async def grouped(reader: Reader, group: Group, waiting: Sequence[Waiting], *, at_once: bool = True) -> Group | None:
    """Return a group of the first write and those that can be made with it, None when it cannot be made so.

    They read at once, or one after the other, as a transaction must. All of them carry the time of the latest. At once,
    what the statement looks at itself may be assumed: where it is otherwise, the write is made again under the lock.
    """
    group.head = group.head.at_or_after(max(one.work.now for one in waiting))
    looked = [(one, TrackingReader(reader, assumes=at_once), _Found()) for one in waiting]
    looks = [partial(_look, one.work, noted, group.head, found) for one, noted, found in looked]
    if at_once:
        async with anyio.create_task_group() as tasks:
            for look in looks:
                tasks.start_soon(look)
    else:
        for look in looks:
            await look()
    for one, noted, found in looked:
        if found.is_there and not group.is_closed:
            group.add(one, noted, found.value)
        if not group.members:
            return None
    return group


@dataclass(slots=True)
class _Found:
    """What a write has read."""

    value: object = None
    is_there: bool = False


async def _look(work: Work[Any, Any], noted: TrackingReader, head: Head, found: _Found) -> None:
    with suppress(GraphError):  # it is met again, and raised, when the write is made alone
        found.value = await work.read(noted, head)
        found.is_there = True


def _changes_rules(events: Sequence[Event]) -> bool:
    drafts = [event.draft for event in events]
    return any(draft.kind in ONTOLOGY_KINDS or draft.kind is Kind.DOMAIN or protects(draft) for draft in drafts)
