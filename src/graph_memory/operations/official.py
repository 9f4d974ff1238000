"""Operations with the exact schemas and argument errors of the official memory server.

A shape describes an argument or result: `str` or `bool`, a list with its items' shape, or a mapping from names to
shapes. A pair of a shape and a text adds a description.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import Result
from graph_memory.model.values.plain import LocatedValue
from graph_memory.operations.operation import Effect, Operation
from graph_memory.operations.schemas import Schema

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

Shape = object
CallArguments = Mapping[str, Any]
Work = Callable[["Memory", CallArguments], Awaitable[Result]]
Accepts = Callable[[CallArguments], bool]
_DOMAIN = "domain"
"""An argument of each of our tools that is not in the official server's schemas."""
ERROR_PREFIX = "MCP error -32602: "
_SCHEMA_VERSION = "http://json-schema.org/draft-07/schema#"
_JSON_NAMES: Mapping[type[object], str] = {
    str: "string",
    list: "array",
    dict: "object",
    bool: "boolean",
    int: "number",
    float: "number",
}
_ABSENT = object()


def find_faults(value: object, shape: Shape, location: str = "") -> Iterator[str]:
    """Yield the official server's error message for each part of the value that does not match the shape, in order."""
    shape = _without_description(shape)
    expected: type[object] = shape if isinstance(shape, type) else type(shape)
    if not isinstance(value, expected):
        yield f"Invalid input: expected {_JSON_NAMES[expected]}, received {_kind_of(value)} at {location}"
    elif isinstance(shape, dict):
        parts, entries = cast("Mapping[str, Shape]", shape), cast("Mapping[str, object]", value)
        for name, part in parts.items():
            yield from find_faults(entries.get(name, _ABSENT), part, f"{location}.{name}" if location else name)
    elif isinstance(shape, list):
        for index, item in enumerate(cast("list[object]", value)):
            yield from find_faults(item, cast("list[Shape]", shape)[0], f"{location}[{index}]")


def fit_shape(
    value: Any,  # noqa: ANN401 - any JSON
    shape: Shape,
    kept_names: Collection[str] = (),
    kept_item_names: Collection[str] = (),
) -> Any:  # noqa: ANN401
    """Return the value, reduced to the parts that are in the shape or in `kept_names`.

    For items of lists, the parts in `kept_item_names` are kept instead.
    """
    shape = _without_description(shape)
    if isinstance(shape, dict):
        kept_parts = {name: value[name] for name in kept_names if name in value}
        parts = cast("Mapping[str, Shape]", shape).items()
        return {**{name: fit_shape(value[name], part, kept_item_names) for name, part in parts}, **kept_parts}
    if isinstance(shape, list):
        return [fit_shape(item, cast("list[Shape]", shape)[0], kept_names) for item in value]
    return value


def schema(shape: Shape, *, is_closed: bool) -> dict[str, object]:
    """Return the JSON schema of a shape. With `is_closed`, it allows no additional properties."""
    description: dict[str, object] = {}
    if isinstance(shape, tuple):
        shape, description["description"] = cast("tuple[Shape, str]", shape)
    if isinstance(shape, dict):
        parts = {name: schema(part, is_closed=is_closed) for name, part in cast("Mapping[str, Shape]", shape).items()}
        required = {"required": list(parts)} if parts else {}
        closed = {"additionalProperties": False} if is_closed else {}
        return {"type": "object", "properties": parts, **required, **closed, **description}
    if isinstance(shape, list):
        return {"type": "array", "items": schema(cast("list[Shape]", shape)[0], is_closed=is_closed), **description}
    return {"type": _JSON_NAMES[cast("type[object]", shape)], **description}


def _without_description(shape: object) -> Shape:
    return cast("tuple[Shape, str]", shape)[0] if isinstance(shape, tuple) else shape


def _kind_of(value: object) -> str:
    if value is _ABSENT:
        return "undefined"
    return "null" if value is None else _JSON_NAMES[type(value)]


class OfficialOperation(Operation[Any, Any]):
    """An operation with the same arguments, results and errors as in the official memory server.

    `accepts` returns whether arguments that do not match the shape use our own spelling, which is also accepted.
    `own_arguments` lists our additional arguments, and `own_item_arguments` our additional arguments of list items.
    `has_extra_fields` means that the result has more fields than its output schema allows. They are only in the text,
    because clients reject them in structured content.
    """

    def __init__(
        self,
        name: str,
        description: str,
        arguments_shape: Mapping[str, Shape],
        shape: Mapping[str, Shape],
        result: type[Result],
        effect: Effect,
        work: Work,
        accepts: Accepts = lambda _: False,
        own_arguments: Collection[str] = (),
        own_item_arguments: Collection[str] = (),
        has_extra_fields: bool = False,
    ) -> None:
        self.name = name
        self.description = description
        self.effect = effect
        self.by_name = self.local = self.in_session = self.needs_admin = False
        self._arguments_shape = arguments_shape
        self.shape = dict(shape)
        self.result = result
        self._work = work
        self._accepts = accepts
        self._own_arguments = own_arguments
        self._own_item_arguments = own_item_arguments
        self.has_extra_fields = has_extra_fields

    def bind(self, arguments: Mapping[str, object]) -> Callable[[Any], Awaitable[Result]]:
        """Return a function that takes a memory and makes the call.

        If the arguments are invalid, raises INVALID_ARGUMENT with the official server's message.
        """
        arguments = self._without_empty(arguments)
        shape = dict(self._arguments_shape)
        problems = list(find_faults(arguments, shape))
        if problems and not self._accepts(arguments):
            text = "\n".join(problems)
            message = f"{ERROR_PREFIX}Input validation error: Invalid arguments for tool {self.name}: {text}"
            raise GraphError(Code.INVALID_ARGUMENT, message, {})
        work_arguments: CallArguments = (
            {name: value for name, value in arguments.items() if name != _DOMAIN}
            if problems
            else fit_shape(arguments, shape, self._own_arguments, self._own_item_arguments)
        )
        domain = None if arguments.get(_DOMAIN) is None else LocatedValue(arguments[_DOMAIN], _DOMAIN).text()
        return lambda memory: self._work(memory if domain is None else memory.in_domain(domain), work_arguments)

    def _without_empty(self, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Return the arguments without additional arguments that are null or an empty string.

        Integral numbers in our additional arguments become integers.
        """
        own_names = {*self._own_arguments, _DOMAIN}
        return {
            name: int(value) if name in own_names and isinstance(value, float) and value.is_integer() else value
            for name, value in arguments.items()
            if name not in own_names or value not in (None, "")
        }

    def uses_own_arguments(self, arguments: CallArguments) -> bool:
        """Return whether the arguments use our own spelling instead of the official one."""
        return self._accepts(arguments) and next(find_faults(arguments, dict(self._arguments_shape)), None) is not None

    @cached_property
    def input_schema(self) -> Schema:
        """The JSON schema of the arguments. It equals the official server's schema."""
        return {"$schema": _SCHEMA_VERSION, **schema(dict(self._arguments_shape), is_closed=False)}

    @cached_property
    def output_schema(self) -> Schema:
        """The JSON schema of the result. It equals the official server's schema."""
        return {"$schema": _SCHEMA_VERSION, **schema(self.shape, is_closed=True)}
