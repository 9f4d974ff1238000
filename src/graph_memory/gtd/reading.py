"""Reads the nodes and connections for the lists of Getting Things Done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.results import ConnectionSummary, Direction, NodeSummary
from graph_memory.model.text.wording import join_names


async def require_types(memory: Memory, node_types: Sequence[str], connection_types: Sequence[str]) -> None:
    """Raise INVALID_NODE_TYPE or INVALID_CONNECTION_TYPE if the domain lacks one of the types."""
    ontology = await memory.get_ontology()
    missing = {
        Code.INVALID_NODE_TYPE: [name for name in node_types if ontology.find_node_type(name) is None],
        Code.INVALID_CONNECTION_TYPE: [
            name for name in connection_types if ontology.find_connection_type(name) is None
        ],
    }
    for code, names in missing.items():
        if names:
            hint = Hint("Add them to the domain with {graph-memory ontology apply gtd}.")
            message = f"The ontology does not define {join_names(names)}, which Getting Things Done needs"
            raise GraphError(code, message, {"missing": names, "hint": hint})


async def read_nodes(memory: Memory, node_type: str, status: str | None = None) -> tuple[NodeSummary, ...]:
    """Return the nodes of the type, optionally only those with the given status."""
    properties = None if status is None else {"status": status}
    page = await memory.query_nodes(type=node_type, properties=properties)
    return await memory.describe_nodes(page.node_ids)


async def read_connections(memory: Memory, connection_type: str) -> tuple[ConnectionSummary, ...]:
    """Return all connections of the type in the domain."""
    page = await memory.query_connections(type=connection_type)
    return await memory.describe_connections(page.connection_ids)


async def read_neighbours(
    memory: Memory, sources: Iterable[NodeSummary], connection_type: str, direction: Direction
) -> Mapping[str, tuple[NodeSummary, ...]]:
    """Return each source's neighbours over connections of the type, by source id.

    A deleted source has no neighbours.
    """
    ids = [node.id for node in sources]
    targets = await memory.get_connected_nodes_of(ids, direction=direction, connection_type=connection_type)
    nodes_by_id = {node.id: node for node in await memory.describe_nodes(list({*chain(*targets.values())}))}
    return {source: tuple(filter(None, map(nodes_by_id.get, targets.get(source, ())))) for source in ids}
