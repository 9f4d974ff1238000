"""`key=value` and `key:=json` as arguments of an operation: a value is read as the schema of the argument allows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from graph_memory.model.text.wording import shown
from graph_memory.model.values.arguments import argument_meant, fault
from graph_memory.model.values.plain import parse_json_strictly

if TYPE_CHECKING:
    from graph_memory.operations.operation import AnyOperation
    from graph_memory.operations.schemas import Schema

_EXAMPLES = "Write key=value, or key:=JSON as in limit:=5. `--list` shows the arguments."
_KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def call_arguments(operation: AnyOperation, given: Sequence[str]) -> dict[str, object]:
    """Return the arguments by name; values of a key that is given several times are one list.

    Raises INVALID_ARGUMENT for text that is no pair, for wrong JSON, and for a repeated key that takes no list. Whether
    the values fit is checked by the operation.
    """
    from graph_memory.operations.schemas import properties_of

    schemas = properties_of(operation.input_schema)
    result: dict[str, object] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or key in ("", ":"):
            raise fault("arguments", f"{shown(text)} is not an argument with a value", _EXAMPLES)
        name = argument_meant(key.removesuffix(":"), schemas)
        schema = schemas.get(name, {})
        read = _json(text, value) if key.endswith(":") else _value(value, schema)
        if name not in result:
            result[name] = read
        elif isinstance(before := result[name], list) and isinstance(read, list):
            result[name] = [*cast("list[object]", before), *cast("list[object]", read)]
        else:
            raise fault(name, f"{shown(name)} is given twice", "Give it once.")
    return result


def _value(text: str, schema: Schema) -> object:
    """Return a value as JSON if the schema allows JSON of its kind, else as text, in a list if it must be one."""
    choices = cast("list[Schema]", schema.get("anyOf", [schema]))
    kinds = {choice.get("type") for choice in choices}
    value = text if kinds == {"string"} else _as_json(text)
    kind = _kind(value)
    if kind in kinds - {"string"} or (kind == "integer" and "number" in kinds):
        return value
    if "string" in kinds or "array" not in kinds:
        return text
    items = next(cast("Schema", choice.get("items", {})) for choice in choices if choice.get("type") == "array")
    return [_value(text, items)]


def _kind(value: object) -> str | None:
    """Return the type of JSON that a value has."""
    return next((name for of, name in _KINDS.items() if isinstance(value, of)), None)


def _as_json(text: str) -> object:
    """Return the value of JSON, and other text as it is."""
    with suppress(ValueError):
        return parse_json_strictly(text.encode(errors="surrogatepass"))
    return text


def _json(given: str, text: str) -> object:
    try:
        return parse_json_strictly(text.encode(errors="surrogatepass"))
    except ValueError as error:
        raise fault("arguments", f"The text after := in {shown(given)} is not JSON: {error}", _EXAMPLES) from error
