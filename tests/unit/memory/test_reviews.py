"""Stored reviews: verdicts by number, as ranges."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.history.results import Verdict
from graph_memory.memory.history.reviews import text_of, verdicts_in

verdict_values: st.SearchStrategy[Verdict] = st.sampled_from(["accept", "reject", "edit"])


@given(st.dictionaries(st.integers(1, 60), verdict_values))
def test_verdicts_are_read_back_as_they_were_written(verdicts: dict[int, Verdict]) -> None:
    assert verdicts_in(text_of(verdicts)) == verdicts


def test_changes_that_were_reviewed_in_their_order_are_one_range() -> None:
    verdicts: dict[int, Verdict] = {**dict.fromkeys(range(1, 5_000), "accept"), 5_000: "reject", 5_002: "accept"}
    assert text_of(verdicts) == '[[1, 4999, "accept"], [5000, 5000, "reject"], [5002, 5002, "accept"]]'
    assert verdicts_in(None) == {}
