"""How often nodes are given to somebody, kept in memory until it is written behind the calls.

Looking is no change, so it is not in the log, and nobody waits for it. What a process that is killed has not written is
lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

MOST = 10_000
"""Nodes that are kept in memory; while there are so many, others are not counted."""


@dataclass(slots=True)
class Access:
    """How often a node was given to somebody, and when last."""

    count: int
    last: datetime


class AccessTally:
    """How often nodes were given to somebody since it was last taken, at most so many nodes; 0 keeps none."""

    def __init__(self, most: int = 0) -> None:
        self._most = most
        self._found: dict[str, dict[str, Access]] = {}
        self._size = 0

    def __len__(self) -> int:
        """Return of how many nodes it knows something."""
        return self._size

    @property
    def is_on(self) -> bool:
        """Whether anything is counted."""
        return self._most > 0

    def last(self, domain: str) -> datetime | None:
        """Return when a node of a domain was last given to somebody, of those that it knows of."""
        return max((access.last for access in self._found.get(domain, {}).values()), default=None)

    def note(self, domain: str, ids: Iterable[str]) -> None:
        """Count each node of a reply once, now."""
        now = datetime.now(UTC)
        for id_ in dict.fromkeys(ids):
            self._add(domain, id_, Access(1, now))

    def add(self, domain: str, accesses: Mapping[str, Access]) -> None:
        """Put back what was taken and could not be written."""
        for each, access in accesses.items():
            self._add(domain, each, access)

    def take(self) -> dict[str, dict[str, Access]]:
        """Return what there is, by domain and node, and begin anew."""
        found, self._found, self._size = self._found, {}, 0
        return found

    def _add(self, domain: str, subject: str, access: Access) -> None:
        known = self._found.get(domain, {}).get(subject)
        if known is not None:
            known.count += access.count
            known.last = max(known.last, access.last)
        elif self._size < self._most:
            self._found.setdefault(domain, {})[subject] = Access(access.count, access.last)
            self._size += 1
