"""Replies that fit in so many tokens: first shorter passages, then fewer hits."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

from graph_memory.memory.search.results import Hit
from graph_memory.model.results import Result

LENGTHS = (400, 200, 100, 40)
"""Characters of a passage that is shown, longest first."""
_ENCODING = "o200k_base"


def tokens_of(parts: Sequence[Result]) -> int:
    """Return how many tokens parts of a reply are as JSON, by the count of newer OpenAI models; others are close."""
    return tokens_of_text(json.dumps([part.to_dict() for part in parts], ensure_ascii=False, separators=(",", ":")))


def tokens_of_text(text: str) -> int:
    """Return how many tokens a text is, counted the same way."""
    return counter()(text)


def fitted(shown: Callable[[int], Sequence[Hit]], tokens: Callable[[Sequence[Hit]], int], most: int) -> Sequence[Hit]:
    """Return hits with which a reply takes so many tokens at most; none if not even the first fits.

    `shown` gives the hits with passages of at most so many characters, and `tokens` what a reply with hits takes.
    """
    hits: Sequence[Hit] = ()
    for length in LENGTHS:
        hits = shown(length)
        if tokens(hits) <= most:
            return hits
    while hits and tokens(hits) > most:
        hits = hits[:-1]
    return hits


_MOST_AT_ONCE = 50_000
"""Maximum number of characters that are encoded at once: 200,000 bytes of UTF-8, as the limit is 200,000 tokens."""


@cache
def counter() -> Callable[[str], int]:
    """Return what counts tokens; to load it takes a second, so that waits until somebody asks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it opens its words in a way that Python will drop
        import bpe_openai

        encoding = cast("Any", bpe_openai).get_encoding(_ENCODING)  # it has no types

    def count(text: str) -> int:
        starts = range(0, len(text), _MOST_AT_ONCE)
        return sum(len(encoding.encode_ordinary(text[start : start + _MOST_AT_ONCE])) for start in starts)

    return count
