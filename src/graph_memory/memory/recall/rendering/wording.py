"""Puts stored text and names on one line and in quotation marks, so that they cannot imitate other parts of a reply.

All text between quotation marks is stored text. It contains no line break, no closing quotation mark, and no Markdown
or XML mark that a model could mistake for the structure of the reply.
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
LABEL_LENGTH = 80
"""Maximum number of characters of a title that is only mentioned, such as the other node of a connection."""
_MAX_REPLACEMENT_LENGTH = 200
"""Maximum number of characters of a statement that replaces another."""
_TAG = re.compile(r"<(?=[A-Za-z/!?|\[])|\uff1c")
_FENCE = re.compile(r"`{3,}|~{3,}")
_SPACES = re.compile(r" {2,}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN_NAME = re.compile(r"[\w.-]{1,60}")
_MOST_WORDS = 4
"""Maximum number of words of a relation. Longer relations are quoted, since they could be sentences."""


def flatten(text: str) -> str:
    """Return a text on one line, without invisible characters or marks that could be taken for structure."""
    text = _FENCE.sub("'''", _TAG.sub("\u2039", to_visible(text).translate(QUOTES)))
    return _SPACES.sub(" ", text).strip()


def quote_stored(text: str) -> str:
    """Return a stored text in quotation marks for a reply."""
    return f'"{flatten(text)}"'


def quote_label(title: str, longest: int = LABEL_LENGTH) -> str:
    """Return a title in quotation marks, shortened for a brief mention."""
    text = flatten(title)
    return f'"{text}"' if len(text) <= longest else f'"{text[:longest].rstrip()}{CUT}"'


def render_name(key: str) -> str:
    """Return the name of a type or property. It is quoted if it could be mistaken for other text."""
    text = flatten(key)
    return text if _PLAIN_NAME.fullmatch(text) else quote_label(text)


def render_relation(type_name: str) -> str:
    """Return a connection type as words: `WorksAt` and `WORKS_AT` become `works at`. Long types are quoted."""
    words = _HUMP.sub(" ", flatten(type_name)).replace("_", " ").lower().split()
    is_unambiguous = _PLAIN_NAME.fullmatch(flatten(type_name)) is not None and len(words) <= _MOST_WORDS
    return " ".join(words) if words and is_unambiguous else quote_label(type_name)


def render_value(stored_value: PropertyValue, longest: int) -> str:
    """Return a property's value as text. Strings are quoted and shortened to at most `longest` characters."""
    if isinstance(stored_value, str):
        return quote_label(stored_value, longest)
    return str(stored_value).lower() if isinstance(stored_value, bool) else str(stored_value)


def render_facts(facts: Iterable[tuple[str, PropertyValue]]) -> str:
    """Return properties as a reply shows them after a title, such as `due 2026-12-04, assignee "Ann"`."""
    return ", ".join(f"{render_name(key)} {render_value(fact, LABEL_LENGTH)}" for key, fact in facts)


def render_end(over: Superseded | None) -> str:
    """Return in words when a statement ended and what replaced it, or an empty string for None."""
    if over is None:
        return ""
    replacement = " and ".join(
        quote_label(statement.text, _MAX_REPLACEMENT_LENGTH) for statement in over.replaced_by or ()
    )
    return f"until {format_last_day(over.since)}{', then ' if replacement else ''}{replacement}"


def render_age(at: datetime, now: datetime) -> str:
    """Return the age of a time in days or months, or the day itself."""
    days = max((now - at).days, 0)
    if days == 0:
        return "today"
    if days < 60:
        return "1 day ago" if days == 1 else f"{days} days ago"
    return f"{days // 30} months ago" if days < 730 else format_day(at)
