"""Fenced texts that hooks add to conversations: a briefing at the start, and memories relevant to a prompt."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from anyio import to_thread
from pydantic import Field

from graph_memory.agent.records.roles import Roles, roles_of
from graph_memory.hooks.fence import fence
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.search.token_budget import load_counter
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import Result
from graph_memory.model.subjects.subjects import SOURCE, TOOL

START_TOKENS = 1_500
"""Maximum number of tokens of a briefing, with its fence."""
PROMPT_TOKENS = 600
"""Maximum number of tokens that are added to a prompt, with their fence."""
_FENCE_TOKENS = 60
_MOST_EVENTS = 1_000
"""Maximum number of events of the current session that are excluded from the context of a prompt."""
_LONGEST_PROMPT = 2_000
"""Number of characters at the start of a prompt that are used as the query of a recall."""
_ATTEMPTS = 3
_EVENT_FACTS = re.compile(
    r' \((?:(?:Agent)?Event, )?since ([^,()]+), actor "(user|agent)", event_type "message"[^()]*\)'
)
"""Matches the properties of a message in a recall. The reader needs only the speaker and the day."""


class Briefing(Result):
    """A text to add to a conversation. It is empty if there is nothing to add."""

    text: str = ""
    tokens: int = Field(default=0, description="Number of tokens in the text")
    ids: tuple[str, ...] = Field(default=(), description="Ids of the nodes that the text mentions")


async def session_briefing(memory: Memory, session: str | None, project: str | None) -> Briefing:
    """Return the text for the start of the session: the result of `session_start`, and open questions.

    Events are excluded, because the summaries of their sessions contain the important facts.
    """
    try:
        roles = await roles_of(memory)
        started = await memory.entities.session_start(
            session_id=session,
            project=project,
            max_tokens=START_TOKENS - _FENCE_TOKENS,
            without_types=[roles["Event"]] if roles else [],
        )
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return Briefing()
    if started.empty:
        return Briefing()
    questions = [f"- {' and '.join(question.about)}: {question.reason}" for question in started.questions or ()]
    lines = [started.text, *(["", "## Open questions", *questions] if questions else [])]
    return await _in_fence(lines, "briefing", ())


async def prompt_context(memory: Memory, prompt: str, session: str | None, shown: Collection[str]) -> Briefing:
    """Return the memories that are relevant to the prompt, except the nodes with ids in `shown`.

    Events of the current session and the output of tools are excluded.
    """
    query = prompt.strip()[:_LONGEST_PROMPT]
    if not query:
        return Briefing()
    roles = await roles_of(memory)
    skipped = {*shown}
    if roles is not None and session is not None:
        page = await memory.query_nodes(type=roles["Event"], properties={"session": session}, limit=_MOST_EVENTS)
        skipped |= {*page.node_ids}
    for _ in range(_ATTEMPTS):
        result, ids = await memory.entities.session_context(
            query, shown=skipped, max_tokens=PROMPT_TOKENS - _FENCE_TOKENS
        )
        tool_event_ids = await _tool_event_ids(memory, roles, ids)
        if not tool_event_ids:
            text = _EVENT_FACTS.sub(r" (\2, \1)", str(result.content))
            return await _in_fence([text], "recall", ids) if ids else Briefing()
        skipped |= tool_event_ids
    return Briefing()


async def _tool_event_ids(memory: Memory, roles: Roles | None, ids: Sequence[str]) -> set[str]:
    """Return the ids of events whose text comes from tools, since such text could pose as the user's request."""
    if roles is None or not ids:
        return set()
    nodes = await memory.describe_nodes(list(ids))
    return {node.id for node in nodes if node.type == roles["Event"] and node.properties.get(SOURCE) == TOOL}


async def _in_fence(lines: Sequence[str], kind: str, ids: Sequence[str]) -> Briefing:
    """Return the lines in a fence. Drops lines from the end if the text exceeds the token budget of `kind`."""
    count = await to_thread.run_sync(load_counter)
    max_tokens = (START_TOKENS if kind == "briefing" else PROMPT_TOKENS) - _FENCE_TOKENS
    text = "\n".join(lines)
    while (tokens := count(text)) > max_tokens:
        text = text.rpartition("\n")[0]
    return Briefing(text=fence(text, kind, tokens), tokens=count(fence(text, kind, tokens)), ids=tuple(ids))
