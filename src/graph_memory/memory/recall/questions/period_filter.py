"""Filters nodes and passages by the period in which they were created, changed or became valid.

If a node has a date of its own, such as the date of a meeting, this date counts, not the time at which it was stored.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graph_memory.memory.domains.lineage import seq_at
from graph_memory.memory.recall.questions.phrases import Period
from graph_memory.memory.recall.recall_queries import RecallRow, fetch_rows
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, microseconds, time_of_microseconds
from graph_memory.memory.search.ranking.scoring import Passage
from graph_memory.memory.search.retrieval.retrieval import Scope, find_by_words
from graph_memory.memory.traversal.walks.edges import to_datetime
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.matching import FieldFilter
from graph_memory.model.subjects.kinds import Kind

_MAX_PASSAGES = 400
"""Maximum number of passages from a period whose nodes are read."""
_TICK = timedelta(microseconds=1)
_FIRST = datetime.min.replace(tzinfo=UTC) + _TICK


def restrict_to_created(scope: Scope, period: Period) -> Scope:
    """Return the scope restricted to nodes that were created in a period."""
    fields = FieldFilter(created_after=period.since, created_before=period.until)
    return replace(scope, filters=replace(scope.filters, fields=fields))


def restrict_to_valid_from(scope: Scope, period: Period) -> Scope:
    """Return the scope restricted to nodes that became valid in a period."""
    first = EARLIEST + 1 if period.since is None else max(microseconds(period.since), EARLIEST + 1)
    last = LATEST if period.until is None else microseconds(period.until) - 1
    return replace(scope, filters=replace(scope.filters, start_bounds=(first, last)))


def is_in_period(row: RecallRow, period: Period) -> bool:
    """Return whether the start of validity of a node or connection is in a period.

    If its validity has no start, the times of its creation and last change count.
    """
    if row.valid_from is not None:
        return period.has(to_datetime(row.valid_from))
    return any(period.has(to_datetime(at)) for at in (row.modified, row.created) if at is not None)


def is_dated(passage: Passage, period: Period) -> bool:
    """Return whether a passage was valid at any time in a period.

    If its validity has no end, only its start counts. If it has no start, the time of its creation counts.
    """
    if passage.valid_from == EARLIEST:
        return period.has(time_of_microseconds(passage.created))
    start = time_of_microseconds(passage.valid_from)
    return period.has(start, time_of_microseconds(passage.valid_to) if passage.valid_to < LATEST else start)


async def nodes_beginning_in(scope: Scope, period: Period, limit: int) -> list[RecallRow]:
    """Return the nodes that became valid in a period, the latest first, at most `limit` of them."""
    hits = await find_by_words(restrict_to_valid_from(scope, period), "", _MAX_PASSAGES)
    rows = await fetch_rows(scope, Kind.NODE, list(dict.fromkeys(hit.unit for hit in hits)))
    rows_in_period = [row for row in rows.values() if is_in_period(row, period)]
    return sorted(rows_in_period, key=lambda row: (-(row.valid_from or 0), row.id))[:limit]


async def event_range_of(scope: Scope, period: Period) -> tuple[int, int | None]:
    """Return the number of the last event before a period, and the number of the last event in it.

    The first number is 0 if the period has no start, or if the events before it have been compacted. The second is None
    if the period has no end.
    """

    async def last_seq_before(at: datetime) -> int:
        try:
            return await seq_at(scope.core.store, scope.domain, "until", (at - _TICK).isoformat())
        except GraphError as error:
            if error.code is not Code.HISTORY_COMPACTED:
                raise
            return 0

    return (
        0 if period.since is None or period.since < _FIRST else await last_seq_before(period.since),
        None if period.until is None else await last_seq_before(max(period.until, _FIRST)),
    )
