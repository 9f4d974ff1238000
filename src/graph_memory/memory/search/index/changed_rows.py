"""The index rows that a page of the log ends and creates, split into parts for writing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from graph_memory.memory.domains.lineage import END

T = TypeVar("T")


@dataclass(slots=True)
class Changes:
    """The changes that a page of the log makes to index rows."""

    closed: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    """The fields to change in ended passages' rows, by owner, then by place."""
    created: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    closed_names: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    created_names: list[dict[str, object]] = field(default_factory=list[dict[str, object]])

    @property
    def size(self) -> int:
        """The number of rows to change or create."""
        closed = sum(len(ended) for ended in self.closed.values())
        return closed + len(self.closed_names) + len(self.created) + len(self.created_names)

    @property
    def growth(self) -> int:
        """The number of new current passages minus the number of ended passages."""
        current = sum(cast("dict[str, object]", row["passage"])["_until"] == END for row in self.created)
        return current - sum(len(ended) for ended in self.closed.values())

    def split(self, limit: int) -> Iterator[Changes]:
        """Yield the changes in one or more parts of at most `limit` rows. Ended rows come before created rows.

        If an event ends and recreates the row of a place, the two changes may be in different parts. If the rows are
        read again between these parts, the remaining changes are the same.
        """
        closed = [
            (owner, place, fields_of_end)
            for owner, ended in self.closed.items()
            for place, fields_of_end in ended.items()
        ]
        for start in range(0, max(self.size, 1), limit):
            part, window = Changes(), _Window(start, limit)
            for owner, place, fields_of_end in window.take(closed):
                part.closed.setdefault(owner, {})[place] = fields_of_end
            part.closed_names += window.take(self.closed_names)
            part.created += window.take(self.created)
            part.created_names += window.take(self.created_names)
            yield part


@dataclass(slots=True)
class _Window:
    """A slice of several lists, which count as one concatenated list."""

    start: int
    size: int

    def take(self, rows: Sequence[T]) -> Sequence[T]:
        """Return the part of the next list, `rows`, that is inside the window."""
        begin, self.start = self.start, self.start - len(rows)
        return rows[max(begin, 0) : max(begin + self.size, 0)]
