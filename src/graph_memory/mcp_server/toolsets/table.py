"""The table of toolsets: which tools a server shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from graph_memory.mcp_server.presets import AGENT, LISTED, OF_TOOLSETS
from graph_memory.mcp_server.tools import AnyTool
from graph_memory.mcp_server.toolsets.agent import AGENT_MEMORY
from graph_memory.mcp_server.toolsets.batch import BATCH
from graph_memory.mcp_server.toolsets.cleanup import CLEANUP
from graph_memory.mcp_server.toolsets.domains import DOMAINS
from graph_memory.mcp_server.toolsets.entities import ENTITIES
from graph_memory.mcp_server.toolsets.graph import GRAPH
from graph_memory.mcp_server.toolsets.history import HISTORY
from graph_memory.mcp_server.toolsets.links import LINKS
from graph_memory.mcp_server.toolsets.meaning import MEANING
from graph_memory.mcp_server.toolsets.protection import PROTECTION
from graph_memory.mcp_server.toolsets.recall import RECALL
from graph_memory.mcp_server.toolsets.remember import REMEMBER
from graph_memory.mcp_server.toolsets.sessions import SESSIONS
from graph_memory.mcp_server.toolsets.traversal import TRAVERSAL
from graph_memory.mcp_server.toolsets.updates import UPDATES
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.wording import quoted, suggestion

TOOLSETS: Mapping[str, Sequence[AnyTool]] = {
    "graph": GRAPH,
    "recall": (*RECALL, *TRAVERSAL),
    "history": HISTORY,
    "domains": (*DOMAINS, *LINKS),
    "batch": BATCH,
    "meaning": MEANING,
    "protection": PROTECTION,
    "entities": ENTITIES,
    "remember": (*REMEMBER, *UPDATES),
    "cleanup": CLEANUP,
    "sessions": SESSIONS,
    "agent_memory": AGENT_MEMORY,
}


def tools_of(names: Sequence[str]) -> dict[str, AnyTool]:
    """Return tools by name, given the names of toolsets, of presets and of tools.

    Raises INVALID_ARGUMENT for any other name.
    """
    tools = {tool.name: [tool] for tools in TOOLSETS.values() for tool in tools}
    named = tools | {name: [tool for tool in tools if not tool.by_name] for name, tools in TOOLSETS.items()}
    presets = {name: [tool for part in parts for tool in named[part]] for name, parts in OF_TOOLSETS.items()}
    agent = [tool.listing(LISTED.get(name)) for name in AGENT for tool in tools[name]]
    presets |= {"agent": agent, "all": [*chain(*tools.values())]}
    named |= presets
    for name in names:
        if name not in named:
            raise _unknown(name, named)
    if not names:
        raise GraphError(Code.INVALID_ARGUMENT, "No toolset is named", {"argument": "toolsets", "hint": _known()})
    return {tool.name: tool for name in names for tool in named[name]}


def _unknown(name: str, named: Collection[str]) -> GraphError:
    hint = suggestion(name, named, "Name toolsets or tools, separated by commas; `graph-memory mcp --help` lists them.")
    details = {"argument": "toolsets", "allowed": list(TOOLSETS), "hint": hint}
    return GraphError(Code.INVALID_ARGUMENT, f"Toolset or tool {quoted(name)} does not exist. {_known()}", details)


def _known() -> str:
    return f"Known toolsets: {', '.join(TOOLSETS)}."
