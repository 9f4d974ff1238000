"""How much of the logs the indexes of search lack."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Backlog:
    """What the index of a domain lacks: changes of its log, and vectors of its passages."""

    domain: str
    not_indexed: int
    without_vectors: int


BACKLOG = query("recall/backlog", Backlog)


async def backlog(reader: Reader) -> list[Backlog]:
    """Return what the indexes lack, for the domains that were searched and lack anything."""
    return await reader.read(BACKLOG)
