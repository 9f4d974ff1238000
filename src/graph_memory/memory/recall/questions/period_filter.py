"""What belongs to a period: what was made or changed in it, or began to hold then.

Of what has a date in the world, that date counts, not when somebody wrote it down.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graph_memory.memory.domains.lineage import seq_at
from graph_memory.memory.recall.questions.phrases import Period
from graph_memory.memory.recall.recall_queries import ToldRow, told_of
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, microseconds, moment
from graph_memory.memory.search.ranking.scoring import Passage
from graph_memory.memory.search.retrieval.retrieval import Scope, find_by_words
from graph_memory.memory.traversal.walks.edges import instant
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.matching import FieldFilter
from graph_memory.model.subjects.kinds import Kind

_MOST_BEGUN = 400
"""Passages of a period that are looked at for what began to hold in it."""
_TICK = timedelta(microseconds=1)
_FIRST = datetime.min.replace(tzinfo=UTC) + _TICK


def made_in(scope: Scope, period: Period) -> Scope:
    """Return where there is only what was made in a period."""
    fields = FieldFilter(created_after=period.since, created_before=period.until)
    return replace(scope, filters=replace(scope.filters, fields=fields))


def begun_in(scope: Scope, period: Period) -> Scope:
    """Return where there is only what began to hold in a period."""
    first = EARLIEST + 1 if period.since is None else max(microseconds(period.since), EARLIEST + 1)
    last = LATEST if period.until is None else microseconds(period.until) - 1
    return replace(scope, filters=replace(scope.filters, began=(first, last)))


def is_of(row: ToldRow, period: Period) -> bool:
    """Say whether a node or connection belongs to a period."""
    if row.valid_from is not None:
        return period.has(instant(row.valid_from))
    return any(period.has(instant(at)) for at in (row.modified, row.created) if at is not None)


def is_dated(passage: Passage, period: Period) -> bool:
    """Return whether a passage belongs to a period: it began or held in it, or, without a beginning, was made in it."""
    if passage.valid_from == EARLIEST:
        return period.has(moment(passage.created))
    begins = moment(passage.valid_from)
    return period.has(begins, moment(passage.valid_to) if passage.valid_to < LATEST else begins)


async def begun(scope: Scope, period: Period, limit: int) -> list[ToldRow]:
    """Return the nodes that began to hold in a period, the latest first."""
    found = await find_by_words(begun_in(scope, period), "", _MOST_BEGUN)
    rows = await told_of(scope, Kind.NODE, _once(each.unit for each in found))
    within = [row for row in rows.values() if is_of(row, period)]
    return sorted(within, key=lambda row: (-(row.valid_from or 0), row.id))[:limit]


async def numbers(scope: Scope, period: Period) -> tuple[int, int | None]:
    """Return the numbers of the log between which a period lies; 0 stands for what is compacted."""

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
