"""Counts the changes that are missing from the search indexes."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.search.index.coverage import format_event_numbers
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Backlog:
    """The changes and vectors that are missing from a domain's index, and the events that could not be indexed."""

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
    """Return the backlogs of the domains that have been searched before. Domains without a backlog are omitted."""
    return await reader.read(BACKLOG)
