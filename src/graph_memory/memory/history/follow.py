"""Following the log: each change as it comes, once and in order."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import anyio

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import EventRange, bounds, check_kept, last_seq, past_in, segments_of
from graph_memory.memory.history.last_session import point_at
from graph_memory.memory.history.log import Filter, entry_of, events_in
from graph_memory.memory.history.results import LogEntry
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.storage.queries import query

_STRETCH = 500
"""Numbers of the log that are looked through at a time."""
_SETTLING = 0.02
_PATIENCE = 50
_TURNS = 60
"""How often what cannot be seen is looked for, about a second each time, before it counts as lost."""


COUNT = query("history/count", int)


async def follow(
    core: Core, domain: str, wanted: Filter, *, since: int | str | None, full: bool, every: float
) -> AsyncGenerator[LogEntry]:
    """Give changes as they come. `History.follow` tells the rest.

    The numbers of a log have no gap and are given under a lock, so whoever has seen up to one has missed nothing.
    """
    wanted.params()
    last = await last_seq(core.store, domain)
    since = await point_at(core, domain, "since", since)
    seen = last if since is None else (await bounds(core.store, domain, since, None))[0]
    unseen = 0
    while True:
        for stretch in await _stretches(core, domain, seen, last):
            if not await _is_settled(core, stretch):
                unseen += 1
                if unseen == _TURNS:
                    raise _lost(stretch)
                break
            unseen = 0
            for entry in await _told(core, domain, wanted, stretch, full=full):
                yield entry
            seen = stretch.until
        await anyio.sleep(every)
        last = await last_seq(core.store, domain)
        seen = min(seen, last)  # an older state of the database was restored


async def _stretches(core: Core, domain: str, seen: int, last: int) -> Sequence[EventRange]:
    """Return what is to be looked through after one number up to another, along the domain's line, the oldest first.

    Raises HISTORY_COMPACTED where some of it was.
    """
    if seen >= last:
        return ()
    parts = await segments_of(core.store, domain)
    check_kept(parts, seen, last)
    return [
        EventRange(part.domain, after, min(after + _STRETCH, part.until))
        for part in reversed(past_in(parts, seen, last + 1))
        for after in range(part.after, part.until, _STRETCH)
    ]


async def _told(core: Core, domain: str, wanted: Filter, stretch: EventRange, *, full: bool) -> list[LogEntry]:
    """Return the changes in a stretch that are wanted, oldest first. Raises HISTORY_COMPACTED where some have gone.

    Those of a subject are picked out here: they come from the index that was seen to have all of them.
    """
    rows = await events_in(core, replace(wanted, subject=None), stretch, _STRETCH)
    check_kept(await segments_of(core.store, domain), stretch.after, stretch.until)
    entries = [entry_of(row, full=full) for row in reversed(rows)]
    return [entry for entry in entries if wanted.subject in (None, entry.subject)]


async def _is_settled(core: Core, stretch: EventRange) -> bool:
    """Say whether all events can be seen: a commit shows the end of the log an instant before the index has them.

    It waits up to a second for that. What cannot be seen then is looked for at the next turn: nothing is passed over.
    """
    for _ in range(_PATIENCE):
        number = await core.store.one(COUNT, domain=stretch.domain, after=stretch.after, before=stretch.until + 1)
        if number is not None and number >= stretch.until - stretch.after:
            return True
        await anyio.sleep(_SETTLING)
    return False


def _lost(stretch: EventRange) -> GraphError:
    hint = Hint("Run {graph-memory verify} to see what is missing. To go on after it, follow from a later point.")
    message = f"Events of domain {stretch.domain} from {stretch.after + 1} to {stretch.until} are missing from its log"
    return GraphError(Code.STORE_CONFLICT, message, {"domain": stretch.domain, "hint": hint})
