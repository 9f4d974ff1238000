"""Parses declarations of types from plain data. Accepts the output of `definition` and the shorter forms of YAML.

Data of the wrong kind raises INVALID_ARGUMENT with the location. A contradictory declaration raises INVALID_ONTOLOGY.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.indexes import Index
from graph_memory.model.ontology.types import MEANINGS, RULE_FLAGS, ConnectionType, NodeType, PropertyRule, check_end
from graph_memory.model.text.wording import join_names, printable, quote, suggestion
from graph_memory.model.values.plain import Fields, LocatedValue, locate_errors
from graph_memory.model.values.properties import ANY, PropertyType, PropertyValue

_NODE_TYPE_KEYS = ("description", "required_properties", "properties", "indexes", "ad_hoc")
_CONNECTION_TYPE_KEYS = (
    *("from_types", "from", "to_types", "to"),
    *("description", "required_properties", "properties", "indexes"),
    *("inverse", *MEANINGS, *RULE_FLAGS, "ad_hoc", "half_life"),
)
_PROPERTY_KEYS = ("type", "description", "required", "enum", "indexed", "unique")
_Read = TypeVar("_Read")
_TYPE_NAMES = tuple(str(kind) for kind in PropertyType)


def node_type_from(data: Mapping[str, object]) -> NodeType:
    """Return the node type that plain data declares, in the form of `definition` or in any YAML form."""
    return _parse_node_type(_parse_item(LocatedValue(data, ""), _NODE_TYPE_KEYS))


def connection_type_from(data: Mapping[str, object]) -> ConnectionType:
    """Return the connection type that plain data declares, in the form of `definition` or in any YAML form."""
    return _parse_connection_type(_parse_item(LocatedValue(data, ""), _CONNECTION_TYPE_KEYS), None)


def node_types_from(data: LocatedValue) -> tuple[list[tuple[str, NodeType]], set[str]]:
    """Return the valid node types in a list or object with their locations, and all declared node type names."""
    declarations = _parse_declarations(data, _NODE_TYPE_KEYS)
    return _read_all(data, declarations, _parse_node_type), {declaration.name for declaration in declarations}


def connection_types_from(data: LocatedValue, node_types: Collection[str] | None) -> list[tuple[str, ConnectionType]]:
    """Return the valid connection types in a list or object, with their locations.

    Raises INVALID_NODE_TYPE if a connection type refers to a node type that is not in `node_types`. None skips this
    check.
    """
    return _read_all(
        data,
        _parse_declarations(data, _CONNECTION_TYPE_KEYS),
        lambda declaration: _parse_connection_type(declaration, node_types),
    )


@dataclass(frozen=True, slots=True)
class _Declaration:
    name: str
    at: str
    fields: Fields


def _read_all(
    data: LocatedValue, declarations: Sequence[_Declaration], read: Callable[[_Declaration], _Read]
) -> list[tuple[str, _Read]]:
    located_types: list[tuple[str, _Read]] = []
    for declaration in declarations:
        with data.collect_errors():
            located_types.append((declaration.at, read(declaration)))
    return located_types


def _parse_declarations(data: LocatedValue, keys: Sequence[str], shorthand: str | None = None) -> list[_Declaration]:
    is_mapping = isinstance(data.value, Mapping)
    entries = list(data.entries().items()) if is_mapping else [("", item) for item in data.items()]
    declarations: list[_Declaration] = []
    for name, value in entries:
        with data.collect_errors():
            declarations.append(_parse_entry(name, value, keys, shorthand) if is_mapping else _parse_item(value, keys))
    return declarations


def _parse_entry(name: str, data: LocatedValue, keys: Sequence[str], shorthand: str | None) -> _Declaration:
    """Parse an entry of a mapping: `name: {...}`, `name:`, or `name: text`, which sets only the `shorthand` field."""
    if data.value is None:
        return _Declaration(name, data.at, Fields(data, {}))
    if shorthand is not None and isinstance(data.value, str):
        return _Declaration(name, data.at, Fields(data, {shorthand: data}))
    return _Declaration(name, data.at, data.fields(keys))


def _parse_item(data: LocatedValue, keys: Sequence[str]) -> _Declaration:
    """Parse an entry of a list: a plain name, or an object with the key `name`."""
    if not isinstance(data.value, Mapping):
        return _Declaration(data.text(), data.at, Fields(data, {}))
    fields = data.fields(("name", *keys))
    return _Declaration(fields.need("name").text(), data.at, fields)


def _parse_node_type(declaration: _Declaration) -> NodeType:
    properties = _parse_properties(declaration.fields)
    with locate_errors(declaration.at):
        description, ad_hoc = declaration.fields.text("description"), declaration.fields.flag("ad_hoc")
        return NodeType(declaration.name, description, properties, ad_hoc, _parse_indexes(declaration.fields))


def _parse_connection_type(declaration: _Declaration, node_types: Collection[str] | None) -> ConnectionType:
    fields = declaration.fields
    ends: dict[str, tuple[str, ...]] = {
        "from_types": (ANY,),
        "to_types": (ANY,),
    }  # if the ends are invalid, the other fields are checked anyway
    for key, short_key in (("from_types", "from"), ("to_types", "to")):
        with fields.owner.collect_errors():
            ends[key] = _parse_ends(declaration, (key, short_key), node_types)
    with locate_errors(declaration.at):
        return ConnectionType(
            name=declaration.name,
            from_types=ends["from_types"],
            to_types=ends["to_types"],
            description=fields.text("description"),
            properties=_parse_properties(fields),
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
            indexes=_parse_indexes(fields),
        )


def _parse_ends(
    declaration: _Declaration, keys: tuple[str, str], node_types: Collection[str] | None
) -> tuple[str, ...]:
    entry = declaration.fields.need(*keys)
    names = entry.texts()
    if node_types is not None:
        for item in entry.items():
            with entry.collect_errors(), locate_errors(item.at):
                check_end(declaration.name, keys[0], item.text(), node_types)
    return names


def _parse_properties(fields: Fields) -> tuple[PropertyRule, ...]:
    """Return a type's property rules: first the properties in `required_properties`, then all others."""
    properties = fields.get("properties")
    declarations = [] if properties is None else _parse_declarations(properties, _PROPERTY_KEYS, shorthand="type")
    rules = [rule for _, rule in _read_all(properties or fields.owner, declarations, _parse_rule)]
    required = fields.get("required_properties")
    required_rules: dict[str, PropertyRule] = {}
    if required is not None:
        with required.collect_errors():
            _check_agreement(required, declarations)
            by_name = {rule.name: rule for rule in rules}
            required_rules = {item.text(): _require_property(item, by_name) for item in required.items()}
    return (*required_rules.values(), *(rule for rule in rules if rule.name not in required_rules))


def _parse_indexes(fields: Fields) -> tuple[Index, ...]:
    entry = fields.get("indexes")
    return () if entry is None else tuple(item.texts() for item in entry.items())


def _check_agreement(required: LocatedValue, declarations: Sequence[_Declaration]) -> None:
    names = required.texts()
    for declaration in declarations:
        flag = declaration.fields.get("required")
        if declaration.name in names and flag is not None and not flag.flag():
            message = f"Property {quote(declaration.name)} is in required_properties but declares `required: false`"
            raise GraphError(
                Code.INVALID_ONTOLOGY,
                message,
                {"name": printable(declaration.name), "at": flag.at, "hint": "Remove one of the two."},
            )


def _require_property(item: LocatedValue, rules: Mapping[str, PropertyRule]) -> PropertyRule:
    with locate_errors(item.at):
        return replace(rules.get(item.text()) or PropertyRule(item.text()), required=True)


def _parse_rule(declaration: _Declaration) -> PropertyRule:
    fields = declaration.fields
    with locate_errors(declaration.at):
        return PropertyRule(
            name=declaration.name,
            type=_parse_property_type(fields),
            description=fields.text("description"),
            required=fields.flag("required"),
            enum=_parse_enum(fields),
            indexed=fields.flag("indexed"),
            unique=fields.flag("unique"),
        )


def _parse_property_type(fields: Fields) -> PropertyType | None:
    entry = fields.get("type")
    if entry is None:
        return None
    name = entry.text()
    if name in _TYPE_NAMES:
        return PropertyType(name)
    hint = suggestion(name, _TYPE_NAMES, "Leave the type out to allow any value.")
    raise entry.error(
        f"is {printable(name)}, which is not a property type. Valid types: {join_names(_TYPE_NAMES)}", hint, name
    )


def _parse_enum(fields: Fields) -> tuple[PropertyValue, ...]:
    entry = fields.get("enum")
    if entry is None:
        return ()
    values = tuple(item.value for item in entry.items())
    if not values:
        raise entry.error("has no values", "List the allowed values, or leave `enum` out.")
    return cast("tuple[PropertyValue, ...]", values)
