"""Vectors of queries, kept: the next page of a search and the same question again cost nothing."""

from __future__ import annotations

from collections.abc import Sequence

from graph_memory.cache import LruCache
from graph_memory.embedding.embedder import Embedder

KEPT = 500
KEPT_SECONDS = 3600.0


class CachedQueries:
    """An embedder that remembers the vectors of the queries asked lately."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._seen = LruCache[str, tuple[float, ...]](max=KEPT, ttl=KEPT_SECONDS, update_age_on_get=True)

    @property
    def model(self) -> str:
        """The model within."""
        return self._inner.model

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors."""
        return self._inner.dimensions

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts that are searched, in order. Raises EmbeddingUnavailable."""
        return await self._inner.passages(texts)

    async def query(self, text: str) -> list[float]:
        """Return the vector of a query. Raises EmbeddingUnavailable; a failure is not remembered here."""
        vector = self._seen.get(text)
        if vector is None:
            vector = tuple(await self._inner.query(text))
            self._seen.set(text, vector)
        return list(vector)

    async def aclose(self) -> None:
        """Close the embedder within."""
        await self._inner.aclose()
