"""Earlier values of properties, for questions about the past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graph_memory.memory.recall.questions.phrases import Period
from graph_memory.memory.recall.rendering.recall_input import RecallFact, RecallItem
from graph_memory.memory.search.results import Statement, Superseded
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.search.text.bm25 import Query
from graph_memory.memory.traversal.walks.edges import to_datetime
from graph_memory.model.text.name_list import ALIASES
from graph_memory.model.text.wording import format_day, printable
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.queries import query

_MAX_NODES = 3
"""Maximum number of nodes whose earlier values are read, highest values first."""
_CHANGES = 100
"""Maximum number of changes that are read per node, latest first."""


@dataclass(frozen=True, slots=True)
class NodeStateRow:
    """The properties of a node after one of its changes. `modified` is in milliseconds since 1970."""

    id: str
    modified: int
    facts: list[list[PropertyValue]]


@dataclass(frozen=True, slots=True)
class EarlierValue:
    """An earlier value of a property, its period in milliseconds since 1970, and the value that replaced it."""

    key: str
    value: PropertyValue
    since: int
    until: int
    replaced_by: PropertyValue | None


NODE_STATES = query("recall/node_states", NodeStateRow)


async def with_earlier_values(
    scope: Scope, items: Sequence[RecallItem], question: Query, period: Period | None
) -> list[RecallItem]:
    """Return the items. If the request is about the past, add earlier property values to them as observations.

    Only the first `_MAX_NODES` nodes get earlier values.
    """
    if not scope.filters.includes_ended:
        return [*items]
    ids = [item.id for item in items if item.ends is None][:_MAX_NODES]
    params = {"ids": ids, "at": scope.number, "limit": _CHANGES}
    rows = await scope.core.store.read(NODE_STATES, domain=scope.domain, **params) if ids else []
    states = {node_id: [row for row in rows if row.id == node_id] for node_id in ids}
    return [_with_values(item, earlier_values(states.get(item.id, ())), question, period) for item in items]


def earlier_values(states: Sequence[NodeStateRow]) -> list[EarlierValue]:
    """Return the earlier values of a node's properties, latest first. `states` must be in chronological order."""
    values: list[EarlierValue] = []
    current: dict[str, tuple[PropertyValue, int]] = {}
    for state in states:
        facts = {str(key): value for key, value in state.facts if key not in ALIASES}
        for key, (value, since) in [*current.items()]:
            if facts.get(key) != value:
                values.append(EarlierValue(key, value, since, state.modified, facts.get(key)))
                del current[key]
        current |= {key: (value, state.modified) for key, value in facts.items() if key not in current}
    return values[::-1]


def _with_values(
    item: RecallItem, values: Sequence[EarlierValue], question: Query, period: Period | None
) -> RecallItem:
    """Return an item with the earlier values from a period added as observations.

    Values of properties that the question mentions come first.
    """
    values_in_period = [
        value for value in values if period is None or period.has(to_datetime(value.since), to_datetime(value.until))
    ]
    named_values = [value for value in values_in_period if _is_named(value.key, question)]
    other_values = [value for value in values_in_period if value not in named_values]
    observed = (*map(_as_observation, named_values), *item.observed, *map(_as_observation, other_values))
    return replace(item, observed=observed)


def _is_named(key: str, question: Query) -> bool:
    analyser = question.analyser
    terms = (analyser.stem(part) for word in analyser.words(key.replace("_", " ")) for part in analyser.parts(word))
    return not frozenset(question.terms).isdisjoint(terms)


def _as_observation(value: EarlierValue) -> RecallFact:
    replacement = None if value.replaced_by is None else (Statement(id=value.key, text=printable(value.replaced_by)),)
    over = Superseded(since=to_datetime(value.until), replaced_by=replacement)
    return RecallFact(f"{value.key}: {printable(value.value)}", format_day(to_datetime(value.since)), over, "since")
