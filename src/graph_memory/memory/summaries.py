"""Many nodes and connections at once: what lists show of them, their properties, and what is around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from graph_memory.memory.core import Core
from graph_memory.model.arguments import check_direction
from graph_memory.model.results import ConnectionSummary, Direction, NodeSummary
from graph_memory.model.subjects import user_properties
from graph_memory.storage.queries import Query, query

AT_ONCE = 500
"""Ids that one statement describes."""
ATTEMPTS = 3
"""How often an id is asked for: a reader takes no lock, and can meet what is just being changed."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node's title and last event."""

    id: str
    type: str
    title: str
    modified: datetime
    version: int
    event: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """A connection's last event and the titles of its ends."""

    id: str
    type: str
    from_id: str
    from_title: str
    to_id: str
    to_title: str
    modified: datetime
    version: int
    event: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class NeighboursRow:
    """The nodes at the other ends of a node's connections."""

    id: str
    ids: list[str]


NODES = query("node/describe", NodeRow)
CONNECTIONS = query("connection/describe", ConnectionRow)
NEIGHBOURS = query("query/neighbours", NeighboursRow)


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=_Identified)


async def describe_nodes(core: Core, domain: str, ids: Sequence[str]) -> tuple[NodeSummary, ...]:
    """Return nodes in the order of the ids; an id without a node is left out."""
    return tuple(NodeSummary(**_fields(row)) for row in await _described(core, NODES, domain, ids))


async def describe_connections(core: Core, domain: str, ids: Sequence[str]) -> tuple[ConnectionSummary, ...]:
    """Return connections in the order of the ids; an id without a connection is left out."""
    return tuple(ConnectionSummary(**_fields(row)) for row in await _described(core, CONNECTIONS, domain, ids))


async def neighbours(
    core: Core, domain: str, ids: Sequence[str], *, direction: Direction, connection_type: str | None
) -> dict[str, tuple[str, ...]]:
    """Return the nodes at the other ends of each node's connections; a node that is not there is left out."""
    check_direction(direction)
    found: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(ids), AT_ONCE):
        rows = await core.store.read(
            NEIGHBOURS,
            domain=domain,
            ids=ids[start : start + AT_ONCE],
            type=connection_type,
            outgoing=direction in ("out", "both"),
            incoming=direction in ("in", "both"),
        )
        found.update((row.id, tuple(row.ids)) for row in rows)
    return found


def _fields(row: NodeRow | ConnectionRow) -> dict[str, Any]:
    """Return the fields of a summary: those of the row, with the user's properties in place of the event."""
    fields = asdict(row)
    properties = user_properties(fields.pop("event"))
    return {**fields, "properties": properties}


async def _described(core: Core, statement: Query[R], domain: str, ids: Sequence[str]) -> list[R]:
    found: dict[str, R] = {}
    for start in range(0, len(ids), AT_ONCE):
        batch = ids[start : start + AT_ONCE]
        for _ in range(ATTEMPTS):
            missing = [one for one in batch if one not in found]
            rows = await core.store.read(statement, domain=domain, ids=missing) if missing else []
            found.update((row.id, row) for row in rows)
    return [found[one] for one in ids if one in found]
