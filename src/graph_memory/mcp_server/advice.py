"""Adapts texts for agents, so that they mention only tools that the server serves. Completes partial ids."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from graph_memory.mcp_server.presets import shortest_names
from graph_memory.memory.recall.guide import GUIDES
from graph_memory.memory.search.token_budget import tokens_of_text
from graph_memory.model.errors import Code, GraphError, Hint, Reference
from graph_memory.model.events import is_generated_id
from graph_memory.model.results import Result
from graph_memory.model.text.wording import quote
from graph_memory.operations.table import TOOLSETS

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.memory.history.results import NamedSubject

_TOOLSET_OF = {tool.name: tool.name if tool.by_name else name for name, tools in TOOLSETS.items() for tool in tools}
"""The toolset that adds a tool to a server, by tool name. Some tools are added by their own name instead."""
_TOOL_NAME = re.compile(rf"\b(?:{'|'.join(name for name in _TOOLSET_OF if '_' in name)})\b")
"""Matches a tool's name in a description. Names without an underscore are not matched, because they are also words."""
_SENTENCE_BREAK = re.compile(r"(?<=\.) ")
_NOT_FOUND = (Code.NODE_NOT_FOUND, Code.CONNECTION_NOT_FOUND)
_ID_DETAILS = ("node_id", "connection_id")
_GUIDE_FIELDS = {"text": "tokens", "content": "tokens_used"}
"""Result fields that may contain a guide, each with the field for its number of tokens."""


class Advice:
    """Adapts hints, warnings and descriptions to the tools that the server serves."""

    def __init__(self, tools: Collection[str], served: Sequence[str]) -> None:
        self._tools = {*tools}
        self._served = shortest_names(served)

    def error(self, error: GraphError) -> GraphError:
        """Return the error with a hint that mentions only served tools.

        If the hint contains a shell command, it also says that the user can run it.
        """
        if "conflicts" in error.details:
            calls = {
                key: self._with_toolsets(part) for key, part in error.details.items() if key in ("conflicts", "calls")
            }
            error = GraphError(error.code, error.message, {**error.details, **calls})
        return _with_hint(error, self._hint(error.hint)) if isinstance(error.hint, Hint) else error

    def _hint(self, hint: Hint) -> str:
        has_command = any(reference.is_command for reference in hint.references)
        if text := hint.render(self._name):
            return text + (" Without a shell, ask your user to run it." if has_command else "")
        names = (reference.names[0] for reference in hint.references)
        return f"No tool of this server does this. {self._how_to_add(*names)}"

    def _name(self, reference: Reference) -> str | None:
        """Return a reference's served tools as text, or None if none of them is served.

        Arguments and commands are returned unchanged.
        """
        names = [name for name in reference.names if name in self._tools or name not in _TOOLSET_OF]
        return reference.render(names) if names else None

    def _how_to_add(self, *tools: str) -> str:
        names = dict.fromkeys(
            (*self._served, *(_TOOLSET_OF[tool] for tool in tools if tool in _TOOLSET_OF.keys() - self._tools))
        )
        return f"Your user can serve more: --toolsets {','.join(names)}."

    def answer(self, result: Result, *, has_calls: bool) -> dict[str, object]:
        """Return the result with guides and warnings that mention only served tools.

        A suggested call of an unserved tool gets a note that says how to add the tool.
        """
        rendered = self._with_guide(result.to_dict())
        if warnings := cast("Sequence[str] | None", getattr(result, "warnings", None)):
            rendered["warnings"] = [*filter(None, map(self.text, warnings))]
        return cast("dict[str, object]", self._with_toolsets(rendered)) if has_calls else rendered

    def _with_guide(self, answer: dict[str, object]) -> dict[str, object]:
        for key, tokens in _GUIDE_FIELDS.items():
            match answer.get(key):
                case {"guide": str(text)} as content if guide := next(filter(text.endswith, GUIDES), ""):
                    value: object = {**cast("dict[str, object]", content), "guide": self.text(guide)}
                case str(text) if guide := next(filter(text.endswith, GUIDES), ""):
                    value = text.removesuffix(guide) + self.text(guide)
                case _:
                    continue
            rendered = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            answer |= {key: value, tokens: tokens_of_text(rendered)}
        return answer

    def _with_toolsets(self, part: object) -> object:
        if isinstance(part, list):
            return [self._with_toolsets(item) for item in cast("list[object]", part)]
        if not isinstance(part, dict):
            return part
        rendered = {key: self._with_toolsets(item) for key, item in cast("dict[str, object]", part).items()}
        tool = rendered.get("tool")
        if rendered.keys() == {"tool", "arguments"} and isinstance(tool, str) and tool not in self._tools:
            rendered["not_offered"] = self._how_to_add(tool)
        return rendered

    def description(self, description: str) -> str:
        """Return the tool's description without sentences about unserved tools."""
        paragraphs = [
            [
                sentence
                for sentence in _SENTENCE_BREAK.split(paragraph)
                if self._tools.issuperset(_TOOL_NAME.findall(sentence))
            ]
            for paragraph in description.split("\n\n")
        ]
        return "\n\n".join(" ".join(sentences) for sentences in paragraphs if sentences)

    def text(self, text: str) -> str:
        """Return the text without the parts about unserved tools."""
        return text.render(self._name) if isinstance(text, Hint) else text

    def unknown_tool(self, name: str) -> str:
        """Return the error message for an unserved tool."""
        reason = f"; this server does not serve it. {self._how_to_add(name)}" if name in _TOOLSET_OF else ""
        return f"Unknown tool: {quote(name)}{reason}"


async def with_complete_id(memory: Memory, error: GraphError) -> GraphError:
    """Return the error. If it is about an unknown id, its hint lists the complete ids that may be meant."""
    identifier = next((error.details[name] for name in _ID_DETAILS if name in error.details), None)
    if error.code not in _NOT_FOUND or not isinstance(identifier, str) or is_generated_id(identifier):
        return error
    matches: Sequence[NamedSubject] = ()
    with suppress(GraphError):
        matches = await memory.history.named(identifier, domain=cast("str | None", error.details.get("domain")))
    candidates = [candidate for candidate in matches if not candidate.deleted and candidate.id != identifier]
    if not candidates:
        return error
    ids = ", ".join(entry.id for entry in candidates)
    role = "the beginning of the id" if candidates[0].id.startswith(identifier) else "the title of"
    return _with_hint(error, f"{quote(identifier)} is {role} {ids}. Pass the complete id.")


def with_selection_hint(error: GraphError, selected: str | None) -> GraphError:
    """Return the error. If the selected domain does not exist, its hint is to select another domain."""
    if error.code is not Code.ONTOLOGY_NOT_FOUND or selected is None or error.details.get("domain") != selected:
        return error
    advice = "It was deleted after you selected it. Select another domain with {select_domain}."
    hint = Hint(advice, " List the existing domains with {list_domains}.")
    return _with_hint(error, hint)


def _with_hint(error: GraphError, hint: str) -> GraphError:
    return GraphError(error.code, error.message, {**error.details, "hint": hint})
