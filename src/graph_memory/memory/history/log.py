"""Pages of the log and its sessions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END, EventRange, bounds, ranges_between
from graph_memory.memory.graph.empty_result_warnings import unknown_types
from graph_memory.memory.graph.stored_type_names import stored_types
from graph_memory.memory.history.narration import Rendered, summary
from graph_memory.memory.history.results import LogEntry, LogPage, Operation, Sessions
from graph_memory.model.errors import Hint
from graph_memory.model.events import Event
from graph_memory.model.sessions import SessionSummary, merge_sessions, sessions_from_json
from graph_memory.model.subjects.subjects import State
from graph_memory.model.text.wording import quote
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import check_limit, invalid_argument, invalid_cursor
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 50
"""Default number of entries of a page."""
_CURSOR = "before:"


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event with the data for its description."""

    event: Mapping[str, object]
    previous: Mapping[str, object] | None
    from_title: str | None
    to_title: str | None
    took: int


@dataclass(frozen=True, slots=True)
class SessionRow:
    """The changes of one session."""

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
SESSIONS = query("history/sessions", SessionRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A filter for changes. None matches all."""

    subject: str | None = None
    session: str | None = None
    source: str | None = None
    actor: str | None = None
    operations: Sequence[Operation] | None = None
    types: Sequence[str] | None = None
    without_types: Collection[str] = ()

    def params(self) -> dict[str, Any]:
        """Return the parameters of statements, without the subject. Raises INVALID_ARGUMENT."""
        for operation in self.operations or ():
            if operation not in ("create", "update", "delete"):
                message = f"{quote(operation)} is not an operation"
                raise invalid_argument("operations", message, "Use create, update or delete.")
        if self.source not in (None, "agent", "user"):
            raise invalid_argument("source", f"{quote(self.source)} is not a source", "Use agent or user.")
        return {
            "session": self.session,
            "source": self.source,
            "actor": self.actor,
            "operations": list(self.operations) if self.operations is not None else None,
            "types": list(self.types) if self.types is not None else None,
            "without_types": list(self.without_types),
        }


def session_of(core: Core, session: str | None) -> str | None:
    """Return a session id. `current` means the caller's session. Raises INVALID_ARGUMENT if the caller has none."""
    if session != "current":
        return session
    if core.origin.session is None:
        hint = Hint(
            "Pass a session id from the log, or revert by event ids. To have a session of your own, name one over HTTP "
            "in the header Graph-Memory-Session, or else in GRAPH_MEMORY_SESSION.",
            " Or use {session_start}.",
        )
        raise invalid_argument("session", "This caller has no session, so `current` means nothing", hint)
    return core.origin.session


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
    """Return changes, newest first. See `History.log`."""
    size = PAGE if limit is None else check_limit(limit)
    after, before = await bounds(core.store, domain, since, until)
    before = min(before, _cursor(cursor))
    criteria = replace(wanted, types=await stored_types(core, domain, wanted.types))
    rows: list[EventRow] = []
    for event_range in await ranges_between(core.store, domain, after, before):
        if len(rows) <= size:
            rows += await events_in(core, criteria, event_range, size + 1 - len(rows))
    entries = [entry_of(row, full=full) for row in rows[:size]]
    next_cursor = f"{_CURSOR}{entries[-1].seq}" if len(rows) > size else None
    warnings = None if entries else await unknown_types(core, domain, wanted.types)
    return LogPage(entries=tuple(entries), next_cursor=next_cursor, warnings=warnings)


async def events_in(core: Core, criteria: Filter, event_range: EventRange, limit: int) -> list[EventRow]:
    """Return the newest changes in a range of one log."""
    bounds = {"domain": event_range.domain, "after": event_range.after, "before": event_range.until + 1, "limit": limit}
    if criteria.subject is None:
        return await core.store.read(EVENTS, **bounds, **criteria.params())
    return await core.store.read(EVENTS_OF_SUBJECT, subject=criteria.subject, **bounds, **criteria.params())


async def sessions(
    core: Core, domain: str, *, since: int | str | None, until: int | str | None, limit: int | None
) -> Sessions:
    """Return the sessions that changed a domain. See `History.sessions`."""
    after, before = await bounds(core.store, domain, since, until)
    maximum = PAGE if limit is None else check_limit(limit)
    summaries: list[SessionSummary] = []
    for event_range in (await ranges_between(core.store, domain, after, before))[:1]:
        if event_range.domain == domain:
            summaries = await sessions_between(core.store, domain, event_range.after, event_range.until + 1, maximum)
    if since is None and until is None:
        summaries = merge_sessions(summaries, await compacted_sessions(core.store, domain))[:maximum]
    return Sessions(sessions=tuple(summaries))


async def sessions_between(reader: Reader, domain: str, after: int, before: int, limit: int) -> list[SessionSummary]:
    """Return the sessions with changes between two positions of a log, latest write first."""
    return [
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
        for row in await reader.read(SESSIONS, domain=domain, after=after, before=before, limit=limit)
    ]


async def compacted_sessions(reader: Reader, domain: str) -> list[SessionSummary]:
    """Return the sessions whose changes were compacted, with their stored counts."""
    last = await last_event(reader, domain, "domain")
    text = (last.draft.state or {}).get("_compacted") if last else None
    return sessions_from_json(text if isinstance(text, str) else None)


def _cursor(cursor: str | None) -> int:
    if cursor is None:
        return END
    number = cursor.removeprefix(_CURSOR)
    if not cursor.startswith(_CURSOR) or not (number.isascii() and number.isdigit()) or len(number) > 16:
        raise invalid_cursor(cursor)
    return int(number)


def entry_of(row: EventRow, *, full: bool) -> LogEntry:
    """Return the log entry of an event. With `full`, it includes the states before and after."""
    event = Event.from_row(row.event)
    before = Event.from_row(row.previous).draft.state if row.previous else None
    draft, origin = event.draft, event.origin
    return LogEntry(
        seq=event.seq,
        id=event.id,
        at=event.at,
        by=origin.actor or origin.source,
        summary=summary(Rendered(draft, before, row.from_title, row.to_title, row.took, event.at)),
        operation=cast("Operation", str(draft.erased_op or draft.op)),
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
    if state is None:
        return None
    return {key: rfc3339(value) if isinstance(value, datetime) else value for key, value in state.items()}
