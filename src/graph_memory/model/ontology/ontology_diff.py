"""The difference between two ontologies as pure data: new types and changed types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.indexes import Index, indexes_of
from graph_memory.model.ontology.ontology import ANY, ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.types import RULE_FLAGS, AnyType, PropertyRule, definition
from graph_memory.model.text.wording import join_names, join_parts, quote
from graph_memory.model.values.properties import PropertyType, equal_values

_Declared = TypeVar("_Declared", NodeType, ConnectionType)
_WIDER = {
    PropertyType.NUMBER: {PropertyType.INTEGER},
    PropertyType.STRING: {PropertyType.DATE, PropertyType.DATETIME},
}
"""For each property type, the narrower types. Changing a narrower type to it keeps all stored values valid."""


@dataclass(frozen=True, slots=True)
class TypeChange:
    """A type's declarations before and after a change."""

    before: AnyType
    after: AnyType

    @property
    def demands(self) -> tuple[str, ...]:
        """The new requirements for stored nodes or connections, as text. Empty if the change only relaxes rules."""
        demands = [
            demand for rule in self.after.properties for demand in _demands(rule, _rule_of(self.before, rule.name))
        ]
        if isinstance(self.before, ConnectionType) and isinstance(self.after, ConnectionType):
            demands += _end_demands("from_types", self.before.from_types, self.after.from_types)
            demands += _end_demands("to_types", self.before.to_types, self.after.to_types)
            demands += [f"{flag} is new" for flag in self.new_rule_flags]
        return tuple(demands)

    @property
    def new_rule_flags(self) -> tuple[str, ...]:
        """The names of the rules in `RULE_FLAGS` that the change enables."""
        return tuple(
            flag for flag in RULE_FLAGS if getattr(self.after, flag, False) and not getattr(self.before, flag, False)
        )

    @property
    def new_rules(self) -> AnyType:
        """The changed type with only those new rules that compare several subjects, such as uniqueness."""
        rules = self.after.properties
        unique = tuple(rule for rule in rules if rule.unique and not _rule_of(self.before, rule.name).unique)
        if isinstance(self.after, NodeType):
            return replace(self.after, properties=unique, indexes=())
        flags = {flag: flag in self.new_rule_flags for flag in RULE_FLAGS}
        return replace(self.after, properties=unique, indexes=(), **flags)

    @property
    def changes_keys(self) -> bool:
        """Whether the indexes of the type change."""
        return set(indexes_of(self.before)) != set(indexes_of(self.after))

    @property
    def changes_inverses(self) -> bool:
        """Whether the change adds, removes or renames the stored inverse relationships of the type's connections."""
        return materialized_type(self.before) != materialized_type(self.after)

    @property
    def changes_derived(self) -> bool:
        """Whether derived data of the type changes: indexes or inverse relationships."""
        return self.changes_keys or self.changes_inverses


def without_rules(declared_type: AnyType) -> AnyType:
    """Return a type with the same name that allows all properties and endpoints."""
    if isinstance(declared_type, NodeType):
        return NodeType(declared_type.name)
    return ConnectionType(declared_type.name, (ANY,), (ANY,))


def materialized_type(declared_type: AnyType | None) -> str:
    """Return the type of a connection type's stored inverse relationships, or an empty string if there are none."""
    return declared_type.materialized_as if isinstance(declared_type, ConnectionType) else ""


@dataclass(frozen=True, slots=True)
class OntologyDiff:
    """The changes from one ontology to another: new types and changed types, in declaration order."""

    node_types: tuple[NodeType, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()
    changed: tuple[TypeChange, ...] = ()
    description: str | None = None
    """The new description of the ontology, or None if it does not change."""


def diff_ontologies(current: Ontology, target: Ontology) -> OntologyDiff:
    """Return the changes that make the types in `current` equal to those in `target`.

    Types that are not in `target` are kept. Whether a type is ad hoc is ignored. Raises INVALID_ONTOLOGY if `target` is
    open and `current` is closed, because a closed ontology cannot be opened, or if there are too many types in total.
    """
    if target.open and not current.open:
        hint = "Remove `open: true`, or create another domain with it."
        message = "The new ontology is open, but the domain's ontology is closed and cannot be opened"
        raise GraphError(Code.INVALID_ONTOLOGY, message, {"name": "open", "hint": hint})
    _ = current.with_types(target.node_types, target.connection_types)
    nodes = [(declared_type, current.find_node_type(declared_type.name)) for declared_type in target.node_types]
    connections = [
        (declared_type, current.find_connection_type(declared_type.name)) for declared_type in target.connection_types
    ]
    changes_description = target.description not in ("", current.description)
    return OntologyDiff(
        _new_types(nodes),
        _new_types(connections),
        (*_changed_types(nodes), *_changed_types(connections)),
        target.description if changes_description else None,
    )


def _new_types(pairs: Sequence[tuple[_Declared, _Declared | None]]) -> tuple[_Declared, ...]:
    return tuple(declared_type for declared_type, current in pairs if current is None)


def _changed_types(pairs: Sequence[tuple[_Declared, _Declared | None]]) -> Iterator[TypeChange]:
    for declared_type, current in pairs:
        if current is not None and not _is_same_declaration(declared_type, current):
            yield TypeChange(current, replace(declared_type, ad_hoc=declared_type.ad_hoc and current.ad_hoc))


def _is_same_declaration(declared_type: AnyType, other: AnyType) -> bool:
    """Return whether two types have exactly the same declaration. The values 1, 1.0 and true are different."""
    return repr(definition(replace(declared_type, ad_hoc=False))) == repr(definition(replace(other, ad_hoc=False)))


def _rule_of(declared_type: AnyType, name: str) -> PropertyRule:
    """Return the property's rule. If the type does not declare the property, return a rule that allows every value."""
    return next((rule for rule in declared_type.properties if rule.name == name), PropertyRule(name))


def _demands(after: PropertyRule, before: PropertyRule) -> Iterator[str]:
    if after.required and not before.required:
        yield f"property {after.name} becomes required"
    if after.type not in (None, before.type) and before.type not in _WIDER.get(after.type, set()):
        yield f"property {after.name} must be {after.type.wording}"
    if after.enum and (not before.enum or any(not _is_among(value, after.enum) for value in before.enum)):
        yield f"property {after.name} must be one of {join_parts([quote(value) for value in after.enum])}"
    if after.unique and not before.unique:
        yield f"property {after.name} becomes unique"


def _is_among(value: str | float, values: Sequence[str | float]) -> bool:
    return any(equal_values(value, other) for other in values)


def _end_demands(side: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    if tuple(after) == (ANY,) or set(before) <= set(after):
        return []
    return [f"{side} must be among {join_names(after)}"]


Value = str | float | bool | tuple["Value", ...]
Values = Mapping[tuple[str | None, str], Value]
"""A declaration's values, by property (None for the type itself) and field."""


def values_of(declared_type: AnyType) -> dict[tuple[str | None, str], Value]:
    """Return the values of a type's declaration. The value under a property's empty key is always true."""
    data = definition(declared_type)
    rules = cast("Sequence[Mapping[str, Value]]", data.pop("properties", ()))
    values: dict[tuple[str | None, str], Value] = {
        (None, key): _to_hashable(value) for key, value in data.items() if key != "name"
    }
    for rule in rules:
        name = str(rule["name"])
        values[name, ""] = True
        values |= {(name, key): _to_hashable(value) for key, value in rule.items() if key != "name"}
    return values


def _to_hashable(value: object) -> Value:
    """Return a declaration's value with its lists converted to tuples, so that it is hashable."""
    return tuple(map(_to_hashable, cast("list[object]", value))) if isinstance(value, list) else cast("Value", value)


def _to_lists(value: Value) -> object:
    return [_to_lists(item) for item in value] if isinstance(value, tuple) else value


def declaration_of(name: str, values: Values) -> dict[str, object]:
    """Return the type declaration with these values. This is the inverse of `values_of`."""
    declaration: dict[str, object] = {"name": name}
    rules: dict[str, dict[str, object]] = {}
    for (owner, key), value in values.items():
        value_data = _to_lists(value)
        if owner is None:
            declaration[key] = value_data
        else:
            rules.setdefault(owner, {"name": owner}).update({key: value_data} if key else {})
    return {**declaration, "properties": list(rules.values())} if rules else declaration


def describe_values(declared_type: AnyType) -> dict[str, str]:
    """Return a type declaration's values as text by title, such as `description` or `status.enum`."""
    return {
        value_title(owner, key): _describe_value(value, key) for (owner, key), value in values_of(declared_type).items()
    }


def value_title(owner: str | None, key: str) -> str:
    """Return the title of a declaration's value: `description`, `status.enum`, or `property status`."""
    return key if owner is None else f"{owner}.{key}" if key else f"property {owner}"


def _describe_value(value: Value, key: str) -> str:
    if not key:
        return "declared"
    if key == "indexes":
        return ", ".join(f"[{', '.join(map(str, index))}]" for index in cast("tuple[Index, ...]", value))
    if isinstance(value, tuple):
        return join_parts([str(item) if key.endswith("_types") else quote(item) for item in value])
    return "yes" if value is True else str(value)


def describe_type_change(before: AnyType, after: AnyType) -> str:
    """Return the changes to a type's declaration as text, such as `status.enum [a] → [a, b]`."""
    old, new = describe_values(before), describe_values(after)
    return ", ".join(
        _describe_change(name, old.get(name), new.get(name))
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    )


def _describe_change(name: str, before: str | None, after: str | None) -> str:
    if name.endswith("description"):
        return f"{name} changed"
    if after is None:
        return f"{name} removed"
    if before is None:
        return f"{name} added" if after in ("yes", "declared") else f"{name} {_shorten(after)} added"
    return f"{name} {_shorten(before)} → {_shorten(after)}"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[: _MAX_VALUE_LENGTH - 1]}…"


_MAX_VALUE_LENGTH = 200
"""Maximum number of characters of a value in a message."""
