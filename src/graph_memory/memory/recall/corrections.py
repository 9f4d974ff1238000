"""Prepends relevant corrections and preferences of the users to a recall, within its token budget."""

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
from graph_memory.memory.search.token_budget import Count, RemainingTokens, load_counter

R = TypeVar("R", bound=RecallResult)
_KEY_TOKENS = 8
"""Number of tokens that the key and brackets of the list of corrections take in a structured reply."""


async def with_corrections(core: Core, request: RecallRequest, recall: Callable[[RecallRequest], Awaitable[R]]) -> R:
    """Return a recall that begins with the corrections relevant to the query, as far as the budget allows."""
    if request.query is None or request.as_of is not None:
        return await recall(request)
    if not (lines := await core.corrections(core, request.query)):
        return await recall(request)
    count = await anyio.to_thread.run_sync(load_counter)
    room = RemainingTokens(count, request.max_tokens - request.reserved_tokens - _KEY_TOKENS - MIN_TOKENS)
    fitting_lines = [line for line in lines if room.deduct(count(json.dumps(f"{line}\n", ensure_ascii=False)))]
    if fitting_lines:
        max_tokens = room.left + MIN_TOKENS + request.reserved_tokens
        request = replace(request, max_tokens=max_tokens, follows_corrections=True)
    reply = await recall(request)
    return _prepend_lines(reply, fitting_lines, len(lines) - len(fitting_lines), count)


def _prepend_lines(reply: R, lines: Sequence[str], left_out: int, count: Count) -> R:
    update: dict[str, object] = {"left_out": (reply.left_out or 0) + left_out or None}
    if isinstance(reply.content, dict):
        content = {"user": [*lines], **reply.content} if lines else reply.content
        update |= {"content": content, "tokens_used": count(json.dumps(content, ensure_ascii=False))}
    elif lines:
        text = "\n".join(filter(None, [*lines, reply.content]))
        update |= {"content": text, "tokens_used": count(text)}
    return reply.model_copy(update=update)
