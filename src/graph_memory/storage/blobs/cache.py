"""Content that was read lately, kept in memory up to a number of bytes."""

from __future__ import annotations

from collections import OrderedDict

ENTRY_BYTES = 400
"""What one entry costs beside its data (key, hash, links), so that many tiny ones stay within the capacity too."""


class ContentCache:
    """Bytes by domain and hash; what was not used for longest goes first.

    An entry counts its data plus `ENTRY_BYTES`; one that is larger than the capacity is not kept, and a capacity of
    0 keeps nothing. What is found by its hash never grows stale. Not safe between
    threads: it belongs to one event loop.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._size = 0

    def get(self, domain: str, sha256: str) -> bytes | None:
        """Return the content, now the most recently used, or None."""
        data = self._entries.get((domain, sha256))
        if data is not None:
            self._entries.move_to_end((domain, sha256))
        return data

    def put(self, domain: str, sha256: str, data: bytes) -> None:
        """Keep the content as the most recently used, and let go of others until all fits."""
        self.discard(domain, sha256)
        if _cost(data) > self._capacity:
            return
        self._entries[domain, sha256] = data
        self._size += _cost(data)
        while self._size > self._capacity:
            _, oldest = self._entries.popitem(last=False)
            self._size -= _cost(oldest)

    def discard(self, domain: str, sha256: str) -> None:
        """Forget the content, if it is kept."""
        data = self._entries.pop((domain, sha256), None)
        if data is not None:
            self._size -= _cost(data)


def _cost(data: bytes) -> int:
    return len(data) + ENTRY_BYTES
