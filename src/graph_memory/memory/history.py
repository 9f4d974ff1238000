"""Reading the log: what was changed, when, by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from graph_memory.memory.core import Core
from graph_memory.model.arguments import check_limit, fault
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Event
from graph_memory.model.history import LogEntry, LogPage, Operation, Sessions, SessionSummary
from graph_memory.model.moments import Moment, moment
from graph_memory.model.narration import Told, summary
from graph_memory.model.results import rfc3339
from graph_memory.model.subjects import State
from graph_memory.model.wording import quoted, shown
from graph_memory.storage.log import utc_now
from graph_memory.storage.ontologies import no_ontology
from graph_memory.storage.queries import query

PAGE = 50
"""Entries of a page when nobody said how many."""
_CURSOR = "before:"
_END = 2**53


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event and what is needed to tell of it."""

    event: Mapping[str, object]
    previous: Mapping[str, object] | None
    from_title: str | None
    to_title: str | None


@dataclass(frozen=True, slots=True)
class PositionRow:
    """Where the log ends, and where in it an event is."""

    last: int
    seq: int | None


@dataclass(frozen=True, slots=True)
class TimedRow:
    """A number of the log and its time."""

    seq: int
    at: datetime


@dataclass(frozen=True, slots=True)
class SessionRow:
    """What one session did."""

    session: str | None
    source: str
    actor: str | None
    first_seq: int
    last_seq: int
    began: datetime
    ended: datetime
    changes: int
    subjects: int
    titles: list[str]


EVENTS = query("history/events", EventRow)
EVENTS_OF_SUBJECT = query("history/events_of_subject", EventRow)
POSITION = query("history/position", PositionRow)
NEXT_EVENT = query("history/next_event", TimedRow)
SESSIONS = query("history/sessions", SessionRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which changes are asked for; None takes all."""

    subject: str | None = None
    session: str | None = None
    source: str | None = None
    actor: str | None = None
    operations: Sequence[Operation] | None = None
    types: Sequence[str] | None = None

    def params(self) -> dict[str, Any]:
        """Return the filter as statements take it, but for the subject. Raises INVALID_ARGUMENT."""
        for operation in self.operations or ():
            if operation not in ("create", "update", "delete"):
                message = f"{quoted(operation)} is not an operation"
                raise fault("operations", message, "Give some of create, update and delete.")
        if self.source not in (None, "agent", "user"):
            raise fault("source", f"{quoted(self.source)} is not a source", "Give agent or user.")
        return {
            "session": self.session,
            "source": self.source,
            "actor": self.actor,
            "operations": list(self.operations) if self.operations is not None else None,
            "types": list(self.types) if self.types is not None else None,
        }


async def log(
    core: Core,
    domain: str,
    wanted: Filter,
    *,
    since: int | str | None,
    until: int | str | None,
    limit: int | None,
    cursor: str | None,
    full: bool,
) -> LogPage:
    """Return changes, newest first. `History.log` tells the rest."""
    size = PAGE if limit is None else check_limit(limit)
    after, before = await bounds(core, domain, since, until)
    before = min(before, _cursor(cursor))
    params = {"domain": domain, "after": after, "before": before, "limit": min(size + 1, _END), **wanted.params()}
    if wanted.subject is None:
        rows = await core.store.read(EVENTS, **params)
    else:
        rows = await core.store.read(EVENTS_OF_SUBJECT, subject=wanted.subject, **params)
    entries = [_entry(row, full=full) for row in rows[:size]]
    return LogPage(entries=tuple(entries), next_cursor=f"{_CURSOR}{entries[-1].seq}" if len(rows) > size else None)


async def sessions(
    core: Core, domain: str, *, since: int | str | None, until: int | str | None, limit: int | None
) -> Sessions:
    """Return the sessions that changed a domain. `History.sessions` tells the rest."""
    after, before = await bounds(core, domain, since, until)
    rows = await core.store.read(
        SESSIONS, domain=domain, after=after, before=before, limit=PAGE if limit is None else check_limit(limit)
    )
    return Sessions(
        sessions=tuple(
            SessionSummary(
                session=row.session,
                source=row.source,
                actor=row.actor,
                began=row.began,
                ended=row.ended,
                changes=row.changes,
                subjects=row.subjects,
                about=tuple(row.titles),
                first_seq=row.first_seq,
                last_seq=row.last_seq,
            )
            for row in rows
        )
    )


async def seq_at(core: Core, domain: str, argument: str, given: int | str) -> int:
    """Return the number of the last event at or before a point; 0 before the first.

    Raises ONTOLOGY_NOT_FOUND, EVENT_NOT_FOUND and INVALID_ARGUMENT.
    """
    point = moment(argument, given, utc_now())
    place = await _position(core, domain, point)
    if point.at is None:
        return min(place.last, _either(point.seq, place.seq))
    return await _last_until(core, domain, point.at, place.last)


async def bounds(core: Core, domain: str, since: int | str | None, until: int | str | None) -> tuple[int, int]:
    """Return the numbers between which the events are that were asked for; both points are within."""
    after = 0 if since is None else await _before(core, domain, since)
    last = _END if until is None else await seq_at(core, domain, "until", until)
    if since is None and until is None:
        await _position(core, domain, Moment(seq=0))
    return after, last + 1


async def _before(core: Core, domain: str, since: int | str) -> int:
    """Return the number of the last event before a point."""
    point = moment("since", since, utc_now())
    place = await _position(core, domain, point)
    if point.at is None:
        return _either(point.seq, place.seq) - 1
    return await _last_until(core, domain, point.at, place.last, strictly=True)


def _either(seq: int | None, found: int | None) -> int:
    return seq if seq is not None else found or 0


async def _position(core: Core, domain: str, point: Moment) -> PositionRow:
    row = await core.store.one(POSITION, domain=domain, event=point.event)
    if row is None:
        raise no_ontology(domain)
    if point.event is not None and row.seq is None:
        raise no_event(domain, point.event)
    return row


async def _last_until(core: Core, domain: str, at: datetime, last: int, *, strictly: bool = False) -> int:
    """Return the number of the last event until a time, or before it; times never go back along a log."""
    low, high = 0, last
    while low < high:
        middle = (low + high + 1) // 2
        row = await core.store.one(NEXT_EVENT, domain=domain, seq=middle)
        if row is not None and (row.at < at or (row.at == at and not strictly)):
            low = max(middle, min(row.seq, high))
        else:
            high = middle - 1
    return low


def _cursor(cursor: str | None) -> int:
    if cursor is None:
        return _END
    number = cursor.removeprefix(_CURSOR)
    if not cursor.startswith(_CURSOR) or not (number.isascii() and number.isdigit()) or len(number) > 16:
        hint = "Give next_cursor of the page before, or leave it out for the first page."
        raise fault("cursor", f"{quoted(cursor)} is not a cursor", hint)
    return int(number)


def _entry(row: EventRow, *, full: bool) -> LogEntry:
    event = Event.from_row(row.event)
    before = Event.from_row(row.previous).draft.state if row.previous else None
    draft, origin = event.draft, event.origin
    return LogEntry(
        seq=event.seq,
        id=event.id,
        at=event.at,
        summary=summary(Told(draft, before, row.from_title, row.to_title)),
        operation=cast("Operation", str(draft.op)),
        kind=draft.kind,
        subject=draft.subject,
        type=draft.type,
        session=origin.session,
        source=origin.source,
        actor=origin.actor,
        batch=event.batch,
        before=_plain(before) if full else None,
        after=_plain(draft.state) if full else None,
    )


def _plain(state: State | None) -> dict[str, object] | None:
    """Return a state ready for JSON."""
    if state is None:
        return None
    return {key: rfc3339(value) if isinstance(value, datetime) else value for key, value in state.items()}


def no_event(domain: str, event: str) -> GraphError:
    """Return the error for an event that the log does not have."""
    details = {
        "event": shown(event),
        "domain": domain,
        "hint": "memory_log shows the ids of events; they belong to one domain.",
    }
    return GraphError(Code.EVENT_NOT_FOUND, f"Domain {domain} has no event {shown(event)}", details)
