"""`Semantic`: the entities of a domain, under the names of the ten memory types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.memory.api.memory import Memory
from graph_memory.memory.entities.results import KnowledgeGraph, Profile, Profiles
from graph_memory.model.results import NodeSummary


class Semantic:
    """The entities of a domain. `memory.agent.semantic` is one. It stores nothing beside `memory.entities`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def upsert(
        self,
        name: str,
        *,
        type: str | None = None,  # noqa: A002 - the word that agents know
        description: str | None = None,
        properties: Mapping[str, object] | None = None,
        observations: Sequence[str | Mapping[str, object]] | None = None,
        confidence: float | None = None,
    ) -> Profile:
        """Create or update an entity. See `memory.entities.upsert`."""
        return await self._memory.entities.upsert(
            name,
            type=type,
            description=description,
            properties=properties,
            observations=observations,
            confidence=confidence,
        )

    async def get(self, entity_id: str) -> KnowledgeGraph:
        """Return an entity and its relations, with their details, by its id or name. Unknown ids are left out."""
        return await self._memory.entities.open_nodes([entity_id], detail=True)

    async def find_by_name(self, name: str) -> Profile | None:
        """Return the entity of a name or alias; None if there is none. See `memory.entities.find_by_name`."""
        return await self._memory.entities.find_by_name(name)

    async def get_by_type(self, type: str, limit: int = 100) -> tuple[NodeSummary, ...]:  # noqa: A002
        """Return the entities of a type, at most `limit`. Raises INVALID_ARGUMENT."""
        page = await self._memory.query_nodes(type=type, limit=limit)
        return await self._memory.describe_nodes(page.node_ids)

    async def get_salient(self, limit: int = 10) -> Profiles:
        """Return the most salient entities. See `memory.entities.get_salient`."""
        return await self._memory.entities.get_salient(limit)
