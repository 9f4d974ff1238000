"""Advice made true for an agent: it names the tools that this server serves, whole ids, and who runs commands."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from graph_memory.mcp_server.presets import shortest
from graph_memory.memory.recall.guide import GUIDES
from graph_memory.memory.search.token_budget import tokens_of_text
from graph_memory.model.errors import Code, GraphError, Hint, Reference
from graph_memory.model.events import is_whole
from graph_memory.model.results import Result
from graph_memory.model.text.wording import quoted
from graph_memory.operations.table import TOOLSETS

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.history.results import Named

_TOOLSET_OF = {tool.name: tool.name if tool.by_name else name for name, tools in TOOLSETS.items() for tool in tools}
"""What adds a tool to those that are served."""
_NAME = re.compile(rf"\b(?:{'|'.join(name for name in _TOOLSET_OF if '_' in name)})\b")
"""A tool whose name is no word, in the description of a tool."""
_SENTENCE = re.compile(r"(?<=\.) ")
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
        return _with_hint(error, self._hint(error.hint)) if isinstance(error.hint, Hint) else error

    def _hint(self, hint: Hint) -> str:
        asks = any(reference.is_command for reference in hint.references)
        if text := hint.render(self._name):
            return text + (" Without a shell, ask your user to run it." if asks else "")
        names = (reference.names[0] for reference in hint.references)
        return f"No tool of this server does that. {self._how_to_add(*names)}"

    def _name(self, reference: Reference) -> str | None:
        """Return the served tools of a reference, None if there is none; and arguments and commands as they are."""
        names = [name for name in reference.names if name in self._tools or name not in _TOOLSET_OF]
        return reference.render(names) if names else None

    def _how_to_add(self, *tools: str) -> str:
        added = dict.fromkeys(
            (*self._served, *(_TOOLSET_OF[tool] for tool in tools if tool in _TOOLSET_OF.keys() - self._tools))
        )
        return f"Your user can serve more: --toolsets {','.join(added)}."

    def answer(self, result: Result, *, has_calls: bool) -> dict[str, object]:
        """Return an answer whose guides and warnings name only tools that are served.

        Ready calls of other tools say how to add them.
        """
        rendered = self._with_guide(result.to_dict())
        if warnings := cast("Sequence[str] | None", getattr(result, "warnings", None)):
            rendered["warnings"] = [*filter(None, map(self.text, warnings))]
        return cast("dict[str, object]", self._with_ways(rendered)) if has_calls else rendered

    def _with_guide(self, answer: dict[str, object]) -> dict[str, object]:
        for key, tokens in _GUIDED.items():
            match answer.get(key):
                case {"guide": str(text)} as content if guide := next(filter(text.endswith, GUIDES), ""):
                    arguments: object = {**cast("dict[str, object]", content), "guide": self.text(guide)}
                case str(text) if guide := next(filter(text.endswith, GUIDES), ""):
                    arguments = text.removesuffix(guide) + self.text(guide)
                case _:
                    continue
            rendered = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
            answer |= {key: arguments, tokens: tokens_of_text(rendered)}
        return answer

    def _with_ways(self, part: object) -> object:
        if isinstance(part, list):
            return [self._with_ways(each) for each in cast("list[object]", part)]
        if not isinstance(part, dict):
            return part
        rendered = {key: self._with_ways(each) for key, each in cast("dict[str, object]", part).items()}
        tool = rendered.get("tool")
        if rendered.keys() == {"tool", "arguments"} and isinstance(tool, str) and tool not in self._tools:
            rendered["not_offered"] = self._how_to_add(tool)
        return rendered

    def description(self, description: str) -> str:
        """Return the description of a tool without the sentences that lead to tools that are not served."""
        paragraphs = [
            [sentence for sentence in _SENTENCE.split(paragraph) if self._tools.issuperset(_NAME.findall(sentence))]
            for paragraph in description.split("\n\n")
        ]
        return "\n\n".join(" ".join(sentences) for sentences in paragraphs if sentences)

    def text(self, text: str) -> str:
        """Return a text without the parts about tools that are not served."""
        return text.render(self._name) if isinstance(text, Hint) else text

    def unknown(self, name: str) -> str:
        """Return what to say of a tool that is not served."""
        more = f"; this server does not serve it. {self._how_to_add(name)}" if name in _TOOLSET_OF else ""
        return f"Unknown tool: {quoted(name)}{more}"


async def advised(memory: Memory, error: GraphError) -> GraphError:
    """Return an error for an id that does not exist with the whole id, where part of one or a title was given."""
    given = next((error.details[name] for name in _NAMED_BY if name in error.details), None)
    if error.code not in _NOT_FOUND or not isinstance(given, str) or is_whole(given):
        return error
    results: Sequence[Named] = ()
    with suppress(GraphError):
        results = await memory.history.named(given, domain=cast("str | None", error.details.get("domain")))
    meant = [named for named in results if not named.deleted and named.id != given]
    if not meant:
        return error
    ids = ", ".join(named.id for named in meant)
    what = "the beginning of the id" if meant[0].id.startswith(given) else "the title of"
    return _with_hint(error, f"{quoted(given)} is {what} {ids}. Give the whole id.")


def of_selection(error: GraphError, selected: str | None) -> GraphError:
    """Return the error for a domain that does not exist with what to do where it is the one that was selected."""
    if error.code is not Code.ONTOLOGY_NOT_FOUND or selected is None or error.details.get("domain") != selected:
        return error
    deleted = "It was selected, and deleted since: {select_domain} another."
    hint = Hint(deleted, " {list_domains} shows which there are.")
    return _with_hint(error, hint)


def _with_hint(error: GraphError, hint: str) -> GraphError:
    return GraphError(error.code, error.message, {**error.details, "hint": hint})
