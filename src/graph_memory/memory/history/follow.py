"""A stream of new log entries, each once and in order."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import anyio

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import EventRange, bounds, check_kept, last_seq, ranges_within, segments_of
from graph_memory.memory.history.last_session import point_at
from graph_memory.memory.history.log import Filter, entry_of, events_in
from graph_memory.memory.history.results import LogEntry
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.storage.queries import query

_RANGE = 500
"""Maximum number of log positions per read."""
_WAIT_SECONDS = 0.02
_MAX_WAITS = 50
_TURNS = 60
"""Number of attempts to read an event before it counts as missing. Each takes about a second."""


COUNT = query("history/count", int)


async def follow(
    core: Core, domain: str, criteria: Filter, *, since: int | str | None, full: bool, interval: float
) -> AsyncGenerator[LogEntry]:
    """Yield new changes. See `History.follow`.

    The positions of a log have no gaps and are assigned under a lock, so a reader in order misses no event.
    """
    criteria.params()
    last = await last_seq(core.store, domain)
    since = await point_at(core, domain, "since", since)
    position = last if since is None else (await bounds(core.store, domain, since, None))[0]
    failures = 0
    while True:
        for event_range in await _ranges(core, domain, position, last):
            if not await _is_readable(core, event_range):
                failures += 1
                if failures == _TURNS:
                    raise _missing_events(event_range)
                break
            failures = 0
            for entry in await _entries_in(core, domain, criteria, event_range, full=full):
                yield entry
            position = event_range.until
        await anyio.sleep(interval)
        last = await last_seq(core.store, domain)
        position = min(position, last)  # the log is shorter than before: an older state of the database was restored


async def _ranges(core: Core, domain: str, position: int, last: int) -> Sequence[EventRange]:
    """Return the event ranges between two log positions in the domain's history, oldest first.

    Raises HISTORY_COMPACTED if a part of it was compacted.
    """
    if position >= last:
        return ()
    parts = await segments_of(core.store, domain)
    check_kept(parts, position, last)
    return [
        EventRange(part.domain, after, min(after + _RANGE, part.until))
        for part in reversed(ranges_within(parts, position, last + 1))
        for after in range(part.after, part.until, _RANGE)
    ]


async def _entries_in(
    core: Core, domain: str, criteria: Filter, event_range: EventRange, *, full: bool
) -> list[LogEntry]:
    """Return the matching changes in a range, oldest first. Raises HISTORY_COMPACTED if some were compacted.

    Filters by subject here, because only the index of all events is known to be complete.
    """
    rows = await events_in(core, replace(criteria, subject=None), event_range, _RANGE)
    check_kept(await segments_of(core.store, domain), event_range.after, event_range.until)
    entries = [entry_of(row, full=full) for row in reversed(rows)]
    return [entry for entry in entries if criteria.subject in (None, entry.subject)]


async def _is_readable(core: Core, event_range: EventRange) -> bool:
    """Wait up to a second until all events of a range can be read. Return whether they can.

    The index is slightly behind the commits. Events that cannot be read yet are read in the next turn.
    """
    for _ in range(_MAX_WAITS):
        number = await core.store.first_row(
            COUNT, domain=event_range.domain, after=event_range.after, before=event_range.until + 1
        )
        if number is not None and number >= event_range.until - event_range.after:
            return True
        await anyio.sleep(_WAIT_SECONDS)
    return False


def _missing_events(lost: EventRange) -> GraphError:
    hint = Hint(
        "Run {graph-memory verify} to find the missing events. To continue after them, follow from a later point."
    )
    message = f"Events of domain {lost.domain} from {lost.after + 1} to {lost.until} are missing from its log"
    return GraphError(Code.STORE_CONFLICT, message, {"domain": lost.domain, "hint": hint})
