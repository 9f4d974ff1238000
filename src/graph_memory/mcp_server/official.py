"""Tools with the exact results and error texts of the official memory server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import cast

from mcp import types
from pydantic_core import to_json

from graph_memory.mcp_server.tools import Tool
from graph_memory.model.errors import Code, GraphError
from graph_memory.operations.official import ERROR_PREFIX, CallArguments, OfficialOperation, fit_shape

_NEXT_PAGE_NOTE = (
    'This is only part of the graph. To continue, call read_graph with {{"cursor": "{}"}}, and max_tokens or limit.'
)


class OfficialTool(Tool[OfficialOperation]):
    """A tool that behaves like the official memory server's tool of the same name."""

    def render_result(self, result: Mapping[str, object]) -> types.CallToolResult:
        """Return the result in the official server's form: lists as JSON, deletions as a message.

        The official schemas have no fields for cursors and notes, so these are added as separate texts.
        """
        fields = {name: part for name, part in result.items() if name in self.operation.shape}
        parts = list(fields.values())
        text = str(fields["message"]) if "success" in fields else pretty_json(parts[0] if len(parts) == 1 else fields)
        notes = cast("Sequence[str]", result.get("notes") or ())
        texts = [text, *([_NEXT_PAGE_NOTE.format(result["next_cursor"])] if "next_cursor" in result else []), *notes]
        content = [types.TextContent(type="text", text=text) for text in texts]
        structured = fit_shape(fields, self.operation.shape) if self.operation.has_extra_fields else fields
        return types.CallToolResult(content=[*content], structured_content=structured)

    def render_error(self, error: GraphError, arguments: CallArguments) -> types.CallToolResult:
        """Return the error as text, like the official server. If the official error has a hint, it is a second text."""
        if error.hint is None:
            return _error(error.message)
        is_extended = self.operation.has_extra_fields or self.operation.uses_own_arguments(arguments)
        is_official = error.code is Code.NODE_NOT_FOUND and not is_extended
        return _error(error.message, error.hint) if is_official else _error(f"{error.message}\nHint: {error.hint}")

    @cached_property
    def listed(self) -> types.Tool:
        """The tool's entry in `tools/list`."""
        reads, destroys, repeatable = self.operation.effect.value
        return types.Tool(
            name=self.name,
            title=self.name.replace("_", " ").title(),
            description=self.operation.description,
            input_schema=self.operation.input_schema,
            output_schema=self.operation.output_schema,
            execution=types.ToolExecution(task_support="forbidden"),
            annotations=types.ToolAnnotations(
                read_only_hint=reads, destructive_hint=destroys, idempotent_hint=repeatable, open_world_hint=False
            ),
        )


def pretty_json(value: object) -> str:
    """Return the value as JSON in the format of JavaScript's `JSON.stringify`, indented by two spaces."""
    return to_json(value, indent=2).decode()


def unknown_tool(name: str) -> types.CallToolResult:
    """Return the official server's error for an unknown tool."""
    return _error(f"{ERROR_PREFIX}Tool {name} not found")


def _error(*texts: str) -> types.CallToolResult:
    content = [types.TextContent(type="text", text=text) for text in texts]
    return types.CallToolResult(content=[*content], is_error=True)


def are_official(tools: Iterable[object]) -> bool:
    """Return whether all tools are official. Then the whole server behaves like the official server."""
    return all(isinstance(tool, OfficialTool) for tool in tools)
