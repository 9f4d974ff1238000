"""What fits in so many tokens: parts one by one, or a reply as a whole, first shorter and then with fewer parts."""

from __future__ import annotations

import json
import warnings
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

from graph_memory.model.results import Result

R = TypeVar("R")
Count = Callable[[str], int]
"""Returns how many tokens a text is."""

LENGTHS = (400, 200, 100, 40)
"""Characters of a passage that is shown, longest first."""
_ENCODING = "o200k_base"


def tokens_of(parts: Sequence[Result]) -> int:
    """Return how many tokens parts of a reply are as JSON, by the count of newer OpenAI models; others are close."""
    return tokens_of_text(json.dumps([part.to_dict() for part in parts], ensure_ascii=False, separators=(",", ":")))


def tokens_of_text(text: str) -> int:
    """Return how many tokens a text is, counted the same way."""
    return counter()(text)


@dataclass(slots=True)
class Room:
    """The tokens of a budget that are left, for parts that are counted one by one."""

    count: Count
    left: int

    def take(self, cost: int) -> bool:
        """Deduct the tokens of a part if it fits, and return whether it does."""
        if cost > self.left:
            return False
        self.left -= cost
        return True


def fit_whole(
    made: Callable[[int, int], R], stages: int, parts: int, most: int, size: Callable[[R], int], least: int = 0
) -> R:
    """Return the largest of the things that take at most so many tokens as a whole.

    `made` returns a thing at a stage of shortening, with the first of its parts: as many as its second argument says.
    Parts are left out only at the last stage. With the `least` number of parts, it may take more tokens.
    """
    for stage in range(stages):
        if size(found := made(stage, parts)) <= most:
            return found
    last, more = stages - 1, range(least + 1, parts)
    return made(last, least + bisect_right(more, most, key=lambda number: size(made(last, number))))


_MOST_AT_ONCE = 50_000
"""Maximum number of characters that are encoded at once: 200,000 bytes of UTF-8, as the limit is 200,000 tokens."""


@cache
def counter() -> Count:
    """Return what counts tokens; to load it takes a second, so that waits until somebody asks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it opens its words in a way that Python will drop
        import bpe_openai

        encoding = cast("Any", bpe_openai).get_encoding(_ENCODING)  # it has no types

    def count(text: str) -> int:
        starts = range(0, len(text), _MOST_AT_ONCE)
        return sum(len(encoding.encode_ordinary(text[start : start + _MOST_AT_ONCE])) for start in starts)

    return count
