"""Values that are the same, and values that only look alike."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.model.values.exact import exact_key, same_state, same_value

MOMENT = datetime(2026, 3, 1, 9, tzinfo=UTC)
SCALARS = st.text() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.datetimes(timezones=st.just(UTC))
ALIKE = st.sampled_from([0, 1, 0.0, -0.0, 1.0, True, False, "", "0", "1", "\u00e9", "e\u0301", [1], [True], ["1"]])
VALUES: st.SearchStrategy[Any] = SCALARS | ALIKE | st.lists(SCALARS, max_size=3)


def bits(value: Any) -> object:
    """A value by its bits, as a store would keep it."""
    match value:
        case bool():
            return "boolean", value
        case float():
            return "float", struct.pack(">d", value)
        case str():
            return "text", value.encode("utf-8", "surrogatepass")
        case list():
            return "list", tuple(map(bits, value))  # pyright: ignore[reportUnknownArgumentType]
        case _:
            return type(value).__name__, str(value)


@given(VALUES, VALUES)
def test_two_values_are_the_same_exactly_when_their_types_and_bits_are(first: Any, other: Any) -> None:
    assert same_value(first, other) is (bits(first) == bits(other))
    assert same_value(first, first)
    assert same_state({"p": first}, {"p": other}) is same_value(first, other)
    assert (repr(exact_key(first)) == repr(exact_key(other))) is same_value(first, other), "facts are sorted by this"


@pytest.mark.parametrize("nothing", [0, "", False])
def test_a_value_that_is_empty_is_not_one_that_is_absent(nothing: object) -> None:
    assert not same_state({"p": nothing}, {})
    assert not same_state({}, {"p": nothing})
    assert same_state({"p": nothing, "_modified": 1}, {"p": nothing}, ("_modified",))


def test_lists_are_the_same_however_they_are_kept_and_moments_in_whatever_zone() -> None:
    assert same_value(["a", "b"], ("a", "b"))
    assert same_value(MOMENT, MOMENT.astimezone(timezone(timedelta(hours=2))))
    assert not same_value(["a", "b"], ["b", "a"])
