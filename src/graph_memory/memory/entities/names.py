"""What is said of a name of which there is no entity."""

from __future__ import annotations

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.wording import nearest, shown
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

NEAR = query("entities/near", str)
SOME = query("entities/some_names", str)
_MOST = 1_000
"""Names with which one is compared."""


async def entity_not_found(reader: Reader, domain: str, name: str) -> GraphError:
    """Return the error for the name of no entity, with the nearest name that there is."""
    found = await near_names(reader, domain, name)
    meant = nearest(name, found)
    hint = "search_nodes finds names; create_entities makes an entity."
    hint = f'Did you mean "{shown(meant)}"? {hint}' if meant is not None else hint
    return not_found(name, hint)


async def near_names(reader: Reader, domain: str, name: str) -> list[str]:
    """Return names of entities that have a part of a name in them, all where none has, up to a number."""
    words = sorted(name.lower().split(), key=len, reverse=True)
    parts = dict.fromkeys(part for part in (words[0][:6], words[0][:3]) if len(part) >= 3) if words else ()
    found: list[str] = []
    for part in parts:
        found = found or await reader.read(NEAR, domain=domain, text=part, limit=_MOST)
    return found or await reader.read(SOME, domain=domain, limit=_MOST)


def not_found(name: str, hint: str = "search_nodes finds names; create_entities makes an entity.") -> GraphError:
    """Return the error for the name of no entity, in the words of the official memory server."""
    return GraphError(Code.NODE_NOT_FOUND, f"Entity with name {name} not found", {"name": name, "hint": hint})
