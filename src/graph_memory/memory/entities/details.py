"""Entity details that the official memory server lacks: ids, times, authors, access counts and properties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory.memory.changes.context import ROWS
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import segments_of
from graph_memory.memory.entities.aliases import split_aliases
from graph_memory.memory.entities.results import Entity, ObservationDetail
from graph_memory.memory.search.access_store import AccessRow, accesses_of
from graph_memory.storage.queries import query

ObservationFields = tuple[str, str, datetime, str | None, float | None]
"""The fields of an observation: id, text, time, source, confidence."""


@dataclass(frozen=True, slots=True)
class DetailRow:
    """The stored fields, times and observations of one entity."""

    id: str
    created_at: datetime
    updated_at: datetime
    created_by: str | None
    stored: dict[str, object]
    observations: list[ObservationFields]


DETAILS = query("entities/details", DetailRow)


async def add_details(core: Core, domain: str, entities: Sequence[tuple[str, Entity]]) -> tuple[Entity, ...]:
    """Return the entities with their details. An entity that was just deleted is returned without details."""
    if not entities:
        return ()
    ids = [subject_id for subject_id, _ in entities]
    logs = [segment.domain for segment in await segments_of(core.store, domain)]
    rows_by_id: dict[str, DetailRow] = {}
    for start in range(0, len(ids), ROWS):
        rows = await core.store.read(DETAILS, domain=domain, ids=ids[start : start + ROWS], logs=logs)
        rows_by_id |= {row.id: row for row in rows}
    accesses = await accesses_of(core, domain, ids)
    return tuple(
        _add_details(entity, rows_by_id[subject_id], accesses.get(subject_id)) if subject_id in rows_by_id else entity
        for subject_id, entity in entities
    )


def _add_details(entity: Entity, row: DetailRow, access: AccessRow | None) -> Entity:
    """Add the details to an entity, and replace its observations with the observations in the row."""
    observations_by_text: dict[str, ObservationFields] = {}
    for observation in row.observations:
        observations_by_text.setdefault(observation[1], observation)
    details = tuple(
        ObservationDetail(id=subject_id, text=text, ts=time, source=source, confidence=confidence)
        for subject_id, text, time, source, confidence in observations_by_text.values()
    )
    aliases, properties = split_aliases(row.stored)
    more = {
        "id": row.id,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "created_by": row.created_by,
        "access_count": access.count if access else 0,
        "last_accessed": access.last if access else None,
        "aliases": aliases,
        "properties": properties,
        "observations": tuple(detail.text for detail in details),
        "observation_details": details,
    }
    return entity.model_copy(update=more)
