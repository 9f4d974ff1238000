"""Prepares texts for a model, and normalises the model's vectors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

TEXT_BYTES = 8_000
"""Maximum number of bytes of a text sent to a model. A text has at most as many tokens as bytes, so OpenAI accepts
texts of this size. Other models read fewer tokens."""


def to_model_text(text: str) -> str:
    """Return the text cut to `TEXT_BYTES`, with `?` for lone surrogates.

    Empty text becomes a space, as OpenAI requires.
    """
    return text[:TEXT_BYTES].encode("utf-8", "replace")[:TEXT_BYTES].decode("utf-8", "ignore") or " "


def batches(sizes: Sequence[int], *, max_texts: int, capacity: int) -> Iterator[list[int]]:
    """Yield batches of texts as indexes into `sizes`, shortest texts first.

    A batch has at most `max_texts` texts and a total size of at most `capacity`, in the unit of `sizes`. Each text
    counts as the longest in its batch, because models pad all texts to that length. A text larger than `capacity` gets
    its own batch.
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
    """Return the vector scaled to length 1. Raises ValueError for zero vectors and non-finite numbers."""
    if not math.isfinite(math.hypot(*vector)):
        raise ValueError("has numbers that are not finite")
    largest = max(map(abs, vector), default=0.0)
    if largest == 0.0:
        raise ValueError("is all zeros")
    scaled = [number / largest for number in vector]  # the length of the smallest numbers has too few digits
    length = math.hypot(*scaled)
    return [number / length for number in scaled]
