"""An ontology: which node types and connection types a domain has, and what they demand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.ontology.declarations import (
    connection_type_from,
    connection_types_from,
    node_type_from,
    node_types_from,
)
from graph_memory.model.ontology.types import (
    AnyType,
    ConnectionType,
    NodeType,
    PropertyRule,
    check_description,
    check_end,
    check_pair,
    definition,
    subject_of_type,
)
from graph_memory.model.text.wording import MOST_LISTED, listed, shown, suggestion
from graph_memory.model.values.plain import Located, located
from graph_memory.model.values.properties import ANY, PropertyType

__all__ = [
    "ANY",
    "AnyType",
    "ConnectionType",
    "NodeType",
    "Ontology",
    "PropertyRule",
    "PropertyType",
    "connection_type_from",
    "definition",
    "merge_ontologies",
    "node_type_from",
    "ontology_from",
]

MOST_TYPES = 10_000


@dataclass(frozen=True, slots=True)
class Names:
    """The types as which connections of one name are stored: in the direction of the name, and against it."""

    along: tuple[str, ...]
    against: tuple[str, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys((*self.along, *self.against)))


@dataclass(frozen=True, slots=True)
class Inherited:
    """A type as a domain above defines it."""

    type: AnyType
    domain: str


_KEYS = ("description", "open", "node_types", "connection_types")
_Declared = TypeVar("_Declared", NodeType, ConnectionType)


@dataclass(frozen=True, slots=True)
class Ontology:
    """The types of a domain, in the order of declaration. An ontology that exists is consistent.

    Making one raises TYPE_ALREADY_EXISTS for a name given twice to one kind, INVALID_NODE_TYPE for a connection
    type that names an undefined node type, INVALID_ONTOLOGY beyond 10,000 types. `open` allows ad-hoc types.
    """

    node_types: tuple[NodeType, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()
    open: bool = False
    description: str = ""
    above: Mapping[str, Inherited] = field(default_factory=dict[str, Inherited], repr=False, compare=False)
    """What the domains above define, by subject of the log, as the nearest of them has it."""
    inherited: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    """Those of them that are in force here and that the domain's own log does not have."""
    _nodes: Mapping[str, NodeType] = field(init=False, repr=False, compare=False)
    _connections: Mapping[str, ConnectionType] = field(init=False, repr=False, compare=False)
    _names: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """The inverses that are names only, each with the type under which its connections are stored."""

    def __post_init__(self) -> None:
        check_description("the ontology", "description", self.description)
        count = len(self.node_types) + len(self.connection_types)
        if count > MOST_TYPES:
            message = f"The ontology has {count:,} types; the limit is {MOST_TYPES:,}"
            raise GraphError(
                Code.INVALID_ONTOLOGY, message, {"hint": "Use properties where types differ only in detail."}
            )
        object.__setattr__(self, "_nodes", _by_name(self.node_types))
        object.__setattr__(self, "_connections", _by_name(self.connection_types))
        for connection_type in self.connection_types:
            self._check_ends(connection_type)
        object.__setattr__(self, "_names", self._check_inverses())

    def _check_inverses(self) -> Mapping[str, str]:
        names: dict[str, str] = {}
        for one in self.connection_types:
            other = self._connections.get(one.inverse) if one.inverse else None
            if other is not None:
                check_pair(one, other)
            elif one.inverse and names.setdefault(one.inverse, one.name) != one.name:
                message = f"{one.inverse} is the inverse of both {names[one.inverse]} and {one.name}"
                hint = "Choose another name for the inverse of one of them."
                raise GraphError(Code.INVALID_ONTOLOGY, message, {"name": one.name, "hint": hint})
        return names

    def _check_ends(self, connection_type: ConnectionType) -> None:
        for side, names in (("from_types", connection_type.from_types), ("to_types", connection_type.to_types)):
            for name in names:
                check_end(connection_type.name, side, name, self._nodes)

    @classmethod
    def create(
        cls,
        node_types: Iterable[NodeType] = (),
        connection_types: Iterable[ConnectionType] = (),
        open: bool = False,  # noqa: A002
        description: str = "",
    ) -> Ontology:
        """Return the ontology of these types; raises as the class says."""
        return cls(tuple(node_types), tuple(connection_types), open, description)

    def find_node_type(self, name: str) -> NodeType | None:
        """Return the node type of that name, if there is one."""
        return self._nodes.get(name)

    def find_connection_type(self, name: str) -> ConnectionType | None:
        """Return the connection type of that name, if there is one."""
        return self._connections.get(name)

    def node_type(self, name: str) -> NodeType:
        """Return the node type of that name; raises INVALID_NODE_TYPE, which lists the valid ones."""
        found = self._nodes.get(name)
        if found is None:
            raise _unknown(Code.INVALID_NODE_TYPE, "Node type", name, list(self._nodes))
        return found

    def connection_type(self, name: str) -> ConnectionType:
        """Return the connection type of that name; raises INVALID_CONNECTION_TYPE, which lists the valid ones."""
        found = self._connections.get(name)
        if found is None:
            raise _unknown(Code.INVALID_CONNECTION_TYPE, "Connection type", name, [*self._connections, *self._names])
        return found

    def stored_as(self, name: str) -> tuple[str, bool]:
        """Return the type under which a connection of that name is stored, and whether its ends are swapped for that.

        They are when the name is the inverse of a type and no type itself.
        """
        return (self._names[name], True) if name in self._names else (name, False)

    def names_of(self, name: str) -> Names:
        """Return which stored types answer for a name, in their direction and against it."""
        stored, is_turned = self.stored_as(name)
        if is_turned:
            return Names((), (stored,))
        declared = self._connections.get(name)
        other = declared.other_name if declared else ""
        return Names((name,), (other,) if other in self._connections else ())

    @property
    def own_connection_types(self) -> list[ConnectionType]:
        """The connection types that the domain's own log has."""
        inherited = self.inherited
        return [one for one in self.connection_types if subject_of_type(one) not in inherited]

    @property
    def inverses(self) -> dict[str, str]:
        """The types of the second relationships, by the types of the connections that have them."""
        return {one.name: one.materialized_as for one in self.connection_types if one.materialized_as}

    def can_connect(self, connection_type: str, from_type: str, to_type: str) -> bool:
        """Return whether the connection type joins these node types; an unknown name gives false."""
        found = self._connections.get(connection_type)
        known = from_type in self._nodes and to_type in self._nodes
        return found is not None and known and found.allows(from_type, to_type)

    def check_topology(self, connection_type: str, from_type: str, to_type: str) -> None:
        """Raise INVALID_TOPOLOGY unless the connection type joins these node types.

        Raises INVALID_CONNECTION_TYPE or INVALID_NODE_TYPE for a name that the ontology does not have.
        """
        connection_type, is_turned = self.stored_as(connection_type)
        from_type, to_type = (to_type, from_type) if is_turned else (from_type, to_type)
        found = self.connection_type(connection_type)
        self.node_type(from_type)
        self.node_type(to_type)
        if not self.can_connect(connection_type, from_type, to_type):
            raise _cannot_connect(found, from_type, to_type, self.joining(from_type, to_type))

    def joining(self, from_type: str, to_type: str) -> list[str]:
        """Return the names of the connection types that join these node types, in the order of declaration."""
        names = (declared.name for declared in self.connection_types)
        return [name for name in names if self.can_connect(name, from_type, to_type)]

    def with_types(self, node_types: Iterable[NodeType], connection_types: Iterable[ConnectionType]) -> Ontology:
        """Return the ontology with these types, each in the place of the one of its name, or after all others.

        Raises INVALID_NODE_TYPE when a connection type names an undefined node type.
        """
        nodes, connections = dict(self._nodes), dict(self._connections)
        nodes |= {declared.name: declared for declared in node_types}
        connections |= {declared.name: declared for declared in connection_types}
        return replace(self, node_types=tuple(nodes.values()), connection_types=tuple(connections.values()))

    def with_node_type(self, added: NodeType) -> Ontology:
        """Return the ontology with one more node type; raises TYPE_ALREADY_EXISTS."""
        return replace(self, node_types=(*self.node_types, added))

    def with_connection_type(self, added: ConnectionType) -> Ontology:
        """Return the ontology with one more connection type.

        Raises TYPE_ALREADY_EXISTS, or INVALID_NODE_TYPE when it names an undefined node type.
        """
        return replace(self, connection_types=(*self.connection_types, added))


def _by_name(types: Sequence[_Declared]) -> Mapping[str, _Declared]:
    found: dict[str, _Declared] = {}
    for declared in types:
        _check_new(declared, found)
        found[declared.name] = declared
    return found


def _check_new(declared: AnyType, others: Mapping[str, AnyType]) -> None:
    if declared.name not in others:
        return
    title = declared.title[0].upper() + declared.title[1:]
    hint = Hint("Choose another name. To change the type, apply an ontology with {graph-memory ontology apply}.")
    message = f"{title} is already defined"
    raise GraphError(Code.TYPE_ALREADY_EXISTS, message, {"name": declared.name, "hint": hint})


def _unknown(code: Code, kind: str, name: str, valid: Sequence[str]) -> GraphError:
    message = f"{kind} {shown(name)} is not in the ontology. Valid types: {listed(valid)}"
    tool = Hint("{add_node_type}") if code is Code.INVALID_NODE_TYPE else Hint("{add_connection_type}")
    adding = Hint("Use one of the valid types", ", or add the type with {tool}", ".", tool=tool)
    open_ones = " {create_ontology:open=true} lets types be added as they are used, if none was made yet."
    hint = suggestion(name, valid, adding if valid else Hint("Add the type with {tool}.", open_ones, tool=tool))
    return GraphError(code, message, {"type": shown(name), "valid_types": list(valid[:MOST_LISTED]), "hint": hint})


def _cannot_connect(found: ConnectionType, from_type: str, to_type: str, joining: Sequence[str]) -> GraphError:
    sources = [] if found.allows_source(from_type) else [f"Valid sources: {listed(found.from_types)}"]
    targets = [] if found.allows_target(to_type) else [f"Valid targets: {listed(found.to_types)}"]
    message = ". ".join([f"Cannot connect {from_type} to {to_type} with {found.name}", *sources, *targets])
    turned = [f"{found.name} goes from {to_type} to {from_type}: swap the ends."]
    fitting = [f"Connection types from {from_type} to {to_type}: {listed(joining)}."]
    no_type = "No connection type goes from {from_type} to {to_type}."
    none = Hint(no_type, " {get_ontology} lists all types.", from_type=from_type, to_type=to_type)
    hints = (turned if found.allows(to_type, from_type) else []) + (fitting if joining else [])
    details = {
        "connection_type": found.name,
        "from_type": from_type,
        "to_type": to_type,
        "valid_sources": list(found.from_types[:MOST_LISTED]),
        "valid_targets": list(found.to_types[:MOST_LISTED]),
        "fitting_types": list(joining[:MOST_LISTED]),
        "hint": " ".join(hints) or none,
    }
    return GraphError(Code.INVALID_TOPOLOGY, message, details)


def ontology_from(data: Mapping[str, object], faults: list[GraphError] | None = None) -> Ontology:
    """Return the ontology that plain data declares, in any of the spellings that a YAML file may have.

    Raises INVALID_ARGUMENT for a fault of shape, INVALID_PROPERTY, INVALID_ONTOLOGY for a contradiction,
    TYPE_ALREADY_EXISTS or INVALID_NODE_TYPE; `details["at"]` says where. With a list for faults all are gathered there,
    and where there are any, what is returned is empty.
    """
    whole = Located(data, "", faults)
    fields = whole.fields(_KEYS)
    nodes = fields.get("node_types")
    node_types: Sequence[tuple[str, NodeType]] = []
    connection_types: Sequence[tuple[str, ConnectionType]] = []
    names: set[str] | None = set() if nodes is None else None
    with whole.going_on():
        node_types, names = ([], names) if nodes is None else node_types_from(nodes)
    connections = fields.get("connection_types")
    with whole.going_on():
        connection_types = [] if connections is None else connection_types_from(connections, names)
    nodes_once, connections_once = _distinct(whole, node_types), _distinct(whole, connection_types)
    description, is_open = fields.text("description"), fields.flag("open")
    with whole.going_on(), located("description"):
        check_description("the ontology", "description", description)
    if faults:
        return Ontology()
    return Ontology(nodes_once, connections_once, is_open, description)


def _distinct(whole: Located, located_types: Sequence[tuple[str, _Declared]]) -> tuple[_Declared, ...]:
    found: dict[str, _Declared] = {}
    for at, declared in located_types:
        with whole.going_on(), located(at):
            _check_new(declared, found)
        found[declared.name] = declared
    return tuple(found.values())


def merge_ontologies(ontologies: Iterable[Ontology]) -> Ontology:
    """Return one ontology with the types of all, open if one of them is, with the first description that there is.

    A type that several declare must be declared identically; INVALID_ONTOLOGY names all that are not.
    """
    every = list(ontologies)
    node_types, node_conflicts = _union([one.node_types for one in every])
    connection_types, connection_conflicts = _union([one.connection_types for one in every])
    conflicts = [*node_conflicts, *connection_conflicts]
    if conflicts:
        message = f"The ontologies define these types differently: {listed(conflicts)}"
        hint = "Make the definitions identical, or rename one of them."
        raise GraphError(Code.INVALID_ONTOLOGY, message, {"conflicts": conflicts, "hint": hint})
    description = next((one.description for one in every if one.description), "")
    return Ontology(node_types, connection_types, any(one.open for one in every), description)


def _union(groups: Sequence[Sequence[_Declared]]) -> tuple[tuple[_Declared, ...], list[str]]:
    found: dict[str, _Declared] = {}
    conflicts: dict[str, None] = {}
    for declared in (one for group in groups for one in group):
        first = found.setdefault(declared.name, declared)
        if repr(definition(first)) != repr(definition(declared)):
            conflicts[declared.title] = None
    return tuple(found.values()), list(conflicts)
