"""How much of the log is indexed at once: less after each failure, down to one event in small transactions. Pure."""

from __future__ import annotations

from dataclasses import dataclass

ROWS = 2_000
"""Maximum number of passages and names that are written in one transaction."""
FEWEST_ROWS = 50
"""Number of rows in a transaction from which on it is not made smaller."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What is indexed at once: events of a page, and rows of a transaction."""

    events: int
    rows: int


def effort(failures: int, *, events: int, rows: int = ROWS) -> Effort | None:
    """Return how much to index after so many failures in a row; None if one event has failed in the smallest parts.

    Each failure halves the events of the page. An event that fails alone is then written in smaller transactions.
    """
    halvings = events.bit_length()
    if failures < halvings:
        return Effort(events >> failures, rows)
    smaller = rows >> 2 * (failures - halvings + 1)
    return Effort(1, smaller) if smaller >= FEWEST_ROWS else None
