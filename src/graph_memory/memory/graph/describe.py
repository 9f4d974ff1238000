"""Many nodes and connections at once: what lists show of them, and their properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from graph_memory.memory.core import Core
from graph_memory.model.results import ConnectionSummary, NodeSummary
from graph_memory.model.subjects import user_properties
from graph_memory.storage.queries import Query, query

AT_ONCE = 500
"""Ids that one statement describes."""


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


NODES = query("graph/describe_nodes", NodeRow)
CONNECTIONS = query("graph/describe_connections", ConnectionRow)


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


def _fields(row: NodeRow | ConnectionRow) -> dict[str, Any]:
    """Return the fields of a summary: those of the row, with the user's properties in place of the event."""
    fields = asdict(row)
    properties = user_properties(fields.pop("event"))
    return {**fields, "properties": properties}


async def _described(core: Core, statement: Query[R], domain: str, ids: Sequence[str]) -> list[R]:
    found: dict[str, R] = {}
    for start in range(0, len(ids), AT_ONCE):
        rows = await core.store.read(statement, domain=domain, ids=ids[start : start + AT_ONCE])
        found.update((row.id, row) for row in rows)
    return [found[one] for one in ids if one in found]
