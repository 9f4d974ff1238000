"""What is said of a name of which there is no entity."""

from __future__ import annotations

from collections.abc import Sequence

from graph_memory.memory.knowledge.spelling import WORD
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.wording import nearest, shown
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

NEAR = query("knowledge/near", str)
SOME = query("knowledge/some_names", str)
_MOST = 1_000
"""Names with which one is compared."""
_FEWEST = 3
"""Characters from which on the index of texts knows where a text is."""


async def entity_not_found(reader: Reader, domain: str, name: str) -> GraphError:
    """Return the error for the name of no entity, with the nearest name that there is."""
    found = await near_names(reader, domain, name)
    meant = nearest(name, found)
    hint = "search_nodes finds names; create_entities makes an entity."
    hint = f'Did you mean "{shown(meant)}"? {hint}' if meant is not None else hint
    return not_found(name, hint)


async def near_names(reader: Reader, domain: str, name: str) -> list[str]:
    """Return names of entities that have all words of a name, else a part of it; all where none has; up to a number."""
    words: list[str] = sorted(WORD.findall(name.lower()), key=len, reverse=True)
    first = words[0] if words else ""
    asked: Sequence[tuple[str, list[str]]] = ((first, words[1:]), (first[:6], []), (first[:3], []))
    found: list[str] = []
    for part, others in asked:
        if not found and len(part) >= _FEWEST:
            found = await reader.read(NEAR, domain=domain, text=part, others=others, limit=_MOST)
    return found or await reader.read(SOME, domain=domain, limit=_MOST)


def not_found(name: str, hint: str = "search_nodes finds names; create_entities makes an entity.") -> GraphError:
    """Return the error for the name of no entity, in the words of the official memory server."""
    return GraphError(Code.NODE_NOT_FOUND, f"Entity with name {name} not found", {"name": name, "hint": hint})
