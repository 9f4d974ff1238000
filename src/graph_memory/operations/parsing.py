"""Parses the arguments of a call strictly: unknown arguments and values of other types are rejected.

Three spellings that clients cannot avoid are accepted: a whole number with a decimal point, an object as a JSON string
if a string is accepted too, and an empty string for an optional argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Generic, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import kind_of, printable, quote, suggestion
from graph_memory.model.values.arguments import full_argument_name
from graph_memory.model.values.plain import entry_path, parse_json_strictly
from graph_memory.operations.arguments import MOST
from graph_memory.operations.schemas import Schema, input_schema, properties_of, required_names, wording

A = TypeVar("A", bound=Mapping[str, object])
_OTHER_TOOLS = {("memory_revert", "session"): Hint("{memory_revert_session} undoes a session.")}
"""The tool to call instead, by tool and unknown argument."""


class Arguments(Generic[A]):
    """The arguments of a tool: their schema and their parser."""

    def __init__(self, tool: str, shape: type[A]) -> None:
        self.tool = tool
        self.schema = input_schema(shape)
        self._adapter: TypeAdapter[A] = TypeAdapter(shape)

    def parse(self, arguments: Mapping[str, object]) -> A:
        """Parse the arguments. Null, or an empty string, for an optional argument counts as omitted.

        Raises INVALID_ARGUMENT, which lists all invalid arguments and the allowed ones.
        """
        arguments = self._normalise(self._expand_names(arguments))
        unknown = [self._unknown(name) for name in arguments if name not in properties_of(self.schema)]
        missing = [self._missing(name) for name in required_names(self.schema) if name not in arguments]
        faults = [*unknown, *missing]
        try:
            parsed = self._adapter.validate_python(arguments, strict=True)
        except ValidationError as error:
            faults += [self._wrong(fault) for fault in error.errors() if fault["type"] != "missing"]
        else:
            if not faults:
                return parsed
        raise _combine(faults)

    def _expand_names(self, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Replace short argument names. Raises INVALID_ARGUMENT if both names are given."""
        full_names = {name: full_argument_name(name, properties_of(self.schema)) for name in arguments}
        for name, full_name in full_names.items():
            if name != full_name and full_name in arguments:
                raise _invalid(name, f"{name} and {full_name} mean the same.", {"hint": "Keep one of them."})
        return {full_names[name]: value for name, value in arguments.items()}

    def _normalise(self, arguments: Mapping[str, object]) -> Mapping[str, object]:
        optional = properties_of(self.schema).keys() - set(required_names(self.schema))
        return {
            name: _coerce(value, properties_of(self.schema).get(name, {}))
            for name, value in arguments.items()
            if name not in optional or not (value is None or (value == "" and name not in _MAY_BE_EMPTY))
        }

    def _unknown(self, name: str) -> GraphError:
        allowed = list(properties_of(self.schema))
        message = f"{self.tool} has no argument {quote(name)}."
        takes = f"It takes: {', '.join(allowed)}." if allowed else "It takes no arguments."
        hint = _OTHER_TOOLS.get((self.tool, name)) or suggestion(name, allowed, takes)
        return _invalid(printable(name), message, {"allowed": allowed, "hint": hint})

    def _missing(self, name: str) -> GraphError:
        expected = wording(self._schema_of(name))
        return _invalid(name, f"{self.tool} needs the argument {quote(name)} ({expected}).", {"expected": expected})

    def _wrong(self, fault: ErrorDetails) -> GraphError:
        name, *steps = fault["loc"]
        schema, at = self._schema_of(str(name)), str(name)
        for step in steps:
            if "anyOf" in schema:
                break  # the step names one of the choices, none of which fits
            schema, at = cast("Schema", schema.get("items", {})), entry_path(at, step)
        expected = wording(schema)
        message = f"{at} must be {expected}, not {_describe(fault['input'])}."
        return _invalid(str(name), message, {"expected": expected})

    def _schema_of(self, name: str) -> Schema:
        return properties_of(self.schema)[name]


def _coerce(value: object, schema: Schema) -> object:
    """Convert values where the schema requires it: 5.0 to an integer, and a JSON string to its object.

    JSON has only one kind of number. A string is converted only if the schema also allows the object in it.
    """
    choices = cast("list[Schema]", schema.get("anyOf", [schema]))
    types = {choice.get("type") for choice in choices}
    match value:
        case float() if "integer" in types and value.is_integer() and abs(value) <= MOST:
            return int(value)
        case str() if types >= {"string", "object"} and value.lstrip().startswith("{"):
            return _object_in(value)
        case list() if "array" in types:
            [items] = (choice["items"] for choice in choices if choice.get("type") == "array")
            return [_coerce(item, cast("Schema", items)) for item in cast("list[object]", value)]
        case dict() if "object" in types:
            parts = {name: part for choice in choices for name, part in properties_of(choice).items()}
            return {
                name: _coerce(part, parts.get(name, {}))
                for name, part in cast("Schema", value).items()
                if part != "" or name not in parts or name in _MAY_BE_EMPTY
            }
        case _:
            return value


def _object_in(text: str) -> object:
    """Return the object in a JSON text, or the text if it is not a JSON object."""
    with suppress(ValueError):
        parsed = parse_json_strictly(text.encode(errors="surrogatepass"))
        if isinstance(parsed, dict):
            return cast("Schema", parsed)
    return text


def _describe(value: object) -> str:
    """Describe the value for a message: the value itself, or the kind of a list or an object."""
    match value:
        case "":
            return "empty text"
        case []:
            return "an empty list"
        case str() | bool() | int() | float():
            return quote(value)
        case _:
            return kind_of(value)


def _invalid(argument: str, message: str, details: Mapping[str, object]) -> GraphError:
    return GraphError(Code.INVALID_ARGUMENT, message, {"argument": argument, **details})


def _combine(faults: Sequence[GraphError]) -> GraphError:
    """Return the first error, with the messages of the other errors appended."""
    messages = list(dict.fromkeys(fault.message for fault in faults))
    message = " ".join(messages[:_MOST_FAULTS])
    return GraphError(Code.INVALID_ARGUMENT, message, faults[0].details)


_MAY_BE_EMPTY = frozenset(
    {"content", "content_summary", "description", "namespace", "old", "parent", "path", "text", "title", "value"}
)
"""Optional arguments for which an empty string has a meaning, or must be rejected."""
_MOST_FAULTS = 5
