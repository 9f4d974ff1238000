"""A cache with a maximum number of values and a maximum age."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A cache of at most `max` values, each kept for `ttl` seconds. When full, it drops the least recently used value.

    With `update_age_on_get`, reading a value restarts its `ttl`. Otherwise `ttl` counts from `set`. Reading always
    counts as use. `clock` returns monotonic seconds. Not thread-safe: use it in one event loop.
    """

    def __init__(
        self,
        *,
        max: int,  # noqa: A002 - the name that the specification gives it
        ttl: float,
        update_age_on_get: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if max < 1 or not ttl >= 0:
            raise ValueError("max must be at least 1, and ttl at least 0")
        self._max = max
        self._ttl = ttl
        self._update_age_on_get = update_age_on_get
        self._clock = clock
        self._entries: OrderedDict[K, tuple[V, float]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value, or None if it is missing or older than `ttl`. Marks it as most recently used."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        value, stored_at = entry
        now = self._clock()
        if now - stored_at > self._ttl:
            del self._entries[key]
            return None
        if self._update_age_on_get:
            self._entries[key] = value, now
        self._entries.move_to_end(key)
        return value

    def set(self, key: K, value: V) -> None:
        """Store the value as the most recently used. When full, drop the least recently used value."""
        if key not in self._entries and len(self._entries) >= self._max:
            self._entries.popitem(last=False)
        self._entries[key] = value, self._clock()
        self._entries.move_to_end(key)

    def has(self, key: K) -> bool:
        """Return whether `get` would return a value. This does not count as use."""
        entry = self._entries.get(key)
        return entry is not None and self._clock() - entry[1] <= self._ttl

    def __len__(self) -> int:
        """Return the number of values, including expired ones."""
        return len(self._entries)
