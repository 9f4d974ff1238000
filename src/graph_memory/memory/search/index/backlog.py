"""Counts the changes that the search indexes lack."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.search.index.coverage import format_event_numbers
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Backlog:
    """The changes, vectors and failed events that the index of a domain lacks."""

    domain: str
    not_indexed: int
    without_vectors: int
    skipped: list[int]
    """The numbers of events that could not be indexed."""

    @property
    def failed(self) -> str:
        """The events that could not be indexed, as text."""
        return format_event_numbers(self.skipped)


BACKLOG = query("search/backlog", Backlog)


async def backlog(reader: Reader) -> list[Backlog]:
    """Return the backlog of each searched domain that has one."""
    return await reader.read(BACKLOG)
