"""Types as agents write them, and the names under which they are stored. Pure.

Any text may be the type of an entity or a relation. Most texts are names of types as they stand, spaces and all; what
cannot be one is stored under a name that is near, and the text stays on the record, so that replies give it back.
"""

from __future__ import annotations

import re

from graph_memory.model.errors import GraphError
from graph_memory.model.text.visible import check_visible, visible
from graph_memory.model.values.properties import ANY, NAME_CHARACTERS, check_name

ENTITY = "entity"
"""The type of entities that were given none, and of those whose own type has no room among the types."""
RELATION = "related_to"
"""The type of relations whose own type has no room."""
WORD = re.compile(r"\w[\w.'’-]*\w|\w")
"""A word of a name."""


def stored_name(spelling: str, otherwise: str) -> str:
    """Return the name under which a type of this spelling is stored, the other where nothing of it can be kept."""
    try:
        return check_visible("Type", check_name("Type", spelling))
    except GraphError:
        name = " ".join(visible(spelling).split()).lstrip("_ ")[:NAME_CHARACTERS].rstrip()
        return otherwise if name in ("", ANY) else name


def as_written(spelling: str, stored: str) -> str | None:
    """Return what a relation has to keep of its type's spelling: nothing where it is stored under that."""
    return None if spelling == stored else spelling
