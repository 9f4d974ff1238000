"""Earlier values of properties, for questions about the past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.recall.questions.phrases import Period
from graph_memory.memory.recall.rendering.recall_input import Observed, RecallItem
from graph_memory.memory.recall.rendering.wording import format_day
from graph_memory.memory.search.passages.own_names import ALIASES
from graph_memory.memory.search.results import Statement, Superseded
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.memory.traversal.walks.edges import instant
from graph_memory.model.text.wording import printable
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.queries import query

_MAX_NODES = 3
"""Maximum number of nodes whose earlier values are read, the most valuable."""
_CHANGES = 100
"""Maximum number of changes of a node that are read, the last ones."""


@dataclass(frozen=True, slots=True)
class NodeStateRow:
    """The properties of a node after one of its changes; the time is in milliseconds since 1970."""

    id: str
    modified: int
    facts: list[list[PropertyValue]]


@dataclass(frozen=True, slots=True)
class EarlierValue:
    """An earlier value of a property, its period, and the value that replaced it."""

    key: str
    value: PropertyValue
    since: int
    until: int
    replaced_by: PropertyValue | None


NODE_STATES = query("recall/node_states", NodeStateRow)


async def with_earlier_values(
    scope: Scope, items: Sequence[RecallItem], question: Query, period: Period | None
) -> list[RecallItem]:
    """Return the items. The first ones get the earlier values of their properties as observations."""
    if not scope.filters.ended:
        return [*items]
    ids = [item.id for item in items if item.ends is None][:_MAX_NODES]
    params = {"ids": ids, "at": scope.number, "limit": _CHANGES}
    rows = await scope.core.store.read(NODE_STATES, domain=scope.domain, **params) if ids else []
    states = {node_id: [row for row in rows if row.id == node_id] for node_id in ids}
    return [_with_values(item, earlier_values(states.get(item.id, ())), question, period) for item in items]


def earlier_values(states: Sequence[NodeStateRow]) -> list[EarlierValue]:
    """Return the earlier values of a node's properties, latest first, from its states in order. Pure."""
    values: list[EarlierValue] = []
    known: dict[str, tuple[PropertyValue, int]] = {}
    for state in states:
        facts = {str(key): value for key, value in state.facts if key not in ALIASES}
        for key, (value, since) in [*known.items()]:
            if facts.get(key) != value:
                values.append(EarlierValue(key, value, since, state.modified, facts.get(key)))
                del known[key]
        known |= {key: (value, state.modified) for key, value in facts.items() if key not in known}
    return values[::-1]


def _with_values(
    item: RecallItem, values: Sequence[EarlierValue], question: Query, period: Period | None
) -> RecallItem:
    """Add the values from a period to an item, as observations. Properties named in the question come first."""
    within = [value for value in values if period is None or period.has(instant(value.since), instant(value.until))]
    named = [value for value in within if _is_named(value.key, question)]
    others = [value for value in within if value not in named]
    observed = (*map(_as_observation, named), *item.observed, *map(_as_observation, others))
    return replace(item, observed=observed)


def _is_named(key: str, question: Query) -> bool:
    analyser = question.analyser
    terms = (analyser.stem(part) for word in analyser.words(key.replace("_", " ")) for part in analyser.parts(word))
    return not frozenset(question.terms).isdisjoint(terms)


def _as_observation(value: EarlierValue) -> Observed:
    later = None if value.replaced_by is None else (Statement(id=value.key, text=printable(value.replaced_by)),)
    over = Superseded(since=instant(value.until), replaced_by=later)
    return Observed(f"{value.key}: {printable(value.value)}", format_day(instant(value.since)), over, "since")
