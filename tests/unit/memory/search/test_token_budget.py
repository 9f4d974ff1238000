"""Counts of tokens."""

from __future__ import annotations

import pytest

from graph_memory.memory.search.token_budget import load_counter


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the package reads its data with a deprecated function
@pytest.mark.parametrize(
    "text", ["", "Ann drinks tea.", "naïve 漢字 🙂\n\n  x", "<|endoftext|>", "word " * 20_000, " " * 50_000]
)
def test_tokens_are_counted_as_by_the_package(text: str) -> None:
    import bpe_openai

    encoding = bpe_openai.get_encoding("o200k_base")
    assert load_counter()(text) == len(encoding.encode_ordinary(text))


def test_a_lone_surrogate_is_counted() -> None:
    assert load_counter()("a\ud800b") == load_counter()("a?b")
