"""The input of a model is bounded, and its vectors have the length 1."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.embedding.texts import TEXT_BYTES, batches, normalise, to_model_text
from tables import for_rows


@given(st.lists(st.integers(0, 600), max_size=100), st.integers(1, 40), st.integers(1, 600))
def test_batches_hold_every_text_once_and_stay_within_their_bounds(sizes: list[int], most: int, capacity: int):
    made = list(batches(sizes, max_texts=most, capacity=capacity))
    assert sorted(place for batch in made for place in batch) == list(range(len(sizes)))
    for batch in made:
        filled = len(batch) * max(sizes[place] for place in batch)
        assert 1 <= len(batch) <= most
        assert filled <= capacity or len(batch) == 1


def test_texts_of_one_length_are_filled_together():
    assert list(batches([1, 100, 1, 100], max_texts=2, capacity=1000)) == [[0, 2], [1, 3]]


@given(st.text(st.characters(), max_size=50), st.integers(1, 2000))
def test_a_readable_text_is_short_unicode_and_not_empty(text: str, times: int):
    made = to_model_text(text * times)
    assert 1 <= len(made.encode()) <= TEXT_BYTES
    if len((text * times).encode("utf-8", "surrogatepass")) <= TEXT_BYTES and text and text.isascii():
        assert made == text * times


def test_half_a_character_is_left_out():
    assert to_model_text("🙂" * 3000) == "🙂" * 2000
    assert to_model_text("a" + "🙂" * 3000) == "a" + "🙂" * 1999
    assert to_model_text("\ud800") == "?"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_a_vector_gets_the_length_1_and_keeps_its_direction(vector: list[float]):
    if not math.isfinite(math.hypot(*vector)) or math.hypot(*vector) == 0:
        with pytest.raises(ValueError, match=r"finite|zeros"):
            normalise(vector)
        return
    made = normalise(vector)
    assert math.isclose(math.hypot(*made), 1.0, rel_tol=1e-9)
    assert all(a * b >= 0 for a, b in zip(made, vector, strict=True))


@for_rows("vector", [[], [0.0, 0.0], [-0.0], [math.nan, 1.0], [1.0, math.inf], [math.inf, math.nan]])
def test_a_vector_without_direction_is_none(vector: list[float]):
    with pytest.raises(ValueError, match=r"finite|zeros"):
        normalise(vector)
