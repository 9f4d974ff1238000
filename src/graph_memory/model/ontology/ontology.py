"""An ontology: the node types and connection types of a domain, and their rules."""

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
from graph_memory.model.text.wording import MOST_LISTED, join_names, printable, quote, suggestion
from graph_memory.model.values.plain import LocatedValue, locate_errors
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

MAX_TYPES = 10_000


@dataclass(frozen=True, slots=True)
class TypeNames:
    """The stored types of connections with a given name, in the same and in the opposite direction."""

    forward_types: tuple[str, ...]
    reverse_types: tuple[str, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        """All types without duplicates."""
        return tuple(dict.fromkeys((*self.forward_types, *self.reverse_types)))


@dataclass(frozen=True, slots=True)
class InheritedType:
    """An inherited type, and the ancestor domain that defines it."""

    type: AnyType
    domain: str


_KEYS = ("description", "open", "node_types", "connection_types")
_Declared = TypeVar("_Declared", NodeType, ConnectionType)


@dataclass(frozen=True, slots=True)
class Ontology:
    """A domain's types in declaration order, checked for contradictions.

    The constructor raises TYPE_ALREADY_EXISTS for two types of the same kind and name, INVALID_NODE_TYPE for a
    connection type with an undefined node type, and INVALID_ONTOLOGY for more than 10,000 types. `open` allows ad-hoc
    types.
    """

    node_types: tuple[NodeType, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()
    open: bool = False
    description: str = ""
    above: Mapping[str, InheritedType] = field(default_factory=dict[str, InheritedType], repr=False, compare=False)
    """The ancestor domains' types, by subject id. If several ancestors define a type, the nearest one applies."""
    inherited: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    """Subject ids of the types in this ontology that are not in the domain's own log."""
    _nodes: Mapping[str, NodeType] = field(init=False, repr=False, compare=False)
    _connections: Mapping[str, ConnectionType] = field(init=False, repr=False, compare=False)
    _inverse_names: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """The inverse names that are not types themselves, each with the type that declares it as its inverse."""

    def __post_init__(self) -> None:
        check_description("the ontology", "description", self.description)
        count = len(self.node_types) + len(self.connection_types)
        if count > MAX_TYPES:
            message = f"The ontology has {count:,} types; the limit is {MAX_TYPES:,}"
            raise GraphError(
                Code.INVALID_ONTOLOGY, message, {"hint": "Use properties where types differ only in detail."}
            )
        object.__setattr__(self, "_nodes", _by_name(self.node_types))
        object.__setattr__(self, "_connections", _by_name(self.connection_types))
        for connection_type in self.connection_types:
            for side, names in (("from_types", connection_type.from_types), ("to_types", connection_type.to_types)):
                for name in names:
                    check_end(connection_type.name, side, name, self._nodes)
        object.__setattr__(self, "_inverse_names", self._check_inverses())

    def _check_inverses(self) -> Mapping[str, str]:
        names: dict[str, str] = {}
        for connection_type in self.connection_types:
            name, inverse = connection_type.name, connection_type.inverse
            other = self._connections.get(inverse) if inverse else None
            if other is not None:
                check_pair(connection_type, other)
            elif inverse and names.setdefault(inverse, name) != name:
                message = f"{quote(inverse)} is the inverse of both {quote(names[inverse])} and {quote(name)}"
                hint = "Choose another name for the inverse of one of the types."
                raise GraphError(Code.INVALID_ONTOLOGY, message, {"name": name, "hint": hint})
        return names

    @classmethod
    def create(
        cls,
        node_types: Iterable[NodeType] = (),
        connection_types: Iterable[ConnectionType] = (),
        open: bool = False,  # noqa: A002
        description: str = "",
    ) -> Ontology:
        """Return the ontology with these types. Raises the errors of the constructor."""
        return cls(tuple(node_types), tuple(connection_types), open, description)

    def find_node_type(self, name: str) -> NodeType | None:
        """Return the node type with this name, or None."""
        return self._nodes.get(name)

    def find_connection_type(self, name: str) -> ConnectionType | None:
        """Return the connection type with this name, or None."""
        return self._connections.get(name)

    def node_type(self, name: str) -> NodeType:
        """Return the node type with this name. If it is unknown, raises INVALID_NODE_TYPE with the valid types."""
        node_type = self._nodes.get(name)
        if node_type is None:
            raise _unknown_type_error(Code.INVALID_NODE_TYPE, "Node type", name, list(self._nodes))
        return node_type

    def connection_type(self, name: str) -> ConnectionType:
        """Return the connection type with this name.

        If it is unknown, raises INVALID_CONNECTION_TYPE with the valid types.
        """
        connection_type = self._connections.get(name)
        if connection_type is None:
            raise _unknown_type_error(
                Code.INVALID_CONNECTION_TYPE, "Connection type", name, [*self._connections, *self._inverse_names]
            )
        return connection_type

    def stored_type(self, name: str) -> tuple[str, bool]:
        """Return the type under which a connection with this name is stored, and whether its endpoints are swapped.

        The endpoints are swapped if the name is the inverse of a type and not a type itself.
        """
        return (self._inverse_names[name], True) if name in self._inverse_names else (name, False)

    def names_of(self, name: str) -> TypeNames:
        """Return the stored types of connections with this name, in the same and in the opposite direction."""
        stored, is_reversed = self.stored_type(name)
        if is_reversed:
            return TypeNames((), (stored,))
        connection_type = self._connections.get(name)
        other = connection_type.other_name if connection_type else ""
        return TypeNames((name,), (other,) if other in self._connections else ())

    @property
    def own_connection_types(self) -> list[ConnectionType]:
        """The connection types that the domain's own log declares, without inherited types."""
        inherited = self.inherited
        return [
            connection_type
            for connection_type in self.connection_types
            if subject_of_type(connection_type) not in inherited
        ]

    @property
    def inverses(self) -> dict[str, str]:
        """The names of stored inverse relationships by connection type. Types without them are omitted."""
        return {
            connection_type.name: connection_type.materialized_as
            for connection_type in self.connection_types
            if connection_type.materialized_as
        }

    def can_connect(self, connection_type: str, from_type: str, to_type: str) -> bool:
        """Return whether the connection type can connect these node types.

        False if one of the three types is unknown.
        """
        declared_type = self._connections.get(connection_type)
        are_types_known = from_type in self._nodes and to_type in self._nodes
        return declared_type is not None and are_types_known and declared_type.allows(from_type, to_type)

    def check_topology(self, connection_type: str, from_type: str, to_type: str) -> None:
        """Raise INVALID_TOPOLOGY unless the connection type connects these node types.

        Raises INVALID_CONNECTION_TYPE or INVALID_NODE_TYPE if the ontology does not define a name.
        """
        connection_type, is_reversed = self.stored_type(connection_type)
        from_type, to_type = (to_type, from_type) if is_reversed else (from_type, to_type)
        declared_type = self.connection_type(connection_type)
        self.node_type(from_type)
        self.node_type(to_type)
        if not self.can_connect(connection_type, from_type, to_type):
            raise _cannot_connect_error(
                declared_type, from_type, to_type, self.connection_types_between(from_type, to_type)
            )

    def connection_types_between(self, from_type: str, to_type: str) -> list[str]:
        """Return the names of the connection types that connect these node types, in declaration order."""
        names = (connection_type.name for connection_type in self.connection_types)
        return [name for name in names if self.can_connect(name, from_type, to_type)]

    def with_types(self, node_types: Iterable[NodeType], connection_types: Iterable[ConnectionType]) -> Ontology:
        """Return the ontology with these types. A type replaces the type with the same name, or is added at the end.

        Raises the errors of the constructor.
        """
        nodes, connections = dict(self._nodes), dict(self._connections)
        nodes |= {node_type.name: node_type for node_type in node_types}
        connections |= {connection_type.name: connection_type for connection_type in connection_types}
        return replace(self, node_types=tuple(nodes.values()), connection_types=tuple(connections.values()))

    def with_node_type(self, node_type: NodeType) -> Ontology:
        """Return the ontology with an additional node type. Raises TYPE_ALREADY_EXISTS if its name is in use."""
        return replace(self, node_types=(*self.node_types, node_type))

    def with_connection_type(self, connection_type: ConnectionType) -> Ontology:
        """Return the ontology with an additional connection type.

        Raises TYPE_ALREADY_EXISTS if its name is in use, and INVALID_NODE_TYPE if it refers to an undefined node type.
        """
        return replace(self, connection_types=(*self.connection_types, connection_type))


def _by_name(types: Sequence[_Declared]) -> Mapping[str, _Declared]:
    by_name: dict[str, _Declared] = {}
    for declared_type in types:
        _check_not_defined(declared_type, by_name)
        by_name[declared_type.name] = declared_type
    return by_name


def _check_not_defined(declared_type: AnyType, others: Mapping[str, AnyType]) -> None:
    if declared_type.name not in others:
        return
    title = declared_type.title[0].upper() + declared_type.title[1:]
    hint = Hint("Choose another name. To change the type, apply an ontology with {graph-memory ontology apply}.")
    message = f"{title} is already defined"
    raise GraphError(Code.TYPE_ALREADY_EXISTS, message, {"name": declared_type.name, "hint": hint})


def _unknown_type_error(code: Code, kind: str, name: str, valid_names: Sequence[str]) -> GraphError:
    message = f"{kind} {quote(name)} is not in the ontology. Valid types: {join_names(valid_names)}"
    tool = Hint("{add_node_type}") if code is Code.INVALID_NODE_TYPE else Hint("{add_connection_type}")
    hint_to_add = Hint("Use one of the valid types", ", or add the type with {tool}", ".", tool=tool)
    open_hint = (
        " If the domain has no ontology yet, create one with {create_ontology:open=true}, so that writes add types."
    )
    hint = suggestion(
        name, valid_names, hint_to_add if valid_names else Hint("Add the type with {tool}.", open_hint, tool=tool)
    )
    return GraphError(
        code, message, {"type": printable(name), "valid_types": list(valid_names[:MOST_LISTED]), "hint": hint}
    )


def _cannot_connect_error(
    connection_type: ConnectionType, from_type: str, to_type: str, joining_types: Sequence[str]
) -> GraphError:
    sources = (
        [] if connection_type.allows_source(from_type) else [f"Valid sources: {join_names(connection_type.from_types)}"]
    )
    targets = (
        [] if connection_type.allows_target(to_type) else [f"Valid targets: {join_names(connection_type.to_types)}"]
    )
    message = ". ".join([f"Cannot connect {from_type} to {to_type} with {connection_type.name}", *sources, *targets])
    swap_hints = [f"{connection_type.name} goes from {to_type} to {from_type}: swap the ends."]
    type_hints = [f"Connection types from {from_type} to {to_type}: {join_names(joining_types)}."]
    no_type = "No connection type goes from {from_type} to {to_type}."
    no_type_hint = Hint(no_type, " Use {get_ontology} to list all types.", from_type=from_type, to_type=to_type)
    hints = (swap_hints if connection_type.allows(to_type, from_type) else []) + (type_hints if joining_types else [])
    details = {
        "connection_type": connection_type.name,
        "from_type": from_type,
        "to_type": to_type,
        "valid_sources": list(connection_type.from_types[:MOST_LISTED]),
        "valid_targets": list(connection_type.to_types[:MOST_LISTED]),
        "fitting_types": list(joining_types[:MOST_LISTED]),
        "hint": " ".join(hints) or no_type_hint,
    }
    return GraphError(Code.INVALID_TOPOLOGY, message, details)


def ontology_from(data: Mapping[str, object], errors: list[GraphError] | None = None) -> Ontology:
    """Return the ontology that plain data declares, in any form allowed in a YAML file.

    Raises INVALID_ARGUMENT for data of the wrong kind, INVALID_PROPERTY for an invalid property, INVALID_ONTOLOGY for a
    contradiction, TYPE_ALREADY_EXISTS for a duplicate name, and INVALID_NODE_TYPE for an undefined node type. The
    location is in `details["at"]`. If `errors` is a list, errors are added to it instead of raised, and the result is
    then an empty ontology.
    """
    root = LocatedValue(data, "", errors)
    fields = root.fields(_KEYS)
    nodes = fields.get("node_types")
    node_types: Sequence[tuple[str, NodeType]] = []
    connection_types: Sequence[tuple[str, ConnectionType]] = []
    names: set[str] | None = set() if nodes is None else None
    with root.collect_errors():
        node_types, names = ([], names) if nodes is None else node_types_from(nodes)
    connections = fields.get("connection_types")
    with root.collect_errors():
        connection_types = [] if connections is None else connection_types_from(connections, names)
    distinct_node_types = _reject_duplicates(root, node_types)
    distinct_connection_types = _reject_duplicates(root, connection_types)
    description, is_open = fields.text("description"), fields.flag("open")
    with root.collect_errors(), locate_errors("description"):
        check_description("the ontology", "description", description)
    if errors:
        return Ontology()
    return Ontology(distinct_node_types, distinct_connection_types, is_open, description)


def _reject_duplicates(root: LocatedValue, located_types: Sequence[tuple[str, _Declared]]) -> tuple[_Declared, ...]:
    by_name: dict[str, _Declared] = {}
    for at, declared_type in located_types:
        with root.collect_errors(), locate_errors(at):
            _check_not_defined(declared_type, by_name)
        by_name[declared_type.name] = declared_type
    return tuple(by_name.values())


def merge_ontologies(ontologies: Iterable[Ontology]) -> Ontology:
    """Return one ontology with all ontologies' types and their first description. It is open if any of them is open.

    If the ontologies define types differently, raises INVALID_ONTOLOGY with the names of the types.
    """
    all_ontologies = list(ontologies)
    node_types, node_conflicts = _unite_types([ontology.node_types for ontology in all_ontologies])
    connection_types, connection_conflicts = _unite_types([ontology.connection_types for ontology in all_ontologies])
    conflicts = [*node_conflicts, *connection_conflicts]
    if conflicts:
        message = f"The ontologies define these types differently: {join_names(conflicts)}"
        hint = "Make the definitions identical, or rename one of the types."
        raise GraphError(Code.INVALID_ONTOLOGY, message, {"conflicts": conflicts, "hint": hint})
    description = next((ontology.description for ontology in all_ontologies if ontology.description), "")
    return Ontology(node_types, connection_types, any(ontology.open for ontology in all_ontologies), description)


def _unite_types(groups: Sequence[Sequence[_Declared]]) -> tuple[tuple[_Declared, ...], list[str]]:
    by_name: dict[str, _Declared] = {}
    conflicts: dict[str, None] = {}
    for declared_type in (declared_type for group in groups for declared_type in group):
        first = by_name.setdefault(declared_type.name, declared_type)
        if repr(definition(first)) != repr(definition(declared_type)):
            conflicts[declared_type.title] = None
    return tuple(by_name.values()), list(conflicts)
