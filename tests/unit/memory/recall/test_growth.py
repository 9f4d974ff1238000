"""How value spreads along connections: by weight, less from hubs, most to what lies between two things asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.recall.rendering.recall_input import RecallEdge
from graph_memory.memory.recall.rendering.spreading_activation import activation_share, sort_by_value, spread_activation


def ties(*pairs: tuple[str, str], weight: float = 0.45) -> list[RecallEdge]:
    return [RecallEdge(f"{a}-{b}", "T", a, b, weight) for a, b in pairs]


def test_each_step_hands_over_less_and_no_more_steps_are_taken_than_were_allowed():
    chain = ties(("a", "b"), ("b", "c"), ("c", "d"))
    values = spread_activation({"a": 1.0}, chain, {}, steps=2)
    assert list(values) == ["a", "b", "c"]
    assert values["a"] >= 1
    assert values["b"] == pytest.approx(0.4)
    assert values["c"] == pytest.approx(0.16)


def test_a_stronger_connection_hands_over_more_and_a_hub_less():
    assert activation_share(0.9, 1) > activation_share(0.45, 1) > activation_share(0.1, 1)
    assert (
        activation_share(0.45, 100_000)
        < activation_share(0.45, 100)
        < activation_share(0.45, 2)
        == activation_share(0.45, 1)
    )


def test_what_lies_between_two_things_is_worth_more_than_what_lies_beside_one():
    web = ties(("a", "between"), ("between", "b"), ("a", "beside"))
    assert sort_by_value(spread_activation({"a": 1.0, "b": 1.0}, web, {}, steps=1))[2:] == ["between", "beside"]


def test_what_is_found_and_connected_to_what_is_found_comes_before_what_is_only_found():
    assert sort_by_value(spread_activation({"a": 1.0, "b": 0.5, "c": 0.6}, ties(("a", "b")), {}, steps=1)) == [
        "a",
        "b",
        "c",
    ]


NODES = st.sampled_from("abcdefgh")


@given(
    st.dictionaries(NODES, st.floats(0.01, 1), min_size=1, max_size=12),
    st.lists(st.tuples(NODES, NODES, st.floats(0, 1)), max_size=20),
    st.integers(0, 4),
)
def test_only_what_connections_lead_to_is_reached(
    seeds: dict[str, float], pairs: list[tuple[str, str, float]], steps: int
):
    web = [RecallEdge(str(number), "T", a, b, weight) for number, (a, b, weight) in enumerate(pairs)]
    near = set(seeds)
    for _ in range(steps):
        near |= {tie.other(text) for tie in web for text in (tie.from_id, tie.to_id) if text in near}
    values = spread_activation(seeds, web, {}, steps=steps)
    assert set(seeds) <= set(values) <= near
    assert all(values[node] >= value for node, value in seeds.items())
