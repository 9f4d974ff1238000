"""Which property keys and values can be stored, when two values are the same, what a declared type accepts."""

from __future__ import annotations

import json
import math
from datetime import UTC

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.values.properties import (
    KEY_BYTES,
    NAME_CHARACTERS,
    SEPARATOR,
    VALUE_BYTES,
    PropertyType,
    check_name,
    check_properties,
    equal_values,
    key_value,
    ordered_key,
)
from tables import for_rows

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
WHOLE_FLOATS = st.integers(-(2**63), 2**63 - 1).map(float)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | WHOLE_FLOATS
VALUES = TEXT | st.booleans() | NUMBERS | st.sampled_from([0, 1, 0.0, -0.0, 1.0, "1", "true", "n:1", ""])


def refusal_of(properties: dict) -> GraphError:
    with pytest.raises(GraphError) as caught:
        check_properties(properties)
    assert caught.value.code is Code.INVALID_PROPERTY
    assert caught.value.hint
    json.dumps(caught.value.to_dict()).encode()
    caught.value.message.encode()
    return caught.value


def test_text_numbers_and_booleans_pass_unchanged():
    given_properties = {"status": "active", "priority": 1, "ratio": 0.5, "urgent": True, "empty": ""}
    checked = check_properties(given_properties)
    assert checked == given_properties
    assert [type(value) for value in checked.values()] == [str, int, float, bool, str]


@for_rows(
    "key", ["id", "type", "created", "with.dot", "with space", "`tick`", '"quote"', "ключ", "🙂", "a_b", "*", "a" * 256]
)
def test_a_key_may_hold_anything_printable(key: str):
    assert check_properties({key: 1}) == {key: 1}


@for_rows(
    ("key", "why"),
    [
        ("", "empty"),
        ("_id", "starts with"),
        ("a" * 257, "257 characters"),
        ("a\nb", "U+000A"),
        ("a\x00", "U+0000"),
        ("\x9f", "U+009F"),
        ("a\ud800", "surrogate"),
        (5, "a number, not text"),
        (None, "null, not text"),
    ],
)
def test_a_key_that_cannot_be_stored_is_named(key: object, why: str):
    error = refusal_of({key: 1})
    assert why in error.message
    assert "property" in error.details


@for_rows(
    ("value", "why"),
    [
        (None, "null"),
        ([1], "a list"),
        ({"a": 1}, "an object"),
        (math.nan, "finite"),
        (math.inf, "finite"),
        (-math.inf, "finite"),
        (2**63, "64 bits"),
        (-(2**63) - 1, "64 bits"),
        (b"bytes", "bytes"),
        ("a\udfff", "surrogate"),
        ("x" * (VALUE_BYTES + 1), "bytes"),
        ("é" * (VALUE_BYTES // 2 + 1), "bytes"),
    ],
)
def test_a_value_that_cannot_be_stored_names_its_key(value: object, why: str):
    error = refusal_of({"fine": 1, "due": value})
    assert error.details["property"] == "due"
    assert "due" in error.message
    assert why in error.message


@for_rows("value", [2**63 - 1, -(2**63), "x" * VALUE_BYTES, "\x00", "a\nb", 5e-324, 1.7e308])
def test_the_extremes_are_storable(value: object):
    assert check_properties({"key": value}) == {"key": value}


def test_a_huge_key_does_not_make_a_huge_message():
    assert len(refusal_of({"k" * 1_000_000: 1}).message) < 300


@for_rows("name", ["Project", "No", "Ein Typ", "a.b", "x" * NAME_CHARACTERS])
def test_a_type_may_be_called_almost_anything(name: str):
    assert check_name("Node type", name) == name


@for_rows("name", ["", "_Node", "*", "a\tb", "x" * 257, "\udc00", 7, None, True])
def test_a_name_that_no_type_can_have_is_named(name: object):
    with pytest.raises(GraphError) as caught:
        check_name("Node type", name)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.message.startswith("Node type name ")


@for_rows(
    ("value", "other", "same"),
    [
        (True, 1, False),
        (False, 0, False),
        (True, "true", False),
        (1, 1.0, True),
        (0.0, -0.0, True),
        (1, "1", False),
        ("a", "A", False),
        ("é", "e\u0301", False),
        (2**53, float(2**53), True),
        (2**53 + 1, float(2**53), False),
        (2**63 - 1, float(2**63), False),
        (0.1, 0.1, True),
        (1e308, int(1e308), True),
    ],
)
def test_values_are_compared_exactly_and_by_type(value, other, same: bool):
    assert equal_values(value, other) is same
    assert (key_value(value) == key_value(other)) is same


@given(VALUES, VALUES)
@example(2**53 + 1, float(2**53))
@example("h:x", "x" * 5000)
@example("x" * 5000, "x" * 5000)
def test_two_values_share_an_index_row_exactly_when_they_are_the_same(value, other):
    assert (key_value(value) == key_value(other)) is equal_values(value, other)


@given(NUMBERS)
def test_a_number_keeps_its_index_row_in_its_other_spelling(number):
    if float(number).is_integer():
        assert key_value(float(number)) == key_value(int(float(number)))


@given(VALUES | TEXT.map(lambda text: text * 3000))
def test_an_index_row_is_bounded(value):
    assert len(key_value(value).encode()) <= KEY_BYTES


@given(st.lists(NUMBERS, min_size=2, max_size=2))
@example([-0.0, 0])
@example([-1e-300, 1e308])
@example([-5, -4.5])
def test_ordered_keys_of_numbers_sort_as_the_numbers(pair):
    result, other = (float(number) for number in pair)
    keys = [ordered_key(number) + SEPARATOR for number in pair]
    assert (keys[0] < keys[1], keys[0] == keys[1]) == (result < other, result == other)


@given(TEXT, TEXT)
@example("ab", "ab\n")
def test_ordered_keys_of_text_sort_by_code_points(text: str, other: str):
    keys = [ordered_key(text) + SEPARATOR for text in (text, other)]
    if not any(key.startswith("t") or "\0" in text for key, text in zip(keys, (text, other), strict=True)):
        assert (keys[0] < keys[1]) == (text < other)


def test_ordered_keys_of_times_sort_by_the_instant_whatever_the_offset():
    times = ["0999-01-01T00:00:00Z", "2026-01-01T10:00:00+02:00", "2026-01-01t09:00:00.5Z", "2026-01-01T08:30:00-01:00"]
    assert sorted(times, key=ordered_key) == times
    assert ordered_key("0001-01-01T00:00:00+23:00").startswith("s")
    assert len({ordered_key(value)[0] for value in (True, 1, "1", times[0])}) == 4


def test_index_rows_read_plainly():
    assert [key_value(value) for value in (True, 1, 1.0, -0.0, 0.5, "1")] == [
        *("b:true", "n:1", "n:1", "n:0", "n:0.5", "s:1")
    ]
    assert key_value("é" * KEY_BYTES).startswith("h:")


@for_rows(
    ("kind", "accepted", "not_accepted"),
    [
        ("string", ["", "x", "1"], [1, True, 1.5]),
        ("integer", [0, -5, 2**63 - 1], [1.0, True, "1"]),
        ("number", [0, 1.5, -2], [True, "1"]),
        ("boolean", [True, False], [0, 1, "true"]),
        (
            "date",
            ["2025-10-15", "2024-02-29", "0001-01-01"],
            ["2025-02-29", "2025-13-01", "2025-1-1", "15.10.2025", "2025-10-15T00:00:00Z", "20251015", "", 20251015],
        ),
        (
            "datetime",
            [
                *("2025-10-31T10:00:00Z", "2025-10-31t10:00:00z", "2025-10-31T10:00:00.123456789+05:30"),
                *("2025-10-31T10:00:00-00:00", "2025-10-31T23:59:59.9-23:59"),
            ],
            [
                *("2025-10-31", "2025-10-31T10:00:00", "2025-10-31 10:00:00Z", "2025-10-31T25:00:00Z"),
                *("2025-02-30T10:00:00Z", "2025-10-31T10:00Z", "2025-10-31T10:00:00+24:00", "2025-10-31T10:00:00+0100"),
                *("２０２５-10-31T10:00:00Z", "2025-10-31T10:00:00Z\n", 1),
            ],
        ),
    ],
)
def test_a_declared_type_accepts_its_own_values_only(kind: str, accepted: list, not_accepted: list):
    declared = PropertyType(kind)
    assert [value for value in accepted if not declared.accepts(value)] == []
    assert [value for value in not_accepted if declared.accepts(value)] == []


@given(st.dates())
def test_every_day_of_the_calendar_is_a_date(day):
    assert PropertyType.DATE.accepts(day.isoformat())


@given(st.datetimes(timezones=st.just(UTC)))
def test_every_moment_in_utc_is_a_datetime(moment):
    assert PropertyType.DATETIME.accepts(moment.isoformat())


@given(st.dictionaries(TEXT, VALUES | st.none() | st.lists(st.integers()) | st.floats()))
def test_properties_pass_unchanged_or_are_refused_with_a_code(properties):
    try:
        checked = check_properties(properties)
    except GraphError as error:
        checked = error.code
    assert checked in (properties, Code.INVALID_PROPERTY)


def test_too_many_properties_and_too_much_text_in_them_are_refused():
    for properties, code in (
        ({f"p{number}": 1 for number in range(1_001)}, Code.INVALID_PROPERTY),
        ({f"p{number}": "x" * 2**20 for number in range(5)}, Code.CONTENT_TOO_LARGE),
    ):
        with pytest.raises(GraphError) as caught:
            check_properties(properties)
        assert caught.value.code is code
