"""How much of the logs the indexes of search lack."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.search.index.coverage import format_event_numbers
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Backlog:
    """What the index of a domain lacks: changes of its log, vectors of its passages, and events that failed alone."""

    domain: str
    not_indexed: int
    without_vectors: int
    skipped: list[int]
    """The numbers of the events that could not be indexed."""

    @property
    def failed(self) -> str:
        """The events that could not be indexed, as a line names them."""
        return format_event_numbers(self.skipped)


BACKLOG = query("search/backlog", Backlog)


async def backlog(reader: Reader) -> list[Backlog]:
    """Return what the indexes lack, for the domains that were searched and lack anything."""
    return await reader.read(BACKLOG)
