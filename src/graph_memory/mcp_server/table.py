"""The tools that a server offers, by the names of toolsets, presets and tools."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graph_memory.mcp_server.official import OfficialTool
from graph_memory.mcp_server.presets import AGENT, LISTED, OF_TOOLSETS
from graph_memory.mcp_server.tools import AnyTool, Tool
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import quoted, suggestion
from graph_memory.operations.official import OfficialOperation
from graph_memory.operations.operation import AnyOperation
from graph_memory.operations.table import OPERATIONS, TOOLSETS


def tool_of(operation: AnyOperation, listing: Sequence[str] | None = None) -> AnyTool:
    """Return the tool of an operation, with only some of its arguments in its list entry if `listing` names them."""
    return OfficialTool(operation) if isinstance(operation, OfficialOperation) else Tool(operation, listing)


def tools_of(names: Sequence[str]) -> dict[str, AnyTool]:
    """Return tools by name, given the names of toolsets, of presets and of tools.

    Raises INVALID_ARGUMENT for any other name.
    """
    tools = {name: tool_of(operation) for name, operation in OPERATIONS.items()}
    named = {name: [tool] for name, tool in tools.items()}
    named |= {
        name: [tools[operation.name] for operation in operations if not operation.by_name]
        for name, operations in TOOLSETS.items()
    }
    presets = {name: [tool for part in parts for tool in named[part]] for name, parts in OF_TOOLSETS.items()}
    agent = [tool_of(OPERATIONS[name], LISTED.get(name)) for name in AGENT]
    named |= presets | {"agent": agent, "all": [*tools.values()]}
    for name in names:
        if name not in named:
            raise _unknown(name, named)
    if not names:
        raise GraphError(Code.INVALID_ARGUMENT, "No toolset is named", {"argument": "toolsets", "hint": _known()})
    return {tool.name: tool for name in names for tool in named[name]}


def _unknown(name: str, named: Collection[str]) -> GraphError:
    hint = suggestion(
        name, named, Hint("Name toolsets or tools, separated by commas; {graph-memory call --list} lists them.")
    )
    details = {"argument": "toolsets", "allowed": list(TOOLSETS), "hint": hint}
    return GraphError(Code.INVALID_ARGUMENT, f"Toolset or tool {quoted(name)} does not exist. {_known()}", details)


def _known() -> str:
    return f"Known toolsets: {', '.join(TOOLSETS)}."
