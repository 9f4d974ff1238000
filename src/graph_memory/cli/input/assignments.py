"""`key=value` and `key:=json` on the command line, and how a value is read that is not JSON: as the ontology says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quoted, shown
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.properties import PropertyValue, equal_values

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.model.ontology.ontology import AnyType, Ontology, PropertyRule

_EXAMPLES = "Write -p status=next, or -p priority:=1 or -p done:=true for JSON."


class Typed(str):
    """A value as a person typed it after `=`."""

    __slots__ = ()


def assigned(given: Sequence[str] | None) -> dict[str, object] | None:
    """Return the values by key, None when none was given.

    The first `=` ends the key: with a colon before it what follows is JSON, else it is text as it stands.
    Raises INVALID_ARGUMENT for what is neither, and for a key that is given twice.
    """
    result: dict[str, object] = {}
    for one in given or ():
        key, value = _pair(one)
        if key in result:
            raise fault("property", f"{shown(key)} is given twice", "Give each property once.")
        result[key] = value
    return result or None


def related(given: Sequence[str] | None) -> list[tuple[str, str]]:
    """Return types of relations and names, given with `=` between. Raises INVALID_ARGUMENT for what has none."""
    pairs = [one.partition("=") for one in given or ()]
    if (wrong := next(("".join(pair) for pair in pairs if not (pair[0] and pair[2])), None)) is not None:
        raise fault("relation", f"{quoted(wrong)} is not a type and a name", "Write --relation 'works at=Merrow'.")
    return [(kind, name) for kind, _, name in pairs]


def given_strength(given: Sequence[str] | None) -> Mapping[str, float] | float | None:
    """Return the strength that options give, None when none was given. Raises INVALID_ARGUMENT."""
    pairs = [one.rpartition("=") for one in given or ()]
    if not pairs:
        return None
    if len(pairs) == 1 and not pairs[0][1]:
        return _number("strength", pairs[0][2])
    scores = {name: _number(f"strength {name}", text) for name, _, text in pairs}
    if len(scores) < len(pairs) or "" in scores:
        raise fault("strength", "--strength takes one number, or names, each once", "As in --strength semantic=0.8.")
    return scores


def given_weights(given: Sequence[str] | None) -> Mapping[str, float] | None:
    """Return weights by name, None when none was given. Raises INVALID_ARGUMENT."""
    pairs = [one.partition("=") for one in given or ()]
    scores = {name: _number(f"weight {name}", text) for name, _, text in pairs}
    if len(scores) < len(pairs):
        raise fault("weight", "A weight is given twice", "Give each once, as in --weight title=2 --weight tag=0.")
    return scores or None


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        option = name.partition(" ")[0]
        raise fault(option, f"{shown(name)} is {quoted(text)}, which is no number", _NUMBERS[option]) from error


_NUMBERS = {
    "strength": "Write --strength 0.8 or --strength semantic=0.8.",
    "weight": "Write --weight title=2 or --weight edge=0.5.",
}


async def of_type(
    memory: Memory, values: Mapping[str, object] | None, kind: Kind | None = None, type_name: str | None = None
) -> Mapping[str, object] | None:
    """Return the values, those that were typed read as the ontology declares them for a type, or for any."""
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
    return read_as_declared(values, _declared(ontology, kind, type_name))


def needs_type(values: Mapping[str, object] | None) -> bool:
    """Say whether the ontology decides how a value is read: it could be text, or else a number or a boolean."""
    return any(isinstance(value, Typed) and len([*_readings(value)]) > 1 for value in (values or {}).values())


def read_as_declared(values: Mapping[str, object], declared: Sequence[AnyType]) -> dict[str, object]:
    """Return the values, each that was typed as the first of its readings that one of the types allows."""
    rules = [rule for type_ in declared for rule in type_.properties]
    return {
        key: _read(value, [rule for rule in rules if rule.name == key]) if isinstance(value, Typed) else value
        for key, value in values.items()
    }


def _declared(ontology: Ontology, kind: Kind | None, type_name: str | None) -> Sequence[AnyType]:
    kinds = {Kind.NODE: ontology.node_types, Kind.CONNECTION: ontology.connection_types}
    if kind is Kind.CONNECTION and type_name is not None:
        type_name, _ = ontology.stored_as(type_name)
    return [
        type_ for of, types in kinds.items() if kind in (None, of) for type_ in types if type_name in (None, type_.name)
    ]


def _read(value: str, rules: Sequence[PropertyRule]) -> PropertyValue:
    allowed = (reading for reading in _readings(value) if any(_allows(rule, reading) for rule in rules))
    return next(allowed, str(value))


def _allows(rule: PropertyRule, value: PropertyValue) -> bool:
    fits = rule.type is None or rule.type.accepts(value)
    return fits and (not rule.enum or any(equal_values(value, one) for one in rule.enum))


def _readings(value: str) -> Iterator[PropertyValue]:
    """Give what was typed as text, and as a number or boolean where it is one."""
    yield str(value)
    try:
        found: object = json.loads(value, parse_constant=_refused)
    except ValueError:
        return
    if isinstance(found, bool | int | float):
        yield found


def _pair(given: str) -> tuple[str, object]:
    key, equals, value = given.partition("=")
    if not equals or key in ("", ":"):
        raise fault("property", f"{shown(given)} is not a property", _EXAMPLES)
    return (key[:-1], _json(given, value)) if key.endswith(":") else (key, Typed(value))


def _json(given: str, value: str) -> object:
    try:
        return json.loads(value, parse_constant=_refused)
    except ValueError as error:
        raise fault("property", f"What follows := in {shown(given)} is not JSON", _EXAMPLES) from error


def _refused(name: str) -> object:
    raise ValueError(name)
