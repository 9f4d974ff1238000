"""The types of `ontologies/agent.yaml` in a domain. A name that the domain uses otherwise gets the prefix Agent."""

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
from graph_memory.model.text.wording import listed, shown
from graph_memory.model.values.properties import check_properties
from graph_memory.ontologies import load_ontology

Part = Literal["project", "users", "agent"]
"""The domains of the layer: each has its own part of the types."""
_PREFIX = "Agent"
_PARTS: Mapping[Part, Sequence[str]] = {"users": ("UserProfile",), "agent": ("Capability", "Tool")}
"""The node types of the domains other than the project's."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of the layer's types in a domain, by their names in the layer, and the missing types."""

    names: Mapping[str, str]
    node_types: tuple[NodeType, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()

    def __getitem__(self, name: str) -> str:
        return self.names[name]

    @property
    def is_whole(self) -> bool:
        """Whether the domain has all types."""
        return not self.node_types and not self.connection_types


@cache
def declared(part: Part = "project") -> Ontology:
    """Return the types of the layer in the project's domain, or in a domain of its own."""
    whole, elsewhere = load_ontology("agent"), {*chain(*_PARTS.values())}
    if part in _PARTS:
        kinds = tuple(kind for kind in whole.node_types if kind.name in _PARTS[part])
        return replace(whole, node_types=kinds, connection_types=(), description=kinds[0].description)
    return replace(whole, node_types=tuple(kind for kind in whole.node_types if kind.name not in elsewhere))


async def roles_of(memory: Memory, part: Part = "project") -> Roles | None:
    """Return the roles in the domain, or None if it does not exist or has none of the node types."""
    try:
        roles = roles_in(await memory.get_ontology(), part)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return None
    return None if len(roles.node_types) == len(declared(part).node_types) else roles


async def prepared(memory: Memory, changes: Callable[[Roles], Sequence[Operation]], part: Part = "project") -> Roles:
    """Return the roles in the domain, after adding the missing types or creating the domain.

    If types are missing, the changes are validated first, so a refused call adds no types. In a domain that does not
    exist yet, changes of entities are not validated. Raises the error of an invalid change, TYPE_LIMIT_REACHED and
    DOMAIN_BUSY.
    """
    is_checked = False
    while True:
        try:
            ontology = await memory.get_ontology()
            found = roles_in(ontology, part)
            if found.is_whole:
                return found
            if not is_checked:
                _ = ontology.with_types(found.node_types, found.connection_types)
                await _check(memory, found, changes(found))
                is_checked = True
            for node_type in found.node_types:
                await memory.add_node_type(node_type)
            for connection_type in found.connection_types:
                await memory.add_connection_type(connection_type)
        except GraphError as error:
            if error.code is Code.ONTOLOGY_NOT_FOUND:
                roles = roles_in(declared(part), part)
                await _check(None, roles, changes(roles))
                await _create(memory, part)
            elif error.code is not Code.TYPE_ALREADY_EXISTS:  # somebody else has added it meanwhile
                raise


async def _check(memory: Memory | None, roles: Roles, changes: Sequence[Operation]) -> None:
    """Raise the error that a change would have once the types exist. `memory` is None if the domain does not exist."""
    types = {roles[kind.name]: kind for kind in declared().node_types if kind.name in roles.names}
    new = {change["id"] for change in changes if change["op"] == "create_node"}
    others: list[Operation] = []
    for change in changes:
        match change:
            case {"op": "create_node", "type": str(name)}:
                check_rules(types[name], check_properties(cast("Mapping[str, object]", change["properties"])))
            case {"op": "create_connection", "from_node_id": str(start), "to_node_id": str(end)}:
                for needed in {start, end} - new:
                    if not is_reference(needed):
                        await _require_end(memory, roles, str(change["type"]), needed)
            case {"op": "set_validity", "id": str(node_id)} if node_id in new:
                pass  # it goes with the node
            case _:
                others.append(change)
    if others and memory is not None:
        await write(memory, others, dry_run=True)


async def _require_end(memory: Memory | None, roles: Roles, connection_type: str, node_id: str) -> None:
    """Raise NODE_NOT_FOUND or INVALID_TOPOLOGY if a node cannot be the target of a connection."""
    if memory is None:
        hint = Hint("Find nodes with {query_nodes|search_content|search_memories}.", " Ids belong to one domain.")
        raise GraphError(Code.NODE_NOT_FOUND, f"Node {shown(node_id)} does not exist", {"hint": hint})
    found = (await memory.get_node(node_id)).type
    types = next((type_.to_types for type_ in roles.connection_types if type_.name == connection_type), (ANY,))
    if types != (ANY,) and found not in types:
        message = f"{connection_type} leads to {listed(types)}, and {shown(node_id)} is a node of type {found}"
        raise GraphError(Code.INVALID_TOPOLOGY, message, {"hint": "Give the id of another node."})


async def _create(memory: Memory, part: Part) -> None:
    try:
        await memory.create_ontology(declared(part))
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_ALREADY_EXISTS:
            raise


def roles_in(ontology: Ontology, part: Part = "project") -> Roles:
    """Return the names of the layer's types in an ontology, with the types that it lacks."""
    names: dict[str, str] = {}
    new_nodes: list[NodeType] = []
    new_connections: list[ConnectionType] = []
    for wanted in declared(part).node_types:
        present = ontology.find_node_type(wanted.name)
        name = wanted.name if present is None or _is_ours(present, wanted) else f"{_PREFIX}{wanted.name}"
        names[wanted.name] = name
        new_nodes += [] if ontology.find_node_type(name) else [replace(wanted, name=name)]
    for wanted in declared(part).connection_types:
        ends = {end: tuple(names.get(one, one) for one in getattr(wanted, end)) for end in ("from_types", "to_types")}
        is_taken = ontology.stored_as(wanted.name)[0] != wanted.name
        present = ontology.find_connection_type(wanted.name)
        is_usable = not is_taken and (present is None or _joins(present, replace(wanted, **ends)))
        name = wanted.name if is_usable else f"{_PREFIX}{wanted.name}"
        names[wanted.name] = name
        new_connections += [] if ontology.find_connection_type(name) else [replace(wanted, name=name, **ends)]
    return Roles(names, tuple(new_nodes), tuple(new_connections))


def _is_ours(present: NodeType, wanted: NodeType) -> bool:
    """Return whether a type is the layer's, even after changes.

    It declares two thirds of the layer's properties, and requires no property that the layer does not write.
    """
    own = {rule.name for rule in wanted.properties}
    known = own & {rule.name for rule in present.properties}
    required = {rule.name for rule in present.properties if rule.required}
    return len(known) * 3 >= len(own) * 2 and required <= own


def _joins(present: ConnectionType, wanted: ConnectionType) -> bool:
    """Return whether a connection type allows the ends that the layer connects."""
    return set(wanted.from_types) <= set(present.from_types) and set(wanted.to_types) <= set(present.to_types)
