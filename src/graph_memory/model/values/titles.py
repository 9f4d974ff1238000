"""A node's title: one short line for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from graph_memory.model.values.properties import PropertyValue

LONGEST = 200
SHORT = 80
"""Maximum number of characters of a property value that can serve as a title."""


def title_of(
    type_name: str, properties: Mapping[str, PropertyValue], text: str | None, previous: str | None = None
) -> str:
    """Return a node's derived title.

    It is the first of these that exists: the property `title`, the property `name`, the first line of the text without
    heading marks, `previous`, and the name of the type. `previous` is the current title of a node whose unchanged text
    is not loaded.
    """
    lines = (line.strip().lstrip("#").strip() for line in (text or "").splitlines())
    first_line = next(filter(None, lines), "")
    candidates = (properties.get("title"), properties.get("name"), first_line, previous, type_name)
    return next((title for title in map(_to_line, candidates) if title), "")


def shown_title(type_name: str, title: str, properties: Mapping[str, PropertyValue]) -> str:
    """Return a node's title for display. If it only repeats the type, return a short property value instead.

    Text is preferred to numbers. Among several short values, the first property in alphabetical order is used. If no
    value is short, the title is returned.
    """
    if title != type_name:
        return title
    lines = [
        (not isinstance(value, str), name, _to_line(value))
        for name, value in properties.items()
        if not isinstance(value, bool)
    ]
    return next((value for _, _, value in sorted(lines) if 0 < len(value) <= SHORT), title)


def derived_title(stored: Mapping[str, object]) -> str:
    """Return the derived title in a node's stored properties, even if a caller has set another title."""
    return cast("str", stored.get("_derived_title", stored["_title"]))


def _to_line(value: PropertyValue | None) -> str:
    return "" if value is None else " ".join(str(value).split())[:LONGEST].rstrip()
