"""Arguments of a call, read strictly: unknown arguments and values of another type are rejected.

Three spellings that clients cannot help are read as what they mean: a whole number with a decimal point, an object
written as a JSON string where a string is accepted too, and an empty string for an optional argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Generic, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import kind_of, quoted, shown, suggestion
from graph_memory.model.values.arguments import argument_meant
from graph_memory.model.values.plain import parse_json_strictly, place
from graph_memory.operations.arguments import MOST
from graph_memory.operations.schemas import Schema, input_schema, properties_of, required_of, wording

A = TypeVar("A", bound=Mapping[str, object])
_OTHER_TOOLS = {("memory_revert", "session"): Hint("{memory_revert_session} undoes a session.")}
"""What to call instead, by tool and unknown argument."""


class Arguments(Generic[A]):
    """The arguments that one tool takes: their schema, and how a call's are read."""

    def __init__(self, tool: str, shape: type[A]) -> None:
        self.tool = tool
        self.schema = input_schema(shape)
        self._adapter: TypeAdapter[A] = TypeAdapter(shape)

    def parse(self, given: Mapping[str, object]) -> A:
        """Return the arguments; a null or an empty string for an optional one counts as omitted.

        Raises INVALID_ARGUMENT, naming every argument at fault and what is allowed.
        """
        given = self._normalised(self._renamed(given))
        unknown = [self._unknown(name) for name in given if name not in properties_of(self.schema)]
        missing = [self._missing(name) for name in required_of(self.schema) if name not in given]
        faults = [*unknown, *missing]
        try:
            arguments = self._adapter.validate_python(given, strict=True)
        except ValidationError as error:
            faults += [self._wrong(fault) for fault in error.errors() if fault["type"] != "missing"]
        else:
            if not faults:
                return arguments
        raise _together(faults)

    def _renamed(self, given: Mapping[str, object]) -> Mapping[str, object]:
        """Return arguments with the whole name for each short one. Raises INVALID_ARGUMENT if both are given."""
        meant = {name: argument_meant(name, properties_of(self.schema)) for name in given}
        for name, other in meant.items():
            if name != other and other in given:
                raise _invalid(name, f"{name} and {other} mean the same.", {"hint": "Keep one of them."})
        return {meant[name]: value for name, value in given.items()}

    def _normalised(self, given: Mapping[str, object]) -> Mapping[str, object]:
        optional = properties_of(self.schema).keys() - set(required_of(self.schema))
        return {
            name: _as_meant(value, properties_of(self.schema).get(name, {}))
            for name, value in given.items()
            if name not in optional or not (value is None or (value == "" and name not in _MAY_BE_EMPTY))
        }

    def _unknown(self, name: str) -> GraphError:
        allowed = list(properties_of(self.schema))
        message = f"{self.tool} has no argument {quoted(name)}."
        takes = f"It takes: {', '.join(allowed)}." if allowed else "It takes no arguments."
        hint = _OTHER_TOOLS.get((self.tool, name)) or suggestion(name, allowed, takes)
        return _invalid(shown(name), message, {"allowed": allowed, "hint": hint})

    def _missing(self, name: str) -> GraphError:
        expected = wording(self._schema_of(name))
        return _invalid(name, f"{self.tool} needs the argument {quoted(name)} ({expected}).", {"expected": expected})

    def _wrong(self, fault: ErrorDetails) -> GraphError:
        name, *steps = fault["loc"]
        schema, at = self._schema_of(str(name)), str(name)
        for step in steps:
            if "anyOf" in schema:
                break  # the step names one of the choices, of which none is meant
            schema, at = cast("Schema", schema.get("items", {})), place(at, step)
        expected = wording(schema)
        message = f"{at} must be {expected}, not {_described(fault['input'])}."
        return _invalid(str(name), message, {"expected": expected})

    def _schema_of(self, name: str) -> Schema:
        return properties_of(self.schema)[name]


def _as_meant(value: object, schema: Schema) -> object:
    """Return a value with integers for whole numbers such as 5.0, and objects for their JSON strings, by its schema.

    JSON has one kind of number. A string stays a string unless it is JSON of an object that the schema allows too.
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
            return [_as_meant(item, cast("Schema", items)) for item in cast("list[object]", value)]
        case dict() if "object" in types:
            parts = {name: part for choice in choices for name, part in properties_of(choice).items()}
            return {
                name: _as_meant(part, parts.get(name, {}))
                for name, part in cast("Schema", value).items()
                if part != "" or name not in parts or name in _MAY_BE_EMPTY
            }
        case _:
            return value


def _object_in(text: str) -> object:
    """Return the object that a text is in JSON, otherwise the text."""
    with suppress(ValueError):
        parsed = parse_json_strictly(text.encode(errors="surrogatepass"))
        if isinstance(parsed, dict):
            return cast("Schema", parsed)
    return text


def _described(value: object) -> str:
    """Return a value for a message: itself where it is short, else what it is."""
    match value:
        case "":
            return "empty text"
        case []:
            return "an empty list"
        case str() | bool() | int() | float():
            return quoted(value)
        case _:
            return kind_of(value)


def _invalid(argument: str, message: str, details: Mapping[str, object]) -> GraphError:
    return GraphError(Code.INVALID_ARGUMENT, message, {"argument": argument, **details})


def _together(faults: Sequence[GraphError]) -> GraphError:
    """Return the first fault, with the messages of the others behind its own."""
    messages = list(dict.fromkeys(fault.message for fault in faults))
    message = " ".join(messages[:_MOST_FAULTS])
    return GraphError(Code.INVALID_ARGUMENT, message, faults[0].details)


_MAY_BE_EMPTY = frozenset(
    {"content", "content_summary", "description", "namespace", "old", "parent", "path", "text", "title", "value"}
)
"""Optional arguments for which an empty string means something, or must be rejected."""
_MOST_FAULTS = 5
