"""Prompts for users: how to work with a memory, how to save a session, and the skills."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from mcp import MCPError, types

from graph_memory.mcp_server.callers import McpContext
from graph_memory.memory.recall.guide import WAYS
from graph_memory.model.errors import Hint
from graph_memory.model.text.wording import quote
from graph_memory.skills import Skill, bundled_skills

START_TOOL = "session_start"
"""The tool that the prompts in `PROMPTS` refer to. A server without this tool does not offer them."""
_PROJECT_ARGUMENT = "project"
_WORDS_ARGUMENT = "words"
_BEGIN = ("You have a lasting memory. Begin with {session_start}{of_project}, and follow these rules:\n\n", "{ways}")
_SAVE = (
    "Save the results of this session to your lasting memory:\n",
    "\n- New facts and decisions, with reasons: {remember}, with the name of its subject. Skip facts that are in the "
    "files.",
    "\n- Facts that are no longer true: {remember} with replaces, or with the property that has a new value.",
    "\n- Changes about you, me or the project: {edit_block} with persona, human or project, one line each.",
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
        """Return the entry in `prompts/list`."""
        project = types.PromptArgument(name=_PROJECT_ARGUMENT, description="Name of the project", required=False)
        return types.Prompt(name=name, title=self.title, description=self.description, arguments=[project])

    def text(self, project: str | None) -> Hint:
        of_project = f" (project: {quote(project)})" if project else ""
        return Hint(*self.templates, of_project=of_project, ways=WAYS)


PROMPTS: Mapping[str, _Prompt] = {
    "memory-guide": _Prompt("Memory guide", "How to work with this memory, from the start of a session", _BEGIN),
    "save-session": _Prompt("Save session", "Save the results of this session before it ends", _SAVE),
}


@dataclass(frozen=True, slots=True)
class _SkillPrompt:
    """A skill as a prompt, for clients without skills. Its argument is the text after the skill's name."""

    skill: Skill

    def entry(self, name: str) -> types.Prompt:
        """Return the entry in `prompts/list`."""
        words = types.PromptArgument(
            name=_WORDS_ARGUMENT, description=self.skill.argument_hint.capitalize(), required=False
        )
        title = name.replace("-", " ").capitalize()
        return types.Prompt(name=name, title=title, description=self.description, arguments=[words])

    @property
    def description(self) -> str:
        return self.skill.description

    def text(self, words: str | None) -> str:
        """Return the text for the agent, followed by the user's words in the form that Claude Code uses for skills."""
        return f"{self.skill.body}\nARGUMENTS: {words}" if words else self.skill.body


def _answer(
    prompts: Mapping[str, _Prompt | _SkillPrompt],
    params: types.GetPromptRequestParams,
    adapt_text: Callable[[str], str],
) -> types.GetPromptResult:
    prompt = prompts.get(params.name)
    if prompt is None:
        message = f"There is no prompt {quote(params.name)}. The prompts are {' and '.join(prompts)}"
        raise MCPError(types.INVALID_PARAMS, message)
    arguments = params.arguments or {}
    text = adapt_text(prompt.text(arguments.get(_PROJECT_ARGUMENT if isinstance(prompt, _Prompt) else _WORDS_ARGUMENT)))
    prompt_message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=prompt.description, messages=[prompt_message])


def prompt_handlers(tools: Collection[str], adapt_text: Callable[[str], str]) -> dict[str, Any]:
    """Return the request handlers for the prompts whose tools are all served.

    If there are no such prompts, return no handlers. `adapt_text` removes the parts of a text about unserved tools.
    """
    skills = {name: _SkillPrompt(skill) for name, skill in bundled_skills().items() if skill.tools <= {*tools}}
    prompts: Mapping[str, _Prompt | _SkillPrompt] = {**(PROMPTS if START_TOOL in tools else {}), **skills}

    async def list_(_ctx: McpContext, _params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[prompt.entry(name) for name, prompt in prompts.items()])

    async def get(_ctx: McpContext, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return _answer(prompts, params, adapt_text)

    return {"on_list_prompts": list_, "on_get_prompt": get} if prompts else {}
