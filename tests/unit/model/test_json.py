"""JSON that everybody reads alike, and what is said of any other."""

from __future__ import annotations

import pytest

from graph_memory.model.values.plain import NotJson, parse_json_strictly
from tables import for_rows


@for_rows(
    ("data", "rendered"),
    [
        (b"", "column 1: a value is missing"),
        (b'{"a": }', "column 7: a value is missing"),
        (b"{a: 1}", "column 2: a name in double quotes is missing"),
        (b'{"a" 1}', "column 6: a colon is missing"),
        (b'{"a": 1 "b": 2}', "column 9: a comma or the closing bracket is missing"),
        (b'{"a": "x', "column 7: a text begins here and does not end"),
        (b'{"a": "\x01"}', "column 8: a text has a control character, such as a line break, that is not escaped"),
        (b'\n{"a": "\\q"}', "line 2, column 8: a text has a backslash that escapes nothing"),
        (b'"\\u12"', "column 3: a text has a backslash that escapes nothing"),
        (b"{} {}", "column 4: more follows after the value"),
        (b"NaN", "NaN is no number of JSON"),
        (b"[-Infinity]", "-Infinity is no number of JSON"),
        (b'{"a": 1, "a": 2}', "a name appears twice in an object"),
        (b"1" * 5000, "a number has too many digits"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'"\xff"', "byte 2 is not UTF-8"),
        (b'"\\ud800"', "a text has half a character pair (\\ud800 to \\udfff)"),
        (b"[1,]", None),
        (b'{"a": 1,}', None),
    ],
)
def test_invalid_json_raises_with_our_own_message(data: bytes, rendered: str | None):
    with pytest.raises(NotJson) as raised:
        parse_json_strictly(data)
    assert rendered is None or str(raised.value) == rendered
    assert not any(word in str(raised.value) for word in ("Expecting", "codec", "char ", "sys.", "Illegal"))
