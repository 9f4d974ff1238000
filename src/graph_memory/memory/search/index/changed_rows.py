"""The rows that a page of the log ends and creates, split into parts for writing. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from graph_memory.memory.domains.lineage import END

T = TypeVar("T")


@dataclass(slots=True)
class Changes:
    """The row changes that a page of the log causes."""

    closed: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    """The changed fields of ended passages, by owner and place."""
    created: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    closed_names: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    created_names: list[dict[str, object]] = field(default_factory=list[dict[str, object]])

    @property
    def size(self) -> int:
        """The number of changed and created rows."""
        closed = sum(len(ended) for ended in self.closed.values())
        return closed + len(self.closed_names) + len(self.created) + len(self.created_names)

    @property
    def growth(self) -> int:
        """The change in the number of current passages."""
        current = sum(cast("dict[str, object]", row["passage"])["_until"] == END for row in self.created)
        return current - sum(len(ended) for ended in self.closed.values())

    def parts(self, limit: int) -> Iterator[Changes]:
        """Yield the changes in parts of at most `limit` rows, at least one part. Ended rows come before created rows.

        A place whose row ends and is created again by one event may be split between parts. Reading the rows between
        the parts results in the same changes.
        """
        closed = [
            (owner, place, fields_of_end)
            for owner, ended in self.closed.items()
            for place, fields_of_end in ended.items()
        ]
        for start in range(0, max(self.size, 1), limit):
            part, window = Changes(), _Window(start, limit)
            for owner, place, how in window.take(closed):
                part.closed.setdefault(owner, {})[place] = how
            part.closed_names += window.take(self.closed_names)
            part.created += window.take(self.created)
            part.created_names += window.take(self.created_names)
            yield part


@dataclass(slots=True)
class _Window:
    """A limited number of consecutive rows from several lists, starting at a position."""

    start: int
    size: int

    def take(self, rows: Sequence[T]) -> Sequence[T]:
        """Return the rows of the next list that belong to the window."""
        begin, self.start = self.start, self.start - len(rows)
        return rows[max(begin, 0) : max(begin + self.size, 0)]
