"""Reads summaries of entities for lists, duplicates and graph health."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.memory.core import Core
from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.entities.cleaning.results import EntityBrief
from graph_memory.memory.entities.names.similar_names import ComparedEntity
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME
from graph_memory.memory.entity_graph.names import entity_not_found_error
from graph_memory.model.text.name_list import listed_names
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

MAX_ENTITIES = 20_000
"""Maximum number of entities of a domain that one call reads."""
MAX_LISTED = 1_000


@dataclass(frozen=True, slots=True)
class SurveyRow:
    """An entity with its observation and relation counts, and the last change to the entity or its observations."""

    id: str
    name: str
    type: str
    aliases: str | None
    different_from: str | None
    described: bool | None
    observations: int
    relations: int
    changed: datetime

    @property
    def compared_fields(self) -> ComparedEntity:
        """The name, type and aliases of the entity, for comparison with other entities."""
        return ComparedEntity(self.name, self.type, aliases_of({ALIASES: self.aliases}) if self.aliases else ())

    def is_different_from(self, other: SurveyRow) -> bool:
        """Whether it is recorded that the two entities are different."""
        return other.id in listed_names(self.different_from) or self.id in listed_names(other.different_from)

    @property
    def weight(self) -> tuple[int, int, str]:
        """The sort key for choosing the entity to keep: mainly the number of records that a merge has to move."""
        return self.observations + self.relations, self.relations, self.id

    def brief(self, looked_at: int | None = None) -> EntityBrief:
        """Return a summary of the entity. `looked_at` is the number of replies that contained it."""
        return EntityBrief(
            name=self.name,
            type=self.type,
            observations=self.observations,
            relations=self.relations,
            changed=self.changed,
            looked_at=looked_at,
        )


@dataclass(frozen=True, slots=True)
class CountsRow:
    """The numbers of entities, observations and relations in a domain."""

    entities: int
    observations: int
    relations: int


IDS = query("entities/ids", str)
SURVEYED = query("entities/surveyed", SurveyRow)
COUNTED = query("entities/counted", CountsRow)


async def survey(core: Core, domain: str) -> tuple[list[SurveyRow], CountsRow]:
    """Return up to `MAX_ENTITIES` entities of a domain, and the counts of all its records."""
    [counts] = await core.store.read(COUNTED, domain=domain)
    return await read_survey(core.store, domain, await core.store.read(IDS, domain=domain, limit=MAX_ENTITIES)), counts


async def read_survey(reader: Reader, domain: str, ids: Sequence[str]) -> list[SurveyRow]:
    """Return the entities among these nodes, in the order of `ids`."""
    rows = {row.id: row for row in await read_in_parts(reader, SURVEYED, domain, ids=ids)}
    return [rows[subject_id] for subject_id in ids if subject_id in rows]


async def entity_id(reader: Reader, domain: str, name: str) -> str:
    """Return the id of the entity with this name. Raises NODE_NOT_FOUND, which suggests the most similar name."""
    rows = await reader.read(NODES_BY_NAME, domain=domain, names=[name])
    subject_id = next((row.id for row in rows if not row.is_mentioned), None)
    if subject_id is None:
        raise await entity_not_found_error(reader, domain, name)
    return subject_id


def check_list_limit(limit: object) -> int:
    """Return `limit`. Raises INVALID_ARGUMENT if it is not an integer from 1 to `MAX_LISTED`."""
    if type(limit) is not int or not 1 <= limit <= MAX_LISTED:
        raise invalid_argument("limit", f"limit cannot be {limit!r}", f"Use a whole number from 1 to {MAX_LISTED:,}.")
    return limit
