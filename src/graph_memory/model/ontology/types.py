"""The types of an ontology: node types, connection types, and the rules for their properties.

Existing types are valid: their constructors raise INVALID_ARGUMENT (name), INVALID_PROPERTY (property key or enum
value) or INVALID_ONTOLOGY (a declaration that contradicts itself or is too large).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import TYPE_OF, Kind, type_subject
from graph_memory.model.subjects.subjects import State, StoredValue, without_nulls
from graph_memory.model.text.wording import MOST_LISTED, join_names, join_parts, printable, quote, suggestion
from graph_memory.model.values.properties import (
    ANY,
    PropertyType,
    PropertyValue,
    check_key,
    check_name,
    check_value,
    equal_values,
    key_value,
)
from graph_memory.model.values.weight import LEAST_HALF_LIFE, MOST_HALF_LIFE

RULE_FLAGS = ("unique_source", "unique_target", "unique_pair", "acyclic")
"""The fields of a connection type that enable rules for comparing a connection with others of its type."""
ONE_WAY = ("unique_source", "unique_target", "acyclic")
"""The rules that depend on direction. A type with such a rule must not be symmetric, or have a type as its inverse."""
MEANINGS = ("symmetric", "transitive", "materialize_inverse")
"""The fields of a connection type from which further connections are derived, or stored for plain Cypher."""
PROPERTIES_PER_TYPE = 1_000
VALUES_PER_ENUM = 1_000
ENUM_TEXT_CHARACTERS = 1_000
DESCRIPTION_BYTES = 10_000
INDEXES_PER_TYPE = 20
PROPERTIES_PER_INDEX = 4


@dataclass(frozen=True, slots=True)
class PropertyRule:
    """A property that a type declares, with the rules for its values. An empty `enum` allows every value."""

    name: str
    type: PropertyType | None = None
    description: str = ""
    required: bool = False
    enum: tuple[PropertyValue, ...] = ()
    indexed: bool = False
    unique: bool = False

    def __post_init__(self) -> None:
        check_key(self.name)
        check_description(f"property {quote(self.name)}", self.name, self.description)
        _check_enum(self)

    def check(self, owner: str, value: PropertyValue) -> None:
        """Raise INVALID_PROPERTY unless the rule allows the value. `owner` is the type's name for the message."""
        if self.type is not None and not self.type.accepts(value):
            removal_hint = " A stored property cannot be removed." if value == "" else ""
            details = {"type": str(self.type), "hint": f"{self.type.advice}{removal_hint}"}
            raise self._value_error(owner, self.type.wording, value, details)
        if self.enum and not any(equal_values(value, allowed) for allowed in self.enum):
            allowed_texts = [allowed for allowed in self.enum if isinstance(allowed, str)]
            hint = suggestion(str(value), allowed_texts, "Use one of the allowed values, with the same type.")
            details = {"allowed": list(self.enum[:MOST_LISTED]), "hint": hint}
            raise self._value_error(owner, f"one of {join_parts([*map(quote, self.enum)])}", value, details)

    def _value_error(self, owner: str, expected: str, value: object, details: Mapping[str, object]) -> GraphError:
        message = f"Property {quote(self.name)} of {owner} must be {expected}, not {quote(value)}"
        return GraphError(Code.INVALID_PROPERTY, message, {"property": self.name, **details})


@dataclass(frozen=True, slots=True)
class NodeType:
    """A node type. `ad_hoc` marks a type that was not declared, but added by a write in an open ontology."""

    name: str
    description: str = ""
    properties: tuple[PropertyRule, ...] = ()
    ad_hoc: bool = False
    indexes: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        check_name("Node type", self.name)
        _check_type(self)

    @property
    def title(self) -> str:
        """The kind and name of the type, for messages."""
        return f"node type {self.name}"

    @property
    def required(self) -> tuple[str, ...]:
        """The required properties, in declaration order."""
        return tuple(rule.name for rule in self.properties if rule.required)


@dataclass(frozen=True, slots=True)
class ConnectionType:
    """A connection type, with the node types that it can connect. `("*",)` stands for all node types.

    `unique_source`: a node is the source of at most one connection of the type. `unique_target`: the same for targets.
    `unique_pair`: at most one connection of the type leads from one node to another.
    `acyclic`: no chain of connections of the type leads back to its start.
    `half_life`: days after which the weight of a connection is halved. For the default, see `model/values/weight.py`.
    `inverse`: the type's name from the point of view of the target. If this is a type, its inverse must be this type.
    `symmetric`: a connection applies in both directions. `transitive`: two consecutive connections imply a third.
    `materialize_inverse`: the live graph also stores each connection from its target, for plain Cypher.
    """

    name: str
    from_types: tuple[str, ...]
    to_types: tuple[str, ...]
    description: str = ""
    properties: tuple[PropertyRule, ...] = ()
    unique_source: bool = False
    unique_target: bool = False
    unique_pair: bool = False
    acyclic: bool = False
    ad_hoc: bool = False
    half_life: float | None = None
    inverse: str = ""
    symmetric: bool = False
    transitive: bool = False
    materialize_inverse: bool = False
    indexes: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        check_name("Connection type", self.name)
        _check_type(self)
        _check_half_life(self)
        _check_ends(self, "from_types", self.from_types)
        _check_ends(self, "to_types", self.to_types)
        _check_meaning(self)

    @property
    def other_name(self) -> str:
        """The type's name from the point of view of a connection's target, or an empty string if it has none."""
        return self.name if self.symmetric else self.inverse

    @property
    def materialized_as(self) -> str:
        """The type of the inverse relationships in the live graph, or an empty string if there are none."""
        return self.other_name if self.materialize_inverse else ""

    @property
    def title(self) -> str:
        """The kind and name of the type, for messages."""
        return f"connection type {self.name}"

    @property
    def required(self) -> tuple[str, ...]:
        """The required properties, in declaration order."""
        return tuple(rule.name for rule in self.properties if rule.required)

    def allows_source(self, node_type: str) -> bool:
        """Return whether the source of a connection of this type can have the given node type."""
        return self.from_types == (ANY,) or node_type in self.from_types

    def allows_target(self, node_type: str) -> bool:
        """Return whether the target of a connection of this type can have the given node type."""
        return self.to_types == (ANY,) or node_type in self.to_types

    def allows(self, from_type: str, to_type: str) -> bool:
        """Return whether a connection of this type can connect nodes of these types."""
        return self.allows_source(from_type) and self.allows_target(to_type)


AnyType = NodeType | ConnectionType


def kind_of_type(declared_type: AnyType) -> Kind:
    """Return the kind of subjects with this type: `Kind.NODE` or `Kind.CONNECTION`."""
    return Kind.CONNECTION if isinstance(declared_type, ConnectionType) else Kind.NODE


def subject_of_type(declared_type: AnyType) -> str:
    """Return the id under which the log records the type."""
    return type_subject(TYPE_OF[kind_of_type(declared_type)], declared_type.name)


def check_rules(declared_type: AnyType, properties: Mapping[str, PropertyValue]) -> None:
    """Check a node's or connection's properties against its type. Undeclared properties are allowed.

    Raises REQUIRED_PROPERTY_MISSING, or INVALID_PROPERTY for a value of the wrong type or outside the enum.
    """
    missing = [name for name in declared_type.required if name not in properties]
    if missing:
        subject = declared_type.title[0].upper() + declared_type.title[1:]
        message = f"{subject} requires properties: {join_names(declared_type.required)}. Missing: {join_names(missing)}"
        details = {"type": declared_type.name, "required": list(declared_type.required), "missing": missing}
        hint = "Add the missing properties. Empty strings, 0 and false count as values."
        raise GraphError(Code.REQUIRED_PROPERTY_MISSING, message, {**details, "hint": hint})
    for rule in declared_type.properties:
        if rule.name in properties:
            rule.check(declared_type.title, properties[rule.name])


def definition(declared_type: AnyType) -> dict[str, object]:
    """Return a type's declaration as JSON-compatible data, without fields that have default values."""
    ends: dict[str, object] = {}
    flags: tuple[str, ...] = ("ad_hoc",)
    if isinstance(declared_type, ConnectionType):
        ends = {"from_types": list(declared_type.from_types), "to_types": list(declared_type.to_types)}
        ends |= {"inverse": declared_type.inverse} if declared_type.inverse else {}
        ends |= {} if declared_type.half_life is None else {"half_life": declared_type.half_life}
        flags = (*MEANINGS, *RULE_FLAGS, "ad_hoc")
    rules = {"properties": [*map(rule_definition, declared_type.properties)]} if declared_type.properties else {}
    rules |= {"indexes": [list(index) for index in declared_type.indexes]} if declared_type.indexes else {}
    details = {**_description_entry(declared_type), **_flag_entries(declared_type, flags)}
    return {"name": declared_type.name, **ends, **details, **rules}


def type_state(declared_type: AnyType) -> State:
    """Return a type's stored state: its definition as JSON, and the properties that queries use."""
    ends: dict[str, StoredValue] = {}
    if isinstance(declared_type, ConnectionType):
        ends = {"_from_types": list(declared_type.from_types), "_to_types": list(declared_type.to_types)}
        ends |= {"_inverse": declared_type.other_name} if declared_type.other_name else {}
        ends |= {"_transitive": True} if declared_type.transitive else {}
    return without_nulls(
        {
            "_name": declared_type.name,
            "_description": declared_type.description or None,
            **ends,
            "_required_properties": list(declared_type.required) or None,
            "_definition": json.dumps(definition(declared_type), ensure_ascii=False, separators=(",", ":")),
        }
    )


def rule_definition(rule: PropertyRule) -> dict[str, object]:
    """Return a property's declaration as JSON-compatible data, without fields that have default values."""
    kind: dict[str, object] = {} if rule.type is None else {"type": str(rule.type)}
    enum: dict[str, object] = {"enum": list(rule.enum)} if rule.enum else {}
    flags = _flag_entries(rule, ("required", "indexed", "unique"))
    return {"name": rule.name, **kind, **_description_entry(rule), **enum, **flags}


def _description_entry(declaration: AnyType | PropertyRule) -> dict[str, object]:
    return {"description": declaration.description} if declaration.description else {}


def _flag_entries(declaration: AnyType | PropertyRule, names: Sequence[str]) -> dict[str, object]:
    return {name: True for name in names if getattr(declaration, name)}


def _check_type(declared_type: AnyType) -> None:
    check_description(declared_type.title, declared_type.name, declared_type.description)
    if (count := len(declared_type.properties)) > PROPERTIES_PER_TYPE:
        message = f"{count:,} properties are too many for {declared_type.title}; the limit is {PROPERTIES_PER_TYPE:,}"
        raise _ontology_error(declared_type.name, message)
    if (duplicate := first_duplicate([rule.name for rule in declared_type.properties])) is not None:
        raise _ontology_error(duplicate, f"Property {quote(duplicate)} of {declared_type.title} is declared twice")
    _check_indexes(declared_type)


def _check_indexes(declared_type: AnyType) -> None:
    property_names = [rule.name for rule in declared_type.properties]
    for number, index in enumerate(declared_type.indexes, 1):
        title = f"The index {join_names(index)} of {declared_type.title}"
        if number > INDEXES_PER_TYPE or not 2 <= len(index) <= PROPERTIES_PER_INDEX:
            hint = f"Declare up to {INDEXES_PER_TYPE} indexes. For a single property, declare `indexed: true` there."
            problem = (
                f"needs 2 to {PROPERTIES_PER_INDEX} properties, or is over the limit of {INDEXES_PER_TYPE} indexes"
            )
            raise _ontology_error(declared_type.name, f"{title} {problem}", hint)
        if (unknown := next((name for name in index if name not in property_names), None)) is not None:
            hint = suggestion(unknown, property_names, f"Declare property {unknown}, or correct the name.")
            raise _ontology_error(unknown, f"{title} names {quote(unknown)}, which the type does not declare", hint)
        if first_duplicate(index) is not None or declared_type.indexes.count(index) > 1:
            raise _ontology_error(declared_type.name, f"{title} is declared twice, or lists a property twice")


def check_description(title: str, name: str, description: str) -> None:
    """Raise INVALID_ONTOLOGY for a description that is too long or cannot be encoded as UTF-8."""
    if (size := len(description.encode(errors="surrogatepass"))) > DESCRIPTION_BYTES:
        message = f"The description of {title} has {size:,} bytes; the limit is {DESCRIPTION_BYTES:,}"
        raise _ontology_error(name, message)
    if any("\ud800" <= character <= "\udfff" for character in description):
        raise _ontology_error(name, f"The description of {title} contains a lone surrogate, which UTF-8 cannot encode")


def _check_half_life(connection_type: ConnectionType) -> None:
    days = connection_type.half_life
    if days is not None and not LEAST_HALF_LIFE <= days <= MOST_HALF_LIFE:
        message = f"The half_life of {connection_type.title} is {quote(days)} days, which is out of range"
        hint = f"Declare {LEAST_HALF_LIFE:g} to {MOST_HALF_LIFE:,.0f} days, or omit half_life."
        raise _ontology_error(connection_type.name, message, hint)


def _check_ends(connection_type: ConnectionType, side: str, names: tuple[str, ...]) -> None:
    name, title = connection_type.name, connection_type.title
    if not names:
        hint = f'List the node types, or use ["{ANY}"] for every node type.'
        raise _ontology_error(name, f"{side} of {title} is empty, so nothing could be connected", hint)
    if ANY in names and len(names) > 1:
        hint = f'Use ["{ANY}"] alone, or only names.'
        raise _ontology_error(name, f'{side} of {title} mixes "{ANY}" with names', hint)
    if (duplicate := first_duplicate(names)) is not None:
        raise _ontology_error(name, f"{side} of {title} names {quote(duplicate)} twice")


def _check_meaning(connection_type: ConnectionType) -> None:
    name, title = connection_type.name, connection_type.title
    if connection_type.inverse:
        check_name("Connection type", connection_type.inverse)
    if connection_type.inverse == name:
        hint = "Declare `symmetric: true` instead of `inverse`."
        raise _ontology_error(name, f"The inverse of {title} is the type itself", hint)
    if connection_type.symmetric and connection_type.inverse:
        hint = "Leave out `inverse`, or `symmetric`."
        message = f"The {title} is symmetric, so it cannot have the inverse {quote(connection_type.inverse)}"
        raise _ontology_error(name, message, hint)
    if connection_type.materialize_inverse and not connection_type.other_name:
        hint = "Declare its `inverse`, or `symmetric: true`."
        raise _ontology_error(name, f"The {title} has no inverse that could be materialized", hint)
    if connection_type.symmetric:
        if set(connection_type.from_types) != set(connection_type.to_types):
            hint = "Give both the same types, or leave out `symmetric`."
            raise _ontology_error(name, f"The {title} is symmetric, but its ends have different types", hint)
        check_one_way(connection_type, "is symmetric")


def check_one_way(connection_type: ConnectionType, reason: str) -> None:
    """Raise INVALID_ONTOLOGY if the type has a rule in `ONE_WAY`. `reason` explains the conflict in the message."""
    if rules := [flag for flag in ONE_WAY if getattr(connection_type, flag)]:
        hint = f"Leave out `{rules[0]}`, or declare the inverse as a name only, not as a type of its own."
        message = f"The {connection_type.title} {reason}, so it cannot be {rules[0]}"
        raise _ontology_error(connection_type.name, message, hint)


def check_pair(connection_type: ConnectionType, other: ConnectionType) -> None:
    """Raise INVALID_ONTOLOGY unless both types declare each other as inverse, with the same endpoints, swapped."""
    name = connection_type.name
    if other.inverse != name:
        inverse = quote(other.inverse) if other.inverse else "not declared"
        message = f"The inverse of {quote(name)} is {quote(other.name)}, but that of {quote(other.name)} is {inverse}"
        raise _ontology_error(name, message, f"Declare `inverse: {name}` for {other.name}.")
    if (set(connection_type.from_types), set(connection_type.to_types)) != (set(other.to_types), set(other.from_types)):
        hint = f"If {name} leads from A to B, {other.name} must lead from B to A."
        message = f"{quote(name)} and its inverse {quote(other.name)} do not join the same types"
        raise _ontology_error(name, message, hint)
    check_one_way(connection_type, f"has the inverse {quote(other.name)}, which is also a type")


def check_end(connection_type: str, side: str, name: str, node_types: Collection[str]) -> None:
    """Raise INVALID_NODE_TYPE unless `name`, an endpoint of the connection type, is `*` or in `node_types`."""
    if name == ANY or name in node_types:
        return
    message = (
        f"Node type {printable(name)} in {side} of connection type {connection_type} is not defined. "
        f"Valid types: {join_names(list(node_types))}"
    )
    hint = suggestion(name, node_types, "Define the node type first, or correct the name.")
    details = {"connection_type": connection_type, "field": side, "name": printable(name), "hint": hint}
    raise GraphError(Code.INVALID_NODE_TYPE, message, details)


def _check_enum(rule: PropertyRule) -> None:
    if len(rule.enum) > VALUES_PER_ENUM:
        message = f"The enum of property {rule.name} has {len(rule.enum):,} values; the limit is {VALUES_PER_ENUM:,}"
        raise _ontology_error(rule.name, message)
    for value in rule.enum:
        check_value(rule.name, value)
        if isinstance(value, str) and len(value) > ENUM_TEXT_CHARACTERS:
            message = f"The enum of property {rule.name} has text longer than {ENUM_TEXT_CHARACTERS:,} characters"
            raise _ontology_error(rule.name, message)
        if rule.type is not None and not rule.type.accepts(value):
            problem = f"contains {quote(value)}, which is not {rule.type.wording}"
            raise _ontology_error(rule.name, f"The enum of property {quote(rule.name)} {problem}")
    if (duplicate := first_duplicate([key_value(value) for value in rule.enum])) is not None:
        raise _ontology_error(rule.name, f"The enum of property {rule.name} lists {quote(duplicate[2:])} twice")


def _ontology_error(name: str, message: str, hint: str | None = None) -> GraphError:
    advice = {} if hint is None else {"hint": hint}
    return GraphError(Code.INVALID_ONTOLOGY, message, {"name": name, **advice})


def first_duplicate(names: Sequence[str]) -> str | None:
    """Return the first name that occurs again, or None if all names differ."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
