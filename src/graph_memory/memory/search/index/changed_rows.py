"""The rows that a page of the log ends and creates, and the parts in which they are written. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

from graph_memory.memory.domains.lineage import END

T = TypeVar("T")


@dataclass(slots=True)
class Changes:
    """What a page of the log changes in the rows."""

    closed: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    """Of each owner the places of passages that end, and with what."""
    created: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    closed_names: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    created_names: list[dict[str, object]] = field(default_factory=list[dict[str, object]])

    @property
    def size(self) -> int:
        """The number of rows that are changed or created."""
        closed = sum(len(ended) for ended in self.closed.values())
        return closed + len(self.closed_names) + len(self.created) + len(self.created_names)

    @property
    def added(self) -> int:
        """How many more passages are current afterwards."""
        current = sum(cast("dict[str, object]", row["passage"])["_until"] == END for row in self.created)
        return current - sum(len(ended) for ended in self.closed.values())

    def parts(self, most: int) -> Iterator[Changes]:
        """Give the changes in parts of at most so many rows, at least one part. Rows end before others begin.

        The rows of a place that ends and begins anew with one event may be in different parts: read again in between,
        they make the same changes.
        """
        closed = [(owner, place, how) for owner, ended in self.closed.items() for place, how in ended.items()]
        for start in range(0, max(self.size, 1), most):
            part, left = Changes(), _Window(start, most)
            for owner, place, how in left.of(closed):
                part.closed.setdefault(owner, {})[place] = how
            part.closed_names += left.of(self.closed_names)
            part.created += left.of(self.created)
            part.created_names += left.of(self.created_names)
            yield part


@dataclass(slots=True)
class _Window:
    """So many rows from a place on in several lists that stand one after the other."""

    start: int
    most: int

    def of(self, rows: Sequence[T]) -> Sequence[T]:
        """Return the rows of the next list."""
        begin, self.start = self.start, self.start - len(rows)
        return rows[max(begin, 0) : max(begin + self.most, 0)]
