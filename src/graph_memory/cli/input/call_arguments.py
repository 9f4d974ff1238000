"""Parses the arguments of an operation: `key=value` with a type from the argument's schema, or `key:=json`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import full_argument_name, invalid_argument
from graph_memory.model.values.plain import parse_json_strictly

if TYPE_CHECKING:
    from graph_memory.operations.operation import AnyOperation
    from graph_memory.operations.schemas import Schema

_EXAMPLES = "Use key=value, or key:=JSON as in limit:=5. List the arguments with `--list`."
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def parse_call_arguments(operation: AnyOperation, texts: Sequence[str]) -> dict[str, object]:
    """Parse the arguments into values by name. The values of a repeated key become a list.

    Raises INVALID_ARGUMENT if a text has no key or `=`, if JSON is invalid, or if a key that does not take a list is
    repeated. The operation validates the values.
    """
    from graph_memory.operations.schemas import properties_of

    schemas = properties_of(operation.input_schema)
    result: dict[str, object] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key in ("", ":"):
            raise invalid_argument("arguments", f"{quote(text)} is not an argument with a value", _EXAMPLES)
        name = full_argument_name(key.removesuffix(":"), schemas)
        schema = schemas.get(name, {})
        parsed = _parse_json(text, value) if key.endswith(":") else _parse_value(value, schema)
        if name not in result:
            result[name] = parsed
        elif isinstance(previous := result[name], list) and isinstance(parsed, list):
            result[name] = [*cast("list[object]", previous), *cast("list[object]", parsed)]
        else:
            raise invalid_argument(name, f"{quote(name)} was given twice", "Pass it once.")
    return result


def _parse_value(text: str, schema: Schema) -> object:
    """Parse a value as JSON if the schema allows its JSON type, otherwise as text. A single item becomes a list."""
    choices = cast("list[Schema]", schema.get("anyOf", [schema]))
    kinds = {choice.get("type") for choice in choices}
    value = text if kinds == {"string"} else _json_or_text(text)
    kind = _json_type(value)
    if kind in kinds - {"string"} or (kind == "integer" and "number" in kinds):
        return value
    if "string" in kinds or "array" not in kinds:
        return text
    items = next(cast("Schema", choice.get("items", {})) for choice in choices if choice.get("type") == "array")
    return [_parse_value(text, items)]


def _json_type(value: object) -> str | None:
    return next((name for python_type, name in _JSON_TYPES.items() if isinstance(value, python_type)), None)


def _json_or_text(text: str) -> object:
    with suppress(ValueError):
        return parse_json_strictly(text.encode(errors="surrogatepass"))
    return text


def _parse_json(assignment: str, text: str) -> object:
    try:
        return parse_json_strictly(text.encode(errors="surrogatepass"))
    except ValueError as error:
        raise invalid_argument(
            "arguments", f"The text after := in {quote(assignment)} is not valid JSON: {error}", _EXAMPLES
        ) from error
