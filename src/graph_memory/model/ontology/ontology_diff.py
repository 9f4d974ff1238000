"""The difference of two ontologies as pure data: new types and changed types."""

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
"""For each type of a property, the earlier types whose values are all still valid."""


@dataclass(frozen=True, slots=True)
class TypeChange:
    """A changed type."""

    before: AnyType
    after: AnyType

    @property
    def demands(self) -> tuple[str, ...]:
        """The new requirements for stored nodes or connections as text; empty if the type only allows more."""
        results = [
            demand for rule in self.after.properties for demand in _demands(rule, _rule_of(self.before, rule.name))
        ]
        if isinstance(self.before, ConnectionType) and isinstance(self.after, ConnectionType):
            results += _end_demands("from_types", self.before.from_types, self.after.from_types)
            results += _end_demands("to_types", self.before.to_types, self.after.to_types)
            results += [f"{flag} is new" for flag in self.new_rule_flags]
        return tuple(results)

    @property
    def new_rule_flags(self) -> tuple[str, ...]:
        """The new rules about other connections."""
        return tuple(
            flag for flag in RULE_FLAGS if getattr(self.after, flag, False) and not getattr(self.before, flag, False)
        )

    @property
    def new_rules(self) -> AnyType:
        """The changed type, with only its new rules that compare several subjects."""
        rules = self.after.properties
        unique = tuple(rule for rule in rules if rule.unique and not _rule_of(self.before, rule.name).unique)
        if isinstance(self.after, NodeType):
            return replace(self.after, properties=unique, indexes=())
        flags = {flag: flag in self.new_rule_flags for flag in RULE_FLAGS}
        return replace(self.after, properties=unique, indexes=(), **flags)

    @property
    def changes_keys(self) -> bool:
        """Whether the indexes change."""
        return set(indexes_of(self.before)) != set(indexes_of(self.after))

    @property
    def changes_inverses(self) -> bool:
        """Whether the inverse relationships of its connections change."""
        return materialized_type(self.before) != materialized_type(self.after)

    @property
    def changes_derived(self) -> bool:
        """Whether derived data of the type changes: indexes or inverse relationships."""
        return self.changes_keys or self.changes_inverses


def without_rules(declared: AnyType) -> AnyType:
    """Return a type with the same name and no rules."""
    if isinstance(declared, NodeType):
        return NodeType(declared.name)
    return ConnectionType(declared.name, (ANY,), (ANY,))


def materialized_type(declared: AnyType | None) -> str:
    """Return the type of a connection type's inverse relationships, or empty text if it has none."""
    return declared.materialized_as if isinstance(declared, ConnectionType) else ""


@dataclass(frozen=True, slots=True)
class OntologyDiff:
    """New and changed types of an ontology, in the order of declaration."""

    node_types: tuple[NodeType, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()
    changed: tuple[TypeChange, ...] = ()
    description: str | None = None
    """The description of the ontology, if it changes."""


def diff_ontologies(current: Ontology, target: Ontology) -> OntologyDiff:
    """Return the changes that add or change types in `current` so that they match `target`. Other types stay.

    Whether a type is ad hoc is ignored. Raises INVALID_ONTOLOGY if `target` is open and `current` is closed, because
    that cannot be changed, or if the two have too many types together.
    """
    if target.open and not current.open:
        hint = "Remove `open: true`, or create another domain with it."
        message = "The ontology is open, but the domain's ontology is not, and that cannot be changed"
        raise GraphError(Code.INVALID_ONTOLOGY, message, {"name": "open", "hint": hint})
    _ = current.with_types(target.node_types, target.connection_types)
    nodes = [(declared, current.find_node_type(declared.name)) for declared in target.node_types]
    connections = [(declared, current.find_connection_type(declared.name)) for declared in target.connection_types]
    changes_description = target.description not in ("", current.description)
    return OntologyDiff(
        _new_types(nodes),
        _new_types(connections),
        (*_changed_types(nodes), *_changed_types(connections)),
        target.description if changes_description else None,
    )


def _new_types(pairs: Sequence[tuple[_Declared, _Declared | None]]) -> tuple[_Declared, ...]:
    return tuple(declared for declared, current in pairs if current is None)


def _changed_types(pairs: Sequence[tuple[_Declared, _Declared | None]]) -> Iterator[TypeChange]:
    for declared, current in pairs:
        if current is not None and not _is_same_declaration(declared, current):
            yield TypeChange(current, replace(declared, ad_hoc=declared.ad_hoc and current.ad_hoc))


def _is_same_declaration(declared: AnyType, other: AnyType) -> bool:
    """Return whether two types have exactly the same declaration. The values 1, 1.0 and true all differ."""
    return repr(definition(replace(declared, ad_hoc=False))) == repr(definition(replace(other, ad_hoc=False)))


def _rule_of(declared: AnyType, name: str) -> PropertyRule:
    """Return the rule of a property, by default an empty rule."""
    return next((rule for rule in declared.properties if rule.name == name), PropertyRule(name))


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
"""The values of a declaration by property (None for the type itself) and key."""


def values_of(declared: AnyType) -> dict[tuple[str | None, str], Value]:
    """Return the values of a type's declaration. Each property also has an entry with an empty key."""
    data = definition(declared)
    rules = cast("Sequence[Mapping[str, Value]]", data.pop("properties", ()))
    values: dict[tuple[str | None, str], Value] = {
        (None, key): _value(value) for key, value in data.items() if key != "name"
    }
    for rule in rules:
        name = str(rule["name"])
        values[name, ""] = True
        values |= {(name, key): _value(value) for key, value in rule.items() if key != "name"}
    return values


def _value(value: object) -> Value:
    """Return a value of a declaration with tuples instead of lists, which are hashable."""
    return tuple(map(_value, cast("list[object]", value))) if isinstance(value, list) else cast("Value", value)


def _plain(value: Value) -> object:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def declaration_of(name: str, values: Values) -> dict[str, object]:
    """Return the declaration of a type with these values: the inverse of `values_of`."""
    result: dict[str, object] = {"name": name}
    rules: dict[str, dict[str, object]] = {}
    for (owner, key), value in values.items():
        plain = _plain(value)
        if owner is None:
            result[key] = plain
        else:
            rules.setdefault(owner, {"name": owner}).update({key: plain} if key else {})
    return {**result, "properties": list(rules.values())} if rules else result


def describe_values(declared: AnyType) -> dict[str, str]:
    """Return the values of a type's declaration as text, by title: `description`, `status.enum`."""
    return {value_title(owner, key): _describe_value(value, key) for (owner, key), value in values_of(declared).items()}


def value_title(owner: str | None, key: str) -> str:
    """Return the title of a value of a declaration: `description`, `status.enum`, or `property status`."""
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
    """Return the changes of a type's declaration as text, such as `status.enum [a] → [a, b]`."""
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
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_LONGEST = 200
"""Maximum number of characters of a value in a message."""
