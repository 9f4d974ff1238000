"""The types of `ontologies/agent.yaml` in a domain. If another type has the same name, they get the prefix Agent."""

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
from graph_memory.model.text.wording import join_names, printable
from graph_memory.model.values.properties import check_properties
from graph_memory.ontologies import load_ontology

Part = Literal["project", "users", "agent"]
"""The kinds of domains in the layer. Each kind has a part of the types."""
_PREFIX = "Agent"
_PARTS: Mapping[Part, Sequence[str]] = {"users": ("UserProfile",), "agent": ("Capability", "Tool")}
"""The node types of the domains other than the project's."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Maps the names in `ontologies/agent.yaml` to the names of types in a domain, and lists the missing types."""

    names: Mapping[str, str]
    node_types: tuple[NodeType, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()

    def __getitem__(self, name: str) -> str:
        return self.names[name]

    @property
    def is_complete(self) -> bool:
        """Whether the domain has all of the types."""
        return not self.node_types and not self.connection_types


@cache
def layer_ontology(part: Part = "project") -> Ontology:
    """Return the types that belong in a domain for this part of the memory."""
    ontology, excluded = load_ontology("agent"), {*chain(*_PARTS.values())}
    if part in _PARTS:
        kinds = tuple(kind for kind in ontology.node_types if kind.name in _PARTS[part])
        return replace(ontology, node_types=kinds, connection_types=(), description=kinds[0].description)
    return replace(ontology, node_types=tuple(kind for kind in ontology.node_types if kind.name not in excluded))


async def roles_of(memory: Memory, part: Part = "project") -> Roles | None:
    """Return the domain's roles, or None if the domain does not exist or has none of the node types."""
    try:
        roles = roles_in(await memory.get_ontology(), part)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return None
    return None if len(roles.node_types) == len(layer_ontology(part).node_types) else roles


async def add_types(memory: Memory, changes: Callable[[Roles], Sequence[Operation]], part: Part = "project") -> Roles:
    """Add the missing types to the domain, which is created if necessary, and return its roles.

    If types are missing, the changes are validated first, so that a rejected call adds no types. In a domain that does
    not exist yet, changes of entities are not validated. Raises the error of an invalid change, TYPE_LIMIT_REACHED and
    DOMAIN_BUSY.
    """
    is_checked = False
    while True:
        try:
            ontology = await memory.get_ontology()
            roles = roles_in(ontology, part)
            if roles.is_complete:
                return roles
            if not is_checked:
                _ = ontology.with_types(roles.node_types, roles.connection_types)
                await _check(memory, roles, changes(roles))
                is_checked = True
            for node_type in roles.node_types:
                await memory.add_node_type(node_type)
            for connection_type in roles.connection_types:
                await memory.add_connection_type(connection_type)
        except GraphError as error:
            if error.code is Code.ONTOLOGY_NOT_FOUND:
                new_roles = roles_in(layer_ontology(part), part)
                await _check(None, new_roles, changes(new_roles))
                await _create(memory, part)
            elif error.code is not Code.TYPE_ALREADY_EXISTS:  # another call has added it
                raise


async def _check(memory: Memory | None, roles: Roles, changes: Sequence[Operation]) -> None:
    """Raise the error that the changes would raise if all types existed. For a new domain, `memory` is None."""
    types = {roles[kind.name]: kind for kind in layer_ontology().node_types if kind.name in roles.names}
    new = {change["id"] for change in changes if change["op"] == "create_node"}
    remaining: list[Operation] = []
    for change in changes:
        match change:
            case {"op": "create_node", "type": str(name)}:
                check_rules(types[name], check_properties(cast("Mapping[str, object]", change["properties"])))
            case {"op": "create_connection", "from_node_id": str(start), "to_node_id": str(end)}:
                for end_id in {start, end} - new:
                    if not is_reference(end_id):
                        await _require_end(memory, roles, str(change["type"]), end_id)
            case {"op": "set_validity", "id": str(node_id)} if node_id in new:
                pass  # the event is valid if its node is
            case _:
                remaining.append(change)
    if remaining and memory is not None:
        await write(memory, remaining, dry_run=True)


async def _require_end(memory: Memory | None, roles: Roles, connection_type: str, node_id: str) -> None:
    """Raise NODE_NOT_FOUND or INVALID_TOPOLOGY if the connection cannot lead to the node."""
    if memory is None:
        hint = Hint("Find nodes with {query_nodes|search_content|search_memories}.", " Ids belong to one domain.")
        raise GraphError(Code.NODE_NOT_FOUND, f"Node {printable(node_id)} does not exist", {"hint": hint})
    node_type = (await memory.get_node(node_id)).type
    types = next((kind.to_types for kind in roles.connection_types if kind.name == connection_type), (ANY,))
    if types != (ANY,) and node_type not in types:
        message = (
            f"{connection_type} leads to {join_names(types)}, and {printable(node_id)} is a node of type {node_type}"
        )
        raise GraphError(Code.INVALID_TOPOLOGY, message, {"hint": "Pass the id of another node."})


async def _create(memory: Memory, part: Part) -> None:
    try:
        await memory.create_ontology(layer_ontology(part))
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_ALREADY_EXISTS:
            raise


def roles_in(ontology: Ontology, part: Part = "project") -> Roles:
    """Return the roles for an ontology, with the types that it lacks."""
    names: dict[str, str] = {}
    new_nodes: list[NodeType] = []
    new_connections: list[ConnectionType] = []
    for kind in layer_ontology(part).node_types:
        present = ontology.find_node_type(kind.name)
        name = kind.name if present is None or _is_layer_type(present, kind) else f"{_PREFIX}{kind.name}"
        names[kind.name] = name
        new_nodes += [] if ontology.find_node_type(name) else [replace(kind, name=name)]
    for kind in layer_ontology(part).connection_types:
        ends = {
            end: tuple(names.get(end_type, end_type) for end_type in getattr(kind, end))
            for end in ("from_types", "to_types")
        }
        is_taken = ontology.stored_type(kind.name)[0] != kind.name
        present = ontology.find_connection_type(kind.name)
        is_usable = not is_taken and (present is None or _allows_ends(present, replace(kind, **ends)))
        name = kind.name if is_usable else f"{_PREFIX}{kind.name}"
        names[kind.name] = name
        new_connections += [] if ontology.find_connection_type(name) else [replace(kind, name=name, **ends)]
    return Roles(names, tuple(new_nodes), tuple(new_connections))


def _is_layer_type(present: NodeType, kind: NodeType) -> bool:
    """Return whether the domain's type `present` is the layer's type `kind`, perhaps changed by users.

    It must declare two thirds of the layer's properties, and require only properties that the layer writes.
    """
    layer_properties = {rule.name for rule in kind.properties}
    shared = layer_properties & {rule.name for rule in present.properties}
    required = {rule.name for rule in present.properties if rule.required}
    return len(shared) * 3 >= len(layer_properties) * 2 and required <= layer_properties


def _allows_ends(present: ConnectionType, kind: ConnectionType) -> bool:
    """Return whether the domain's connection type allows the node types that the layer connects."""
    return set(kind.from_types) <= set(present.from_types) and set(kind.to_types) <= set(present.to_types)
