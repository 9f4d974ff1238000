"""`Cleaning`: lists duplicate, unconnected and other entities that may need correction, and merges entities."""

from __future__ import annotations

from collections.abc import Sequence

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.entities.cleaning.results import (
    Duplicates,
    EntityList,
    EntityMergeResult,
    GraphHealth,
    Orphans,
    SimilarEntities,
)
from graph_memory.memory.entities.names import ids
from graph_memory.memory.entities.names.similar_names import SAME
from graph_memory.memory.entities.results import Profile
from graph_memory.memory.entity_graph.values import request as requests


class Cleaning(Facade):
    """The methods of `Entities` that list entities to correct, and merge entities."""

    async def find_similar(self, name: str, *, limit: int = 10, domain: str | None = None) -> SimilarEntities:
        """Return the entities that resemble this entity in name, alias, observations or (with vectors) meaning.

        Each result has a score from 0 to 1, the reasons, and the `merge_entities` call to use if both are the same
        entity. If the entity does not exist, raises NODE_NOT_FOUND with the most similar name.
        """
        from graph_memory.memory.entities.cleaning import similar

        domain_name = self._domain(domain)
        [entity_name] = await ids.resolve_names(self._core, domain_name, [requests.text_from(name, "name")])
        return await similar.find_similar(self._core, domain_name, entity_name, limit)

    async def find_duplicates(
        self, *, limit: int = 20, min_score: float = SAME, domain: str | None = None
    ) -> Duplicates:
        """Return pairs of entities that may be the same, with a score of at least `min_score`, highest score first.

        Names with different numbers are never similar. At most 20,000 entities are compared. `left_out` is the number
        of entities that were not compared. Each pair contains the `merge_entities` call that keeps the entity with more
        facts.
        """
        from graph_memory.memory.entities.cleaning import similar

        return await similar.find_duplicates(self._core, self._domain(domain), limit, min_score)

    async def merge_entities(
        self, names: Sequence[str], into: str, *, dry_run: bool = False, domain: str | None = None
    ) -> EntityMergeResult:
        """Merge entities: their observations and relations move to `into`, and their names become its aliases.

        Facts that `into` already has are not moved. If values differ, `into` keeps its own values, and `conflicts`
        lists the other values. The merge is one write of up to 2,500 observations and relations. To undo it, pass its
        `since` and `until` to `revert`. With `dry_run`, nothing is written. Raises NODE_NOT_FOUND if an entity does not
        exist. Raises INVALID_ARGUMENT if there are no other entities to merge, if there are too many, or if an alias is
        ambiguous.
        """
        from graph_memory.memory.entities.cleaning import merging

        values = requests.names_from(names)
        target = requests.text_from(into, "into")
        return await merging.merge_entities(self._core, self._domain(domain), values, target, dry_run=dry_run)

    async def find_orphans(self, *, limit: int = 50, domain: str | None = None) -> Orphans:
        """Return entities without relations, fewest observations first. Each has a call that helps to connect it."""
        from graph_memory.memory.entities.cleaning import health

        return await health.find_orphans(self._core, self._domain(domain), limit)

    async def graph_health(self, *, limit: int = 5, domain: str | None = None) -> GraphHealth:
        """Return problems with stored entities: up to `limit` findings of each kind. Each has a call that fixes it.

        Kinds are `duplicate`, `orphan`, `stale` (neither changed nor read for 180 days), `contradiction`, `hub` (100
        relations or more), `lost_premise` (inferred from facts that are no longer true), `unused_type` and
        `open_question` (asked by `remember`).
        """
        from graph_memory.memory.entities.cleaning import health

        return await health.graph_health(self._core, self._domain(domain), limit)

    async def get_recent(self, *, limit: int = 10, domain: str | None = None) -> EntityList:
        """Return the most recently changed entities, with the actors.

        Changes to observations and relations also count.
        """
        from graph_memory.memory.entities.cleaning import entity_lists

        return await entity_lists.get_recent(self._core, self._domain(domain), limit)

    async def get_hot(self, *, limit: int = 10, domain: str | None = None) -> EntityList:
        """Return the entities that calls have returned most often. The counts are written every few seconds."""
        from graph_memory.memory.entities.cleaning import entity_lists

        return await entity_lists.get_hot(self._core, self._domain(domain), limit)

    async def get(self, entity_id: str, *, domain: str | None = None) -> Profile | None:
        """Return the entity with this id, name or alias, or None.

        Raises INVALID_ARGUMENT if the id is not a string, or cannot be stored.
        """
        from graph_memory.memory.entities import profiles

        domain_name = self._domain(domain)
        name, *others = await ids.resolve_all(self._core, domain_name, [requests.text_from(entity_id, "entity_id")])
        return None if others else await profiles.find_by_name(self._core, domain_name, name)

    async def get_by_type(
        self,
        type: str,  # noqa: A002 - the word that agents know
        *,
        limit: int = 50,
        domain: str | None = None,
    ) -> EntityList:
        """Return the entities of exactly this type.

        If the type is unknown, raises INVALID_NODE_TYPE with similar types.
        """
        from graph_memory.memory.entities.cleaning import entity_lists

        return await entity_lists.get_by_type(self._core, self._domain(domain), requests.text_from(type, "type"), limit)
