"""What the questions read: a few reads of a memory, put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import ConnectionSummary, Direction, NodeSummary
from graph_memory.model.text.wording import listed


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
            hint = Hint("{graph-memory ontology apply gtd} adds all types of Getting Things Done to a domain.")
            message = f"The ontology does not define {listed(names)}, which Getting Things Done needs"
            raise GraphError(code, message, {"missing": names, "hint": hint})


async def nodes(memory: Memory, node_type: str, status: str | None = None) -> tuple[NodeSummary, ...]:
    """Return the nodes of a type, of one status or of all."""
    wanted = None if status is None else {"status": status}
    page = await memory.query_nodes(type=node_type, properties=wanted)
    return await memory.describe_nodes(page.node_ids)


async def connections(memory: Memory, connection_type: str) -> tuple[ConnectionSummary, ...]:
    """Return all connections of a type."""
    page = await memory.query_connections(type=connection_type)
    return await memory.describe_connections(page.connection_ids)


async def neighbours(
    memory: Memory, around: Iterable[NodeSummary], connection_type: str, direction: Direction
) -> Mapping[str, tuple[NodeSummary, ...]]:
    """Return for each node those that one type of connection leads to; none for a node that is gone."""
    ids = [node.id for node in around]
    found = await memory.get_connected_nodes_of(ids, direction=direction, connection_type=connection_type)
    others = {other for several in found.values() for other in several}
    known = {node.id: node for node in await memory.describe_nodes(tuple(others))}
    return {node_id: tuple(known[one] for one in found.get(node_id, ()) if one in known) for node_id in ids}
