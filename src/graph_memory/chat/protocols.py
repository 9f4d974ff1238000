"""The two protocols of language models: what is asked in each, and what a reply must be. It is pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError

from graph_memory.chat.model import Reply
from graph_memory.provider.faults import Refused, misread

MOST_TOKENS = 4_096
"""Tokens of a reply: Anthropic's protocol wants a bound.

OpenAI's is sent none: some of its models count what they think as well, others know the bound by another name.
"""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A protocol: where it is spoken below the base URL, with which headers, and how it is written and read."""

    path: str
    asked: Callable[[str, str, str], Mapping[str, object]]
    """From a model, instructions and a text to a request."""
    read: Callable[[bytes], Reply]
    """From a body to a reply. Raises Refused for one that is none."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Completion(BaseModel):
    choices: list[_Choice]


class _Block(BaseModel):
    type: str
    text: str = ""


class _Blocks(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None


def _completion_asked(model: str, system: str, text: str) -> Mapping[str, object]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    return {"model": model, "messages": messages, "stream": False}


def _completion(body: bytes) -> Reply:
    try:
        choices = _Completion.model_validate_json(body).choices
    except ValidationError as error:
        raise misread(error) from None
    texts = [choice.message.content or "" for choice in choices[:1]]
    return _reply(texts, is_cut=[choice.finish_reason for choice in choices[:1]] == ["length"])


def _message_asked(model: str, system: str, text: str) -> Mapping[str, object]:
    messages = [{"role": "user", "content": text}]
    return {"model": model, "max_tokens": MOST_TOKENS, "system": system, "messages": messages}


def _message(body: bytes) -> Reply:
    try:
        blocks = _Blocks.model_validate_json(body)
    except ValidationError as error:
        raise misread(error) from None
    return _reply(
        [block.text for block in blocks.content if block.type == "text"], is_cut=blocks.stop_reason == "max_tokens"
    )


def _reply(texts: Sequence[str], *, is_cut: bool) -> Reply:
    text = "".join(texts).strip()
    if not text:
        raise Refused("sent an empty reply")
    return Reply(text, is_cut)


OPENAI = Dialect("/chat/completions", _completion_asked, _completion)
ANTHROPIC = Dialect("/messages", _message_asked, _message, {"anthropic-version": "2023-06-01"})
