"""What weighed how much at a point of the log."""

from __future__ import annotations

from abc import ABC, abstractmethod

from graph_memory.memory.graph import connection_weights
from graph_memory.memory.graph.queries import Page
from graph_memory.model.results import Direction, WeighedConnections
from graph_memory.model.values.strength import fraction


class WeighedPast(ABC):
    """The methods of `Past` that weigh connections, as they were then and at that time."""

    @abstractmethod
    async def _scale(self) -> connection_weights.Scale: ...

    async def get_strongest_connections(
        self, node_id: str, *, direction: Direction = "both", connection_type: str | None = None, limit: int = 10
    ) -> WeighedConnections:
        """Return the connections of a node that weighed most, as `Memory.get_strongest_connections` does."""
        return await connection_weights.strongest(await self._scale(), node_id, direction, connection_type, limit)

    async def get_weak_relations(
        self,
        *,
        below: float = connection_weights.WEAK,
        connection_type: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> WeighedConnections:
        """Return connections that weighed less than `below`, as `Memory.get_weak_relations` does."""
        page = Page.of(connection_weights.checked_limit(limit), cursor)
        return await connection_weights.weak(await self._scale(), page, fraction("below", below), connection_type)
