"""Streams new log entries in order. Each entry is yielded exactly once."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import anyio

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import EventRange, bounds, check_kept, last_seq, ranges_within, segments_of
from graph_memory.memory.history.last_session import point_at
from graph_memory.memory.history.log import Filter, entry_of, events_in
from graph_memory.memory.history.results import LogEntry
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.storage.queries import query

_RANGE = 500
"""Maximum number of log positions that one read covers."""
_WAIT_SECONDS = 0.02
_MAX_WAITS = 50
_MAX_ROUNDS = 60
"""Maximum number of attempts to read an event before it counts as missing. An attempt takes about a second."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """The number of the last event in a domain's log."""

    domain: str
    last: int


COUNT = query("history/count", int)
POSITIONS = query("history/positions", LogPosition)


async def read_positions(core: Core, domains: Collection[str]) -> Mapping[str, int]:
    """Return the number of the last event of each domain. See `History.positions`."""
    rows = await core.store.read(POSITIONS, domains=sorted(domains))
    return {row.domain: row.last for row in rows}


async def follow(
    core: Core, domain: str, criteria: Filter, *, since: int | str | None, full: bool, interval: float
) -> AsyncGenerator[LogEntry]:
    """Yield new changes. See `History.follow`.

    The positions of a log have no gaps and are assigned under a lock. So a reader that follows them misses no event.
    """
    criteria.params()
    last = await last_seq(core.store, domain)
    since = await point_at(core, domain, "since", since)
    position = last if since is None else (await bounds(core.store, domain, since, None))[0]
    failures = 0
    while True:
        for event_range in await _unread_ranges(core, domain, position, last):
            if not await _is_readable(core, event_range):
                failures += 1
                if failures == _MAX_ROUNDS:
                    raise _missing_events_error(event_range)
                break
            failures = 0
            for entry in await _read_entries(core, domain, criteria, event_range, full=full):
                yield entry
            position = event_range.until
        await anyio.sleep(interval)
        last = await last_seq(core.store, domain)
        position = min(position, last)  # the log is shorter than before: an older state of the database was restored


async def _unread_ranges(core: Core, domain: str, position: int, last: int) -> Sequence[EventRange]:
    """Return the event ranges between two log positions, oldest first. Raises HISTORY_COMPACTED if any is compacted."""
    if position >= last:
        return ()
    segments = await segments_of(core.store, domain)
    check_kept(segments, position, last)
    return [
        EventRange(segment_range.domain, after, min(after + _RANGE, segment_range.until))
        for segment_range in reversed(ranges_within(segments, position, last + 1))
        for after in range(segment_range.after, segment_range.until, _RANGE)
    ]


async def _read_entries(
    core: Core, domain: str, criteria: Filter, event_range: EventRange, *, full: bool
) -> list[LogEntry]:
    """Return the matching changes in a range, oldest first. Raises HISTORY_COMPACTED if some were compacted.

    Filters by subject after the read, because only the index of all events is certain to be complete.
    """
    rows = await events_in(core, replace(criteria, subject=None), event_range, _RANGE)
    check_kept(await segments_of(core.store, domain), event_range.after, event_range.until)
    entries = [entry_of(row, full=full) for row in reversed(rows)]
    return [entry for entry in entries if criteria.subject in (None, entry.subject)]


async def _is_readable(core: Core, event_range: EventRange) -> bool:
    """Wait up to a second until all events of a range can be read. Returns False if some still cannot be read.

    The index is slightly behind the commits. Events that cannot be read yet are read in the next round.
    """
    for _ in range(_MAX_WAITS):
        readable_count = await core.store.first_row(
            COUNT, domain=event_range.domain, after=event_range.after, before=event_range.until + 1
        )
        if readable_count is not None and readable_count >= event_range.until - event_range.after:
            return True
        await anyio.sleep(_WAIT_SECONDS)
    return False


def _missing_events_error(event_range: EventRange) -> GraphError:
    hint = Hint(
        "Run {graph-memory verify} to find the missing events. To continue after them, follow from a later point."
    )
    first, last = event_range.after + 1, event_range.until
    message = f"Events {first} to {last} of domain {event_range.domain} are missing from its log"
    return GraphError(Code.STORE_CONFLICT, message, {"domain": event_range.domain, "hint": hint})
