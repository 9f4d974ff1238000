"""What goes into a model and what must come out of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

TEXT_BYTES = 8_000
"""No text is longer for a model: it is at most as many tokens, so OpenAI takes it, and more than the others read."""


def readable(text: str) -> str:
    """Return a text without what is no Unicode, cut to `TEXT_BYTES`, and never empty: OpenAI takes no empty one."""
    return text[:TEXT_BYTES].encode("utf-8", "replace")[:TEXT_BYTES].decode("utf-8", "ignore") or " "


def batches(sizes: Sequence[int], *, most: int, capacity: int) -> Iterator[list[int]]:
    """Give the places of texts in batches, shortest first; each is filled up to the length of its longest text.

    A batch is at most `most` texts and `capacity` large, filling included; a text that alone is larger has its own.
    """
    batch: list[int] = []
    for place in sorted(range(len(sizes)), key=lambda place: sizes[place]):
        if batch and (len(batch) >= most or (len(batch) + 1) * sizes[place] > capacity):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def unit(vector: Sequence[float]) -> list[float]:
    """Return the vector with the length 1. Raises ValueError for one without direction."""
    length = math.hypot(*vector)
    if not math.isfinite(length):
        raise ValueError("has numbers that are not finite")
    if length == 0.0:
        raise ValueError("is all zeros")
    return [number / length for number in vector]
