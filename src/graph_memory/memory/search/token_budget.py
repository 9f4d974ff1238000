"""Fits text into a token budget, part by part or as a whole reply. Parts are shortened before any part is dropped."""

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
"""Returns the number of tokens in a text."""

LENGTHS = (400, 200, 100, 40)
"""Maximum number of characters of a shown passage at each stage of shortening, longest first."""
_ENCODING = "o200k_base"


def tokens_of(parts: Sequence[Result]) -> int:
    """Return the number of tokens in the parts of a reply as JSON, with the tokenizer of recent OpenAI models."""
    return tokens_of_text(json.dumps([part.to_dict() for part in parts], ensure_ascii=False, separators=(",", ":")))


def tokens_of_text(text: str) -> int:
    """Return the number of tokens in a text, with the same tokenizer."""
    return load_counter()(text)


@dataclass(slots=True)
class RemainingTokens:
    """The remaining tokens of a budget."""

    count: Count
    left: int

    def deduct(self, cost: int) -> bool:
        """Deduct a part's tokens from the budget if they fit. Return whether they fit."""
        if cost > self.left:
            return False
        self.left -= cost
        return True


def fit_whole(
    render: Callable[[int, int], R], stages: int, parts: int, budget: int, size: Callable[[R], int], minimum: int = 0
) -> R:
    """Return the largest rendering that fits into a token budget.

    `render` takes a stage of shortening and the number of parts. Parts are dropped only at the last stage. At least
    `minimum` parts are rendered, even if they exceed the budget.
    """
    for stage in range(stages):
        if size(rendered := render(stage, parts)) <= budget:
            return rendered
    last, counts = stages - 1, range(minimum + 1, parts)
    return render(last, minimum + bisect_right(counts, budget, key=lambda count: size(render(last, count))))


_MOST_AT_ONCE = 50_000
"""Maximum number of characters encoded in one call: up to 200,000 bytes of UTF-8, below the limit of 200,000 tokens."""


@cache
def load_counter() -> Count:
    """Return the function that counts tokens. It is loaded on first use, because loading takes a second."""
    with warnings.catch_warnings():
        # the package reads its vocabulary with a deprecated function of Python
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        encoding = cast("Any", bpe_openai).get_encoding(_ENCODING)  # the package has no types

    def count(text: str) -> int:
        starts = range(0, len(text), _MOST_AT_ONCE)
        return sum(len(encoding.encode_ordinary(text[start : start + _MOST_AT_ONCE])) for start in starts)

    return count
