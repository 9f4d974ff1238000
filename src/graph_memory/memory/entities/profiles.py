"""Profiles of entities, with the number and time of their mentions, and their salience.

Profiles are computed on request and not stored, so they cannot be out of date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.memory.core import Core
from graph_memory.memory.entities.aliases import split_aliases
from graph_memory.memory.entities.cleaning.survey import IDS
from graph_memory.memory.entities.names.find_entities import find_by_name_or_alias
from graph_memory.memory.entities.reads import entities_by_name
from graph_memory.memory.entities.results import Entity, Profile, Profiles
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME
from graph_memory.memory.graph.describe import DescribedRow, fetch_descriptions, texts_of
from graph_memory.memory.search.access_store import AccessRow, accesses_of
from graph_memory.memory.search.ranking.ranking import connectivity, recency, usage
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import UNLIMITED, check_limit
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

CONFIDENCE = "confidence"
"""The name of the property that contains a caller's confidence in an entity."""
_DEFAULT_CONFIDENCE = 0.5
_DAY = timedelta(days=1)
_MENTIONS_WEIGHT, _RECENCY_WEIGHT, _USE_WEIGHT = 0.4, 0.4, 0.2
"""The weights of mentions, recency and use in the salience of an entity."""


@dataclass(frozen=True, slots=True)
class MentionsRow:
    """An entity's observation and relation counts, and the mean confidence of its observations, if any."""

    id: str
    mentions: int
    first: datetime
    last: datetime
    confidence: float | None

    def salience(self, now: datetime, use: AccessRow | None) -> float:
        """Return the salience of the entity at the time `now`, from 0 to 1. `use` contains its accesses."""
        use_score = usage(use.count, _days_between(use.last, now)) if use else 0.0
        score = (
            _MENTIONS_WEIGHT * connectivity(self.mentions)
            + _RECENCY_WEIGHT * recency(_days_between(self.last, now))
            + _USE_WEIGHT * use_score
        )
        return round(score, 4)


MENTIONS = query("entities/weighed", MentionsRow)


def _days_between(start: datetime, end: datetime) -> float:
    return max((end - start) / _DAY, 0.0)


async def find_by_name(core: Core, domain: str, name: str) -> Profile | None:
    """Return the profile of the entity with this name, or None. See `Entities.find_by_name`."""
    entity_match = await find_by_name_or_alias(core.store, domain, name)
    if entity_match is None:
        return None
    rows = await core.store.read(NODES_BY_NAME, domain=domain, names=[entity_match.name])
    ids = [row.id for row in rows if not row.is_mentioned]
    core.accesses.record(domain, ids)
    return next(iter(await profiles_of(core, domain, ids)), None)


async def get_salient(core: Core, domain: str, limit: int) -> Profiles:
    """Return the profiles of the most salient entities. See `Entities.get_salient`."""
    limit = check_limit(limit)
    ids = await core.store.read(IDS, domain=domain, limit=UNLIMITED)
    salience_by_id = await _read_salience(core, domain, ids)
    best = sorted(
        salience_by_id,
        key=lambda subject_id: (-salience_by_id[subject_id][1], salience_by_id[subject_id][0].first, subject_id),
    )[:limit]
    return Profiles(entities=tuple(await profiles_of(core, domain, best)))


async def _read_salience(core: Core, domain: str, ids: Sequence[str]) -> Mapping[str, tuple[MentionsRow, float]]:
    """Return the mention counts and the salience of each entity, keyed by entity id."""
    rows = await read_in_parts(core.store, MENTIONS, domain, ids=ids)
    uses, now = await accesses_of(core, domain, ids), utc_now()
    return {row.id: (row, row.salience(now, uses.get(row.id))) for row in rows}


async def profiles_of(core: Core, domain: str, ids: Sequence[str]) -> list[Profile]:
    """Return the profiles of entities in the order of `ids`. Deleted entities are omitted."""
    if not ids:
        return []
    states = {row.id: row for row in await fetch_descriptions(core, domain, Kind.NODE, ids)}
    names = {subject_id: str(row.event["name"]) for subject_id, row in states.items()}
    graph = await entities_by_name(core, domain, list(names.values()))
    entities = {entity.name: entity for entity in graph.entities}
    salience_by_id = await _read_salience(core, domain, ids)
    texts = await texts_of(core, domain, states.values())
    return [
        _profile(states[subject_id], entities[names[subject_id]], salience_by_id[subject_id], texts.get(subject_id))
        for subject_id in ids
        if subject_id in states and subject_id in salience_by_id and names[subject_id] in entities
    ]


def _profile(
    row: DescribedRow, entity: Entity, counts_and_salience: tuple[MentionsRow, float], text: str | None
) -> Profile:
    mentions_row, salience = counts_and_salience
    aliases, properties = split_aliases(row.event)
    return Profile(
        id=row.id,
        name=entity.name,
        type=entity.entity_type,
        aliases=aliases,
        description=text or None,
        confidence=_take_confidence(properties, mentions_row),
        properties=properties,
        observations=entity.observations,
        first_seen=mentions_row.first,
        last_seen=mentions_row.last,
        mention_count=mentions_row.mentions,
        salience=salience,
    )


def _take_confidence(properties: dict[str, PropertyValue], mentions_row: MentionsRow) -> float:
    """Remove and return the property `confidence`.

    If the property is missing or invalid, returns the mean confidence of the observations. If no observation has a
    confidence, returns 0.5.
    """
    value = properties.get(CONFIDENCE)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1:
        del properties[CONFIDENCE]
        return float(value)
    return _DEFAULT_CONFIDENCE if mentions_row.confidence is None else round(mentions_row.confidence, 4)
