"""Values in messages read as JSON, never as Python."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from graph_memory.model.wording import as_text, quoted, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("next", "next"),
        (None, "null"),
        (True, "true"),
        (17, "17"),
        (1.5, "1.5"),
        (["nlp", "classics"], '["nlp", "classics"]'),
        (("a", 1, None), '["a", 1, null]'),
        ({"subject": "mem_1", "take": None}, '{"subject": "mem_1", "take": null}'),
        (datetime(2026, 3, 1, 9, tzinfo=UTC), "2026-03-01T09:00:00Z"),
        (datetime(2026, 3, 1, 9, tzinfo=timezone(timedelta(hours=2))), "2026-03-01T07:00:00Z"),
        (Path("/a/b"), "/a/b"),
        (10**400, "a very large number"),
    ],
)
def test_a_value_is_text_as_json_says_it(value: object, text: str):
    assert as_text(value) == text


def test_only_text_is_quoted_and_long_values_are_cut():
    assert (quoted("a"), quoted(False), quoted(["a"])) == ('"a"', "false", '["a"]')
    assert shown(["x" * 200]).endswith("…")
