"""Replaces lone surrogates in JSON. JavaScript writes them if it cuts a text inside an emoji."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<lone>u[dD][89a-fA-F]\w\w)|.)")


def well_formed(line: str) -> str:
    r"""Return the JSON with every lone surrogate, such as `\ud83d`, replaced by U+FFFD.

    The SDK would drop or reject such a line, or pass on text that cannot be stored.
    """
    if "\\ud" not in line and "\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda match: "\\ufffd" if match["lone"] else match[0], line)


def well_formed_bytes(body: bytes) -> bytes:
    """Return the JSON with lone surrogates replaced. The length and all other bytes stay the same."""
    return well_formed(body.decode("latin-1")).encode("latin-1") if b"\\u" in body else body
