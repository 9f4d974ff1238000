"""Operations as MCP tools: list entries, results and errors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from mcp import types
from pydantic_core import to_jsonable_python

from graph_memory.model.errors import GraphError
from graph_memory.operations.operation import AnyOperation, Effect
from graph_memory.operations.schemas import properties_of

OperationT = TypeVar("OperationT", bound=AnyOperation, covariant=True)


class Tool(Generic[OperationT]):
    """An operation as a tool. If `listed_arguments` is given, `tools/list` shows only these arguments and `domain`."""

    def __init__(self, operation: OperationT, listed_arguments: Sequence[str] | None = None) -> None:
        self.operation = operation
        self._listed_arguments = listed_arguments

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self.operation.name

    def render_result(self, result: Mapping[str, object]) -> types.CallToolResult:
        """Return the operation's result as text and as structured content."""
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)], structured_content=dict(result)
        )

    def render_error(self, error: GraphError, _arguments: Mapping[str, object]) -> types.CallToolResult:
        """Return the error as `{code, message, details}` for programs, and as text for the model.

        The text includes those details that are lists of objects.
        """
        text = f"{error.code}: {error.message}" + (f"\nHint: {error.hint}" if error.hint else "")
        structured = error_fields(error)
        if lists := {name: value for name, value in structured["details"].items() if _is_list_of_objects(value)}:
            text += f"\nDetails: {json.dumps(lists, ensure_ascii=False, separators=(',', ':'))}"
        content = types.TextContent(type="text", text=text)
        return types.CallToolResult(content=[content], structured_content=structured, is_error=True)

    @cached_property
    def listed(self) -> types.Tool:
        """The tool's entry in `tools/list`."""
        return types.Tool(
            name=self.name,
            description=self.operation.description,
            input_schema=self._listed_schema(),
            output_schema=self.operation.output_schema,
            annotations=_annotations(self.name, self.operation.effect),
        )

    def _listed_schema(self) -> dict[str, object]:
        schema = self.operation.input_schema
        if self._listed_arguments is None:
            return schema
        properties = {
            name: part for name, part in properties_of(schema).items() if name in (*self._listed_arguments, "domain")
        }
        return {**schema, "properties": properties}


AnyTool = Tool[AnyOperation]


def error_fields(error: GraphError) -> dict[str, Any]:
    """Return the error as `{code, message, details}` with JSON values only."""
    return to_jsonable_python(error.to_dict(), fallback=str)


def _is_list_of_objects(detail: object) -> bool:
    items = cast("list[object]", detail) if isinstance(detail, list) else []
    return bool(items) and isinstance(items[0], dict)


def _annotations(name: str, effect: Effect) -> types.ToolAnnotations:
    """Return the tool's annotations. Read-only tools have no destructive or idempotent hint."""
    reads_only, destroys, repeatable = effect.value
    return types.ToolAnnotations(
        title=name.replace("_", " ").capitalize(),
        read_only_hint=reads_only,
        destructive_hint=None if reads_only else destroys,
        idempotent_hint=None if reads_only else repeatable,
        open_world_hint=False,
    )
