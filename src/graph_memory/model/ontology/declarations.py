"""Declarations of types, read from plain data: the inverse of `definition`, and more forgiving.

A fault of shape is INVALID_ARGUMENT and names the place; a declaration that contradicts itself is INVALID_ONTOLOGY.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.indexes import Index
from graph_memory.model.ontology.types import LINK_FLAGS, MEANINGS, ConnectionType, NodeType, PropertyRule, check_end
from graph_memory.model.text.wording import listed, shown, suggestion
from graph_memory.model.values.plain import Fields, Located, located
from graph_memory.model.values.properties import ANY, PropertyType, PropertyValue

_NODE_TYPE_KEYS = ("description", "required_properties", "properties", "indexes", "ad_hoc")
_CONNECTION_TYPE_KEYS = (
    *("from_types", "from", "to_types", "to"),
    *("description", "required_properties", "properties", "indexes"),
    *("inverse", *MEANINGS, *LINK_FLAGS, "ad_hoc", "half_life"),
)
_PROPERTY_KEYS = ("type", "description", "required", "enum", "indexed", "unique")
_Read = TypeVar("_Read")
_TYPE_NAMES = tuple(str(kind) for kind in PropertyType)


def node_type_from(data: Mapping[str, object]) -> NodeType:
    """Return the node type that `definition` gave as data, or any spelling of it that YAML may have."""
    return _node_type(_item(Located(data, ""), _NODE_TYPE_KEYS))


def connection_type_from(data: Mapping[str, object]) -> ConnectionType:
    """Return the connection type that `definition` gave as data, or any spelling of it that YAML may have."""
    return _connection_type(_item(Located(data, ""), _CONNECTION_TYPE_KEYS), None)


def node_types_from(data: Located) -> tuple[list[tuple[str, NodeType]], set[str]]:
    """Return the place and the value of every node type in a list or an object, and all names, of faulty ones too."""
    named = _all(data, _NODE_TYPE_KEYS)
    return _each(data, named, _node_type), {one.name for one in named}


def connection_types_from(data: Located, node_types: Collection[str] | None) -> list[tuple[str, ConnectionType]]:
    """Return the place and the value of every connection type in a list or an object.

    Raises INVALID_NODE_TYPE for an end that is not among the node types, where these are known.
    """
    return _each(data, _all(data, _CONNECTION_TYPE_KEYS), lambda one: _connection_type(one, node_types))


@dataclass(frozen=True, slots=True)
class _Named:
    """A declaration of any kind: its name, where it stands and what is said about it."""

    name: str
    at: str
    fields: Fields


def _each(data: Located, named: Sequence[_Named], read: Callable[[_Named], _Read]) -> list[tuple[str, _Read]]:
    found: list[tuple[str, _Read]] = []
    for one in named:
        with data.going_on():
            found.append((one.at, read(one)))
    return found


def _all(data: Located, keys: Sequence[str], shorthand: str | None = None) -> list[_Named]:
    is_mapping = isinstance(data.value, Mapping)
    entries = list(data.entries().items()) if is_mapping else [("", item) for item in data.items()]
    found: list[_Named] = []
    for name, value in entries:
        with data.going_on():
            found.append(_entry(name, value, keys, shorthand) if is_mapping else _item(value, keys))
    return found


def _entry(name: str, data: Located, keys: Sequence[str], shorthand: str | None) -> _Named:
    """Read `name: {...}`, `name:` alone, or `name: text` where the text is the value of the `shorthand` field."""
    if data.value is None:
        return _Named(name, data.at, Fields(data, {}))
    if shorthand is not None and isinstance(data.value, str):
        return _Named(name, data.at, Fields(data, {shorthand: data}))
    return _Named(name, data.at, data.fields(keys))


def _item(data: Located, keys: Sequence[str]) -> _Named:
    """Read an entry of a list: a name alone, or an object with `name`."""
    if not isinstance(data.value, Mapping):
        return _Named(data.text(), data.at, Fields(data, {}))
    fields = data.fields(("name", *keys))
    return _Named(fields.need("name").text(), data.at, fields)


def _node_type(one: _Named) -> NodeType:
    properties = _properties(one.fields)
    with located(one.at):
        description, ad_hoc = one.fields.text("description"), one.fields.flag("ad_hoc")
        return NodeType(one.name, description, properties, ad_hoc, _indexes(one.fields))


def _connection_type(one: _Named, node_types: Collection[str] | None) -> ConnectionType:
    fields = one.fields
    ends: dict[str, tuple[str, ...]] = {
        "from_types": (ANY,),
        "to_types": (ANY,),
    }  # where the ends are at fault, the rest is looked at all the same
    for key, other in (("from_types", "from"), ("to_types", "to")):
        with fields.owner.going_on():
            ends[key] = _ends(one, (key, other), node_types)
    with located(one.at):
        return ConnectionType(
            name=one.name,
            from_types=ends["from_types"],
            to_types=ends["to_types"],
            description=fields.text("description"),
            properties=_properties(fields),
            unique_source=fields.flag("unique_source"),
            unique_target=fields.flag("unique_target"),
            unique_pair=fields.flag("unique_pair"),
            acyclic=fields.flag("acyclic"),
            ad_hoc=fields.flag("ad_hoc"),
            half_life=fields.number("half_life"),
            inverse=fields.text("inverse"),
            symmetric=fields.flag("symmetric"),
            transitive=fields.flag("transitive"),
            materialize_inverse=fields.flag("materialize_inverse"),
            indexes=_indexes(fields),
        )


def _ends(one: _Named, keys: tuple[str, str], node_types: Collection[str] | None) -> tuple[str, ...]:
    found = one.fields.need(*keys)
    names = found.texts()
    if node_types is not None:
        for item in found.items():
            with found.going_on(), located(item.at):
                check_end(one.name, keys[0], item.text(), node_types)
    return names


def _properties(fields: Fields) -> tuple[PropertyRule, ...]:
    """Return the rules of a type: those of `required_properties` first, in that order, then the others."""
    declared = fields.get("properties")
    named = [] if declared is None else _all(declared, _PROPERTY_KEYS, shorthand="type")
    rules = [rule for _, rule in _each(declared or fields.owner, named, _rule)]
    required = fields.get("required_properties")
    first: dict[str, PropertyRule] = {}
    if required is not None:
        with required.going_on():
            _check_agreement(required, named)
            by_name = {rule.name: rule for rule in rules}
            first = {item.text(): _required(item, by_name) for item in required.items()}
    return (*first.values(), *(rule for rule in rules if rule.name not in first))


def _indexes(fields: Fields) -> tuple[Index, ...]:
    found = fields.get("indexes")
    return () if found is None else tuple(one.texts() for one in found.items())


def _check_agreement(required: Located, named: Sequence[_Named]) -> None:
    names = required.texts()
    for one in named:
        said = one.fields.get("required")
        if one.name in names and said is not None and not said.flag():
            message = f"Property {shown(one.name)} is in required_properties but declares `required: false`"
            raise GraphError(Code.INVALID_ONTOLOGY, message, {"name": shown(one.name), "at": said.at})


def _required(item: Located, rules: Mapping[str, PropertyRule]) -> PropertyRule:
    with located(item.at):
        return replace(rules.get(item.text()) or PropertyRule(item.text()), required=True)


def _rule(one: _Named) -> PropertyRule:
    fields = one.fields
    with located(one.at):
        return PropertyRule(
            name=one.name,
            type=_property_type(fields),
            description=fields.text("description"),
            required=fields.flag("required"),
            enum=_enum(fields),
            indexed=fields.flag("indexed"),
            unique=fields.flag("unique"),
        )


def _property_type(fields: Fields) -> PropertyType | None:
    found = fields.get("type")
    if found is None:
        return None
    name = found.text()
    if name in _TYPE_NAMES:
        return PropertyType(name)
    hint = suggestion(name, _TYPE_NAMES, "Leave the type out to allow any value.")
    raise found.fault(f"is {shown(name)}, which is not a property type. Valid types: {listed(_TYPE_NAMES)}", hint, name)


def _enum(fields: Fields) -> tuple[PropertyValue, ...]:
    found = fields.get("enum")
    if found is None:
        return ()
    values = tuple(item.value for item in found.items())
    if not values:
        raise found.fault("has no values", "List the allowed values, or leave `enum` out.")
    return cast("tuple[PropertyValue, ...]", values)
