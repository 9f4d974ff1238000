"""Observations that have ended or may be out of date: since when, and which newer ones take their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from graph_memory.memory.graph.neighbours import states_of
from graph_memory.memory.search.ranking.scoring import Passage
from graph_memory.memory.search.results import Over, Statement
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class OverRow:
    """An observation that holds no more, since when, and those of its node that took the place of others."""

    id: str
    since: datetime
    later: list[list[object]]


@dataclass(frozen=True, slots=True)
class ObservationNote:
    """An observation, the ids of the earlier ones that it may make out of date, and its own time if it has one."""

    id: str
    asks: list[str]
    time: datetime | None


OVER = query("search/over", OverRow)
OBSERVATION_NOTES = query("search/observation_notes", ObservationNote)


async def over(reader: Reader, domain: str, ids: Sequence[str]) -> dict[str, Over]:
    """Return of observations those that hold no more now, by id."""
    rows = await reader.read(OVER, domain=domain, ids=list(ids)) if ids else []
    return {row.id: Over(since=row.since, replaced_by=_instead(row) or None) for row in rows}


async def over_in(scope: Scope, passages: Sequence[Passage]) -> Mapping[str, Over]:
    """Return the ends of the observations whose passages are told. Only requests that include the past have such."""
    if scope.at is None and scope.filters.valid is None and not scope.filters.ended:
        return {}
    return await over(scope.core.store, scope.asked, _observations(passages))


async def over_then(scope: Scope, passages: Sequence[Passage]) -> Mapping[str, Over]:
    """Return the observations that had ended at the point of the log that is read, as it had them."""
    if scope.filters.valid is None and not scope.filters.ended:
        return {}
    ids, then = _observations(passages), scope.then or utc_now()
    states = {str(state["_subject"]): state for state in await states_of(scope.core, scope.domain, ids, scope.number)}
    ends = {one: state.get("_valid_to") for one, state in states.items()}
    since = {one: end for one, end in ends.items() if isinstance(end, datetime) and end <= then}
    rows = {row.id: row for row in await scope.core.store.read(OVER, domain=scope.asked, ids=list(since))}
    newer = list({str(each[0]) for row in rows.values() for each in row.later})
    later: list[list[object]] = [
        [state["_subject"], state["_text"], state.get("_supersedes", [])]
        for state in await states_of(scope.core, scope.domain, newer, scope.number)
    ]
    return {one: Over(since=end, replaced_by=_instead(OverRow(one, end, later)) or None) for one, end in since.items()}


def _observations(passages: Sequence[Passage]) -> list[str]:
    return list(dict.fromkeys(passage.owner for passage in passages if passage.owner_kind == Kind.OBSERVATION))


async def observation_notes(scope: Scope, passages: Sequence[Passage]) -> Sequence[ObservationNote]:
    """Return notes on the observations that have open questions or a time of their own. A past has no questions."""
    ids = _observations(passages)
    rows = await scope.core.store.read(OBSERVATION_NOTES, domain=scope.asked, ids=ids) if ids else []
    return rows if scope.at is None else [replace(row, asks=[]) for row in rows]


def newest_first(passages: Sequence[Passage], asks: Mapping[str, Sequence[str]]) -> list[Passage]:
    """Return passages in order, but an observation with an open question before the ones that it asks about."""
    ordered = list(passages)
    for passage in passages:
        requests = frozenset(asks.get(passage.owner, ()))
        place = next((place for place, other in enumerate(ordered) if other.owner in requests), len(ordered))
        if place < (own := ordered.index(passage)):
            ordered.insert(place, ordered.pop(own))
    return ordered


def _instead(row: OverRow) -> tuple[Statement, ...]:
    """Return what took the place of an observation, or of what did: the last of each line."""
    texts = {str(one): str(text) for one, text, _ in row.later}
    after: dict[str, list[str]] = {}
    for one, _, before in row.later:
        for earlier in cast("list[str]", before):
            after.setdefault(earlier, []).append(str(one))
    found: dict[str, None] = {}
    seen, waiting = {row.id}, [*after.get(row.id, ())]
    while waiting:
        one = waiting.pop(0)
        if one in seen:
            continue
        seen.add(one)
        following = [each for each in after.get(one, ()) if each not in seen]
        waiting += following
        if not following:
            found[one] = None
    return tuple(Statement(id=each, text=texts[each]) for each in found)
