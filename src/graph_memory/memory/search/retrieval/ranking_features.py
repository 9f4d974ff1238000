"""Reads the features of units that the ranking needs besides passages: names, connections, age and uses.

Features without a weight are not read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graph_memory.memory.search.access_store import AccessRow, accesses_of
from graph_memory.memory.search.ranking.ranking import Unit, Weights
from graph_memory.memory.search.retrieval.node_filter import degrees
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.model.subjects.subjects import TOOL
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

_DAY = timedelta(days=1)
_NO_PAST_USES = "Uses in the past are not recorded, so use_weight had no effect."


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """The time of the last change of a node or connection."""

    id: str
    modified: datetime


CHANGED = query("search/changed", ChangedRow)
FROM_SOURCE = query("search/from_source", str)


async def find_tool_outputs(scope: Scope, ids: Collection[str]) -> frozenset[str]:
    """Return the nodes whose text is the output of a tool."""
    rows = await scope.core.store.read(FROM_SOURCE, domain=scope.domain, ids=sorted(ids), source=TOOL) if ids else ()
    return frozenset(rows)


async def units_of(
    scope: Scope,
    weights: Weights,
    passages: Mapping[str, int],
    names: Mapping[str, tuple[str, ...]],
    tool_outputs: Collection[str],
    notes: list[str],
    *,
    is_past: bool,
) -> dict[str, Unit]:
    """Return the features of units that have passages or names. Adds a note if features are unknown.

    `is_past` is false for the next page of a search of the present, although that page has a log position.
    """
    unit_ids = [*passages, *(names.keys() - passages.keys())]
    connections: Mapping[str, int] = await degrees(scope, unit_ids) if weights.edge else {}
    ages = await _ages(scope, unit_ids, is_past=is_past) if weights.recency else {}
    uses: Mapping[str, AccessRow] = {}
    if weights.use and is_past:
        notes.append(_NO_PAST_USES)
    elif weights.use:
        uses = await accesses_of(scope.core, scope.domain, unit_ids)
    now = utc_now()
    return {
        unit: Unit(
            passages=passages.get(unit, 1),
            names=names.get(unit, ()),
            edges=connections.get(unit, 0),
            age=ages.get(unit),
            uses=uses[unit].count if unit in uses else 0,
            unused=_days(uses[unit].last, now) if unit in uses else 0.0,
            is_tool_output=unit in tool_outputs,
        )
        for unit in unit_ids
    }


async def _ages(scope: Scope, ids: Sequence[str], *, is_past: bool) -> dict[str, float]:
    """Return the days from each unit's last change to the requested time, or to now."""
    now = (scope.then if is_past else None) or utc_now()
    rows = await scope.core.store.read(CHANGED, domain=scope.domain, ids=list(ids), at=scope.number)
    return {row.id: _days(row.modified, now) for row in rows}


def _days(since: datetime, until: datetime) -> float:
    return max((until - since) / _DAY, 0.0)
