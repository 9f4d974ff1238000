"""Parses a call's arguments strictly: unknown arguments and values of other types are rejected.

Three deviations that clients cannot avoid are accepted: an integer with a decimal point, an object as a JSON string if
a string is accepted too, and an empty string for an optional argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Generic, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import kind_of, printable, quote, suggestion
from graph_memory.model.values.arguments import full_argument_name
from graph_memory.model.values.plain import entry_path, parse_json_strictly
from graph_memory.operations.arguments import MAX_INTEGER
from graph_memory.operations.schemas import Schema, input_schema, properties_of, required_names, wording

A = TypeVar("A", bound=Mapping[str, object])
_OTHER_TOOLS = {("memory_revert", "session"): Hint("{memory_revert_session} undoes a session.")}
"""Hints to another tool for an argument that the called tool does not have, by called tool and argument."""


class Arguments(Generic[A]):
    """The JSON schema of a tool's arguments, and their parser."""

    def __init__(self, tool: str, shape: type[A]) -> None:
        self.tool = tool
        self.schema = input_schema(shape)
        self._adapter: TypeAdapter[A] = TypeAdapter(shape)

    def parse(self, arguments: Mapping[str, object]) -> A:
        """Parse a call's arguments. An optional argument that is null or an empty string counts as omitted.

        Raises one INVALID_ARGUMENT error for all unknown, missing and invalid arguments. It has the details of the
        first of them.
        """
        arguments = self._normalise(self._expand_names(arguments))
        unknown = [self._unknown_argument_error(name) for name in arguments if name not in properties_of(self.schema)]
        missing = [self._missing_argument_error(name) for name in required_names(self.schema) if name not in arguments]
        faults = [*unknown, *missing]
        try:
            parsed = self._adapter.validate_python(arguments, strict=True)
        except ValidationError as error:
            faults += [self._invalid_value_error(fault) for fault in error.errors() if fault["type"] != "missing"]
        else:
            if not faults:
                return parsed
        messages = list(dict.fromkeys(fault.message for fault in faults))
        raise GraphError(Code.INVALID_ARGUMENT, " ".join(messages[:_MAX_MESSAGES]), faults[0].details)

    def _expand_names(self, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Return the arguments with short names replaced by full names. Raises INVALID_ARGUMENT if both are given."""
        full_names = {name: full_argument_name(name, properties_of(self.schema)) for name in arguments}
        for name, full_name in full_names.items():
            if name != full_name and full_name in arguments:
                raise _invalid_argument(name, f"{name} and {full_name} mean the same.", {"hint": "Keep one of them."})
        return {full_names[name]: value for name, value in arguments.items()}

    def _normalise(self, arguments: Mapping[str, object]) -> Mapping[str, object]:
        optional = properties_of(self.schema).keys() - set(required_names(self.schema))
        return {
            name: _coerce(value, properties_of(self.schema).get(name, {}))
            for name, value in arguments.items()
            if name not in optional or not (value is None or (value == "" and name not in _MAY_BE_EMPTY))
        }

    def _unknown_argument_error(self, name: str) -> GraphError:
        allowed = list(properties_of(self.schema))
        message = f"{self.tool} has no argument {quote(name)}."
        allowed_text = f"Use only: {', '.join(allowed)}." if allowed else "Call it without arguments."
        hint = _OTHER_TOOLS.get((self.tool, name)) or suggestion(name, allowed, allowed_text)
        return _invalid_argument(printable(name), message, {"allowed": allowed, "hint": hint})

    def _missing_argument_error(self, name: str) -> GraphError:
        expected = wording(self._schema_of(name))
        return _invalid_argument(
            name, f"{self.tool} needs the argument {quote(name)} ({expected}).", {"expected": expected}
        )

    def _invalid_value_error(self, fault: ErrorDetails) -> GraphError:
        name, *steps = fault["loc"]
        schema, location = self._schema_of(str(name)), str(name)
        for step in steps:
            if "anyOf" in schema:
                break  # the step names one of the choices, none of which fits
            schema, location = cast("Schema", schema.get("items", {})), entry_path(location, step)
        expected = wording(schema)
        message = f"{location} must be {expected}, not {_describe(fault['input'])}."
        return _invalid_argument(str(name), message, {"expected": expected})

    def _schema_of(self, name: str) -> Schema:
        return properties_of(self.schema)[name]


def _coerce(value: object, schema: Schema) -> object:
    """Return the value converted to the schema's type: 5.0 to an integer, and an object's JSON text to the object.

    JSON has only one kind of number. Text is converted only if the schema allows both text and an object.
    """
    choices = cast("list[Schema]", schema.get("anyOf", [schema]))
    types = {choice.get("type") for choice in choices}
    match value:
        case float() if "integer" in types and value.is_integer() and abs(value) <= MAX_INTEGER:
            return int(value)
        case str() if types >= {"string", "object"} and value.lstrip().startswith("{"):
            return _parse_object(value)
        case list() if "array" in types:
            [items] = (choice["items"] for choice in choices if choice.get("type") == "array")
            return [_coerce(item, cast("Schema", items)) for item in cast("list[object]", value)]
        case dict() if "object" in types:
            property_schemas = {name: item for choice in choices for name, item in properties_of(choice).items()}
            return {
                name: _coerce(item, property_schemas.get(name, {}))
                for name, item in cast("Schema", value).items()
                if item != "" or name not in property_schemas or name in _MAY_BE_EMPTY
            }
        case _:
            return value


def _parse_object(text: str) -> object:
    """Return the JSON object in the text, or the text itself if it is not a JSON object."""
    with suppress(ValueError):
        parsed = parse_json_strictly(text.encode(errors="surrogatepass"))
        if isinstance(parsed, dict):
            return cast("Schema", parsed)
    return text


def _describe(value: object) -> str:
    """Describe a value for a message. Scalars are quoted. Lists and objects are described by their kind."""
    match value:
        case "":
            return "an empty string"
        case []:
            return "an empty list"
        case str() | bool() | int() | float():
            return quote(value)
        case _:
            return kind_of(value)


def _invalid_argument(argument: str, message: str, details: Mapping[str, object]) -> GraphError:
    return GraphError(Code.INVALID_ARGUMENT, message, {"argument": argument, **details})


_MAY_BE_EMPTY = frozenset(
    {"content", "content_summary", "description", "namespace", "old", "parent", "path", "text", "title", "value"}
)
"""Optional arguments for which an empty string has a meaning, or must be rejected."""
_MAX_MESSAGES = 5
