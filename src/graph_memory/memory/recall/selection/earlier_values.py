"""Earlier values of the properties of things, for questions about the past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.recall.questions.phrases import Period
from graph_memory.memory.recall.rendering.recall_input import Observed, Thing
from graph_memory.memory.recall.rendering.wording import day
from graph_memory.memory.search.passages.own_names import ALIASES
from graph_memory.memory.search.results import Statement, Superseded
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.memory.traversal.walks.edges import instant
from graph_memory.model.text.wording import shown
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.queries import query

_THINGS = 3
"""Maximum number of things whose earlier values are read, the most valuable."""
_CHANGES = 100
"""Maximum number of changes of a thing that are looked through, the last ones."""


@dataclass(frozen=True, slots=True)
class NodeStateRow:
    """The properties of a node after one of its changes; the time is in milliseconds since 1970."""

    id: str
    modified: int
    facts: list[list[PropertyValue]]


@dataclass(frozen=True, slots=True)
class EarlierValue:
    """A value that a property had, from when until when, and the value that replaced it."""

    key: str
    value: PropertyValue
    since: int
    until: int
    replaced_by: PropertyValue | None


NODE_STATES = query("recall/node_states", NodeStateRow)


async def with_earlier_values(
    scope: Scope, things: Sequence[Thing], question: Query, period: Period | None
) -> list[Thing]:
    """Return things, the first ones with the earlier values of their properties among their observations."""
    if not scope.filters.ended:
        return [*things]
    ids = [thing.id for thing in things if thing.ends is None][:_THINGS]
    given = {"ids": ids, "at": scope.number, "limit": _CHANGES}
    rows = await scope.core.store.read(NODE_STATES, domain=scope.domain, **given) if ids else []
    states = {each: [row for row in rows if row.id == each] for each in ids}
    return [_with_values(thing, earlier_values(states.get(thing.id, ())), question, period) for thing in things]


def earlier_values(states: Sequence[NodeStateRow]) -> list[EarlierValue]:
    """Return the values that properties had before, the last first, given the states of a node in order. Pure."""
    found: list[EarlierValue] = []
    known: dict[str, tuple[PropertyValue, int]] = {}
    for state in states:
        facts = {str(key): value for key, value in state.facts if key not in ALIASES}
        for key, (value, since) in [*known.items()]:
            if facts.get(key) != value:
                found.append(EarlierValue(key, value, since, state.modified, facts.get(key)))
                del known[key]
        known |= {key: (value, state.modified) for key, value in facts.items() if key not in known}
    return found[::-1]


def _with_values(thing: Thing, values: Sequence[EarlierValue], question: Query, period: Period | None) -> Thing:
    """Return a thing with values of a period: those that the question names come before all observations."""
    within = [one for one in values if period is None or period.has(instant(one.since), instant(one.until))]
    named = [one for one in within if _is_named(one.key, question)]
    others = [one for one in within if one not in named]
    observed = (*map(_observed, named), *thing.observed, *map(_observed, others))
    return replace(thing, observed=observed)


def _is_named(key: str, question: Query) -> bool:
    analyser = question.analyser
    terms = (analyser.stem(part) for word in analyser.words(key.replace("_", " ")) for part in analyser.parts(word))
    return not frozenset(question.terms).isdisjoint(terms)


def _observed(one: EarlierValue) -> Observed:
    later = None if one.replaced_by is None else (Statement(id=one.key, text=shown(one.replaced_by)),)
    over = Superseded(since=instant(one.until), replaced_by=later)
    return Observed(f"{one.key}: {shown(one.value)}", day(instant(one.since)), over, "since")
