"""Replaces lone surrogates in JSON. JavaScript writes a lone surrogate if it cuts a string within an emoji."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<lone>u[dD][89a-fA-F]\w\w)|.)")


def replace_lone_surrogates(line: str) -> str:
    r"""Return the JSON with every lone surrogate, such as `\ud83d`, replaced by U+FFFD.

    The SDK would drop or reject such a line, or pass on text that cannot be stored.
    """
    if "\\ud" not in line and "\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda match: "\\ufffd" if match["lone"] else match[0], line)


def replace_lone_surrogates_in_bytes(body: bytes) -> bytes:
    """Return the JSON with every lone surrogate replaced. Its length and all other bytes stay the same."""
    return replace_lone_surrogates(body.decode("latin-1")).encode("latin-1") if b"\\u" in body else body
