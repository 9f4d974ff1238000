"""The types of an ontology: node types, connection types, and the rules of their properties.

Existing types are valid: their constructors raise INVALID_ARGUMENT (name), INVALID_PROPERTY (property key or enum
value) or INVALID_ONTOLOGY (a declaration that contradicts itself or is too large).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import TYPE_OF, Kind, type_subject
from graph_memory.model.subjects.subjects import State, StoredValue, present
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
"""The fields of a connection type that are rules about its other connections."""
ONE_WAY = ("unique_source", "unique_target", "acyclic")
"""The rules that count connections in one direction. These must be stored under one name and direction."""
MEANINGS = ("symmetric", "transitive", "materialize_inverse")
"""The fields of a connection type about the meaning of its connections."""
PROPERTIES_PER_TYPE = 1_000
VALUES_PER_ENUM = 1_000
ENUM_TEXT_CHARACTERS = 1_000
DESCRIPTION_BYTES = 10_000
INDEXES_PER_TYPE = 20
PROPERTIES_PER_INDEX = 4


@dataclass(frozen=True, slots=True)
class PropertyRule:
    """The rule of one property of a type. An empty `enum` allows every value."""

    name: str
    type: PropertyType | None = None
    description: str = ""
    required: bool = False
    enum: tuple[PropertyValue, ...] = ()
    indexed: bool = False
    unique: bool = False

    def __post_init__(self) -> None:
        check_key(self.name)
        check_description(f"property {self.name}", self.name, self.description)
        _check_enum(self)

    def check(self, owner: str, value: PropertyValue) -> None:
        """Raise INVALID_PROPERTY unless the rule allows the value; `owner` names the type in the message."""
        if self.type is not None and not self.type.accepts(value):
            empty = " A property cannot be removed." if value == "" else ""
            details = {"type": str(self.type), "hint": f"Give {self.type.wording}.{empty}"}
            raise self._invalid_value(owner, self.type.wording, value, details)
        if self.enum and not any(equal_values(value, allowed) for allowed in self.enum):
            texts = [allowed for allowed in self.enum if isinstance(allowed, str)]
            hint = suggestion(str(value), texts, "Use one of the allowed values, with the same type.")
            details = {"allowed": list(self.enum[:MOST_LISTED]), "hint": hint}
            raise self._invalid_value(owner, f"one of {join_parts([*map(quote, self.enum)])}", value, details)

    def _invalid_value(self, owner: str, expected: str, value: object, details: Mapping[str, object]) -> GraphError:
        message = f"Property {self.name} of {owner} must be {expected}, not {quote(value)}"
        return GraphError(Code.INVALID_PROPERTY, message, {"property": self.name, **details})


@dataclass(frozen=True, slots=True)
class NodeType:
    """A node type. `ad_hoc` marks a type that a write added to an open ontology."""

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
        """The type in messages."""
        return f"node type {self.name}"

    @property
    def required(self) -> tuple[str, ...]:
        """The required properties, in the order of declaration."""
        return tuple(rule.name for rule in self.properties if rule.required)


@dataclass(frozen=True, slots=True)
class ConnectionType:
    """A connection type, with the node types that it may join; `("*",)` means every node type.

    `unique_source`: a node is the source of at most one connection of the type; `unique_target` likewise.
    `unique_pair`: at most one connection of the type leads from one node to another.
    `acyclic`: no chain of connections of the type leads back to its start.
    `half_life`: days after which the weight of a connection is halved; default: see `model/values/weight.py`.
    `inverse`: the name of its connections from their other end. It may be a type too, whose inverse is this one.
    `symmetric`: a connection holds in both directions. `transitive`: two connections in a row imply a third.
    `materialize_inverse`: the live graph also stores each connection from its other end, for plain Cypher.
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
        """The name of the type as seen from the target of a connection, or an empty text."""
        return self.name if self.symmetric else self.inverse

    @property
    def materialized_as(self) -> str:
        """The type of the inverse relationships of the type's connections, or empty text if there are none."""
        return self.other_name if self.materialize_inverse else ""

    @property
    def title(self) -> str:
        """The type in messages."""
        return f"connection type {self.name}"

    @property
    def required(self) -> tuple[str, ...]:
        """The required properties, in the order of declaration."""
        return tuple(rule.name for rule in self.properties if rule.required)

    def allows_source(self, node_type: str) -> bool:
        """Return whether a connection of this type may begin at a node of the given type."""
        return self.from_types == (ANY,) or node_type in self.from_types

    def allows_target(self, node_type: str) -> bool:
        """Return whether a connection of this type may end at a node of the given type."""
        return self.to_types == (ANY,) or node_type in self.to_types

    def allows(self, from_type: str, to_type: str) -> bool:
        """Return whether a connection of this type may join nodes of the given types."""
        return self.allows_source(from_type) and self.allows_target(to_type)


AnyType = NodeType | ConnectionType


def kind_of_type(declared: AnyType) -> Kind:
    """Return the kind of subjects that have a type: node or connection."""
    return Kind.CONNECTION if isinstance(declared, ConnectionType) else Kind.NODE


def subject_of_type(declared: AnyType) -> str:
    """Return the subject id of a type."""
    return type_subject(TYPE_OF[kind_of_type(declared)], declared.name)


def check_rules(declared: AnyType, properties: Mapping[str, PropertyValue]) -> None:
    """Check the properties of a node or connection against its type. Undeclared properties are allowed.

    Raises REQUIRED_PROPERTY_MISSING, or INVALID_PROPERTY for a value of the wrong type or outside the enum.
    """
    missing = [name for name in declared.required if name not in properties]
    if missing:
        raise _required_missing(declared, missing)
    for rule in declared.properties:
        if rule.name in properties:
            rule.check(declared.title, properties[rule.name])


def _required_missing(declared: AnyType, missing: Sequence[str]) -> GraphError:
    subject = declared.title[0].upper() + declared.title[1:]
    message = f"{subject} requires properties: {join_names(declared.required)}. Missing: {join_names(missing)}"
    details = {"type": declared.name, "required": list(declared.required), "missing": list(missing)}
    hint = "Add the missing properties. Empty text, 0 and false count as values."
    return GraphError(Code.REQUIRED_PROPERTY_MISSING, message, {**details, "hint": hint})


def definition(declared: AnyType) -> dict[str, object]:
    """Return the declaration of a type as JSON-like data, without defaults."""
    ends: dict[str, object] = {}
    flags: tuple[str, ...] = ("ad_hoc",)
    if isinstance(declared, ConnectionType):
        ends = {"from_types": list(declared.from_types), "to_types": list(declared.to_types)}
        ends |= {"inverse": declared.inverse} if declared.inverse else {}
        ends |= {} if declared.half_life is None else {"half_life": declared.half_life}
        flags = (*MEANINGS, *RULE_FLAGS, "ad_hoc")
    rules = {"properties": [rule_definition(rule) for rule in declared.properties]} if declared.properties else {}
    rules |= {"indexes": [list(index) for index in declared.indexes]} if declared.indexes else {}
    return {"name": declared.name, **ends, **_description(declared), **_flags(declared, flags), **rules}


def type_state(declared: AnyType) -> State:
    """Return the stored state of a type: its definition as JSON, and the properties that queries use."""
    ends: dict[str, StoredValue] = {}
    if isinstance(declared, ConnectionType):
        ends = {"_from_types": list(declared.from_types), "_to_types": list(declared.to_types)}
        ends |= {"_inverse": declared.other_name} if declared.other_name else {}
        ends |= {"_transitive": True} if declared.transitive else {}
    return present(
        {
            "_name": declared.name,
            "_description": declared.description or None,
            **ends,
            "_required_properties": list(declared.required) or None,
            "_definition": json.dumps(definition(declared), ensure_ascii=False, separators=(",", ":")),
        }
    )


def rule_definition(rule: PropertyRule) -> dict[str, object]:
    """Return the declaration of a property as JSON-like data, without defaults."""
    kind: dict[str, object] = {} if rule.type is None else {"type": str(rule.type)}
    enum: dict[str, object] = {"enum": list(rule.enum)} if rule.enum else {}
    flags = _flags(rule, ("required", "indexed", "unique"))
    return {"name": rule.name, **kind, **_description(rule), **enum, **flags}


def _description(declared: AnyType | PropertyRule) -> dict[str, object]:
    return {"description": declared.description} if declared.description else {}


def _flags(declared: AnyType | PropertyRule, names: Sequence[str]) -> dict[str, object]:
    return {name: True for name in names if getattr(declared, name)}


def _check_type(declared: AnyType) -> None:
    check_description(declared.title, declared.name, declared.description)
    count = len(declared.properties)
    if count > PROPERTIES_PER_TYPE:
        message = f"{count:,} properties are too many for {declared.title}; the limit is {PROPERTIES_PER_TYPE:,}"
        raise _contradiction(declared.name, message)
    duplicate = first_repeated([rule.name for rule in declared.properties])
    if duplicate is not None:
        raise _contradiction(duplicate, f"Property {duplicate} of {declared.title} is declared twice")
    _check_indexes(declared)


def _check_indexes(declared: AnyType) -> None:
    known = [rule.name for rule in declared.properties]
    for number, index in enumerate(declared.indexes, 1):
        title = f"The index {join_names(index)} of {declared.title}"
        if number > INDEXES_PER_TYPE or not 2 <= len(index) <= PROPERTIES_PER_INDEX:
            hint = f"Give up to {INDEXES_PER_TYPE} indexes. For one property, declare `indexed: true` at the property."
            wanted = f"does not have 2 to {PROPERTIES_PER_INDEX} properties, or is one too many"
            raise _contradiction(declared.name, f"{title} {wanted}", hint)
        if (unknown := next((name for name in index if name not in known), None)) is not None:
            hint = suggestion(unknown, known, f"Declare property {unknown}, or correct the name.")
            raise _contradiction(unknown, f"{title} names {quote(unknown)}, which the type does not declare", hint)
        if first_repeated(index) is not None or declared.indexes.count(index) > 1:
            raise _contradiction(declared.name, f"{title} is declared twice, or has a property twice")


def check_description(title: str, name: str, description: str) -> None:
    """Raise INVALID_ONTOLOGY for a description that is too long or that UTF-8 cannot encode."""
    size = len(description.encode(errors="surrogatepass"))
    if size > DESCRIPTION_BYTES:
        message = f"The description of {title} has {size:,} bytes; the limit is {DESCRIPTION_BYTES:,}"
        raise _contradiction(name, message)
    if any("\ud800" <= character <= "\udfff" for character in description):
        raise _contradiction(name, f"The description of {title} contains a lone surrogate, which UTF-8 cannot encode")


def _check_half_life(declared: ConnectionType) -> None:
    days = declared.half_life
    if days is not None and not LEAST_HALF_LIFE <= days <= MOST_HALF_LIFE:
        message = f"The half_life of {declared.title} is {quote(days)} days"
        hint = f"Give {LEAST_HALF_LIFE:g} to {MOST_HALF_LIFE:,.0f} days, or leave it out."
        raise _contradiction(declared.name, message, hint)


def _check_ends(declared: ConnectionType, side: str, names: tuple[str, ...]) -> None:
    if not names:
        hint = f'List the node types, or use ["{ANY}"] for every node type.'
        raise _contradiction(declared.name, f"{side} of {declared.title} is empty, so nothing could be connected", hint)
    if ANY in names and len(names) > 1:
        hint = f'Use ["{ANY}"] alone, or only names.'
        raise _contradiction(declared.name, f'{side} of {declared.title} mixes "{ANY}" with names', hint)
    duplicate = first_repeated(names)
    if duplicate is not None:
        raise _contradiction(declared.name, f"{side} of {declared.title} names {printable(duplicate)} twice")


def _check_meaning(declared: ConnectionType) -> None:
    if declared.inverse:
        check_name("Connection type", declared.inverse)
    if declared.inverse == declared.name:
        hint = "Declare `symmetric: true` instead of `inverse`."
        raise _contradiction(declared.name, f"{declared.title} is its own inverse", hint)
    if declared.symmetric and declared.inverse:
        hint = "Leave out `inverse`, or `symmetric`."
        message = f"{declared.title} is symmetric, so it cannot have the inverse {declared.inverse}"
        raise _contradiction(declared.name, message, hint)
    if declared.materialize_inverse and not declared.other_name:
        hint = "Declare its `inverse`, or `symmetric: true`."
        raise _contradiction(declared.name, f"{declared.title} has no inverse that could be materialized", hint)
    if declared.symmetric:
        if set(declared.from_types) != set(declared.to_types):
            hint = "Give both the same types, or leave out `symmetric`."
            raise _contradiction(declared.name, f"{declared.title} is symmetric, but its ends differ", hint)
        check_one_way(declared, "is symmetric")


def check_one_way(declared: ConnectionType, why: str) -> None:
    """Raise INVALID_ONTOLOGY if a type has rules of `ONE_WAY`. `why` is the reason why it cannot have them."""
    rules = [flag for flag in ONE_WAY if getattr(declared, flag)]
    if rules:
        hint = f"Leave out `{rules[0]}`, or declare the inverse as a name only, not as a type of its own."
        raise _contradiction(declared.name, f"{declared.title} {why}, so it cannot be {rules[0]}", hint)


def check_pair(declared: ConnectionType, other: ConnectionType) -> None:
    """Raise INVALID_ONTOLOGY unless `other`, the inverse of `declared`, agrees."""
    if other.inverse != declared.name:
        text = f"the inverse of {other.name} is {other.inverse}" if other.inverse else f"{other.name} has no inverse"
        hint = f"Declare `inverse: {declared.name}` for {other.name}."
        raise _contradiction(declared.name, f"The inverse of {declared.name} is {other.name}, but {text}", hint)
    if (set(declared.from_types), set(declared.to_types)) != (set(other.to_types), set(other.from_types)):
        hint = f"Where {declared.name} leads from A to B, {other.name} must lead from B to A."
        message = f"{declared.name} and its inverse {other.name} do not join the same types"
        raise _contradiction(declared.name, message, hint)
    check_one_way(declared, f"has the inverse {other.name}, which is a type too")


def check_end(connection_type: str, side: str, name: str, node_types: Collection[str]) -> None:
    """Raise INVALID_NODE_TYPE unless the end of a connection type is a defined node type or `*`."""
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
        raise _contradiction(rule.name, message)
    for value in rule.enum:
        _check_enum_value(rule, value)
    duplicate = first_repeated([key_value(value) for value in rule.enum])
    if duplicate is not None:
        raise _contradiction(rule.name, f"The enum of property {rule.name} lists {quote(duplicate[2:])} twice")


def _check_enum_value(rule: PropertyRule, value: PropertyValue) -> None:
    check_value(rule.name, value)
    if isinstance(value, str) and len(value) > ENUM_TEXT_CHARACTERS:
        message = f"The enum of property {rule.name} has text longer than {ENUM_TEXT_CHARACTERS:,} characters"
        raise _contradiction(rule.name, message)
    if rule.type is not None and not rule.type.accepts(value):
        message = f"The enum of property {rule.name} has {quote(value)}, which is not {rule.type.wording}"
        raise _contradiction(rule.name, message)


def _contradiction(name: str, message: str, hint: str | None = None) -> GraphError:
    advice = {} if hint is None else {"hint": hint}
    return GraphError(Code.INVALID_ONTOLOGY, message, {"name": name, **advice})


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first duplicate name, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
