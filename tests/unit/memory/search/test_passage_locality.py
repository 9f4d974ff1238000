"""A change of a long text changes the passages around it, and no others."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.search.passages.passages import split_subject
from profiles import profile
from unit.memory.search.passage_builders import join, node, ref, sentence, sentences_of

FORMATS = st.sampled_from(["markdown", "plain"])
SEEDS = st.integers(0, 2**32)
LONG = 750
"""Sentences that make more than a hundred passages."""


def keys(text: str, content_format: str) -> Counter[tuple[str, str]]:
    return Counter(
        (piece.head, piece.text) for piece in split_subject(node(ref(content_format), title="A title"), text)
    )


def count_changed(before: Counter[tuple[str, str]], text: str, content_format: str) -> int:
    return (keys(text, content_format) - before).total()


@profile(examples=40)
@given(SEEDS, FORMATS, st.sampled_from([" ", "\n", "\n\n"]))
def test_a_sentence_on_top_changes_at_most_three_passages(seed: int, content_format: str, between: str) -> None:
    rng = random.Random(seed)
    text = join(sentences_of(rng, LONG))
    before = keys(text, content_format)
    assert before.total() >= 100
    assert count_changed(before, sentence(rng) + between + text, content_format) <= 3


@profile(examples=40)
@given(SEEDS, FORMATS)
def test_a_sentence_changed_in_the_middle_changes_at_most_four_passages(seed: int, content_format: str) -> None:
    rng = random.Random(seed)
    pairs = sentences_of(rng, LONG)
    before = keys(join(pairs), content_format)
    place = rng.randrange(1, LONG)
    edited = [*pairs[:place], (pairs[place][0], sentence(rng)), *pairs[place + 1 :]]
    assert count_changed(before, join(edited), content_format) <= 4


@profile(examples=40)
@given(SEEDS, FORMATS)
def test_a_sentence_deleted_in_the_middle_changes_at_most_four_passages(seed: int, content_format: str) -> None:
    rng = random.Random(seed)
    pairs = sentences_of(rng, LONG)
    before = keys(join(pairs), content_format)
    place = rng.choice([number for number in range(1, LONG) if "#" not in pairs[number][0]])
    kept = [*pairs[:place], *pairs[place + 1 :]]
    assert count_changed(before, join(kept), content_format) <= 4


def test_passages_that_stay_the_same_keep_their_places() -> None:
    rng = random.Random(7)
    text = join(sentences_of(rng, LONG))
    before = {piece.place: piece.text for piece in split_subject(node(), text)}
    after = {piece.place: piece.text for piece in split_subject(node(), f"One more sentence. {text}")}
    assert len(before.keys() - after.keys()) <= 3
    assert all(after[place] == before[place] for place in before.keys() & after.keys())


@pytest.mark.parametrize("in_paragraph", [1, 3, 1_000])
def test_passages_are_of_a_good_size(in_paragraph: int) -> None:
    rng = random.Random(11)
    pairs = [("\n\n" if number % in_paragraph == 0 else " ", sentence(rng)) for number in range(3_000)]
    sizes = sorted(len(piece.text.split()) for piece in split_subject(node(), join(pairs)))
    assert sizes[-1] <= 120
    assert sum(sizes) / len(sizes) >= 70
    assert sizes[len(sizes) // 20] >= 30
