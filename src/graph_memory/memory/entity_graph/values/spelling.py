"""Types as callers write them, and the names under which they are stored.

Any text can be the type of an entity or a relation. Most texts are valid type names. Other texts are stored under a
similar name. The record stores the original spelling, so that replies return it.
"""

from __future__ import annotations

import re

from graph_memory.model.errors import GraphError
from graph_memory.model.text.visible import check_visible, to_visible
from graph_memory.model.values.properties import ANY, NAME_CHARACTERS, check_name

ENTITY = "entity"
"""The type of entities without a type, and of entities whose own type would exceed the type limit."""
RELATION = "related_to"
"""The type of relations whose own type would exceed the type limit."""
WORD = re.compile(r"\w[\w.'’-]*\w|\w")
"""Matches a word of a name. Dots, apostrophes and hyphens inside the word are part of it."""


def stored_name(spelling: str, fallback: str) -> str:
    """Return the name under which a spelling is stored, or `fallback` if the spelling has no usable character."""
    try:
        return check_visible("Type", check_name("Type", spelling))
    except GraphError:
        name = " ".join(to_visible(spelling).split()).lstrip("_ ")[:NAME_CHARACTERS].rstrip()
        return fallback if name in ("", ANY) else name


def spelling_to_store(spelling: str, stored: str) -> str | None:
    """Return the spelling to store with a relation, or None if it equals the stored type."""
    return None if spelling == stored else spelling
