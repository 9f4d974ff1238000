"""`Cleaning`: duplicate and unconnected entities, and other entities to check."""

from __future__ import annotations

from collections.abc import Sequence

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.entities.cleaning.results import (
    Duplicates,
    EntitiesMerged,
    EntityList,
    GraphHealth,
    Orphans,
    SimilarFound,
)
from graph_memory.memory.entities.names import ids
from graph_memory.memory.entities.names.similar_names import SAME
from graph_memory.memory.entities.results import Profile
from graph_memory.memory.entity_graph.values import request as asked


class Cleaning(Facade):
    """The methods of `Entities` that find entities to correct, and that merge entities."""

    async def find_similar(self, name: str, *, limit: int = 10, domain: str | None = None) -> SimilarFound:
        """Return the entities that are similar to an entity by name, alias, observations or (with vectors) meaning.

        Each result has a score from 0 to 1, the reasons, and the `merge_entities` call to use if both are the same.
        Raises NODE_NOT_FOUND with the nearest name.
        """
        from graph_memory.memory.entities.cleaning import similar

        where = self._domain(domain)
        [named] = await ids.resolve_names(self._core, where, [asked.text_from(name, "name")])
        return await similar.find_similar(self._core, where, named, limit)

    async def find_duplicates(
        self, *, limit: int = 20, min_score: float = SAME, domain: str | None = None
    ) -> Duplicates:
        """Return pairs of entities that may be the same, with a score of at least `min_score`, highest score first.

        Names that contain different numbers are never similar. At most 20,000 entities are compared; `left_out` is the
        number of further ones. Each pair has the `merge_entities` call that keeps the entity with more facts.
        """
        from graph_memory.memory.entities.cleaning import similar

        return await similar.find_duplicates(self._core, self._domain(domain), limit, min_score)

    async def merge_entities(
        self, names: Sequence[str], into: str, *, dry_run: bool = False, domain: str | None = None
    ) -> EntitiesMerged:
        """Merge entities: their observations and relations move to `into`, and their names become its aliases.

        Facts that `into` already has are not moved. If values differ, `into` keeps its own, and `conflicts` lists the
        others. All of it is one write of up to 2,500 observations and relations; pass its `since` and `until` to
        `revert` to undo it. With `dry_run`, nothing is written. Raises NODE_NOT_FOUND and INVALID_ARGUMENT.
        """
        from graph_memory.memory.entities.cleaning import merging

        values = asked.names_from(names)
        target = asked.text_from(into, "into")
        return await merging.merge_entities(self._core, self._domain(domain), values, target, dry_run=dry_run)

    async def find_orphans(self, *, limit: int = 50, domain: str | None = None) -> Orphans:
        """Return the entities without relations, fewest observations first, each with a call that helps."""
        from graph_memory.memory.entities.cleaning import health

        return await health.find_orphans(self._core, self._domain(domain), limit)

    async def graph_health(self, *, limit: int = 5, domain: str | None = None) -> GraphHealth:
        """Return problems of the entities, up to `limit` findings of each kind, each with the call that solves it.

        Kinds are `duplicate`, `orphan`, `stale` (neither changed nor read for 180 days), `contradiction`, `hub` (100
        relations or more), `lost_premise` (inferred from facts that no longer hold), `unused_type` and `open_question`
        (of `remember`).
        """
        from graph_memory.memory.entities.cleaning import health

        return await health.graph_health(self._core, self._domain(domain), limit)

    async def get_recent(self, *, limit: int = 10, domain: str | None = None) -> EntityList:
        """Return the entities that changed last, with the actors. Changes of their observations and relations count."""
        from graph_memory.memory.entities.cleaning import entity_lists

        return await entity_lists.get_recent(self._core, self._domain(domain), limit)

    async def get_hot(self, *, limit: int = 10, domain: str | None = None) -> EntityList:
        """Return the entities that calls returned most often. The counts are written every few seconds."""
        from graph_memory.memory.entities.cleaning import entity_lists

        return await entity_lists.get_hot(self._core, self._domain(domain), limit)

    async def get(self, entity_id: str, *, domain: str | None = None) -> Profile | None:
        """Return the entity with an id, name or alias, or None if there is none. Raises INVALID_ARGUMENT."""
        from graph_memory.memory.entities import profiles

        where = self._domain(domain)
        name, *others = await ids.resolve_all(self._core, where, [asked.text_from(entity_id, "entity_id")])
        return None if others else await profiles.find_by_name(self._core, where, name)

    async def get_by_type(
        self,
        type: str,  # noqa: A002 - the word that agents know
        *,
        limit: int = 50,
        domain: str | None = None,
    ) -> EntityList:
        """Return the entities of exactly this type. Raises INVALID_NODE_TYPE with the nearest types."""
        from graph_memory.memory.entities.cleaning import entity_lists

        return await entity_lists.get_by_type(self._core, self._domain(domain), asked.text_from(type, "type"), limit)
