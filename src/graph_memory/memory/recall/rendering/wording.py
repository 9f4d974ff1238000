"""Stored text and names in the words of a reply: on one line, in quotation marks, unable to look like anything else.

Whatever stands between quotation marks was stored by somebody. So nothing that is stored may hold a line break, a
quotation mark that would close its own, or a mark of Markdown or XML that a model could take for the structure around.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from graph_memory.memory.search.results import Superseded
from graph_memory.model.text.visible import QUOTES, visible
from graph_memory.model.text.wording import day, last_day
from graph_memory.model.values.properties import PropertyValue

CUT = "…"
LABEL = 80
"""Characters of a title where it only says what something is connected to."""
_INSTEAD = 200
"""Characters of a statement that took the place of another."""
_TAG = re.compile(r"<(?=[A-Za-z/!?|\[])|\uff1c")
_FENCE = re.compile(r"`{3,}|~{3,}")
_SPACES = re.compile(r" {2,}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN_NAME = re.compile(r"[\w.-]{1,60}")
_MOST_WORDS = 4
"""Words of a relation that could not be a sentence."""


def flat(text: str) -> str:
    """Return a text on one line, without what cannot be seen, and with no mark that could be taken for structure."""
    text = _FENCE.sub("'''", _TAG.sub("\u2039", visible(text).translate(QUOTES)))
    return _SPACES.sub(" ", text).strip()


def quoted(text: str) -> str:
    """Return a stored text as it stands in a reply."""
    return f'"{flat(text)}"'


def label(title: str, longest: int = LABEL) -> str:
    """Return a title as it stands where something is only named."""
    told = flat(title)
    return f'"{told}"' if len(told) <= longest else f'"{told[:longest].rstrip()}{CUT}"'


def name(given: str) -> str:
    """Return the name of a type or property: as it is where it can be nothing else, otherwise in quotation marks."""
    told = flat(given)
    return told if _PLAIN_NAME.fullmatch(told) else label(told)


def relation(type_name: str) -> str:
    """Return the type of a connection as words: `WorksAt` and `WORKS_AT` are `works at`; a sentence is quoted."""
    told = _HUMP.sub(" ", flat(type_name)).replace("_", " ").lower().split()
    is_plain = _PLAIN_NAME.fullmatch(flat(type_name)) is not None and len(told) <= _MOST_WORDS
    return " ".join(told) if told and is_plain else label(type_name)


def value(given: PropertyValue, longest: int) -> str:
    """Return a value of a property."""
    if isinstance(given, str):
        return label(given, longest)
    return str(given).lower() if isinstance(given, bool) else str(given)


def in_facts(facts: Iterable[tuple[str, PropertyValue]]) -> str:
    """Return properties as they stand behind a title, such as `due 2026-12-04, assignee "Ann"`."""
    return ", ".join(f"{name(key)} {value(told, LABEL)}" for key, told in facts)


def in_words(over: Superseded | None) -> str:
    """Return what is said of a statement that holds no more: until when it did, and what holds instead."""
    if over is None:
        return ""
    instead = " and ".join(label(each.text, _INSTEAD) for each in over.replaced_by or ())
    return f"until {last_day(over.since)}{', then ' if instead else ''}{instead}"


def age(at: datetime, now: datetime) -> str:
    """Return how long ago a time was: in days, then in months, then the day itself."""
    days = max((now - at).days, 0)
    if days == 0:
        return "today"
    if days < 60:
        return "1 day ago" if days == 1 else f"{days} days ago"
    return f"{days // 30} months ago" if days < 730 else day(at)
