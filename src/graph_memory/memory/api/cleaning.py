"""`Cleaning`: entities that are doubled, alone or worth a look. The work is done in the modules beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graph_memory.memory.core import Core
from graph_memory.memory.entities import profiles
from graph_memory.memory.entities.cleaning import entity_lists, health, merging, similar
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


class Cleaning:
    """The methods of `Entities` that find what may be put right, and that make entities one."""

    def __init__(self, core: Core, domain_of: Callable[[str | None], str]) -> None:
        self._core = core
        self._domain = domain_of

    async def find_similar(self, name: str, *, limit: int = 10, domain: str | None = None) -> SimilarFound:
        """Return the entities that are like one: by name, alias, what is observed of both, and meaning with vectors.

        Each has a score, 0 to 1, the reasons, and the call of `merge_entities` if both are the same. Raises
        NODE_NOT_FOUND, with the nearest name.
        """
        where = self._domain(domain)
        [named] = await ids.names(self._core, where, [asked.text_from(name, "name")])
        return await similar.find_similar(self._core, where, named, limit)

    async def find_duplicates(
        self, *, limit: int = 20, min_score: float = SAME, domain: str | None = None
    ) -> Duplicates:
        """Return the pairs of entities that may be the same, with a score of `min_score` or more, the surest first.

        Names with other numbers in them are never alike. Up to 20,000 entities are compared; `left_out` says how many
        are not. Each pair has the call of `merge_entities` that keeps the one of which more is known.
        """
        return await similar.find_duplicates(self._core, self._domain(domain), limit, min_score)

    async def merge_entities(
        self, names: Sequence[str], into: str, *, dry_run: bool = False, domain: str | None = None
    ) -> EntitiesMerged:
        """Make entities one: what is observed of them, and their relations, move to `into`; their names become aliases.

        What `into` has already is not moved again, and it keeps its own where they differ: `conflicts` says what was
        not taken. It is one write, up to 2,500 observations and relations: `since` and `until` are for `revert`. With
        `dry_run` nothing is written. Raises NODE_NOT_FOUND and INVALID_ARGUMENT.
        """
        values = asked.names_from(names)
        target = asked.text_from(into, "into")
        return await merging.merge_entities(self._core, self._domain(domain), values, target, dry_run=dry_run)

    async def find_orphans(self, *, limit: int = 50, domain: str | None = None) -> Orphans:
        """Return the entities without relations, those of which least is known first, each with what to do."""
        return await health.find_orphans(self._core, self._domain(domain), limit)

    async def graph_health(self, *, limit: int = 5, domain: str | None = None) -> GraphHealth:
        """Return what may be put right, up to `limit` findings of each kind, each with the call that does.

        Kinds are `duplicate`, `orphan`, `stale` (neither changed nor looked at for 180 days), `contradiction`, `hub`
        (100 relations or more), `lost_premise` (inferred from what no longer holds), `unused_type` and `open_question`
        (of `remember`).
        """
        return await health.graph_health(self._core, self._domain(domain), limit)

    async def get_recent(self, *, limit: int = 10, domain: str | None = None) -> EntityList:
        """Return the entities that changed last, also by their observations and relations, and who changed them."""
        return await entity_lists.get_recent(self._core, self._domain(domain), limit)

    async def get_hot(self, *, limit: int = 10, domain: str | None = None) -> EntityList:
        """Return the entities that were given to somebody most often. Counts are written every few seconds."""
        return await entity_lists.get_hot(self._core, self._domain(domain), limit)

    async def get(self, entity_id: str, *, domain: str | None = None) -> Profile | None:
        """Return the entity of an id, name or alias; None if there is none. Raises INVALID_ARGUMENT."""
        where = self._domain(domain)
        name, *others = await ids.opened(self._core, where, [asked.text_from(entity_id, "entity_id")])
        return None if others else await profiles.find_by_name(self._core, where, name)

    async def get_by_type(
        self,
        type: str,  # noqa: A002 - the word that agents know
        *,
        limit: int = 50,
        domain: str | None = None,
    ) -> EntityList:
        """Return the entities of a type, as it was written. Raises INVALID_NODE_TYPE, with the nearest types."""
        return await entity_lists.get_by_type(self._core, self._domain(domain), asked.text_from(type, "type"), limit)
