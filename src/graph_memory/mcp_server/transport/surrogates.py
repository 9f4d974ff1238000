"""Halves of character pairs in JSON. JavaScript writes these when it cuts a text inside an emoji."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<lone>u[dD][89a-fA-F]\w\w)|.)")


def well_formed(line: str) -> str:
    r"""Return JSON with U+FFFD in place of every half of a character pair that stands alone, as `\ud83d`.

    The SDK drops such a line without an answer, or refuses it, or lets the half through to where nothing can hold it.
    """
    if "\\ud" not in line and "\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda match: "\\ufffd" if match["lone"] else match[0], line)


def well_formed_bytes(body: bytes) -> bytes:
    """Return JSON of the same length, as `well_formed` does; what is not an escape stays byte for byte."""
    return well_formed(body.decode("latin-1")).encode("latin-1") if b"\\u" in body else body
