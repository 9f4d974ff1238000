"""Reads pages of the log, and its sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, cast

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END, EventRange, bounds, ranges_between, segments_of
from graph_memory.memory.graph.empty_result_warnings import unknown_types
from graph_memory.memory.graph.stored_type_names import stored_types
from graph_memory.memory.history.narration import ChangeToDescribe, summary
from graph_memory.memory.history.results import ChangeCount, LogEntry, LogPage, Operation, Sessions
from graph_memory.model.errors import Hint
from graph_memory.model.events import Event
from graph_memory.model.sessions import SessionSummary, merge_sessions, sessions_from_json
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import State
from graph_memory.model.text.wording import quote
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import check_integer, check_limit, invalid_argument, invalid_cursor_error
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

PAGE = 50
"""Default maximum number of entries on a page."""
MAX_PERIODS = 1_000
MAX_OBSERVATIONS = 500
"""Maximum number of observations of a node whose changes are read, newest first."""
_MILLISECONDS_PER_SECOND = 1_000
_CURSOR_PREFIX = "before:"


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event with the data for its description: the earlier state, and the titles of a connection's endpoints."""

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


@dataclass(frozen=True, slots=True)
class ChangeCountRow:
    """The number of changes of one kind and operation in a period.

    A change at exactly the end of the last period is counted in an extra period.
    """

    period: int
    kind: Kind
    operation: Operation
    changes: int


EVENTS = query("history/events", EventRow)
EVENTS_OF_SUBJECT = query("history/events_of_subject", EventRow)
OBSERVATION_IDS = query("history/observation_ids", str)
SESSIONS = query("history/sessions", SessionRow)
CHANGE_COUNTS = query("history/change_counts", ChangeCountRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Criteria that select changes. A criterion that is None matches all changes."""

    subject: str | None = None
    session: str | None = None
    source: str | None = None
    actor: str | None = None
    operations: Sequence[Operation] | None = None
    types: Sequence[str] | None = None
    without_types: Collection[str] = ()
    observations: Sequence[str] = ()
    """Ids of observations. Their changes match in addition to the changes of the subject."""
    latest_in: Sequence[EventRange] = ()
    """Selects only the last change of each subject in these ranges, except deletions. Ignored if `subject` is set."""

    def params(self) -> dict[str, Any]:
        """Return the parameters of the statements, except the subject.

        Raises INVALID_ARGUMENT if an operation or the source is unknown.
        """
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
    """Return the session id. For `current`, return the id of the caller's session.

    Raises INVALID_ARGUMENT for `current` if the caller has no session.
    """
    if session != "current":
        return session
    if core.origin.session is None:
        hint = Hint(
            "Pass a session id from the log, or revert by event ids. To set your own session id, send the header "
            "Graph-Memory-Session over HTTP, or set the environment variable GRAPH_MEMORY_SESSION.",
            " Or use {session_start}.",
        )
        raise invalid_argument("session", "`current` stands for the caller's session, but this caller has none", hint)
    return core.origin.session


async def log(
    core: Core,
    domain: str,
    requested_filter: Filter,
    *,
    since: int | str | None,
    until: int | str | None,
    limit: int | None,
    cursor: str | None,
    full: bool,
    with_observations: bool = False,
    latest_only: bool = False,
) -> LogPage:
    """Return changes, newest first. See `History.log`."""
    page_size = PAGE if limit is None else check_limit(limit)
    after, before = await bounds(core.store, domain, since, until)
    criteria = replace(requested_filter, types=await stored_types(core, domain, requested_filter.types))
    if latest_only:
        if criteria.subject is not None:
            raise invalid_argument("latest_only", "latest_only and subject were both passed", "Pass one of them.")
        if criteria.operations and "delete" in criteria.operations:
            raise invalid_argument("latest_only", "latest_only never returns deletions", "Omit delete in operations.")
        criteria = replace(criteria, latest_in=await ranges_between(core.store, domain, after, before))
    before = min(before, _parse_cursor(cursor))
    if with_observations and criteria.subject is not None:
        ids = await core.store.read(OBSERVATION_IDS, domain=domain, node=criteria.subject, limit=MAX_OBSERVATIONS)
        criteria = replace(criteria, observations=ids)
    rows: list[EventRow] = []
    for event_range in await ranges_between(core.store, domain, after, before):
        if len(rows) <= page_size:
            rows += await events_in(core, criteria, event_range, page_size + 1 - len(rows))
    entries = [entry_of(row, full=full) for row in rows[:page_size]]
    next_cursor = f"{_CURSOR_PREFIX}{entries[-1].seq}" if len(rows) > page_size else None
    warnings = None if entries else await unknown_types(core, domain, requested_filter.types)
    return LogPage(entries=tuple(entries), next_cursor=next_cursor, warnings=warnings)


async def events_in(core: Core, criteria: Filter, event_range: EventRange, limit: int) -> list[EventRow]:
    """Return the newest matching changes in a range of one domain's log, at most `limit`."""
    range_params = {
        "domain": event_range.domain,
        "after": event_range.after,
        "before": event_range.until + 1,
        "limit": limit,
    }
    if criteria.subject is None:
        latest_in = [asdict(latest_range) for latest_range in criteria.latest_in]
        return await core.store.read(EVENTS, latest_in=latest_in, **range_params, **criteria.params())
    subjects = [criteria.subject, *criteria.observations]
    return await core.store.read(EVENTS_OF_SUBJECT, subjects=subjects, **range_params, **criteria.params())


async def count_changes(
    core: Core, domain: str, begin: datetime, end: datetime, periods: int
) -> tuple[ChangeCount, ...]:
    """Return the number of changes for each period, kind and operation. See `History.count_changes`."""
    check_integer("periods", periods, 1, MAX_PERIODS)
    for name, moment in (("begin", begin), ("end", end)):
        if moment.tzinfo is None:
            raise invalid_argument(name, f"{moment} has no time zone", "Pass a time with a zone, such as UTC.")
    if end < begin:
        raise invalid_argument("end", f"{rfc3339(end)} is before `begin`", "Pass the earlier time as `begin`.")
    own_ranges = [
        EventRange(segment.domain, max(segment.begins_at, segment.compacted_to), segment.until)
        for segment in await segments_of(core.store, domain)
        if segment.domain == domain
    ]
    times = {
        "begin": begin.timestamp() * _MILLISECONDS_PER_SECOND,
        "length": max((end - begin).total_seconds() * _MILLISECONDS_PER_SECOND / periods, 1.0),
    }
    counts: Counter[tuple[int, Kind, Operation]] = Counter()
    for event_range in own_ranges:
        span = {"after": event_range.after, "before": event_range.until + 1}
        for row in await core.store.read(CHANGE_COUNTS, domain=domain, **span, **times):
            counts[min(max(row.period, 0), periods - 1), row.kind, row.operation] += row.changes
    return tuple(
        ChangeCount(period=period, kind=kind, operation=operation, changes=changes)
        for (period, kind, operation), changes in sorted(counts.items())
    )


async def list_sessions(
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
    """Return the stored summaries of the sessions whose changes were compacted."""
    last = await last_event(reader, domain, "domain")
    text = (last.draft.state or {}).get("_compacted") if last else None
    return sessions_from_json(text if isinstance(text, str) else None)


def _parse_cursor(cursor: str | None) -> int:
    if cursor is None:
        return END
    number = cursor.removeprefix(_CURSOR_PREFIX)
    if not cursor.startswith(_CURSOR_PREFIX) or not (number.isascii() and number.isdigit()) or len(number) > 16:
        raise invalid_cursor_error(cursor)
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
        summary=summary(ChangeToDescribe(draft, before, row.from_title, row.to_title, row.took, event.at)),
        operation=cast("Operation", str(draft.erased_op or draft.op)),
        kind=draft.kind,
        subject=draft.subject,
        type=draft.type,
        from_id=draft.from_id if full else None,
        to_id=draft.to_id if full else None,
        session=origin.session,
        source=origin.source,
        actor=origin.actor,
        batch=event.batch,
        before=_as_json_values(before) if full else None,
        after=_as_json_values(draft.state) if full else None,
    )


def _as_json_values(state: State | None) -> dict[str, object] | None:
    if state is None:
        return None
    return {key: rfc3339(value) if isinstance(value, datetime) else value for key, value in state.items()}
