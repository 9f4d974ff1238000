"""Operations of the official memory server: its schemas, and its words for bad arguments, to the letter.

A shape says what a tool takes or gives: `str` or `bool`, a list of one shape, or shapes by their names; one that is
told what it is for is a pair with that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import Result
from graph_memory.model.values.plain import Located
from graph_memory.operations.operation import Effect, Operation
from graph_memory.operations.schemas import Schema

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

Shape = object
Given = Mapping[str, Any]
Work = Callable[["Memory", Given], Awaitable[Result]]
Accepts = Callable[[Given], bool]
_DOMAIN = "domain"
"""An argument that every tool takes, as those of other toolsets do, and that no schema of the official server has."""
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
    """Give a line for each part of a value that is not as its shape says, in the order of the shape."""
    shape = _bare(shape)
    wanted: type[object] = shape if isinstance(shape, type) else type(shape)
    if not isinstance(value, wanted):
        yield f"Invalid input: expected {_NAMES[wanted]}, received {_received(value)} at {at}"
    elif isinstance(shape, dict):
        parts, entries = cast("Mapping[str, Shape]", shape), cast("Mapping[str, object]", value)
        for name, part in parts.items():
            yield from faults(entries.get(name, _ABSENT), part, f"{at}.{name}" if at else name)
    elif isinstance(shape, list):
        for place, one in enumerate(cast("list[object]", value)):
            yield from faults(one, cast("list[Shape]", shape)[0], f"{at}[{place}]")


def fitted(
    value: Any,  # noqa: ANN401 - any JSON
    shape: Shape,
    own: Collection[str] = (),
    of_items: Collection[str] = (),
) -> Any:  # noqa: ANN401
    """Return a value without the parts that its shape does not have, but for those of our own, and of its items."""
    shape = _bare(shape)
    if isinstance(shape, dict):
        kept = {name: value[name] for name in own if name in value}
        parts = cast("Mapping[str, Shape]", shape).items()
        return {**{name: fitted(value[name], part, of_items) for name, part in parts}, **kept}
    return [fitted(one, cast("list[Shape]", shape)[0], own) for one in value] if isinstance(shape, list) else value


def schema(shape: Shape, *, is_closed: bool) -> dict[str, object]:
    """Return a shape as a JSON schema; a closed one allows no other parts."""
    told: dict[str, object] = {}
    if isinstance(shape, tuple):
        shape, told["description"] = cast("tuple[Shape, str]", shape)
    if isinstance(shape, dict):
        parts = {name: schema(part, is_closed=is_closed) for name, part in cast("Mapping[str, Shape]", shape).items()}
        required = {"required": list(parts)} if parts else {}
        closed = {"additionalProperties": False} if is_closed else {}
        return {"type": "object", "properties": parts, **required, **closed, **told}
    if isinstance(shape, list):
        return {"type": "array", "items": schema(cast("list[Shape]", shape)[0], is_closed=is_closed), **told}
    return {"type": _NAMES[cast("type[object]", shape)], **told}


def _bare(shape: object) -> Shape:
    return cast("tuple[Shape, str]", shape)[0] if isinstance(shape, tuple) else shape


def _received(value: object) -> str:
    if value is _ABSENT:
        return "undefined"
    return "null" if value is None else _NAMES[type(value)]


class OfficialOperation(Operation[Any, Any]):
    """An operation that takes, gives and says what the one of the official memory server does.

    `accepts` says of arguments that do not fit the shape whether they are in a spelling of ours, which is let through.
    `own` are arguments of ours that may stand beside those of the official server, and `own_of_items` beside those of
    each item of a list. An operation that `tells_more`
    than the schema of its answer has room for does so in the text alone: clients refuse it elsewhere.
    """

    def __init__(
        self,
        name: str,
        about: str,
        takes: Mapping[str, Shape],
        told: Mapping[str, Shape],
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
        self.by_name = self.local = self.in_session = False
        self._takes = takes
        self.shape = dict(told)
        self.result = gives
        self._work = work
        self._accepts = accepts
        self._own = own
        self._own_of_items = own_of_items
        self.tells_more = tells_more

    def bind(self, given: Mapping[str, object]) -> Callable[[Any], Awaitable[Result]]:
        """Return the call; raises INVALID_ARGUMENT with the words of the official server."""
        given = self._without_empty(given)
        wrong = list(faults(given, dict(self._takes)))
        if wrong and not self._accepts(given):
            said = "\n".join(wrong)
            message = f"{REFUSED}Input validation error: Invalid arguments for tool {self.name}: {said}"
            raise GraphError(Code.INVALID_ARGUMENT, message, {})
        arguments = {name: one for name, one in given.items() if name != _DOMAIN} if wrong else self._fitted(given)
        domain = None if given.get(_DOMAIN) is None else Located(given[_DOMAIN], _DOMAIN).text()
        return lambda memory: self._work(memory if domain is None else memory.in_domain(domain), arguments)

    def _without_empty(self, given: Mapping[str, object]) -> Mapping[str, object]:
        """Return arguments without those of ours that are null or empty, and with integers for whole numbers."""
        ours = {*self._own, _DOMAIN}
        return {
            name: int(value) if name in ours and isinstance(value, float) and value.is_integer() else value
            for name, value in given.items()
            if name not in ours or value not in (None, "")
        }

    def _fitted(self, given: Mapping[str, object]) -> Given:
        return fitted(given, dict(self._takes), self._own, self._own_of_items)

    def is_ours(self, given: Given) -> bool:
        """Return whether arguments are in a spelling of ours."""
        return self._accepts(given) and next(faults(given, dict(self._takes)), None) is not None

    @cached_property
    def input_schema(self) -> Schema:
        """The JSON schema of the arguments, as the official server has it."""
        return {"$schema": _DRAFT, **schema(dict(self._takes), is_closed=False)}

    @cached_property
    def output_schema(self) -> Schema:
        """The JSON schema of the result, as the official server has it."""
        return {"$schema": _DRAFT, **schema(self.shape, is_closed=True)}
