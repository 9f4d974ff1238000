"""What is advised, made true for an agent: the tools that this server offers, whole ids, who runs commands."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from graph_memory.mcp_server.toolsets.table import TOOLSETS
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import is_whole
from graph_memory.model.wording import quoted

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.history.results import Named

_TOOLSET_OF = {tool.name: tool.name if tool.by_name else name for name, tools in TOOLSETS.items() for tool in tools}
"""What adds a tool to those that are served."""
_TOOL = re.compile(rf"\b(?:{'|'.join(_TOOLSET_OF)})\b")
_NAME = re.compile(rf"\b(?:{'|'.join(name for name in _TOOLSET_OF if '_' in name)})\b")
"""A tool whose name is no word."""
_SENTENCE = re.compile(r"(?<=\.) ")
_COMMAND = "`graph-memory "
_NOT_FOUND = (Code.NODE_NOT_FOUND, Code.CONNECTION_NOT_FOUND)
_NAMED_BY = ("node_id", "connection_id")


def fitting(error: GraphError, offered: Collection[str]) -> GraphError:
    """Return an error whose hint says how to get the tools that are not offered, and who can run commands."""
    return _with_hint(error, _told(error.hint, offered)) if error.hint else error


def _told(hint: str, offered: Collection[str]) -> str:

    def told(found: re.Match[str]) -> str:
        name = found.group()
        return name if name in offered else f"{name} (not offered; your user can add {_TOOLSET_OF[name]} to --toolsets)"

    ask = " Without a shell, ask your user to run it." if _COMMAND in hint else ""
    return _TOOL.sub(told, hint) + ask


def with_ways(answer: Mapping[str, object], offered: Collection[str]) -> dict[str, object]:
    """Return an answer whose ready calls say how to get the tools that are not offered."""
    told = {key: _with_ways(each, offered) for key, each in answer.items()}
    tool = told.get("tool")
    if told.keys() == {"tool", "arguments"} and isinstance(tool, str) and tool not in offered:
        told["not_offered"] = f"Your user can add {_TOOLSET_OF[tool]} to --toolsets."
    return told


def _with_ways(part: object, offered: Collection[str]) -> object:
    match part:
        case dict():
            return with_ways(cast("dict[str, object]", part), offered)
        case list():
            return [_with_ways(each, offered) for each in cast("list[object]", part)]
        case _:
            return part


def described(description: str, offered: AbstractSet[str]) -> str:
    """Return what a tool says of itself without the sentences that lead to tools that are not offered."""

    def told(paragraph: str) -> str:
        return " ".join(each for each in _SENTENCE.split(paragraph) if offered >= {*_NAME.findall(each)})

    return "\n\n".join(filter(None, map(told, description.split("\n\n"))))


async def advised(memory: Memory, error: GraphError) -> GraphError:
    """Return an error for an id that does not exist with the whole id, where part of one or a title was given."""
    given = next((error.details[name] for name in _NAMED_BY if name in error.details), None)
    if error.code not in _NOT_FOUND or not isinstance(given, str) or is_whole(given):
        return error
    found: Sequence[Named] = ()
    with suppress(GraphError):
        found = await memory.history.named(given, domain=cast("str | None", error.details.get("domain")))
    meant = [one for one in found if not one.deleted and one.id != given]
    if not meant:
        return error
    ids = ", ".join(one.id for one in meant)
    what = "the beginning of the id" if meant[0].id.startswith(given) else "the title of"
    return _with_hint(error, f"{quoted(given)} is {what} {ids}. Give the whole id.")


def of_selection(error: GraphError, selected: str | None) -> GraphError:
    """Return the error for a domain that does not exist with what to do where it is the one that was selected."""
    if error.code is not Code.ONTOLOGY_NOT_FOUND or selected is None or error.details.get("domain") != selected:
        return error
    hint = "It was selected, and deleted since: select_domain another. list_domains shows which there are."
    return _with_hint(error, hint)


def _with_hint(error: GraphError, hint: str) -> GraphError:
    return GraphError(error.code, error.message, {**error.details, "hint": hint})


def unknown_tool(name: str) -> str:
    """Return what to say of a tool that is not offered."""
    toolset = _TOOLSET_OF.get(name)
    more = f"; this server does not offer it. Your user can add {toolset} to --toolsets." if toolset else ""
    return f"Unknown tool: {quoted(name)}{more}"
