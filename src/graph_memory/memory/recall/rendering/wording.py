"""Writes stored text and names on one line and in quotation marks, so that they cannot imitate other parts of a reply.

All text between quotation marks is stored text. So stored text in a reply has no line break, no closing quotation mark,
and no Markdown or XML mark that a model could take for the structure of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from graph_memory.memory.search.results import Superseded
from graph_memory.model.text.visible import QUOTES, to_visible
from graph_memory.model.text.wording import format_day, format_last_day
from graph_memory.model.values.properties import PropertyValue

CUT = "…"
LABEL = 80
"""Maximum number of characters of a title that only names the end of a connection."""
_INSTEAD = 200
"""Maximum number of characters of a statement that replaces another."""
_TAG = re.compile(r"<(?=[A-Za-z/!?|\[])|\uff1c")
_FENCE = re.compile(r"`{3,}|~{3,}")
_SPACES = re.compile(r" {2,}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN_NAME = re.compile(r"[\w.-]{1,60}")
_MOST_WORDS = 4
"""Maximum number of words of a relation. Longer ones could be sentences."""


def flat(text: str) -> str:
    """Return a text on one line, without invisible characters, and without marks that could be taken for structure."""
    text = _FENCE.sub("'''", _TAG.sub("\u2039", to_visible(text).translate(QUOTES)))
    return _SPACES.sub(" ", text).strip()


def quote_stored(text: str) -> str:
    """Return a stored text in quotation marks for a reply."""
    return f'"{flat(text)}"'


def label(title: str, longest: int = LABEL) -> str:
    """Return a title in quotation marks, shortened for a brief mention."""
    text = flat(title)
    return f'"{text}"' if len(text) <= longest else f'"{text[:longest].rstrip()}{CUT}"'


def name(key: str) -> str:
    """Return the name of a type or property, in quotation marks unless it cannot be mistaken for other text."""
    text = flat(key)
    return text if _PLAIN_NAME.fullmatch(text) else label(text)


def relation(type_name: str) -> str:
    """Return the type of a connection as words: `WorksAt` and `WORKS_AT` become `works at`. Sentences are quoted."""
    lines = _HUMP.sub(" ", flat(type_name)).replace("_", " ").lower().split()
    is_plain = _PLAIN_NAME.fullmatch(flat(type_name)) is not None and len(lines) <= _MOST_WORDS
    return " ".join(lines) if lines and is_plain else label(type_name)


def value(value_given: PropertyValue, longest: int) -> str:
    """Return a property's value as text. Texts are quoted and shortened to at most `longest` characters."""
    if isinstance(value_given, str):
        return label(value_given, longest)
    return str(value_given).lower() if isinstance(value_given, bool) else str(value_given)


def in_facts(facts: Iterable[tuple[str, PropertyValue]]) -> str:
    """Return properties as they are shown after a title, such as `due 2026-12-04, assignee "Ann"`."""
    return ", ".join(f"{name(key)} {value(fact, LABEL)}" for key, fact in facts)


def in_words(over: Superseded | None) -> str:
    """Return the end of a superseded statement and its replacement in words."""
    if over is None:
        return ""
    instead = " and ".join(label(statement.text, _INSTEAD) for statement in over.replaced_by or ())
    return f"until {format_last_day(over.since)}{', then ' if instead else ''}{instead}"


def age(at: datetime, now: datetime) -> str:
    """Return the age of a time in days or months, or the day itself."""
    days = max((now - at).days, 0)
    if days == 0:
        return "today"
    if days < 60:
        return "1 day ago" if days == 1 else f"{days} days ago"
    return f"{days // 30} months ago" if days < 730 else format_day(at)
