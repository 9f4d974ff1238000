"""Which types of a domain the layer uses: its own of `ontologies/agent.yaml`, by other names where those are taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import cast

from graph_memory.agent.writing import Operation, write
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import ANY, AnyType, ConnectionType, NodeType, Ontology, PropertyRule
from graph_memory.model.ontology.types import check_rules
from graph_memory.model.properties import check_properties
from graph_memory.model.wording import shown
from graph_memory.ontologies import load_ontology

_PREFIX = "Agent"


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of the types in a domain, by their names in the layer, and the types that it lacks."""

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
def declared() -> Ontology:
    """Return the types of the layer."""
    return load_ontology("agent")


async def roles_of(memory: Memory) -> Roles | None:
    """Return the roles in the domain; None where it does not exist, or has none of the node types yet."""
    try:
        found = roles_in(await memory.get_ontology())
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return None
    return None if len(found.node_types) == len(declared().node_types) else found


async def prepared(memory: Memory, changes: Callable[[Roles], Sequence[Operation]]) -> Roles:
    """Return the roles in the domain, which gets what it lacks: all of its types, or itself with them.

    Where it lacks something, the changes are checked first, so that a call that is refused leaves nothing. Raises what
    they are refused for, TYPE_LIMIT_REACHED and DOMAIN_BUSY.
    """
    is_checked = False
    while True:
        try:
            found = roles_in(await memory.get_ontology())
            if found.is_whole:
                return found
            if not is_checked:
                await _check(memory, found, changes(found))
                is_checked = True
            for node_type in found.node_types:
                await memory.add_node_type(node_type)
            for connection_type in found.connection_types:
                await memory.add_connection_type(connection_type)
        except GraphError as error:
            if error.code is Code.ONTOLOGY_NOT_FOUND:
                await _check(None, roles_in(declared()), changes(roles_in(declared())))
                await _create(memory)
            elif error.code is not Code.TYPE_ALREADY_EXISTS:  # somebody else has added it meanwhile
                raise


async def _check(memory: Memory | None, roles: Roles, changes: Sequence[Operation]) -> None:
    """Refuse changes that would be refused once the types are there, in a domain, or in one that does not exist."""
    types = {roles[one.name]: one for one in declared().node_types}
    new = {one["id"] for one in changes if one["op"] == "create_node"}
    others: list[Operation] = []
    for one in changes:
        match one:
            case {"op": "create_node", "type": str(name)}:
                check_rules(types[name], check_properties(cast("Mapping[str, object]", one["properties"])))
            case {"op": "create_connection", "from_node_id": str(start), "to_node_id": str(end)}:
                for needed in {start, end} - new:
                    if not needed.startswith("$"):
                        await _require_node(memory, needed)
            case _:
                others.append(one)
    if others and memory is not None:
        await write(memory, others, dry_run=True)


async def _require_node(memory: Memory | None, node_id: str) -> None:
    if memory is None:
        hint = "Find nodes with query_nodes or search_content; ids belong to one domain."
        raise GraphError(Code.NODE_NOT_FOUND, f"Node {shown(node_id)} does not exist", {"hint": hint})
    await memory.get_node(node_id)


async def _create(memory: Memory) -> None:
    try:
        await memory.create_ontology(declared())
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_ALREADY_EXISTS:
            raise


def roles_in(ontology: Ontology) -> Roles:
    """Return under which names a domain has the types, or would have them: those that it has otherwise are not used."""
    names: dict[str, str] = {}
    new_nodes: list[NodeType] = []
    new_connections: list[ConnectionType] = []
    for wanted in declared().node_types:
        name, is_there = _name(wanted, ontology.find_node_type)
        names[wanted.name] = name
        new_nodes += [] if is_there else [replace(wanted, name=name)]
    for wanted in declared().connection_types:
        ends = {end: _renamed(getattr(wanted, end), names) for end in ("from_types", "to_types")}
        name, is_there = _name(replace(wanted, **ends), ontology.find_connection_type)
        names[wanted.name] = name
        new_connections += [] if is_there else [replace(wanted, name=name, **ends)]
    return Roles(names, tuple(new_nodes), tuple(new_connections))


def _renamed(ends: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(one, one) for one in ends)


def _name(wanted: AnyType, find: Callable[[str], AnyType | None]) -> tuple[str, bool]:
    """Return under which name a type is used, and whether it is there."""
    for name in (wanted.name, f"{_PREFIX}{wanted.name}"):
        present = find(name)
        if present is None or _serves(present, wanted):
            return name, present is not None
    return f"{_PREFIX}{wanted.name}", True


def _serves(present: AnyType, wanted: AnyType) -> bool:
    """Say whether what is there takes all that the layer writes, and finds it in the same orders."""
    rules = {rule.name: rule for rule in present.properties}
    is_open = all(_takes(rules.get(rule.name), rule) for rule in wanted.properties)
    fits = is_open and set(present.required) <= set(wanted.required) and set(present.indexes) >= set(wanted.indexes)
    if not isinstance(present, ConnectionType) or not isinstance(wanted, ConnectionType):
        return fits
    ends = ((present.from_types, wanted.from_types), (present.to_types, wanted.to_types))
    takes_ends = all(theirs == (ANY,) or set(ours) <= set(theirs) for theirs, ours in ends)
    rules_alike = all(
        getattr(present, flag) == getattr(wanted, flag)
        for flag in ("unique_source", "unique_target", "acyclic", "symmetric", "inverse")
    )
    return fits and takes_ends and rules_alike


def _takes(present: PropertyRule | None, wanted: PropertyRule) -> bool:
    if present is None:
        return not wanted.indexed
    takes_type = present.type in (None, wanted.type) and present.indexed >= wanted.indexed
    return takes_type and not present.unique and (not present.enum or set(wanted.enum) == set(present.enum))
