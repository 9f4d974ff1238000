"""The title of a node: one short line for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from graph_memory.model.values.properties import PropertyValue

LONGEST = 200
SHORT = 80
"""Characters of a property that can stand for a title."""


def title_of(
    type_name: str, properties: Mapping[str, PropertyValue], text: str | None, before: str | None = None
) -> str:
    """Return the first there is of `title`, `name`, the first line of text (a heading's marks removed), the type.

    `before` is the title that a node has whose text stays as it is and is not at hand.
    """
    candidates = (properties.get("title"), properties.get("name"), _first_line(text or ""), before, type_name)
    return next(title for title in map(_shown, candidates) if title)


def shown_title(type_name: str, title: str, properties: Mapping[str, PropertyValue]) -> str:
    """Return a title, or of a node that has only its type for one a short property: the first text, else number."""
    if title != type_name:
        return title
    told = [
        (not isinstance(value, str), name, _shown(value))
        for name, value in properties.items()
        if not isinstance(value, bool)
    ]
    return next((value for _, _, value in sorted(told) if 0 < len(value) <= SHORT), title)


def derived_title(stored: Mapping[str, object]) -> str:
    """Return the title in a state that is made of properties and content, whatever title was given."""
    return cast("str", stored.get("_derived_title", stored["_title"]))


def _shown(value: PropertyValue | None) -> str:
    return "" if value is None else " ".join(str(value).split())[:LONGEST].rstrip()


def _first_line(text: str) -> str:
    for line in text.splitlines():
        if words := line.strip().lstrip("#").strip():
            return words
    return ""
