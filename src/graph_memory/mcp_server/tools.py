"""What a tool is: a typed function, what it takes and gives, and what it does to the memory."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from mcp import types
from pydantic_core import to_jsonable_python

from graph_memory.mcp_server.parsing import Arguments
from graph_memory.mcp_server.schemas import output_schema, properties_of
from graph_memory.model.errors import GraphError
from graph_memory.model.results import Result

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

A = TypeVar("A", bound=Mapping[str, Any])
R = TypeVar("R", bound=Result)

_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
"""The end of a line within a paragraph."""


class Effect(Enum):
    """What calling a tool does to the memory: `(reads only, destroys, repeating it changes nothing more)`."""

    READS = (True, False, True)
    """Changes nothing."""
    CREATES = (False, False, False)
    """Adds something new each time."""
    DECLARES = (False, False, True)
    """Adds something that can be there only once."""
    DESTROYS = (False, True, True)
    """Overwrites or takes away what was there."""
    MIXED = (False, True, False)
    """Adds, overwrites and takes away, as it is asked."""


class Tool(Generic[A, R]):
    """One row of the table of tools. Name and description are those of the function.

    One that is `by_name` is not served with its toolset, only if its own name is given. A `local` tool is about the
    machine of the server, so it is not served over HTTP.
    """

    def __init__(
        self,
        function: Callable[[Memory, A], Awaitable[R]],
        takes: type[A],
        gives: type[R],
        effect: Effect,
        *,
        by_name: bool = False,
        local: bool = False,
    ) -> None:
        self.name = function.__name__
        self.description = _LINE_BREAK.sub(" ", inspect.cleandoc(function.__doc__ or ""))
        self.effect = effect
        self.by_name = by_name
        self.local = local
        self._function = function
        self._gives = gives
        self._arguments = Arguments(self.name, takes)

    @property
    def is_writing(self) -> bool:
        """Whether it may change the graph, so that whoever subscribed to it is told."""
        return not self.effect.value[0]

    @cached_property
    def gives_calls(self) -> bool:
        """Whether what it gives may have calls of other tools, ready to be made."""
        return "ReadyCall" in self._gives.model_json_schema().get("$defs", {})

    def takes(self, argument: str) -> bool:
        """Return whether the tool has an argument of that name."""
        return argument in properties_of(self.listed.input_schema)

    def listing(self, arguments: Sequence[str] | None) -> Tool[A, R]:
        """Return the same tool, with only these arguments and `domain` in its list entry; None lists all."""
        if arguments is None:
            return self
        schema = self.listed.input_schema
        shown = {name: part for name, part in properties_of(schema).items() if name in (*arguments, "domain")}
        tool = copy(self)
        vars(tool)["listed"] = self.listed.model_copy(update={"input_schema": {**schema, "properties": shown}})
        return tool

    def bind(self, given: Mapping[str, object]) -> Callable[[Any], Awaitable[R]]:
        """Return the call with its arguments read, to be made on a memory; raises INVALID_ARGUMENT."""
        arguments = self._arguments.parse(given)
        return lambda memory: self._function(memory, arguments)

    def answered(self, result: Mapping[str, object]) -> types.CallToolResult:
        """Return the answer with what the tool gave."""
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)], structured_content=dict(result)
        )

    def refused(self, error: GraphError, _given: Mapping[str, object]) -> types.CallToolResult:
        """Return an error twice: for programs as `{code, message, details}`, and as text, with what it lists."""
        text = f"{error.code}: {error.message}" + (f"\nHint: {error.hint}" if error.hint else "")
        structured = to_jsonable_python(error.to_dict(), fallback=str)
        if lists := {name: each for name, each in structured["details"].items() if _is_told_in_full(each)}:
            text += f"\nDetails: {json.dumps(lists, ensure_ascii=False, separators=(',', ':'))}"
        told = types.TextContent(type="text", text=text)
        return types.CallToolResult(content=[told], structured_content=structured, is_error=True)

    @cached_property
    def listed(self) -> types.Tool:
        """The tool as `tools/list` shows it."""
        return types.Tool(
            name=self.name,
            description=self.description,
            input_schema=self._arguments.schema,
            output_schema=output_schema(self._gives),
            annotations=_annotations(self.name, self.effect),
        )


def _is_told_in_full(detail: object) -> bool:
    """Say whether a detail of an error tells of things one by one, such as conflicts, faults or material."""
    things = cast("list[object]", detail) if isinstance(detail, list) else []
    return bool(things) and isinstance(things[0], dict)


AnyTool = Tool[Any, Any]


def _annotations(name: str, effect: Effect) -> types.ToolAnnotations:
    """Return the hints that mean something: whether a tool that only reads destroys or repeats says nothing."""
    reads_only, destroys, repeatable = effect.value
    return types.ToolAnnotations(
        title=name.replace("_", " ").capitalize(),
        read_only_hint=reads_only,
        destructive_hint=None if reads_only else destroys,
        idempotent_hint=None if reads_only else repeatable,
        open_world_hint=False,
    )
