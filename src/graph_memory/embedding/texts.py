"""The texts for a model, and the vectors from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

TEXT_BYTES = 8_000
"""Maximum number of bytes of a text. It has at most as many tokens, so OpenAI accepts it. Other models read less."""


def readable(text: str) -> str:
    """Return a text without lone surrogates, cut to `TEXT_BYTES`, and never empty: OpenAI rejects empty texts."""
    return text[:TEXT_BYTES].encode("utf-8", "replace")[:TEXT_BYTES].decode("utf-8", "ignore") or " "


def batches(sizes: Sequence[int], *, max_texts: int, capacity: int) -> Iterator[list[int]]:
    """Yield the positions of texts in batches, shortest texts first. In a batch, every text is padded to the longest.

    A batch has at most `max_texts` texts and the size `capacity`, padding included. A larger text has a batch of its
    own.
    """
    batch: list[int] = []
    for index in sorted(range(len(sizes)), key=lambda index: sizes[index]):
        if batch and (len(batch) >= max_texts or (len(batch) + 1) * sizes[index] > capacity):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def normalise(vector: Sequence[float]) -> list[float]:
    """Return the vector with the length 1. Raises ValueError for one without direction."""
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise ValueError("has numbers that are not finite")
    if length == 0.0:
        raise ValueError("is all zeros")
    return [number / length for number in vector]
