"""Values that were made lately, kept up to a number of them and for a time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """At most `max` values by key, each for `ttl` seconds; when it is full, what was not used for longest goes.

    With `update_age_on_get` a value that is read starts its `ttl` anew, otherwise the `ttl` counts from `set`. Reading
    counts as use either way. `clock` gives seconds that never go back. Not safe between threads: it belongs to one
    event loop.
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
            raise ValueError("a cache keeps at least one value, and none for less than no time")
        self._max = max
        self._ttl = ttl
        self._update_age_on_get = update_age_on_get
        self._clock = clock
        self._entries: OrderedDict[K, tuple[V, float]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value, now the most recently used, or None. One that is older than `ttl` is forgotten."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        value, since = entry
        now = self._clock()
        if now - since > self._ttl:
            del self._entries[key]
            return None
        if self._update_age_on_get:
            self._entries[key] = value, now
        self._entries.move_to_end(key)
        return value

    def set(self, key: K, value: V) -> None:
        """Keep the value as the most recently used, in place of the one that has been used least recently."""
        if key not in self._entries and len(self._entries) >= self._max:
            self._entries.popitem(last=False)
        self._entries[key] = value, self._clock()
        self._entries.move_to_end(key)

    def has(self, key: K) -> bool:
        """Say whether `get` would find a value; this is no use of it."""
        entry = self._entries.get(key)
        return entry is not None and self._clock() - entry[1] <= self._ttl

    def __len__(self) -> int:
        """Return how many values are held, those that have grown too old meanwhile included."""
        return len(self._entries)
