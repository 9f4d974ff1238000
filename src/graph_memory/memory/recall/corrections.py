"""Prepends the users' corrections and preferences that fit a query to a recall, within the budget."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.recall.request import RecallRequest
from graph_memory.memory.recall.results import RecallResult
from graph_memory.memory.search.request import MIN_TOKENS
from graph_memory.memory.search.token_budget import Count, Room, load_counter

R = TypeVar("R", bound=RecallResult)
_KEY_TOKENS = 8
"""Number of tokens of the key and the brackets of a list in an object."""


async def with_corrections(core: Core, request: RecallRequest, recall: Callable[[RecallRequest], Awaitable[R]]) -> R:
    """Return a recall that begins with the corrections that fit the query. Some may be omitted for lack of room."""
    if request.query is None or request.as_of is not None:
        return await recall(request)
    if not (lines := await core.corrections(core, request.query)):
        return await recall(request)
    count = await anyio.to_thread.run_sync(load_counter)
    room = Room(count, request.max_tokens - request.beside - _KEY_TOKENS - MIN_TOKENS)
    fitting = [line for line in lines if room.take(count(json.dumps(f"{line}\n", ensure_ascii=False)))]
    if fitting:
        most = room.left + MIN_TOKENS + request.beside
        request = replace(request, max_tokens=most, follows_lines=True)
    reply = await recall(request)
    return _prepend_lines(reply, fitting, len(lines) - len(fitting), count)


def _prepend_lines(reply: R, lines: Sequence[str], left_out: int, count: Count) -> R:
    update: dict[str, object] = {"left_out": (reply.left_out or 0) + left_out or None}
    if isinstance(reply.content, dict):
        content = {"user": [*lines], **reply.content} if lines else reply.content
        update |= {"content": content, "tokens_used": count(json.dumps(content, ensure_ascii=False))}
    elif lines:
        text = "\n".join(filter(None, [*lines, reply.content]))
        update |= {"content": text, "tokens_used": count(text)}
    return reply.model_copy(update=update)
