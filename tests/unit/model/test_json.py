"""JSON that everybody reads alike, and what is said of any other."""

from __future__ import annotations

import pytest

from graph_memory.model.values.plain import NotJson, parse_json_strictly
from tables import for_rows


@for_rows(
    ("data", "rendered"),
    [
        (b"", "a value is missing at column 1"),
        (b'{"a": }', "a value is missing at column 7"),
        (b"{a: 1}", "a name in double quotes is missing at column 2"),
        (b'{"a" 1}', "a colon is missing at column 6"),
        (b'{"a": 1 "b": 2}', "a comma or the closing bracket is missing at column 9"),
        (b'{"a": "x', "a string has no closing quote at column 7"),
        (
            b'{"a": "\x01"}',
            "a string contains a control character, such as a line break, that is not escaped at column 8",
        ),
        (b'\n{"a": "\\q"}', "a string contains a backslash that escapes nothing at line 2, column 8"),
        (b'"\\u12"', "a string contains a backslash that escapes nothing at column 3"),
        (b"{} {}", "there is more text after the value at column 4"),
        (b"NaN", "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b'{"a": 1, "a": 2}', "a name appears twice in an object"),
        (b"1" * 5000, "a number has too many digits"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'"\xff"', "byte 2 is not UTF-8"),
        (b'"\\ud800"', "a string contains half of a UTF-16 surrogate pair (\\ud800 to \\udfff)"),
        (b"[1,]", None),
        (b'{"a": 1,}', None),
    ],
)
def test_invalid_json_raises_with_our_own_message(data: bytes, rendered: str | None):
    with pytest.raises(NotJson) as raised:
        parse_json_strictly(data)
    assert rendered is None or str(raised.value) == rendered
    assert not any(word in str(raised.value) for word in ("Expecting", "codec", "char ", "sys.", "Illegal"))
