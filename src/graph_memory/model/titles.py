"""The title of a node: one short line for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from graph_memory.model.properties import PropertyValue

LONGEST = 200


def title_of(
    type_name: str, properties: Mapping[str, PropertyValue], text: str | None, before: str | None = None
) -> str:
    """Return the first there is of `title`, `name`, the first line of text (a heading's marks removed), the type.

    `before` is the title that a node has whose text stays as it is and is not at hand.
    """
    candidates = (properties.get("title"), properties.get("name"), _first_line(text or ""), before, type_name)
    return next(title for title in map(_shown, candidates) if title)


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
