"""A cache of recently read content, with a maximum size in bytes."""

from __future__ import annotations

from collections import OrderedDict

ENTRY_BYTES = 400
"""Size of an entry in addition to its data, in bytes, so that many small entries are limited too."""


class ContentCache:
    """Content by domain and hash. The least recently used content is evicted first.

    The size of an entry is the size of the data plus `ENTRY_BYTES`. Entries larger than the capacity are not cached.
    Entries never become stale, because keys are hashes. Not thread-safe: it belongs to one event loop.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._size = 0

    def get(self, domain: str, sha256: str) -> bytes | None:
        """Return the content and mark it as most recently used, or return None."""
        data = self._entries.get((domain, sha256))
        if data is not None:
            self._entries.move_to_end((domain, sha256))
        return data

    def put(self, domain: str, sha256: str, data: bytes) -> None:
        """Add the content as most recently used, and evict other entries until the cache fits its capacity."""
        self.discard(domain, sha256)
        if _cost(data) > self._capacity:
            return
        self._entries[domain, sha256] = data
        self._size += _cost(data)
        while self._size > self._capacity:
            _, oldest = self._entries.popitem(last=False)
            self._size -= _cost(oldest)

    def discard(self, domain: str, sha256: str) -> None:
        """Remove the content, if cached."""
        data = self._entries.pop((domain, sha256), None)
        if data is not None:
            self._size -= _cost(data)


def _cost(data: bytes) -> int:
    return len(data) + ENTRY_BYTES
