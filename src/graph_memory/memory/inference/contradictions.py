"""Lists pairs of nodes that a connection marks as contradictory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from graph_memory.memory.inference.results import ContradictingNode, Contradiction, Contradictions
from graph_memory.model.results import ConnectionIds, NodeSummary
from graph_memory.storage.log.writing import utc_now

TYPE = "contradicts"
"""The name of the connection type for contradictions. A domain's own type with this name counts too."""


class Reader(Protocol):
    """A memory from which contradictions are read, in its current or a past state."""

    async def query_connections(
        self,
        *,
        type: str | None = None,  # noqa: A002
        valid_at: datetime | str | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ConnectionIds:
        """Return the connections of this type that are valid at this time."""
        ...

    async def describe_nodes(self, node_ids: Sequence[str]) -> tuple[NodeSummary, ...]:
        """Return the type, title and properties of each node."""
        ...


async def find_contradictions(
    reader: Reader, valid_at: datetime | str | None, limit: int | None, cursor: str | None
) -> Contradictions:
    """Return pairs of nodes that contradict each other at a time (default now), in connection order."""
    now = utc_now()
    valid_time = now if valid_at is None else valid_at
    page = await reader.query_connections(type=TYPE, valid_at=valid_time, detail=True, limit=limit, cursor=cursor)
    briefs = page.connections or ()
    end_ids = sorted({end for brief in briefs for end in (brief.from_id, brief.to_id)})
    nodes = {node.id: _build_side(node, now) for node in await reader.describe_nodes(end_ids)}
    pairs = tuple(
        Contradiction(connection_id=brief.id, a=nodes[brief.from_id], b=nodes[brief.to_id])
        for brief in briefs
        if brief.from_id in nodes and brief.to_id in nodes
    )
    return Contradictions(contradictions=pairs, next_cursor=page.next_cursor, warnings=page.warnings)


def _build_side(node: NodeSummary, now: datetime) -> ContradictingNode:
    age = max((now - node.modified).days, 0)
    return ContradictingNode(id=node.id, type=node.type, title=node.title, modified=node.modified, age_days=age)
