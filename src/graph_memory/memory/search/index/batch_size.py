"""Chooses the batch size for indexing. It shrinks after each failure, down to one event in small transactions."""

from __future__ import annotations

from dataclasses import dataclass

ROWS = 2_000
"""Maximum number of passages and names per transaction."""
FEWEST_ROWS = 50
"""Minimum number of rows per transaction."""


@dataclass(frozen=True, slots=True)
class BatchSize:
    """The batch size for indexing: events per page, and rows per transaction."""

    events: int
    rows: int


def choose_batch_size(failures: int, *, events: int, rows: int = ROWS) -> BatchSize | None:
    """Return the batch size after `failures` consecutive failures.

    Each failure halves the number of events per page. After a single event has failed, each failure quarters the rows
    per transaction. Returns None if an event has failed even in the smallest transactions.
    """
    halvings = events.bit_length()
    if failures < halvings:
        return BatchSize(events >> failures, rows)
    reduced_rows = rows >> 2 * (failures - halvings + 1)
    return BatchSize(1, reduced_rows) if reduced_rows >= FEWEST_ROWS else None
