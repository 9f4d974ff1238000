"""Tools of the official memory server: how it answers and how it words errors, to the letter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import cast

from mcp import types
from pydantic_core import to_json

from graph_memory.mcp_server.tools import Tool
from graph_memory.model.errors import Code, GraphError
from graph_memory.operations.official import REFUSED, Given, OfficialOperation, fitted

_MORE = 'This is a part of the graph. To go on, call read_graph with {{"cursor": "{}"}}; max_tokens and limit bound it.'


class OfficialTool(Tool[OfficialOperation]):
    """A tool that answers as the one of the official memory server does."""

    def answered(self, result: Mapping[str, object]) -> types.CallToolResult:
        """Return the answer: lists as the official server writes them, deletions in a sentence.

        Its schemas have no room for what is only a part, nor for notes: each is a text of its own.
        """
        shown = {name: part for name, part in result.items() if name in self.operation.shape}
        parts = list(shown.values())
        text = str(shown["message"]) if "success" in shown else written(parts[0] if len(parts) == 1 else shown)
        notes = cast("Sequence[str]", result.get("notes") or ())
        texts = [text, *([_MORE.format(result["next_cursor"])] if "next_cursor" in result else []), *notes]
        content = [types.TextContent(type="text", text=text) for text in texts]
        promised = fitted(shown, self.operation.shape) if self.operation.tells_more else shown
        return types.CallToolResult(content=[*content], structured_content=promised)

    def refused(self, error: GraphError, given: Given) -> types.CallToolResult:
        """Return an error as the official server does, in words alone; a hint to one of its own is a second text."""
        if error.hint is None:
            return _failed(error.message)
        in_our_words = self.operation.tells_more or self.operation.is_ours(given)
        is_theirs = error.code is Code.NODE_NOT_FOUND and not in_our_words
        return _failed(error.message, error.hint) if is_theirs else _failed(f"{error.message}\nHint: {error.hint}")

    @cached_property
    def listed(self) -> types.Tool:
        """The tool as `tools/list` shows it."""
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


def written(value: object) -> str:
    """Return a value as JSON, as JavaScript writes it with an indent of two."""
    return to_json(value, indent=2).decode()


def unknown(name: str) -> types.CallToolResult:
    """Return what the official server answers to the name of no tool."""
    return _failed(f"{REFUSED}Tool {name} not found")


def _failed(*texts: str) -> types.CallToolResult:
    content = [types.TextContent(type="text", text=text) for text in texts]
    return types.CallToolResult(content=[*content], is_error=True)


def are_official(tools: Iterable[object]) -> bool:
    """Say whether all tools are those of the official server, so that the server behaves as that one in all."""
    return all(isinstance(tool, OfficialTool) for tool in tools)
