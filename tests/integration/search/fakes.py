"""An embedder that costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graph_memory import Memory
from graph_memory.embedding import Embedder


@dataclass(frozen=True)
class Fake:
    """An embedder whose vectors tell what they are of."""

    model: str = "fake/three"
    dimensions: int | None = 3

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector(text) for text in texts]

    async def query(self, text: str) -> list[float]:
        return vector(text)

    async def aclose(self) -> None:
        """Nothing is open."""


def vector(text: str) -> list[float]:
    """A vector that tells a text from others."""
    angle = sum(ord(char) * (place + 1) for place, char in enumerate(text)) % 997 / 997
    return [1.0 - angle, angle, 0.25]


def with_embedder(memory: Memory, embedder: Embedder | None) -> Memory:
    """The same memory with another embedder, or none."""
    return Memory(replace(memory._core, embedder=embedder), default_domain=memory._domain(None))
