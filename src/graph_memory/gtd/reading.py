"""Many small reads of a memory, put together for one question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import anyio

from graph_memory.memory.api import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import ConnectionSummary, Direction, NodeSummary
from graph_memory.model.wording import listed

AT_ONCE = 8
"""Reads under way at the same time."""


async def require_types(memory: Memory, node_types: Sequence[str], connection_types: Sequence[str]) -> None:
    """Raise INVALID_NODE_TYPE or INVALID_CONNECTION_TYPE when the domain lacks a type that a question is about."""
    ontology = await memory.get_ontology()
    lacking = {
        Code.INVALID_NODE_TYPE: [name for name in node_types if ontology.find_node_type(name) is None],
        Code.INVALID_CONNECTION_TYPE: [
            name for name in connection_types if ontology.find_connection_type(name) is None
        ],
    }
    for code, names in lacking.items():
        if names:
            hint = "`graph-memory ontology apply gtd` adds all types of Getting Things Done to a domain."
            message = f"The ontology does not define {listed(names)}, which Getting Things Done asks for"
            raise GraphError(code, message, {"missing": names, "hint": hint})


async def nodes(memory: Memory, node_type: str, status: str | None = None) -> tuple[NodeSummary, ...]:
    """Return the nodes of a type, of one status or of all."""
    wanted = None if status is None else {"status": status}
    found = await memory.query_nodes(type=node_type, properties=wanted)
    return await memory.describe_nodes(found.node_ids)


async def connections(memory: Memory, connection_type: str) -> tuple[ConnectionSummary, ...]:
    """Return all connections of a type."""
    found = await memory.query_connections(type=connection_type)
    return await memory.describe_connections(found.connection_ids)


async def neighbours(
    memory: Memory, around: Iterable[NodeSummary], connection_type: str, direction: Direction
) -> Mapping[str, tuple[NodeSummary, ...]]:
    """Return for each node those that one type of connection leads to; none for a node that is gone."""
    found: dict[str, tuple[str, ...]] = {}
    room = anyio.CapacityLimiter(AT_ONCE)

    async def look(node_id: str) -> None:
        async with room:
            found[node_id] = await _connected(memory, node_id, connection_type, direction)

    async with anyio.create_task_group() as tasks:
        for node in around:
            tasks.start_soon(look, node.id)
    ids = {one for several in found.values() for one in several}
    known = {one.id: one for one in await memory.describe_nodes(tuple(ids))}
    return {node_id: tuple(known[one] for one in several if one in known) for node_id, several in found.items()}


async def _connected(memory: Memory, node_id: str, connection_type: str, direction: Direction) -> tuple[str, ...]:
    try:
        found = await memory.get_connected_nodes(node_id, direction=direction, connection_type=connection_type)
    except GraphError as error:
        if error.code is Code.NODE_NOT_FOUND:  # deleted since it was found
            return ()
        raise
    return found.node_ids
