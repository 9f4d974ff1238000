"""The table of toolsets: which tools a server shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.mcp_server.tools import AnyTool
from graph_memory.mcp_server.toolsets.domains import DOMAINS
from graph_memory.mcp_server.toolsets.graph import GRAPH
from graph_memory.mcp_server.toolsets.history import HISTORY
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.wording import quoted, suggestion

TOOLSETS: Mapping[str, Sequence[AnyTool]] = {"graph": GRAPH, "history": HISTORY, "domains": DOMAINS}


def tools_of(names: Sequence[str]) -> dict[str, AnyTool]:
    """Return the tools of the toolsets by name; raises INVALID_ARGUMENT for a toolset that there is not."""
    for name in names:
        if name not in TOOLSETS:
            raise _unknown(name)
    if not names:
        raise GraphError(Code.INVALID_ARGUMENT, "No toolset is named", {"argument": "toolsets", "hint": _known()})
    return {tool.name: tool for name in names for tool in TOOLSETS[name]}


def _unknown(name: str) -> GraphError:
    hint = suggestion(name, TOOLSETS, "Name one or more of these, separated by commas.")
    details = {"argument": "toolsets", "allowed": list(TOOLSETS), "hint": hint}
    return GraphError(Code.INVALID_ARGUMENT, f"Toolset {quoted(name)} does not exist. {_known()}", details)


def _known() -> str:
    return f"Known toolsets: {', '.join(TOOLSETS)}."
