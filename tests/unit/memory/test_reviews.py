"""Stored reviews: verdicts with their actors by number, as ranges."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.history.results import Verdict
from graph_memory.memory.history.reviews import Review, reviews_from_json, reviews_to_json

verdict_values: st.SearchStrategy[Verdict] = st.sampled_from(["accept", "reject", "edit"])
reviews_by_number = st.dictionaries(
    st.integers(1, 60), st.tuples(verdict_values, st.sampled_from([None, "Ada", "Ben"]))
)


@given(reviews_by_number)
def test_verdicts_are_read_back_as_they_were_written(reviews: dict[int, Review]) -> None:
    assert reviews_from_json(reviews_to_json(reviews)) == reviews


def test_changes_that_were_reviewed_in_their_order_are_one_range() -> None:
    reviews: dict[int, Review] = dict.fromkeys(range(1, 5_000), ("accept", "Ada"))
    reviews |= {5_000: ("accept", "Ben"), 5_002: ("reject", None)}
    text = '[[1, 4999, "accept", "Ada"], [5000, 5000, "accept", "Ben"], [5002, 5002, "reject"]]'
    assert reviews_to_json(reviews) == text
    assert reviews_from_json(None) == {}


def test_reviews_of_earlier_versions_have_no_actor() -> None:
    assert reviews_from_json('[[1, 2, "accept"]]') == {1: ("accept", None), 2: ("accept", None)}
