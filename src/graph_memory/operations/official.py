"""Operations with the exact schemas and argument errors of the official memory server.

A shape describes an argument or result: `str` or `bool`, a list with the shape of its items, or a mapping from names to
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
"""An argument of every tool that no schema of the official server has."""
REFUSED = "MCP error -32602: "
_DRAFT = "http://json-schema.org/draft-07/schema#"
_NAMES: Mapping[type[object], str] = {
    str: "string",
    list: "array",
    dict: "object",
    bool: "boolean",
    int: "number",
    float: "number",
}
_ABSENT = object()


def faults(value: object, shape: Shape, at: str = "") -> Iterator[str]:
    """Yield a message for each part of the value that does not fit the shape, in the order of the shape."""
    shape = _bare(shape)
    expected: type[object] = shape if isinstance(shape, type) else type(shape)
    if not isinstance(value, expected):
        yield f"Invalid input: expected {_NAMES[expected]}, received {_kind_of(value)} at {at}"
    elif isinstance(shape, dict):
        parts, entries = cast("Mapping[str, Shape]", shape), cast("Mapping[str, object]", value)
        for name, part in parts.items():
            yield from faults(entries.get(name, _ABSENT), part, f"{at}.{name}" if at else name)
    elif isinstance(shape, list):
        for place, item in enumerate(cast("list[object]", value)):
            yield from faults(item, cast("list[Shape]", shape)[0], f"{at}[{place}]")


def fit_shape(
    value: Any,  # noqa: ANN401 - any JSON
    shape: Shape,
    own: Collection[str] = (),
    of_items: Collection[str] = (),
) -> Any:  # noqa: ANN401
    """Remove the parts of the value that are neither in the shape nor in `own`. List items may have `of_items`."""
    shape = _bare(shape)
    if isinstance(shape, dict):
        own_parts = {name: value[name] for name in own if name in value}
        parts = cast("Mapping[str, Shape]", shape).items()
        return {**{name: fit_shape(value[name], part, of_items) for name, part in parts}, **own_parts}
    return [fit_shape(item, cast("list[Shape]", shape)[0], own) for item in value] if isinstance(shape, list) else value


def schema(shape: Shape, *, is_closed: bool) -> dict[str, object]:
    """Return the shape as a JSON schema. A closed schema allows no additional properties."""
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
    return {"type": _NAMES[cast("type[object]", shape)], **description}


def _bare(shape: object) -> Shape:
    return cast("tuple[Shape, str]", shape)[0] if isinstance(shape, tuple) else shape


def _kind_of(value: object) -> str:
    if value is _ABSENT:
        return "undefined"
    return "null" if value is None else _NAMES[type(value)]


class OfficialOperation(Operation[Any, Any]):
    """An operation that has the same arguments, results and errors as in the official memory server.

    `accepts` returns whether arguments that do not fit the shape use our own spelling, which is also accepted. `own`
    lists our additional arguments, and `own_of_items` our additional arguments of list items. `tells_more` means that
    the result has more fields than its output schema allows. They are only in the text, because clients reject them in
    structured content.
    """

    def __init__(
        self,
        name: str,
        about: str,
        takes: Mapping[str, Shape],
        shape: Mapping[str, Shape],
        gives: type[Result],
        effect: Effect,
        work: Work,
        accepts: Accepts = lambda _: False,
        own: Collection[str] = (),
        own_of_items: Collection[str] = (),
        tells_more: bool = False,
    ) -> None:
        self.name = name
        self.description = about
        self.effect = effect
        self.by_name = self.local = self.in_session = self.needs_admin = False
        self._takes = takes
        self.shape = dict(shape)
        self.result = gives
        self._work = work
        self._accepts = accepts
        self._own = own
        self._own_of_items = own_of_items
        self.tells_more = tells_more

    def bind(self, arguments: Mapping[str, object]) -> Callable[[Any], Awaitable[Result]]:
        """Return the call as a function of the memory. Raises INVALID_ARGUMENT with the official server's message."""
        arguments = self._without_empty(arguments)
        problems = list(faults(arguments, dict(self._takes)))
        if problems and not self._accepts(arguments):
            text = "\n".join(problems)
            message = f"{REFUSED}Input validation error: Invalid arguments for tool {self.name}: {text}"
            raise GraphError(Code.INVALID_ARGUMENT, message, {})
        work_arguments = (
            {name: value for name, value in arguments.items() if name != _DOMAIN} if problems else self._fit(arguments)
        )
        domain = None if arguments.get(_DOMAIN) is None else LocatedValue(arguments[_DOMAIN], _DOMAIN).text()
        return lambda memory: self._work(memory if domain is None else memory.in_domain(domain), work_arguments)

    def _without_empty(self, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Drop our own arguments if they are null or empty. Converts their whole numbers to integers."""
        ours = {*self._own, _DOMAIN}
        return {
            name: int(value) if name in ours and isinstance(value, float) and value.is_integer() else value
            for name, value in arguments.items()
            if name not in ours or value not in (None, "")
        }

    def _fit(self, arguments: Mapping[str, object]) -> CallArguments:
        return fit_shape(arguments, dict(self._takes), self._own, self._own_of_items)

    def is_ours(self, arguments: CallArguments) -> bool:
        """Return whether the arguments use our own spelling and not the official one."""
        return self._accepts(arguments) and next(faults(arguments, dict(self._takes)), None) is not None

    @cached_property
    def input_schema(self) -> Schema:
        """The JSON schema of the arguments, the same as in the official server."""
        return {"$schema": _DRAFT, **schema(dict(self._takes), is_closed=False)}

    @cached_property
    def output_schema(self) -> Schema:
        """The JSON schema of the result, the same as in the official server."""
        return {"$schema": _DRAFT, **schema(self.shape, is_closed=True)}
