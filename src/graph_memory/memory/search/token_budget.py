"""Fits text into a token budget, part by part or as a whole reply. Parts are shortened before any part is dropped."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any, TypeVar, cast

from graph_memory.model.results import Result
from graph_memory.model.values.arguments import is_encodable

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
    """Return the number of tokens in a text, with the tokenizer of recent OpenAI models."""
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
    last_stage, counts = stages - 1, range(minimum + 1, parts)
    fitting_count = minimum + bisect_right(counts, budget, key=lambda count: size(render(last_stage, count)))
    return render(last_stage, fitting_count)


@cache
def load_counter() -> Count:
    """Return the function that counts tokens. It is loaded on first use.

    Only the package's extension module is loaded, because an import of the package parses three vocabularies, which
    takes 0.6 s and 75 MB.
    """
    package = find_spec("bpe_openai")
    spec = PathFinder.find_spec("bpe_openai._bindings", package.submodule_search_locations if package else None)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(
            "The package bpe_openai is not installed, or has no extension module", name="bpe_openai"
        )
    bindings = module_from_spec(spec)
    spec.loader.exec_module(bindings)
    tokenizer = cast("Any", bindings).tokenizer_for_encoding(_ENCODING)  # the module has no types

    def count(text: str) -> int:
        return tokenizer.count(text if is_encodable(text) else text.encode(errors="replace").decode())

    return count
