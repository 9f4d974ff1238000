"""A cache of recently read content, with a maximum size in bytes."""

from __future__ import annotations

from collections import OrderedDict

ENTRY_BYTES = 400
"""Size in bytes added to an entry's data size, so that the number of small entries is limited too."""


class ContentCache:
    """A cache of content by domain and hash. It evicts the least recently used content first.

    An entry's size is the data's size plus `ENTRY_BYTES`. Entries larger than the capacity are not cached. Entries
    never become stale, because keys are hashes. Not thread-safe: use it in one event loop.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._size = 0

    def get(self, domain: str, sha256: str) -> bytes | None:
        """Return the content, and mark it as most recently used. Returns None if it is not cached."""
        data = self._entries.get((domain, sha256))
        if data is not None:
            self._entries.move_to_end((domain, sha256))
        return data

    def put(self, domain: str, sha256: str, data: bytes) -> None:
        """Add the content as most recently used, and evict other entries until the cache fits its capacity."""
        self.discard(domain, sha256)
        if _entry_size(data) > self._capacity:
            return
        self._entries[domain, sha256] = data
        self._size += _entry_size(data)
        while self._size > self._capacity:
            _, oldest = self._entries.popitem(last=False)
            self._size -= _entry_size(oldest)

    def discard(self, domain: str, sha256: str) -> None:
        """Remove the content from the cache, if it is in it."""
        data = self._entries.pop((domain, sha256), None)
        if data is not None:
            self._size -= _entry_size(data)


def _entry_size(data: bytes) -> int:
    return len(data) + ENTRY_BYTES
