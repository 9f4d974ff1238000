"""`Relational`: relations between entities, and paths along them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.memory.api.memory import Memory
from graph_memory.memory.entities.results import Relation, RelationCreationResult
from graph_memory.memory.traversal.results import Neighbors, Paths, TraversalResult
from graph_memory.model.results import Direction
from graph_memory.model.values.strength import check_fraction


class Relational:
    """The relations of a domain. Access them as `memory.agent.relational`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def add_relation(
        self,
        source: str,
        target: str,
        relation_type: str,
        *,
        weight: float = 1.0,
        confidence: float = 0.5,
        evidence: Sequence[str] = (),
        metadata: Mapping[str, object] | None = None,
    ) -> RelationCreationResult:
        """Add a relation between two entities, given their names or ids.

        `weight` and `confidence` are from 0 to 1, and `evidence` lists ids of events. All three, and each entry of
        `metadata`, become properties of the relation. Raises NODE_NOT_FOUND for an unknown name, event or id,
        INVALID_ARGUMENT and INVALID_PROPERTY.
        """
        for event in evidence:
            await self._memory.get_node(event)
        properties = {
            **(metadata or {}),
            "weight": check_fraction("weight", weight),
            "confidence": check_fraction("confidence", confidence),
            **({"evidence": ", ".join(evidence)} if evidence else {}),
        }
        relation = {"from": source, "to": target, "type": relation_type, "properties": properties}
        return await self._memory.entities.create_relations([relation])

    async def get_relations(self, entity: str) -> tuple[Relation, ...]:
        """Return all relations of an entity, given its name or id."""
        return (await self._memory.entities.open_nodes([entity], detail=True)).relations

    async def traverse(self, node_id: str, depth: int = 2, *, weight: str | None = None) -> TraversalResult:
        """Return the nodes up to `depth` connections away. See `memory.recall.traverse_memories`."""
        return await self._memory.recall.traverse_memories(node_id, max_depth=depth, weight=weight)

    async def find_path(self, source_id: str, target_id: str, *, max_depth: int = 5) -> Paths:
        """Return the shortest path between two nodes. See `memory.recall.find_path`."""
        return await self._memory.recall.find_path(source_id, target_id, max_depth=max_depth)

    async def get_neighbors(
        self, node_id: str, types: Sequence[str] | None = None, *, direction: Direction = "both", limit: int = 100
    ) -> Neighbors:
        """Return a node's neighbors, optionally only by some relation types. See `memory.recall.get_neighbors`."""
        return await self._memory.recall.get_neighbors(node_id, types=types, direction=direction, limit=limit)
