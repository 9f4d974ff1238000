"""The two protocols of language models: building requests and parsing replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError

from graph_memory.chat.model import Reply
from graph_memory.provider.faults import PermanentFailure, unreadable_reply

MOST_TOKENS = 4_096
"""Maximum number of tokens in a reply. Anthropic's protocol requires it. Requests to OpenAI have no maximum, because
some models also count reasoning tokens, and others name the field differently."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A protocol: the path below the base URL, the headers, and the formats of requests and replies."""

    path: str
    build_request: Callable[[str, str, str], Mapping[str, object]]
    """Returns the request for a model, instructions and a text."""
    parse_reply: Callable[[bytes], Reply]
    """Returns the reply in a body. Raises PermanentFailure if it is invalid."""
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


def _completion_request(model: str, system: str, text: str) -> Mapping[str, object]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    return {"model": model, "messages": messages, "stream": False}


def _parse_completion(body: bytes) -> Reply:
    try:
        choices = _Completion.model_validate_json(body).choices
    except ValidationError as error:
        raise unreadable_reply(error) from None
    texts = [choice.message.content or "" for choice in choices[:1]]
    return _reply(texts, is_cut=[choice.finish_reason for choice in choices[:1]] == ["length"])


def _message_request(model: str, system: str, text: str) -> Mapping[str, object]:
    messages = [{"role": "user", "content": text}]
    return {"model": model, "max_tokens": MOST_TOKENS, "system": system, "messages": messages}


def _parse_message(body: bytes) -> Reply:
    try:
        blocks = _Blocks.model_validate_json(body)
    except ValidationError as error:
        raise unreadable_reply(error) from None
    return _reply(
        [block.text for block in blocks.content if block.type == "text"], is_cut=blocks.stop_reason == "max_tokens"
    )


def _reply(texts: Sequence[str], *, is_cut: bool) -> Reply:
    text = "".join(texts).strip()
    if not text:
        raise PermanentFailure("sent an empty reply")
    return Reply(text, is_cut)


OPENAI = Dialect("/chat/completions", _completion_request, _parse_completion)
ANTHROPIC = Dialect("/messages", _message_request, _parse_message, {"anthropic-version": "2023-06-01"})
