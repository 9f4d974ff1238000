"""Caches the vectors of queries, for a search's next pages and for repeated queries."""

from __future__ import annotations

from collections.abc import Sequence

from graph_memory.cache import LruCache
from graph_memory.embedding.embedder import Embedder

CACHED_QUERIES = 500
CACHE_SECONDS = 3600.0


class CachedQueries:
    """An embedder that caches the vectors of another embedder's recent queries."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._vectors = LruCache[str, tuple[float, ...]](max=CACHED_QUERIES, ttl=CACHE_SECONDS, update_age_on_get=True)

    @property
    def model(self) -> str:
        """The name of the inner embedder's model."""
        return self._inner.model

    @property
    def dimensions(self) -> int | None:
        """The number of dimensions of the inner embedder's vectors, or None if it is not yet known."""
        return self._inner.dimensions

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of passages to index, in the order of the texts. Raises EmbeddingUnavailable."""
        return await self._inner.passages(texts)

    async def query(self, text: str) -> list[float]:
        """Return the vector of the query, from the cache if possible.

        Raises EmbeddingUnavailable, which is not cached.
        """
        vector = self._vectors.get(text)
        if vector is None:
            vector = tuple(await self._inner.query(text))
            self._vectors.set(text, vector)
        return list(vector)

    async def aclose(self) -> None:
        """Close the inner embedder."""
        await self._inner.aclose()
