"""Observations that have ended or may be out of date: since when, and which newer ones take their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from graph_memory.memory.recall.results import Over, Statement
from graph_memory.memory.recall.retrieval import Scope
from graph_memory.memory.recall.scoring import Passage
from graph_memory.model.kinds import Kind
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class OverRow:
    """An observation that holds no more, since when, and those of its node that took the place of others."""

    id: str
    since: datetime
    later: list[list[object]]


@dataclass(frozen=True, slots=True)
class OpenQuestionRow:
    """An observation, and the ids of the earlier ones that it may make out of date."""

    id: str
    asks: list[str]


OVER = query("recall/over", OverRow)
OPEN_QUESTIONS = query("recall/open_questions", OpenQuestionRow)


async def over(reader: Reader, domain: str, ids: Sequence[str]) -> dict[str, Over]:
    """Return of observations those that hold no more now, by id."""
    rows = await reader.read(OVER, domain=domain, ids=list(ids)) if ids else []
    return {row.id: Over(since=row.since, replaced_by=_instead(row) or None) for row in rows}


async def over_in(scope: Scope, passages: Sequence[Passage]) -> Mapping[str, Over]:
    """Return the ends of the observations whose passages are told. Only requests that include the past have such."""
    if scope.at is None and scope.filters.valid is None and not scope.filters.ended:
        return {}
    ids = dict.fromkeys(each.owner for each in passages if each.owner_kind == Kind.OBSERVATION)
    return await over(scope.core.store, scope.asked, list(ids))


async def open_questions(scope: Scope, passages: Sequence[Passage]) -> Mapping[str, Sequence[str]]:
    """Return the observations with open questions, each with the ids of the earlier ones; none for a past."""
    if scope.at is not None:
        return {}
    ids = list(dict.fromkeys(passage.owner for passage in passages if passage.owner_kind == Kind.OBSERVATION))
    rows = await scope.core.store.read(OPEN_QUESTIONS, domain=scope.asked, ids=ids) if ids else []
    return {row.id: row.asks for row in rows}


def newest_first(passages: Sequence[Passage], asks: Mapping[str, Sequence[str]]) -> list[Passage]:
    """Return passages in order, but an observation with an open question before the ones that it asks about."""
    ordered = list(passages)
    for passage in passages:
        asked = frozenset(asks.get(passage.owner, ()))
        place = next((place for place, other in enumerate(ordered) if other.owner in asked), len(ordered))
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
