"""Reads the features that the ranking uses besides passages: names, connections, age and uses.

A feature is not read if its weight is 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graph_memory.memory.search.access_store import AccessRow, accesses_of
from graph_memory.memory.search.ranking.ranking import EvidenceWeights, UnitFeatures
from graph_memory.memory.search.retrieval.node_filter import degrees
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.model.subjects.subjects import TOOL
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

_DAY = timedelta(days=1)
_NO_PAST_USES = "Past uses are not recorded, so use_weight had no effect."


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """The time of a node's or connection's last change."""

    id: str
    modified: datetime


CHANGED = query("search/changed", ChangedRow)
FROM_SOURCE = query("search/from_source", str)


async def find_tool_outputs(scope: Scope, ids: Collection[str]) -> frozenset[str]:
    """Return the ids of the nodes whose text is a tool's output."""
    rows = await scope.core.store.read(FROM_SOURCE, domain=scope.domain, ids=sorted(ids), source=TOOL) if ids else ()
    return frozenset(rows)


async def units_of(
    scope: Scope,
    weights: EvidenceWeights,
    passages: Mapping[str, int],
    names: Mapping[str, tuple[str, ...]],
    tool_outputs: Collection[str],
    notes: list[str],
    *,
    is_past: bool,
) -> dict[str, UnitFeatures]:
    """Return the features of units with passages or names. If features are unknown, add a note to `notes`.

    `is_past` is False for later pages of a search of the current state, although `scope` then has a log number.
    """
    unit_ids = [*passages, *(names.keys() - passages.keys())]
    connections: Mapping[str, int] = await degrees(scope, unit_ids) if weights.edge else {}
    ages = await _ages_in_days(scope, unit_ids, is_past=is_past) if weights.recency else {}
    uses: Mapping[str, AccessRow] = {}
    if weights.use and is_past:
        notes.append(_NO_PAST_USES)
    elif weights.use:
        uses = await accesses_of(scope.core, scope.domain, unit_ids)
    now = utc_now()
    return {
        unit: UnitFeatures(
            passages=passages.get(unit, 1),
            names=names.get(unit, ()),
            edges=connections.get(unit, 0),
            age=ages.get(unit),
            uses=uses[unit].count if unit in uses else 0,
            days_unused=_days_between(uses[unit].last, now) if unit in uses else 0.0,
            is_tool_output=unit in tool_outputs,
        )
        for unit in unit_ids
    }


async def _ages_in_days(scope: Scope, ids: Sequence[str], *, is_past: bool) -> dict[str, float]:
    """Return the days from each unit's last change to the requested time or now, by unit id."""
    now = (scope.then if is_past else None) or utc_now()
    rows = await scope.core.store.read(CHANGED, domain=scope.domain, ids=list(ids), at=scope.number)
    return {row.id: _days_between(row.modified, now) for row in rows}


def _days_between(since: datetime, until: datetime) -> float:
    return max((until - since) / _DAY, 0.0)
