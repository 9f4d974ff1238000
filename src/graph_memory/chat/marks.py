"""Text of strangers as a model is given it: JSON on lines of its own, between marks that they cannot know."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable

_SECRET = secrets.token_bytes(16)


def mark_of(told: object) -> str:
    """Return a mark that no stored text can have, the same for the same things in a process."""
    return "material-" + hmac.new(_SECRET, json.dumps(told).encode(), hashlib.sha256).hexdigest()[:16]


def between(mark: str, things: Iterable[object]) -> str:
    """Return things, one a line, between the lines of a mark."""
    lines = (_on_one_line(json.dumps(each, ensure_ascii=False)) for each in things)
    return "\n".join([f"<{mark}>", *lines, f"</{mark}>"])


def _on_one_line(line: str) -> str:
    """Return JSON without the characters that it lets stand, but that some readers take for the end of a line."""
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)
