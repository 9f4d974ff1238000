"""Adds a layer's types to the domain that the layer writes to."""

from __future__ import annotations

from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import NodeType, Ontology

_ATTEMPTS = 5


async def add_missing_types(memory: Memory, *node_types: NodeType) -> None:
    """Add the node types that the domain lacks. A missing domain is created with an open ontology.

    Existing types with these names are not changed. Raises TYPE_LIMIT_REACHED if the domain cannot have more types, and
    DOMAIN_BUSY if the domain is repeatedly deleted in the meantime.
    """
    for attempt in range(_ATTEMPTS):
        try:
            ontology = await memory.get_ontology()
            for node_type in node_types:
                if ontology.find_node_type(node_type.name) is None:
                    await memory.add_node_type(node_type)
        except GraphError as error:
            if error.code is Code.ONTOLOGY_NOT_FOUND:
                await _create_domain(memory, node_types)
            elif error.code is not Code.TYPE_ALREADY_EXISTS or attempt == _ATTEMPTS - 1:
                raise
        else:
            return
    raise GraphError(
        Code.DOMAIN_BUSY,
        "Another call deleted the domain while it was being created",
        {"hint": "Try again in a moment."},
    )


async def _create_domain(memory: Memory, node_types: tuple[NodeType, ...]) -> None:
    try:
        await memory.create_ontology(Ontology.create(node_types, open=True))
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_ALREADY_EXISTS:  # another call has created it
            raise
