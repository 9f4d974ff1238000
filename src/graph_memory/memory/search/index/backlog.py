"""Counts the changes that are missing from the search indexes."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.search.index.coverage import format_event_numbers
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class Backlog:
    """The changes and vectors missing from a domain's index, and the events that could not be indexed."""

    domain: str
    not_indexed: int
    without_vectors: int
    skipped: list[int]
    """The sequence numbers of events that could not be indexed."""

    @property
    def failed_events(self) -> str:
        """The sequence numbers in `skipped`, as text."""
        return format_event_numbers(self.skipped)


BACKLOG = query("search/backlog", Backlog)


async def read_backlogs(reader: Reader) -> list[Backlog]:
    """Return the backlog of each domain that has been searched at least once.

    Domains with a complete index are omitted.
    """
    return await reader.read(BACKLOG)
