"""Counts of node accesses, held in memory until they are written in the background.

Accesses are not changes, so they are not in the log and callers do not wait for them. If a process is killed, its
unwritten counts are lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

MAX_NODES = 10_000
"""Maximum number of nodes whose accesses are held in memory. Further nodes are not counted."""


@dataclass(slots=True)
class Access:
    """The number of accesses to a node, and the time of the last one."""

    count: int
    last: datetime


class AccessTally:
    """The accesses since the last `take`, for at most `most` nodes. If `most` is 0, nothing is counted."""

    def __init__(self, maximum: int = 0) -> None:
        self._maximum = maximum
        self._accesses: dict[str, dict[str, Access]] = {}
        self._size = 0

    def __len__(self) -> int:
        """Return the number of counted nodes."""
        return self._size

    @property
    def is_on(self) -> bool:
        """Whether accesses are counted."""
        return self._maximum > 0

    def last(self, domain: str) -> datetime | None:
        """Return the time of the last counted access in a domain, or None."""
        return max((access.last for access in self._accesses.get(domain, {}).values()), default=None)

    def note(self, domain: str, ids: Iterable[str]) -> None:
        """Record one access, at the current time, for each of the given nodes."""
        now = datetime.now(UTC)
        for subject_id in dict.fromkeys(ids):
            self._add(domain, subject_id, Access(1, now))

    def add(self, domain: str, accesses: Mapping[str, Access]) -> None:
        """Add back accesses that were taken but could not be written."""
        for node_id, access in accesses.items():
            self._add(domain, node_id, access)

    def take(self) -> dict[str, dict[str, Access]]:
        """Return the accesses by domain and node, and reset the counts."""
        accesses, self._accesses, self._size = self._accesses, {}, 0
        return accesses

    def _add(self, domain: str, subject: str, access: Access) -> None:
        access_before = self._accesses.get(domain, {}).get(subject)
        if access_before is not None:
            access_before.count += access.count
            access_before.last = max(access_before.last, access.last)
        elif self._size < self._maximum:
            self._accesses.setdefault(domain, {})[subject] = Access(access.count, access.last)
            self._size += 1
