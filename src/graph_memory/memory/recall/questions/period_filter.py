"""Filters nodes and passages by the period in which they were created, were changed or became valid.

If a node has its own date, such as the date of a meeting, that date counts, not the time of the write.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graph_memory.memory.domains.lineage import seq_at
from graph_memory.memory.recall.questions.phrases import Period
from graph_memory.memory.recall.recall_queries import RecallRow, fetch_rows
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, microseconds, moment
from graph_memory.memory.search.ranking.scoring import Passage
from graph_memory.memory.search.retrieval.retrieval import Scope, find_by_words
from graph_memory.memory.traversal.walks.edges import instant
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


def restrict_to_begun(scope: Scope, period: Period) -> Scope:
    """Return the scope restricted to nodes that began to hold in a period."""
    first = EARLIEST + 1 if period.since is None else max(microseconds(period.since), EARLIEST + 1)
    last = LATEST if period.until is None else microseconds(period.until) - 1
    return replace(scope, filters=replace(scope.filters, began=(first, last)))


def is_in_period(row: RecallRow, period: Period) -> bool:
    """Return whether a node or connection belongs to a period."""
    if row.valid_from is not None:
        return period.has(instant(row.valid_from))
    return any(period.has(instant(at)) for at in (row.modified, row.created) if at is not None)


def is_dated(passage: Passage, period: Period) -> bool:
    """Return whether a passage began to hold or was valid in a period.

    If it has no beginning, the time of its creation counts.
    """
    if passage.valid_from == EARLIEST:
        return period.has(moment(passage.created))
    begins = moment(passage.valid_from)
    return period.has(begins, moment(passage.valid_to) if passage.valid_to < LATEST else begins)


async def nodes_beginning_in(scope: Scope, period: Period, limit: int) -> list[RecallRow]:
    """Return the nodes that began to hold in a period, the latest first."""
    hits = await find_by_words(restrict_to_begun(scope, period), "", _MAX_PASSAGES)
    rows = await fetch_rows(scope, Kind.NODE, _once(hit.unit for hit in hits))
    within = [row for row in rows.values() if is_in_period(row, period)]
    return sorted(within, key=lambda row: (-(row.valid_from or 0), row.id))[:limit]


async def event_range_of(scope: Scope, period: Period) -> tuple[int, int | None]:
    """Return the number of the last event before a period, and of the last event in the period.

    The first number is 0 if that point was compacted. The second is None if the period has no end.
    """

    async def number(at: datetime) -> int:
        try:
            return await seq_at(scope.core.store, scope.domain, "until", (at - _TICK).isoformat())
        except GraphError as error:
            if error.code is not Code.HISTORY_COMPACTED:
                raise
            return 0

    return (
        0 if period.since is None or period.since < _FIRST else await number(period.since),
        None if period.until is None else await number(max(period.until, _FIRST)),
    )


def _once(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))
