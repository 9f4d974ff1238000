"""Connection weights at a point in the log."""

from __future__ import annotations

from abc import ABC, abstractmethod

from graph_memory.memory.graph import connection_weights
from graph_memory.memory.graph.queries import Page
from graph_memory.model.results import Direction, WeighedConnections
from graph_memory.model.values.strength import check_fraction


class PastWeightMethods(ABC):
    """The methods of `Past` that read connection weights. Weights are computed as of the time of the past state."""

    @abstractmethod
    async def _weigher(self) -> connection_weights.ConnectionWeigher: ...

    async def get_strongest_connections(
        self, node_id: str, *, direction: Direction = "both", connection_type: str | None = None, limit: int = 10
    ) -> WeighedConnections:
        """Return the strongest connections of a node, as `Memory.get_strongest_connections` does."""
        return await connection_weights.find_strongest(
            await self._weigher(), node_id, direction, connection_type, limit
        )

    async def get_weak_relations(
        self,
        *,
        below: float = connection_weights.WEAK,
        connection_type: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> WeighedConnections:
        """Return the connections with a weight below `below`, as `Memory.get_weak_relations` does."""
        page = Page.of(connection_weights.checked_limit(limit), cursor)
        return await connection_weights.find_weak(
            await self._weigher(), page, check_fraction("below", below), connection_type
        )
