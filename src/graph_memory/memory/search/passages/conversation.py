"""Splits conversations into turns, each with its speaker, from lines such as `Caroline: Hello` or a JSON list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from graph_memory.memory.search.passages.prose import prose_units
from graph_memory.memory.search.passages.units import Section

_TURN = re.compile(
    r"""^((?:\[[^\]\n]{1,40}\][ \t]*)?  # perhaps a time
    \*{0,2}([^\W\d_][\w.'’\ -]{0,39}))  # the speaker
    (?::\*{0,2}|\*{0,2}:)(?=[ \t\n]|$)""",
    re.VERBOSE | re.MULTILINE,
)
_ROLES = frozenset({"user", "assistant", "system", "human", "ai", "agent", "bot", "tool", "q", "a"})
_MIN_TURNS = 2
_MAX_SPEAKERS = 12
_SPEAKER_FIELDS = ("speaker", "role", "name", "from", "author")
_TEXT_FIELDS = ("text", "content", "value", "message")
_LIST_FIELDS = ("messages", "turns", "conversation", "conversations")


def split_turns(text: str) -> list[Section] | None:
    """Return the turns of a conversation written line by line, or None for other text.

    The text must begin with a turn. One speaker must have several turns, or all speakers must be roles such as `User`.
    """
    matches = list(_TURN.finditer(text))
    if len(matches) < _MIN_TURNS or text[: matches[0].start()].strip():
        return None
    speakers = {match[2].casefold() for match in matches}
    if not (speakers <= _ROLES or (len(speakers) < len(matches) and len(speakers) <= _MAX_SPEAKERS)):
        return None
    ends = [match.start() for match in matches[1:]] + [len(text)]
    return [
        Section(match[1].replace("*", "").strip(), list(prose_units(text, match.end(), end)))
        for match, end in zip(matches, ends, strict=True)
    ]


def parse_transcript(text: str) -> tuple[str, list[Section]] | None:
    """Return a conversation in JSON or JSON Lines as plain text, with its turns, or None for other text."""
    if not any(f'"{name}"' in text for name in _SPEAKER_FIELDS):
        return None
    messages = _messages(text)
    spoken_messages = [turn for message in messages if (turn := _turn(message)) is not None]
    if len(spoken_messages) < _MIN_TURNS or len(spoken_messages) < len(messages):
        return None
    transcript_text = "\n\n".join(f"{speaker}: {text}" for speaker, text in spoken_messages)
    sections: list[Section] = []
    start = 0
    for speaker, message_text in spoken_messages:
        message_start = start + len(speaker) + len(": ")
        start = message_start + len(message_text)
        sections.append(Section(speaker, list(prose_units(transcript_text, message_start, start))))
        start += len("\n\n")
    return transcript_text, sections


def _messages(text: str) -> list[object]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return list(_records(text.splitlines()))
    if isinstance(parsed, Mapping):
        container = cast("Mapping[str, object]", parsed)
        parsed = next((container[name] for name in _LIST_FIELDS if isinstance(container.get(name), list)), None)
    return cast("list[object]", parsed) if isinstance(parsed, list) else []


def _records(rows: Iterable[str]) -> Iterator[object]:
    for row in rows:
        if row.strip():
            try:
                yield json.loads(row)
            except (ValueError, RecursionError):
                yield None


def _turn(message: object) -> tuple[str, str] | None:
    if not isinstance(message, Mapping):
        return None
    fields = cast("Mapping[str, Any]", message)
    speaker = next((fields[name] for name in _SPEAKER_FIELDS if isinstance(fields.get(name), str)), None)
    text = next((_text_of(fields[name]) for name in _TEXT_FIELDS if fields.get(name) is not None), None)
    return None if not speaker or text is None else (" ".join(speaker.split()), text)


def _text_of(content: object) -> str | None:
    """Return a message's text, or None if its format is unknown. The content may be a list of parts."""
    if isinstance(content, list):
        parts = (
            cast("Mapping[str, object]", part) for part in cast("list[object]", content) if isinstance(part, Mapping)
        )
        return "\n".join(text for part in parts if (text := _text_of(part.get("text"))))
    return content if isinstance(content, str) else None
