"""Parses assignments on the command line: `key=value` with a type from the ontology, or `key:=json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue, equal_values

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.model.ontology.ontology import AnyType, Ontology, PropertyRule

_EXAMPLES = "Use -p status=next, or -p priority:=1 or -p done:=true for JSON."


class RawValue(str):
    """The text after `=` in an assignment, not yet converted to the type in the ontology."""

    __slots__ = ()


def parse_assignments(assignments: Sequence[str] | None) -> dict[str, object] | None:
    """Parse assignments into values by key. Returns None if there are no assignments.

    The first `=` ends the key. After `:=`, the value is JSON. Otherwise it is text. Raises INVALID_ARGUMENT if an
    assignment has no key or `=`, if its JSON is invalid, or if a key is repeated.
    """
    result: dict[str, object] = {}
    for assignment in assignments or ():
        key, value = _parse_assignment(assignment)
        if key in result:
            raise invalid_argument("property", f"{quote(key)} was given twice", "Give each property once.")
        result[key] = value
    return result or None


def parse_relations(relations: Sequence[str] | None) -> list[tuple[str, str]]:
    """Split each TYPE=NAME into its type and name. Raises INVALID_ARGUMENT if either is missing."""
    pairs = [relation.partition("=") for relation in relations or ()]
    if (invalid_relation := next(("".join(pair) for pair in pairs if not (pair[0] and pair[2])), None)) is not None:
        raise invalid_argument(
            "relation",
            f"{quote(invalid_relation)} does not have the form TYPE=NAME",
            "For example: --relation 'works at=Merrow'.",
        )
    return [(kind, name) for kind, _, name in pairs]


def parse_strength(options: Sequence[str] | None) -> Mapping[str, float] | float | None:
    """Parse a strength: one number, or one number per component. Returns None if there are no options.

    Raises INVALID_ARGUMENT if a value is not a number, or a name is repeated.
    """
    pairs = [option.rpartition("=") for option in options or ()]
    if not pairs:
        return None
    if len(pairs) == 1 and not pairs[0][1]:
        return _parse_number("strength", pairs[0][2])
    scores = {name: _parse_number(f"strength {name}", text) for name, _, text in pairs}
    if len(scores) < len(pairs) or "" in scores:
        raise invalid_argument(
            "strength",
            "--strength must be one number, or one number for each component",
            "For example: --strength semantic=0.8.",
        )
    return scores


def parse_weights(options: Sequence[str] | None) -> Mapping[str, float] | None:
    """Parse the options `NAME=NUMBER` into weights by name. Returns None if there are no options.

    Raises INVALID_ARGUMENT if a value is not a number, or a name is repeated.
    """
    pairs = [option.partition("=") for option in options or ()]
    weights = {name: _parse_number(f"weight {name}", text) for name, _, text in pairs}
    if len(weights) < len(pairs):
        raise invalid_argument(
            "weight", "A weight was given twice", "Give each name once: --weight title=2 --weight tag=0."
        )
    return weights or None


def _parse_number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        option = name.partition(" ")[0]
        raise invalid_argument(
            option, f"{printable(name)} is {quote(text)}, which is not a number", _NUMBERS[option]
        ) from error


_NUMBERS = {
    "strength": "Use --strength 0.8 or --strength semantic=0.8.",
    "weight": "Use --weight title=2 or --weight edge=0.5.",
}


async def read_for_type(
    memory: Memory, values: Mapping[str, object] | None, kind: Kind | None = None, type_name: str | None = None
) -> Mapping[str, object] | None:
    """Convert raw values to the property types that the ontology declares for a node or connection type.

    If `type_name` is None, use the declarations of all types.
    """
    if values is None:
        return None
    if not needs_type(values):
        return read_as_declared(values, ())
    try:
        ontology = await memory.get_ontology()
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return read_as_declared(values, ())
    return read_as_declared(values, _declared_types(ontology, kind, type_name))


def needs_type(values: Mapping[str, object] | None) -> bool:
    """Return whether a raw value is ambiguous: text, or a number or boolean. The ontology then decides."""
    return any(isinstance(value, RawValue) and len([*_possible_values(value)]) > 1 for value in (values or {}).values())


def read_as_declared(values: Mapping[str, object], declared: Sequence[AnyType]) -> dict[str, object]:
    """Return the values, with raw values converted to text or, if the types do not allow text, to the JSON type.

    A raw value stays text if no type declares its property, or no type allows the converted value.
    """
    rules = [rule for defined in declared for rule in defined.properties]
    return {
        key: _first_allowed(value, [rule for rule in rules if rule.name == key])
        if isinstance(value, RawValue)
        else value
        for key, value in values.items()
    }


def _declared_types(ontology: Ontology, kind: Kind | None, type_name: str | None) -> Sequence[AnyType]:
    types_of = {Kind.NODE: ontology.node_types, Kind.CONNECTION: ontology.connection_types}
    if kind is Kind.CONNECTION and type_name is not None:
        type_name, _ = ontology.stored_type(type_name)
    types = [declared for types_kind, types in types_of.items() if kind in (None, types_kind) for declared in types]
    return [declared for declared in types if type_name in (None, declared.name)]


def _first_allowed(value: str, rules: Sequence[PropertyRule]) -> PropertyValue:
    allowed = (
        parsed_value for parsed_value in _possible_values(value) if any(_allows(rule, parsed_value) for rule in rules)
    )
    return next(allowed, str(value))


def _allows(rule: PropertyRule, value: PropertyValue) -> bool:
    is_valid_type = rule.type is None or rule.type.accepts(value)
    return is_valid_type and (not rule.enum or any(equal_values(value, member) for member in rule.enum))


def _possible_values(value: str) -> Iterator[PropertyValue]:
    """Yield a raw value as text and, if the text is a JSON number or boolean, as that number or boolean."""
    yield str(value)
    try:
        parsed_value: object = json.loads(value, parse_constant=_reject_constant)
    except ValueError:
        return
    if isinstance(parsed_value, bool | int | float):
        yield parsed_value


def _parse_assignment(text: str) -> tuple[str, object]:
    key, equals, value = text.partition("=")
    if not equals or key in ("", ":"):
        raise invalid_argument("property", f"{quote(text)} is not a property assignment", _EXAMPLES)
    return (key[:-1], _parse_json(text, value)) if key.endswith(":") else (key, RawValue(value))


def _parse_json(assignment: str, value: str) -> object:
    try:
        return json.loads(value, parse_constant=_reject_constant)
    except ValueError as error:
        raise invalid_argument(
            "property", f"The text after := in {quote(assignment)} is not valid JSON", _EXAMPLES
        ) from error


def _reject_constant(name: str) -> object:
    raise ValueError(name)
