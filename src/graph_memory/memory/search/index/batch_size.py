"""Chooses the batch size for indexing. It shrinks after each failure, down to one event in small transactions. Pure."""

from __future__ import annotations

from dataclasses import dataclass

ROWS = 2_000
"""Maximum number of passages and names per transaction."""
FEWEST_ROWS = 50
"""Minimum number of rows per transaction."""


@dataclass(frozen=True, slots=True)
class BatchSize:
    """Batch size for indexing: events per page and rows per transaction."""

    events: int
    rows: int


def choose_batch_size(failures: int, *, events: int, rows: int = ROWS) -> BatchSize | None:
    """Return the batch size after consecutive failures, or None if one event failed in the smallest transactions.

    Each failure halves the events of the page. An event that fails alone is then written in smaller transactions.
    """
    halvings = events.bit_length()
    if failures < halvings:
        return BatchSize(events >> failures, rows)
    smaller = rows >> 2 * (failures - halvings + 1)
    return BatchSize(1, smaller) if smaller >= FEWEST_ROWS else None
