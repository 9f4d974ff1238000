"""Lists of entities: recently changed, most used, or of one type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.entities.cleaning.results import EntityList
from graph_memory.memory.entities.cleaning.survey import check_list_limit, read_survey
from graph_memory.memory.entity_graph.values.spelling import ENTITY, stored_name
from graph_memory.memory.search.access_store import MAX_LISTED, read_most_used
from graph_memory.storage.queries import query

_MAX_EVENTS = 5_000
"""Maximum number of events that are searched for recent changes."""


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A node, with the author and time of the last change to the node or to a record attached to it."""

    id: str
    at: datetime
    actor: str | None
    session: str | None
    source: str | None

    @property
    def by(self) -> str | None:
        """The author of the change: the actor if known, otherwise the session or the source."""
        return self.actor or self.session or self.source


CHANGED = query("entities/changed", ChangedRow)
OF_TYPE = query("entities/of_type", str)


async def get_recent(core: Core, domain: str, limit: int) -> EntityList:
    """Return the recently changed entities. See `Entities.get_recent`."""
    limit = check_list_limit(limit)
    rows = await core.store.read(CHANGED, domain=domain, looked=_MAX_EVENTS)
    return await _list_entities(core, domain, [row.id for row in rows], limit, changed={row.id: row for row in rows})


async def get_hot(core: Core, domain: str, limit: int) -> EntityList:
    """Return the most used entities. See `Entities.get_hot`."""
    limit = check_list_limit(limit)
    rows = await read_most_used(core, domain, MAX_LISTED)
    return await _list_entities(
        core, domain, [row.id for row in rows], limit, looked_at={row.id: row.count for row in rows}
    )


async def get_by_type(core: Core, domain: str, type_name: str, limit: int) -> EntityList:
    """Return the entities of exactly this type. See `Entities.get_by_type`."""
    limit = check_list_limit(limit)
    stored = sorted({stored_name(type_name, ENTITY), ENTITY})
    ids = await core.store.read(OF_TYPE, domain=domain, type=type_name, stored=stored, limit=limit + 1)
    if not ids and (ontology := await core.log.ontology(domain)) is not None:
        ontology.node_type(stored_name(type_name, ENTITY))  # raises an error if there is no such type
    return await _list_entities(core, domain, ids, limit)


async def _list_entities(
    core: Core,
    domain: str,
    ids: list[str],
    limit: int,
    *,
    changed: Mapping[str, ChangedRow] | None = None,
    looked_at: Mapping[str, int] | None = None,
) -> EntityList:
    rows = await read_survey(core.store, domain, ids)
    briefs = [row.brief((looked_at or {}).get(row.id)) for row in rows[:limit]]
    if changed:
        changes = (changed[row.id] for row in rows[:limit])
        briefs = [
            brief.model_copy(update={"changed": change.at, "by": change.by})
            for brief, change in zip(briefs, changes, strict=True)
        ]
    return EntityList(entities=tuple(briefs), more=len(rows) > limit)
