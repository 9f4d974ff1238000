"""Two states compared: values with their types, text line by line, and never more than fits."""

from __future__ import annotations

from datetime import UTC, datetime

from graph_memory.memory.history.comparison import (
    COMPARED_LINES,
    MAX_CHARACTERS,
    MAX_LINES,
    MAX_VALUE_CHARACTERS,
    MAX_VALUES,
    compare_states,
    content_change,
    reason_not_compared,
    text_diff,
)
from graph_memory.model.subjects.subjects import State, StoredValue
from tables import for_rows

MOMENT = datetime(2026, 3, 1, 9, tzinfo=UTC)
TEXT: State = {
    "_content_sha256": "a",
    "_content_size": 7,
    "_content_encoding": "utf-8",
    "_content_format": "markdown",
}


def value_changes(before: State, after: State) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    values = compare_states(before, after)
    return [rule.to_dict() for rule in values.properties], [attribute.to_dict() for attribute in values.attributes]


@for_rows(("before", "after"), [(1, 2), (1, 1.0), (True, 1), ("1", 1), ("a", "A"), (0, False), ("", 0)])
def test_values_differ_by_type_too(before: StoredValue, after: StoredValue) -> None:
    assert value_changes({"p": before}, {"p": after}) == ([{"name": "p", "before": before, "after": after}], [])
    assert value_changes({"p": before}, {"p": before}) == ([], [])


def test_a_value_that_came_or_went_has_one_side() -> None:
    assert value_changes({"old": 1}, {"new": 2}) == ([{"name": "new", "after": 2}, {"name": "old", "before": 1}], [])


def test_the_users_title_is_a_property_and_the_title_that_is_shown_an_attribute() -> None:
    properties, attributes = value_changes({"title": "A", "_title": "A"}, {"title": "B", "_title": "B"})
    assert properties == attributes == [{"name": "title", "before": "A", "after": "B"}]


@for_rows(
    ("key", "value", "name", "shown"),
    [
        ("_tags", ["a", "b"], "tags", ["a", "b"]),
        ("_path", "work", "path", "work"),
        ("_content_format", "pdf", "format", "pdf"),
        ("_valid_from", MOMENT, "valid from", "2026-03-01T09:00:00Z"),
        ("_open", True, "open", True),
    ],
)
def test_what_belongs_to_the_service_is_named_as_in_the_log(
    key: str, value: StoredValue, name: str, shown: object
) -> None:
    assert value_changes({}, {key: value}) == ([], [{"name": name, "after": shown}])


def test_times_of_writing_and_the_keys_of_content_are_no_values() -> None:
    later: State = {**TEXT, "_modified": MOMENT, "_content_sha256": "b", "_content_size": 9}
    assert value_changes(TEXT, later) == ([], [])


def test_long_values_are_cut_and_many_counted() -> None:
    [change] = compare_states({}, {"p": "x" * (MAX_VALUE_CHARACTERS + 1)}).properties
    assert (change.after, change.cut) == ("x" * (MAX_VALUE_CHARACTERS - 1) + "…", True)
    [change] = compare_states({}, {"p": "x" * MAX_VALUE_CHARACTERS}).properties
    assert (change.after, change.cut) == ("x" * MAX_VALUE_CHARACTERS, None)
    values = compare_states({}, {f"p{n}": n for n in range(MAX_VALUES + 5)})
    assert (len(values.properties), values.more) == (MAX_VALUES, 5)


def test_content_differs_by_its_hash_or_its_encoding() -> None:
    assert content_change(TEXT, TEXT) is None
    assert content_change(None, {}) is None
    assert content_change(TEXT, {**TEXT, "_content_format": "text"}) is None
    for after in ({**TEXT, "_content_sha256": "b"}, {**TEXT, "_content_encoding": "base64"}):
        change = content_change(TEXT, after)
        assert change is not None
        assert (change.before_bytes, change.after_bytes) == (7, 7)
    change = content_change(None, TEXT)
    assert change is not None
    assert change.to_dict() == {"after_bytes": 7}


def test_only_text_of_a_bounded_length_is_compared() -> None:
    assert reason_not_compared(TEXT, None) is None
    assert reason_not_compared(TEXT, {**TEXT, "_content_encoding": "base64"}) == "binary"
    assert reason_not_compared({**TEXT, "_content_size": 10**6}, TEXT) == "too long to compare"
    assert text_diff("\n" * COMPARED_LINES, "") == (None, "too long to compare")


@for_rows(
    ("before", "after", "changed"),
    [
        ("a\nb", "a\nc", [" a", "-b", "+c"]),
        ("a", "a\n", [" a", "+"]),
        ("a\r\n", "a\n", ["-a\r", "+a", " "]),
        ("a\u2028b", "a\nb", ["-a\u2028b", "+a", "+b"]),
        (None, "a", ["+a"]),
        ("a", None, ["-a"]),
    ],
)
def test_text_is_compared_line_by_line_and_line_breaks_count(
    before: str | None, after: str | None, changed: list[str]
) -> None:
    text, note = text_diff(before, after)
    assert text is not None
    assert text.split("\n")[3:] == changed
    assert note is None


def test_a_diff_is_cut_and_says_so() -> None:
    text, note = text_diff("a\n" * 500, "b\n" * 500)
    assert text is not None
    assert len(text.split("\n")) == MAX_LINES
    assert note == "cut after 200 lines or 20,000 characters"
    text, note = text_diff("a" * 30_000, "b")
    assert text is not None
    assert (len(text), note) == (MAX_CHARACTERS, "cut after 200 lines or 20,000 characters")
