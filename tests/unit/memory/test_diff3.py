"""Three texts merged line by line."""

from __future__ import annotations

import time
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.branches.diff3 import Chunk, MergedText, merge_texts, split_into_chunks

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d\r"]), max_size=8).map(tuple)
TEXTS = LINES.map("\n".join)


def _conflicts(merged: MergedText | None) -> list[tuple[tuple[str, ...], ...]]:
    assert merged is not None
    assert merged.text is None
    return [(chunk.base, chunk.ours, chunk.theirs) for chunk in merged.conflicts]


def _text(merged: MergedText | None) -> str | None:
    assert merged is not None
    return merged.text


@given(TEXTS, TEXTS)
def test_a_change_of_one_side_is_taken_as_it_is(base: str, changed: str) -> None:
    assert merge_texts(base, changed, base) == MergedText(changed)
    assert merge_texts(base, base, changed) == MergedText(changed)


@given(TEXTS, TEXTS)
def test_the_same_change_on_both_sides_is_made_once(base: str, changed: str) -> None:
    assert merge_texts(base, changed, changed) == MergedText(changed)


@given(LINES, LINES)
def test_the_rules_hold_without_the_shortcuts_too(base: tuple[str, ...], changed: tuple[str, ...]) -> None:
    for ours, theirs in ((changed, base), (base, changed), (changed, changed)):
        chunks = split_into_chunks(base, ours, theirs) or []
        assert tuple(line for chunk in chunks for line in chunk.merged or ()) == changed


@given(LINES, LINES, LINES)
def test_the_chunks_are_the_three_texts(base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]) -> None:
    chunks = split_into_chunks(base, ours, theirs) or []
    assert tuple(line for chunk in chunks for line in chunk.base) == base
    assert tuple(line for chunk in chunks for line in chunk.ours) == ours
    assert tuple(line for chunk in chunks for line in chunk.theirs) == theirs
    for chunk in chunks:
        assert chunk.base == base[chunk.before[0] :][: len(chunk.base)]
        assert chunk.ours == ours[chunk.before[1] :][: len(chunk.ours)]
        assert chunk.theirs == theirs[chunk.before[2] :][: len(chunk.theirs)]


@given(LINES, LINES, LINES)
def test_the_sides_can_be_swapped(base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]) -> None:
    chunks, other = split_into_chunks(base, ours, theirs) or [], split_into_chunks(base, theirs, ours) or []
    assert [chunk.merged for chunk in chunks] == [chunk.merged for chunk in other]
    assert [(chunk.ours, chunk.theirs) for chunk in chunks] == [(chunk.theirs, chunk.ours) for chunk in other]


@given(LINES, LINES, LINES)
def test_a_clean_merge_loses_and_invents_no_line(
    base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]
) -> None:
    chunks = split_into_chunks(base, ours, theirs) or []
    if any(chunk.is_conflict for chunk in chunks):
        return
    twice = Counter(line for chunk in chunks if chunk.ours == chunk.theirs for line in chunk.ours)
    twice.subtract(line for chunk in chunks if chunk.ours == chunk.theirs for line in chunk.base)
    expected = Counter(ours)
    expected.update(theirs)
    expected.subtract(base)
    expected.subtract(twice)
    assert +Counter(line for chunk in chunks for line in chunk.merged or ()) == +expected


def test_changes_at_different_places_are_both_made() -> None:
    assert _text(merge_texts("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nd\ne\n")) == "A\nb\nc\nd\ne\n"


def test_a_line_deleted_on_one_side_and_others_added_on_the_other() -> None:
    assert _text(merge_texts("a\nb\nc", "b\nc", "a\nb\nx\nc")) == "b\nx\nc"


def test_different_changes_of_one_line_are_a_conflict_with_its_place() -> None:
    merged = merge_texts("a\nb\nc", "a\nB\nc", "a\nß\nc")
    assert merged == MergedText(None, (Chunk(("b",), ("B",), ("ß",), (1, 1, 1)),))


def test_changes_of_neighbouring_lines_are_a_conflict() -> None:
    assert _conflicts(merge_texts("a\nb\nc", "A\nb\nc", "a\nB\nc")) == [(("a", "b"), ("A", "b"), ("a", "B"))]


def test_different_additions_at_one_place_are_a_conflict() -> None:
    assert _conflicts(merge_texts("a\nb", "a\n1\nb", "a\n2\nb")) == [((), ("1",), ("2",))]


def test_a_change_within_what_the_other_deleted_is_a_conflict() -> None:
    assert _conflicts(merge_texts("a\nb\nc", "a\nc", "a\nB\nc")) == [(("b",), (), ("B",))]


def test_all_conflicts_are_told_not_the_first_only() -> None:
    assert len(_conflicts(merge_texts("a\n-\nb", "1\n-\n2", "x\n-\ny"))) == 2


def test_line_breaks_stay_as_each_side_wrote_them() -> None:
    assert _text(merge_texts("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nc\r\nd")) == "A\r\nb\r\nc\r\nd"


def test_large_texts_that_are_nearly_equal_take_a_moment() -> None:
    lines = [f"line {number % 50}" for number in range(200_000)]
    ours, theirs = [*lines], [*lines]
    ours[100_000], theirs[150_000] = "ours", "theirs"
    began = time.monotonic()
    merged = _text(merge_texts("\n".join(lines), "\n".join(ours), "\n".join(theirs)))
    assert time.monotonic() - began < 5
    assert merged is not None
    assert merged.split("\n")[100_000] == "ours"
    assert merged.split("\n")[150_000] == "theirs"


def test_texts_that_would_take_minutes_are_not_compared() -> None:
    base = "\n".join(["x", *["y"] * 5_000, "x"])
    assert merge_texts(base, f"1{base}", f"{base}2") == MergedText(f"1{base}2")  # what is alike is set aside first
    assert merge_texts(base, f"1{base}2", f"3{base}4") is None
