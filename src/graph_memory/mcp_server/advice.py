"""Advice made true for an agent: it names the tools that this server serves, whole ids, and who runs commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from graph_memory.mcp_server.presets import shortest
from graph_memory.memory.recall.guide import GUIDES
from graph_memory.memory.search.fitting import tokens_of_text
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import is_whole
from graph_memory.model.text.wording import quoted
from graph_memory.operations.table import TOOLSETS

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.history.results import Named

_TOOLSET_OF = {tool.name: tool.name if tool.by_name else name for name, tools in TOOLSETS.items() for tool in tools}
"""What adds a tool to those that are served."""
_TOOL = re.compile(rf"\b(?:{'|'.join(_TOOLSET_OF)})\b")
_NAME = re.compile(rf"\b(?:{'|'.join(name for name in _TOOLSET_OF if '_' in name)})\b")
"""A tool whose name is no word."""
_INSTEAD: Mapping[str, str] = {
    "add_observations": "remember",
    "create_entities": "remember",
    "delete_entities": "forget",
    "delete_observations": "forget",
    "get_block": "session_start",
    "query_nodes": "search_memories",
    "search_content": "search_memories",
    "search_nodes": "recall",
}
"""The tool that a hint names in place of one that is not served."""
_TWICE = re.compile(r"\b(\w+) or \1\b")
_SENTENCE = re.compile(r"(?<=\.) ")
_CLAUSE = re.compile(r"(; |, or )")
_QUOTED = re.compile(r'"[^"]*"')
_COMMAND = "`graph-memory "
_NOT_FOUND = (Code.NODE_NOT_FOUND, Code.CONNECTION_NOT_FOUND)
_NAMED_BY = ("node_id", "connection_id")
_GUIDED = {"text": "tokens", "content": "tokens_used"}
"""Parts of answers that may be a guide, and the parts that say how long it is."""


class Advice:
    """What a server says of its tools: it names those that it serves, and no others."""

    def __init__(self, tools: Collection[str], served: Sequence[str]) -> None:
        self._tools = {*tools}
        self._served = shortest(served)

    def error(self, error: GraphError) -> GraphError:
        """Return an error whose hint names only tools that are served, and says who can run commands."""
        if "conflicts" in error.details:
            ready = {key: self._with_ways(part) for key, part in error.details.items() if key in ("conflicts", "calls")}
            error = GraphError(error.code, error.message, {**error.details, **ready})
        if not error.hint:
            return error
        ask = " Without a shell, ask your user to run it." if _COMMAND in error.hint else ""
        return _with_hint(error, self._hint(error.hint) + ask)

    def _hint(self, hint: str) -> str:
        named = _TWICE.sub(r"\1", _NAME.sub(self._instead, hint))
        if kept := self._keep(named, _NAME, self._clauses):
            return kept
        return f"No tool of this server does that. {self._how_to_add(*_NAME.findall(named))}"

    def _instead(self, tool: re.Match[str]) -> str:
        other = _INSTEAD.get(tool[0])
        return other if other in self._tools and tool[0] not in self._tools else tool[0]

    def _clauses(self, sentence: str) -> str:
        """Return the clauses of a sentence that name only tools that are served."""
        clauses = _CLAUSE.split(f"; {sentence.removesuffix('.')}")
        pairs = zip(clauses[1::2], clauses[2::2], strict=True)
        kept = "".join(mark + clause for mark, clause in pairs if self._names_served(clause, _NAME))
        text = kept.removeprefix("; ").removeprefix(", or ")
        return text and f"{text if _TOOL.match(text) else text[0].upper() + text[1:]}."

    def _keep(self, text: str, names: re.Pattern[str], rest: Callable[[str], str] = lambda _: "") -> str:
        """Return the sentences that name only tools that are served, and of the others what `rest` keeps of them."""
        found = (one if self._names_served(one, names) else rest(one) for one in _SENTENCE.split(text))
        return " ".join(filter(None, found))

    def _names_served(self, text: str, names: re.Pattern[str]) -> bool:
        return self._tools.issuperset(names.findall(_QUOTED.sub("", text)))

    def _how_to_add(self, *tools: str) -> str:
        added = dict.fromkeys((*self._served, *(_TOOLSET_OF[tool] for tool in tools if tool not in self._tools)))
        return f"Your user can serve more: --toolsets {','.join(added)}."

    def answer(self, answer: Mapping[str, object], *, has_calls: bool) -> dict[str, object]:
        """Return an answer whose guides and warnings name only tools that are served.

        Ready calls of other tools say how to add them.
        """
        told = self._with_guide({**answer})
        if isinstance(warnings := told.get("warnings"), list):
            kept = [self._keep(str(warning), _NAME) for warning in cast("list[object]", warnings)]
            told["warnings"] = [warning for warning in kept if warning]
        return cast("dict[str, object]", self._with_ways(told)) if has_calls else told

    def _with_guide(self, answer: dict[str, object]) -> dict[str, object]:
        for key, tokens in _GUIDED.items():
            match answer.get(key):
                case {"guide": str(text)} as content if text in GUIDES:
                    given: object = {**cast("dict[str, object]", content), "guide": self.guide(text)}
                case str(text) if guide := next(filter(text.endswith, GUIDES), ""):
                    given = text.removesuffix(guide) + self.guide(guide)
                case _:
                    continue
            told = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
            answer |= {key: given, tokens: tokens_of_text(told)}
        return answer

    def _with_ways(self, part: object) -> object:
        if isinstance(part, list):
            return [self._with_ways(each) for each in cast("list[object]", part)]
        if not isinstance(part, dict):
            return part
        told = {key: self._with_ways(each) for key, each in cast("dict[str, object]", part).items()}
        tool = told.get("tool")
        if told.keys() == {"tool", "arguments"} and isinstance(tool, str) and tool not in self._tools:
            told["not_offered"] = self._how_to_add(tool)
        return told

    def description(self, description: str) -> str:
        """Return the description of a tool without the sentences that lead to tools that are not served."""
        return "\n\n".join(filter(None, (self._keep(part, _NAME) for part in description.split("\n\n"))))

    def guide(self, text: str) -> str:
        """Return a guide without the sentences about tools that are not served, nor lines that begin with such one."""
        lines = (line for line in text.split("\n") if self._names_served(_SENTENCE.split(line)[0], _TOOL))
        return "\n".join(self._keep(line, _TOOL) for line in lines)

    def unknown(self, name: str) -> str:
        """Return what to say of a tool that is not served."""
        more = f"; this server does not serve it. {self._how_to_add(name)}" if name in _TOOLSET_OF else ""
        return f"Unknown tool: {quoted(name)}{more}"


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
