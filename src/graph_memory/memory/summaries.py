"""What lists for people show beside the ids of nodes and connections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from graph_memory.memory.core import Core
from graph_memory.model.results import ConnectionSummary, NodeSummary
from graph_memory.storage.queries import Query, query

AT_ONCE = 500
"""Ids that one statement describes."""
ATTEMPTS = 3
"""How often an id is asked for: a reader takes no lock, and can meet what is just being changed."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """What a list shows of a node."""

    id: str
    type: str
    title: str
    modified: datetime
    version: int


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """What a list shows of a connection."""

    id: str
    type: str
    from_id: str
    from_title: str
    to_id: str
    to_title: str
    modified: datetime
    version: int


NODES = query("node/describe", NodeRow)
CONNECTIONS = query("connection/describe", ConnectionRow)


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=_Identified)


async def describe_nodes(core: Core, domain: str, ids: Sequence[str]) -> tuple[NodeSummary, ...]:
    """Return what a list shows of nodes, in the order of the ids; an id without a node is left out."""
    return tuple(NodeSummary(**asdict(row)) for row in await _described(core, NODES, domain, ids))


async def describe_connections(core: Core, domain: str, ids: Sequence[str]) -> tuple[ConnectionSummary, ...]:
    """Return what a list shows of connections, in the order of the ids; an id without a connection is left out."""
    return tuple(ConnectionSummary(**asdict(row)) for row in await _described(core, CONNECTIONS, domain, ids))


async def _described(core: Core, statement: Query[R], domain: str, ids: Sequence[str]) -> list[R]:
    found: dict[str, R] = {}
    for start in range(0, len(ids), AT_ONCE):
        batch = ids[start : start + AT_ONCE]
        for _ in range(ATTEMPTS):
            missing = [one for one in batch if one not in found]
            rows = await core.store.read(statement, domain=domain, ids=missing) if missing else []
            found.update((row.id, row) for row in rows)
    return [found[one] for one in ids if one in found]
