"""Selects the tools that a server offers by the names of toolsets, presets and tools."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graph_memory.mcp_server.official import OfficialTool
from graph_memory.mcp_server.presets import AGENT, LISTED_ARGUMENTS, TOOLSETS_BY_PRESET
from graph_memory.mcp_server.tools import AnyTool, Tool
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.operations.official import OfficialOperation
from graph_memory.operations.operation import AnyOperation
from graph_memory.operations.table import OPERATIONS, TOOLSETS


def tool_of(operation: AnyOperation, listed_arguments: Sequence[str] | None = None) -> AnyTool:
    """Return the tool for the operation. If `listed_arguments` is given, `tools/list` shows only these arguments."""
    return OfficialTool(operation) if isinstance(operation, OfficialOperation) else Tool(operation, listed_arguments)


def tools_of(names: Sequence[str]) -> dict[str, AnyTool]:
    """Return the tools by name, for the names of toolsets, presets and tools.

    Raises INVALID_ARGUMENT for an unknown name.
    """
    tools = {name: tool_of(operation) for name, operation in OPERATIONS.items()}
    tools_by_name = {name: [tool] for name, tool in tools.items()}
    tools_by_name |= {
        name: [tools[operation.name] for operation in operations if not operation.by_name]
        for name, operations in TOOLSETS.items()
    }
    presets = {
        name: [tool for part in parts for tool in tools_by_name[part]] for name, parts in TOOLSETS_BY_PRESET.items()
    }
    agent = [tool_of(OPERATIONS[name], LISTED_ARGUMENTS.get(name)) for name in AGENT]
    tools_by_name |= presets | {"agent": agent, "all": [*tools.values()]}
    for name in names:
        if name not in tools_by_name:
            raise _unknown_toolset_error(name, tools_by_name)
    if not names:
        details = {"argument": "toolsets", "hint": f"Pass at least one toolset. {_toolsets()}"}
        raise GraphError(Code.INVALID_ARGUMENT, "No toolset was given", details)
    return {tool.name: tool for name in names for tool in tools_by_name[name]}


def _unknown_toolset_error(name: str, names: Collection[str]) -> GraphError:
    hint = suggestion(
        name, names, Hint("Pass toolsets or tools, separated by commas. List them with {graph-memory call --list}.")
    )
    details = {"argument": "toolsets", "allowed": list(TOOLSETS), "hint": hint}
    return GraphError(Code.INVALID_ARGUMENT, f"Toolset or tool {quote(name)} does not exist. {_toolsets()}", details)


def _toolsets() -> str:
    return f"Known toolsets: {', '.join(TOOLSETS)}."
