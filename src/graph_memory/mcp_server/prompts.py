"""Prompts for users: how to work with a memory, and how to save a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from mcp import MCPError, types

from graph_memory.mcp_server.callers import Context
from graph_memory.memory.recall.guide import WAYS
from graph_memory.model.errors import Hint
from graph_memory.model.text.wording import quote

START_TOOL = "session_start"
"""The tool that the prompts refer to. Without it, the server offers no prompts."""
_PROJECT = "project"
_BEGIN = ("You have a lasting memory. Begin with {session_start}{of_project}, and follow these rules:\n\n", "{ways}")
_SAVE = (
    "Save the results of this session to your lasting memory:\n",
    "\n- New facts and decisions, with reasons: {remember}, with the name of its subject. Skip facts that are in the "
    "files.",
    "\n- Facts that are no longer true: {remember} with replaces, or with the property that has a new value.",
    "\n- Changes about you, me or the project: {edit_block} with persona, human or project, a line each.",
    "\n- Answer the questions that {remember} asked, with {decide}.",
    "\n- {session_end}{of_project} with a summary of a few lines: completed work, decisions, open questions.",
    "\n\nThen summarize in a sentence or two what you saved.",
)


@dataclass(frozen=True, slots=True)
class _Prompt:
    title: str
    description: str
    templates: Sequence[LiteralString]

    def entry(self, name: str) -> types.Prompt:
        """Return the entry of the prompt in `prompts/list`."""
        project = types.PromptArgument(name=_PROJECT, description="Name of the project", required=False)
        return types.Prompt(name=name, title=self.title, description=self.description, arguments=[project])

    def text(self, project: str | None) -> Hint:
        """Return the text for the agent."""
        of_project = f" (project: {quote(project)})" if project else ""
        return Hint(*self.templates, of_project=of_project, ways=WAYS)


PROMPTS: Mapping[str, _Prompt] = {
    "memory-guide": _Prompt("Memory guide", "How to work with this memory, from the start of a session", _BEGIN),
    "save-session": _Prompt("Save session", "Save the results of this session before it ends", _SAVE),
}


async def _list(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    """Answer `prompts/list`."""
    return types.ListPromptsResult(prompts=[prompt.entry(name) for name, prompt in PROMPTS.items()])


def _prompt(params: types.GetPromptRequestParams, fit: Callable[[str], str]) -> types.GetPromptResult:
    prompt = PROMPTS.get(params.name)
    if prompt is None:
        message = f"There is no prompt {quote(params.name)}: there are {' and '.join(PROMPTS)}"
        raise MCPError(types.INVALID_PARAMS, message)
    text = fit(prompt.text((params.arguments or {}).get(_PROJECT)))
    prompt_message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=prompt.description, messages=[prompt_message])


def prompt_handlers(fit: Callable[[str], str]) -> dict[str, Any]:
    """Return the request handlers of prompts. `fit` removes the parts of a text about tools that are not served."""

    async def get(_ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return _prompt(params, fit)

    return {"on_list_prompts": _list, "on_get_prompt": get}
