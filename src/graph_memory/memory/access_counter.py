"""Counts of node accesses, kept in this process until they are written in the background.

Accesses are not changes, so they are not logged, and callers do not wait for them. If a process is killed, its
unwritten counts are lost.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime

MAX_NODES = 10_000
"""Maximum number of nodes with counted accesses in this process. Further nodes are not counted."""

_IS_COUNTING: ContextVar[bool] = ContextVar("counts_accesses", default=True)


@contextmanager
def without_counting() -> Generator[None]:
    """Do not count reads in the `with` block as accesses. Reports use this, because they read many nodes."""
    token = _IS_COUNTING.set(False)
    try:
        yield
    finally:
        _IS_COUNTING.reset(token)


@dataclass(slots=True)
class Access:
    """The number of accesses to a node, and the time of the last one."""

    count: int
    last: datetime


class AccessCounter:
    """Counts accesses since the last call of `take`, for at most `maximum` nodes. A maximum of 0 disables counting."""

    def __init__(self, maximum: int = 0) -> None:
        self._maximum = maximum
        self._accesses: dict[str, dict[str, Access]] = {}
        self._node_count = 0

    def __len__(self) -> int:
        """Return the number of counted nodes."""
        return self._node_count

    @property
    def is_on(self) -> bool:
        """Whether accesses are counted."""
        return self._maximum > 0

    def last_access(self, domain: str) -> datetime | None:
        """Return the time of the last counted access in a domain, or None."""
        return max((access.last for access in self._accesses.get(domain, {}).values()), default=None)

    def record(self, domain: str, ids: Iterable[str]) -> None:
        """Record one access to each node, at the current time. In `without_counting` blocks, records nothing."""
        if not _IS_COUNTING.get():
            return
        now = datetime.now(UTC)
        for subject_id in dict.fromkeys(ids):
            self._add_access(domain, subject_id, Access(1, now))

    def add(self, domain: str, accesses: Mapping[str, Access]) -> None:
        """Add accesses, by node id, that `take` returned but that could not be written."""
        for node_id, access in accesses.items():
            self._add_access(domain, node_id, access)

    def take(self) -> dict[str, dict[str, Access]]:
        """Return the accesses by domain and node id, and reset all counts."""
        accesses, self._accesses, self._node_count = self._accesses, {}, 0
        return accesses

    def _add_access(self, domain: str, subject: str, access: Access) -> None:
        access_before = self._accesses.get(domain, {}).get(subject)
        if access_before is not None:
            access_before.count += access.count
            access_before.last = max(access_before.last, access.last)
        elif self._node_count < self._maximum:
            self._accesses.setdefault(domain, {})[subject] = Access(access.count, access.last)
            self._node_count += 1
