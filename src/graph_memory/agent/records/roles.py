"""The types of `ontologies/agent.yaml` in a domain.

If a domain already has another type with the same name, the type gets the prefix `Agent`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Literal, cast

from graph_memory.agent.records.writing import Operation, is_reference, write
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.ontology.ontology import ANY, ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.types import check_rules
from graph_memory.model.text.wording import join_names, printable, quote
from graph_memory.model.values.properties import check_properties
from graph_memory.ontologies import load_ontology

Part = Literal["project", "users", "agent"]
"""The kinds of domains that the agent's memory uses. Each kind needs a part of the types."""
_PREFIX = "Agent"
_PARTS: Mapping[Part, Sequence[str]] = {"users": ("UserProfile",), "agent": ("Capability", "Tool")}
"""The node types of the users' domain and of the agent's domain. All other types belong to the project's domain."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Maps the names in `ontologies/agent.yaml` to the names of types in a domain, and lists the missing types."""

    names: Mapping[str, str]
    node_types: tuple[NodeType, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()

    def __getitem__(self, name: str) -> str:
        return self.names[name]

    @property
    def has_all_types(self) -> bool:
        """Whether the domain has all types that its part of the agent's memory needs."""
        return not self.node_types and not self.connection_types


@cache
def layer_ontology(part: Part = "project") -> Ontology:
    """Return the types that a domain needs for this part of the agent's memory."""
    ontology, excluded = load_ontology("agent"), {*chain(*_PARTS.values())}
    if part in _PARTS:
        layer_types = tuple(layer_type for layer_type in ontology.node_types if layer_type.name in _PARTS[part])
        return replace(ontology, node_types=layer_types, connection_types=(), description=layer_types[0].description)
    return replace(
        ontology, node_types=tuple(layer_type for layer_type in ontology.node_types if layer_type.name not in excluded)
    )


async def roles_of(memory: Memory, part: Part = "project") -> Roles | None:
    """Return the names that the types of the agent's memory have in the domain.

    Returns None if the domain does not exist or has none of the node types.
    """
    try:
        roles = roles_in(await memory.get_ontology(), part)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return None
    return None if len(roles.node_types) == len(layer_ontology(part).node_types) else roles


async def add_types(memory: Memory, changes: Callable[[Roles], Sequence[Operation]], part: Part = "project") -> Roles:
    """Add the missing types to the domain, and return the names of all types. Creates the domain if necessary.

    If types are missing, the changes are validated first, so that a rejected call adds no types. If the domain does not
    exist yet, changes of entities are not validated. Raises the error of an invalid change, TYPE_LIMIT_REACHED if the
    domain cannot have more types, and DOMAIN_BUSY if another operation uses the domain.
    """
    is_checked = False
    while True:
        try:
            ontology = await memory.get_ontology()
            roles = roles_in(ontology, part)
            if roles.has_all_types:
                return roles
            if not is_checked:
                _ = ontology.with_types(roles.node_types, roles.connection_types)
                await _check_changes(memory, roles, changes(roles))
                is_checked = True
            for node_type in roles.node_types:
                await memory.add_node_type(node_type)
            for connection_type in roles.connection_types:
                await memory.add_connection_type(connection_type)
        except GraphError as error:
            if error.code is Code.ONTOLOGY_NOT_FOUND:
                new_roles = roles_in(layer_ontology(part), part)
                await _check_changes(None, new_roles, changes(new_roles))
                await _create_domain(memory, part)
            elif error.code is not Code.TYPE_ALREADY_EXISTS:  # another call has added it
                raise


async def _check_changes(memory: Memory | None, roles: Roles, changes: Sequence[Operation]) -> None:
    """Raise the error that the changes would raise if all types existed. For a new domain, `memory` is None."""
    types = {
        roles[layer_type.name]: layer_type
        for layer_type in layer_ontology().node_types
        if layer_type.name in roles.names
    }
    new_ids = {change["id"] for change in changes if change["op"] == "create_node"}
    remaining: list[Operation] = []
    for change in changes:
        match change:
            case {"op": "create_node", "type": str(name)}:
                check_rules(types[name], check_properties(cast("Mapping[str, object]", change["properties"])))
            case {"op": "create_connection", "from_node_id": str(start), "to_node_id": str(end)}:
                for end_id in {start, end} - new_ids:
                    if not is_reference(end_id):
                        await _check_end_node(memory, roles, str(change["type"]), end_id)
            case {"op": "set_validity", "id": str(node_id)} if node_id in new_ids:
                pass  # the event is valid if its node is
            case _:
                remaining.append(change)
    if remaining and memory is not None:
        await write(memory, remaining, dry_run=True)


async def _check_end_node(memory: Memory | None, roles: Roles, connection_type: str, node_id: str) -> None:
    """Raise NODE_NOT_FOUND or INVALID_TOPOLOGY if the node cannot be an endpoint of a connection of this type."""
    if memory is None:
        hint = Hint(
            "Find nodes with {query_nodes|search_content|search_memories}.", " An id is valid only in its domain."
        )
        raise GraphError(Code.NODE_NOT_FOUND, f"Node {quote(node_id)} does not exist", {"hint": hint})
    node_type = (await memory.get_node(node_id)).type
    types = next(
        (layer_type.to_types for layer_type in roles.connection_types if layer_type.name == connection_type), (ANY,)
    )
    if types != (ANY,) and node_type not in types:
        message = (
            f"{connection_type} leads to {join_names(types)}, but {printable(node_id)} is a node of type {node_type}"
        )
        raise GraphError(Code.INVALID_TOPOLOGY, message, {"hint": "Pass the id of another node."})


async def _create_domain(memory: Memory, part: Part) -> None:
    try:
        await memory.create_ontology(layer_ontology(part))
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_ALREADY_EXISTS:
            raise


def roles_in(ontology: Ontology, part: Part = "project") -> Roles:
    """Return the names of the agent's types in an ontology, and the types that the ontology lacks."""
    names: dict[str, str] = {}
    new_nodes: list[NodeType] = []
    new_connections: list[ConnectionType] = []
    for layer_type in layer_ontology(part).node_types:
        existing_type = ontology.find_node_type(layer_type.name)
        is_usable = existing_type is None or _is_layer_type(existing_type, layer_type)
        name = layer_type.name if is_usable else f"{_PREFIX}{layer_type.name}"
        names[layer_type.name] = name
        new_nodes += [] if ontology.find_node_type(name) else [replace(layer_type, name=name)]
    for layer_type in layer_ontology(part).connection_types:
        end_types = {
            field: tuple(names.get(end_type, end_type) for end_type in getattr(layer_type, field))
            for field in ("from_types", "to_types")
        }
        is_other_type = ontology.stored_type(layer_type.name)[0] != layer_type.name
        existing_type = ontology.find_connection_type(layer_type.name)
        is_usable = not is_other_type and (
            existing_type is None or _allows_ends(existing_type, replace(layer_type, **end_types))
        )
        name = layer_type.name if is_usable else f"{_PREFIX}{layer_type.name}"
        names[layer_type.name] = name
        new_connections += [] if ontology.find_connection_type(name) else [replace(layer_type, name=name, **end_types)]
    return Roles(names, tuple(new_nodes), tuple(new_connections))


def _is_layer_type(existing_type: NodeType, layer_type: NodeType) -> bool:
    """Return whether the domain's type is the layer's type, perhaps changed by users.

    It must declare two thirds of the layer's properties, and require only properties that the layer writes.
    """
    layer_properties = {rule.name for rule in layer_type.properties}
    shared = layer_properties & {rule.name for rule in existing_type.properties}
    required = {rule.name for rule in existing_type.properties if rule.required}
    return len(shared) * 3 >= len(layer_properties) * 2 and required <= layer_properties


def _allows_ends(existing_type: ConnectionType, layer_type: ConnectionType) -> bool:
    return set(layer_type.from_types) <= set(existing_type.from_types) and set(layer_type.to_types) <= set(
        existing_type.to_types
    )
