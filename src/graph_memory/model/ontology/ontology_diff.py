"""What an ontology would make of another, as pure data: new types, and types that become what it declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.indexes import Index, indexes_of
from graph_memory.model.ontology.ontology import ANY, ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.types import LINK_FLAGS, AnyType, PropertyRule, definition
from graph_memory.model.text.wording import listed, listed_parts, quoted
from graph_memory.model.values.properties import PropertyType, equal_values

_Declared = TypeVar("_Declared", NodeType, ConnectionType)
_WIDER = {
    PropertyType.NUMBER: {PropertyType.INTEGER},
    PropertyType.STRING: {PropertyType.DATE, PropertyType.DATETIME},
}
"""What a property may have been before, so that every value that it had then is allowed now."""


@dataclass(frozen=True, slots=True)
class TypeChange:
    """A type that becomes another of its name."""

    before: AnyType
    after: AnyType

    @property
    def demands(self) -> tuple[str, ...]:
        """What is asked of all that is stored that was not asked before, in words; nothing when it only allows more."""
        found = [demand for rule in self.after.properties for demand in _demands(rule, _rule(self.before, rule.name))]
        if isinstance(self.before, ConnectionType) and isinstance(self.after, ConnectionType):
            found += _lost_ends("from_types", self.before.from_types, self.after.from_types)
            found += _lost_ends("to_types", self.before.to_types, self.after.to_types)
            found += [f"{flag} is new" for flag in self.new_links]
        return tuple(found)

    @property
    def new_links(self) -> tuple[str, ...]:
        """The rules about other connections that only the later type has."""
        return tuple(
            flag for flag in LINK_FLAGS if getattr(self.after, flag, False) and not getattr(self.before, flag, False)
        )

    @property
    def new_rules(self) -> AnyType:
        """The later type with only the rules about several subjects that the earlier type lacks."""
        rules = self.after.properties
        unique = tuple(rule for rule in rules if rule.unique and not _rule(self.before, rule.name).unique)
        if isinstance(self.after, NodeType):
            return replace(self.after, properties=unique, indexes=())
        flags = {flag: flag in self.new_links for flag in LINK_FLAGS}
        return replace(self.after, properties=unique, indexes=(), **flags)

    @property
    def changes_keys(self) -> bool:
        """Whether it has other indexes than before."""
        return set(indexes_of(self.before)) != set(indexes_of(self.after))

    @property
    def changes_inverses(self) -> bool:
        """Whether other second relationships than before belong to its connections."""
        return materialized(self.before) != materialized(self.after)

    @property
    def changes_derived(self) -> bool:
        """Whether something else than before follows from what is stored of the type."""
        return self.changes_keys or self.changes_inverses


def without_rules(declared: AnyType) -> AnyType:
    """Return a type of that name that asks nothing."""
    if isinstance(declared, NodeType):
        return NodeType(declared.name)
    return ConnectionType(declared.name, (ANY,), (ANY,))


def materialized(declared: AnyType | None) -> str:
    """Return the type of the second relationships of what is of a type, empty where there are none."""
    return declared.materialized_as if isinstance(declared, ConnectionType) else ""


@dataclass(frozen=True, slots=True)
class Growth:
    """What is new in an ontology, in the order of declaration: node types first, since connection types name them."""

    node_types: tuple[NodeType, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()
    changed: tuple[TypeChange, ...] = ()
    description: str | None = None
    """That of the ontology, where it is another."""


def growth(present: Ontology, wanted: Ontology) -> Growth:
    """Return what makes the types of `present` what `wanted` declares; those that it does not name stay.

    That an open ontology met a type first in a write makes no difference. Raises INVALID_ONTOLOGY when `wanted` is open
    and `present` is not, because that cannot be changed, and when together they have too many types.
    """
    if wanted.open and not present.open:
        hint = "Leave `open: true` out, or create another domain with it."
        message = "The ontology is open, but the domain's ontology is not, and that cannot be changed"
        raise GraphError(Code.INVALID_ONTOLOGY, message, {"name": "open", "hint": hint})
    _ = present.with_types(wanted.node_types, wanted.connection_types)
    nodes = [(one, present.find_node_type(one.name)) for one in wanted.node_types]
    links = [(one, present.find_connection_type(one.name)) for one in wanted.connection_types]
    is_told = wanted.description not in ("", present.description)
    return Growth(
        _new(nodes), _new(links), (*_changed(nodes), *_changed(links)), wanted.description if is_told else None
    )


def _new(pairs: Sequence[tuple[_Declared, _Declared | None]]) -> tuple[_Declared, ...]:
    return tuple(one for one, other in pairs if other is None)


def _changed(pairs: Sequence[tuple[_Declared, _Declared | None]]) -> Iterator[TypeChange]:
    for wanted, present in pairs:
        if present is not None and not _alike(wanted, present):
            yield TypeChange(present, replace(wanted, ad_hoc=wanted.ad_hoc and present.ad_hoc))


def _alike(one: AnyType, other: AnyType) -> bool:
    """Say whether two types are declared alike to the letter: the values 1, 1.0 and true are three."""
    return repr(definition(replace(one, ad_hoc=False))) == repr(definition(replace(other, ad_hoc=False)))


def _rule(declared: AnyType, name: str) -> PropertyRule:
    """Return what is declared about a property; a rule that demands nothing where that is nothing."""
    return next((rule for rule in declared.properties if rule.name == name), PropertyRule(name))


def _demands(after: PropertyRule, before: PropertyRule) -> Iterator[str]:
    if after.required and not before.required:
        yield f"property {after.name} becomes required"
    if after.type not in (None, before.type) and before.type not in _WIDER.get(after.type, set()):
        yield f"property {after.name} must be {after.type.wording}"
    if after.enum and (not before.enum or any(not _is_among(value, after.enum) for value in before.enum)):
        yield f"property {after.name} must be one of {listed_parts([quoted(value) for value in after.enum])}"
    if after.unique and not before.unique:
        yield f"property {after.name} becomes unique"


def _is_among(value: str | float, values: Sequence[str | float]) -> bool:
    return any(equal_values(value, other) for other in values)


def _lost_ends(side: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    if tuple(after) == (ANY,) or set(before) <= set(after):
        return []
    return [f"{side} must be among {listed(after)}"]


Value = str | float | bool | tuple["Value", ...]
Values = Mapping[tuple[str | None, str], Value]
"""What a type declares, value by value: by property (None for the type itself) and key."""


def values_of(declared: AnyType) -> dict[tuple[str | None, str], Value]:
    """Return what a type declares, value by value; a property is there by an empty key."""
    data = definition(declared)
    rules = cast("Sequence[Mapping[str, Value]]", data.pop("properties", ()))
    found: dict[tuple[str | None, str], Value] = {
        (None, key): _value(value) for key, value in data.items() if key != "name"
    }
    for rule in rules:
        name = str(rule["name"])
        found[name, ""] = True
        found |= {(name, key): _value(value) for key, value in rule.items() if key != "name"}
    return found


def _value(value: object) -> Value:
    """Return a value of a declaration with its lists as tuples, which can be compared and kept in sets."""
    return tuple(map(_value, cast("list[object]", value))) if isinstance(value, list) else cast("Value", value)


def _plain(value: Value) -> object:
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def declaration_of(name: str, values: Values) -> dict[str, object]:
    """Return the declaration of a type of these values, the inverse of `values_of`."""
    found: dict[str, object] = {"name": name}
    rules: dict[str, dict[str, object]] = {}
    for (owner, key), value in values.items():
        plain = _plain(value)
        if owner is None:
            found[key] = plain
        else:
            rules.setdefault(owner, {"name": owner}).update({key: plain} if key else {})
    return {**found, "properties": list(rules.values())} if rules else found


def told_values(declared: AnyType) -> dict[str, str]:
    """Return what a type declares in words, each value by its name: `description`, `status.enum`."""
    return {told_name(owner, key): _words(value, key) for (owner, key), value in values_of(declared).items()}


def told_name(owner: str | None, key: str) -> str:
    """Return how a value of a declaration is called: `description`, `status.enum`, or `property status` itself."""
    return key if owner is None else f"{owner}.{key}" if key else f"property {owner}"


def _words(value: Value, key: str) -> str:
    if not key:
        return "declared"
    if key == "indexes":
        return ", ".join(f"[{', '.join(map(str, one))}]" for one in cast("tuple[Index, ...]", value))
    if isinstance(value, tuple):
        return listed_parts([str(one) if key.endswith("_types") else quoted(one) for one in value])
    return "yes" if value is True else str(value)


def told_change(before: AnyType, after: AnyType) -> str:
    """Return in words what a type declares otherwise, such as `status.enum [a] → [a, b]`."""
    one, other = told_values(before), told_values(after)
    return ", ".join(
        _told(name, one.get(name), other.get(name)) for name in {**one, **other} if one.get(name) != other.get(name)
    )


def _told(name: str, before: str | None, after: str | None) -> str:
    if name.endswith("description"):
        return f"{name} changed"
    if after is None:
        return f"{name} removed"
    if before is None:
        return f"{name} added" if after in ("yes", "declared") else f"{name} {_cut(after)} added"
    return f"{name} {_cut(before)} → {_cut(after)}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_LONGEST = 200
"""Characters of one value that are told."""
