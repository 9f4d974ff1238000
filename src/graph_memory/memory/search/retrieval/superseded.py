"""Looks up observations that have ended or may be out of date, and the newer observations that replace them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from graph_memory.memory.graph.neighbours import states_of
from graph_memory.memory.search.ranking.scoring import Passage
from graph_memory.memory.search.results import Statement, Superseded
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class SupersededRow:
    """An ended observation, its end, and its node's observations that superseded other observations."""

    id: str
    since: datetime
    later: list[list[object]]


@dataclass(frozen=True, slots=True)
class ObservationNote:
    """An observation, the ids of earlier observations that it may make out of date, and its own time, if any."""

    id: str
    asks: list[str]
    time: datetime | None


SUPERSEDED = query("search/over", SupersededRow)
OBSERVATION_NOTES = query("search/observation_notes", ObservationNote)


async def find_superseded(reader: Reader, domain: str, ids: Sequence[str]) -> dict[str, Superseded]:
    """Return each superseded observation's end and replacements, by observation id.

    Current observations are omitted.
    """
    rows = await reader.read(SUPERSEDED, domain=domain, ids=list(ids)) if ids else []
    return {row.id: Superseded(since=row.since, replaced_by=_replacements(row) or None) for row in rows}


async def find_superseded_among(scope: Scope, passages: Sequence[Passage]) -> Mapping[str, Superseded]:
    """Return the superseded observations, by id. If the search is only about current facts, return none."""
    if scope.at is None and scope.filters.valid is None and not scope.filters.includes_ended:
        return {}
    return await find_superseded(scope.core.store, scope.requested_domain, _observations(passages))


async def find_superseded_then(scope: Scope, passages: Sequence[Passage]) -> Mapping[str, Superseded]:
    """Return the observations that had ended by the requested point in time, with their replacements at that point."""
    if scope.filters.valid is None and not scope.filters.includes_ended:
        return {}
    ids, then = _observations(passages), scope.then or utc_now()
    states = {str(state["_subject"]): state for state in await states_of(scope.core, scope.domain, ids, scope.number)}
    ends = {subject_id: state.get("_valid_to") for subject_id, state in states.items()}
    since = {subject_id: end for subject_id, end in ends.items() if isinstance(end, datetime) and end <= then}
    rows = {
        row.id: row for row in await scope.core.store.read(SUPERSEDED, domain=scope.requested_domain, ids=list(since))
    }
    newer = list({str(later_row[0]) for row in rows.values() for later_row in row.later})
    later: list[list[object]] = [
        [state["_subject"], state["_text"], state.get("_supersedes", [])]
        for state in await states_of(scope.core, scope.domain, newer, scope.number)
    ]
    return {
        subject_id: Superseded(since=end, replaced_by=_replacements(SupersededRow(subject_id, end, later)) or None)
        for subject_id, end in since.items()
    }


def _observations(passages: Sequence[Passage]) -> list[str]:
    return list(dict.fromkeys(passage.owner for passage in passages if passage.owner_kind == Kind.OBSERVATION))


async def observation_notes(scope: Scope, passages: Sequence[Passage]) -> Sequence[ObservationNote]:
    """Return notes on observations that may make others out of date, or have a time of their own.

    For past states, the ids of the others are omitted.
    """
    ids = _observations(passages)
    rows = await scope.core.store.read(OBSERVATION_NOTES, domain=scope.requested_domain, ids=ids) if ids else []
    return rows if scope.at is None else [replace(row, asks=[]) for row in rows]


def newest_first(passages: Sequence[Passage], asks: Mapping[str, Sequence[str]]) -> list[Passage]:
    """Return the passages in order, with each observation before the observations that it may supersede."""
    ordered = list(passages)
    for passage in passages:
        superseded_ids = frozenset(asks.get(passage.owner, ()))
        position = next(
            (position for position, other in enumerate(ordered) if other.owner in superseded_ids), len(ordered)
        )
        if position < (own_position := ordered.index(passage)):
            ordered.insert(position, ordered.pop(own_position))
    return ordered


def _replacements(row: SupersededRow) -> tuple[Statement, ...]:
    """Return the current replacements of an observation: the last observation of each chain of replacements."""
    texts = {str(subject_id): str(text) for subject_id, text, _ in row.later}
    later_ids_by_id: dict[str, list[str]] = {}
    for subject_id, _, earlier_ids in row.later:
        for earlier_id in cast("list[str]", earlier_ids):
            later_ids_by_id.setdefault(earlier_id, []).append(str(subject_id))
    last_ids: dict[str, None] = {}
    visited, pending = {row.id}, [*later_ids_by_id.get(row.id, ())]
    while pending:
        subject_id = pending.pop(0)
        if subject_id in visited:
            continue
        visited.add(subject_id)
        next_ids = [next_id for next_id in later_ids_by_id.get(subject_id, ()) if next_id not in visited]
        pending += next_ids
        if not next_ids:
            last_ids[subject_id] = None
    return tuple(Statement(id=subject_id, text=texts[subject_id]) for subject_id in last_ids)
