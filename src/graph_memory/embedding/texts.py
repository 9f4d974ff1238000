"""Prepares texts for a model, and normalises the model's vectors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

TEXT_BYTES = 8_000
"""Maximum number of bytes of a text. It has at most as many tokens, so OpenAI accepts it. Other models read less."""


def readable(text: str) -> str:
    """Return the text without lone surrogates, cut to `TEXT_BYTES`. Never empty, because OpenAI rejects empty texts."""
    return text[:TEXT_BYTES].encode("utf-8", "replace")[:TEXT_BYTES].decode("utf-8", "ignore") or " "


def batches(sizes: Sequence[int], *, max_texts: int, capacity: int) -> Iterator[list[int]]:
    """Yield batches of text positions, shortest texts first. A model pads each text of a batch to the longest.

    A batch has at most `max_texts` texts and a total size of at most `capacity`, in the unit of `sizes`, padding
    included. A larger text gets a separate batch.
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
    """Return the vector scaled to length 1. Raises ValueError for a zero vector."""
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise ValueError("has numbers that are not finite")
    if length == 0.0:
        raise ValueError("is all zeros")
    return [number / length for number in vector]
