"""Encloses untrusted text in prompts: JSON lines between marks that the text's authors cannot guess."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable

_SECRET = secrets.token_bytes(16)


def make_mark(content: object) -> str:
    """Return a mark that stored text cannot contain. Within a process, equal content gets the same mark."""
    return "material-" + hmac.new(_SECRET, json.dumps(content).encode(), hashlib.sha256).hexdigest()[:16]


def enclose(mark: str, items: Iterable[object]) -> str:
    """Return the items as JSON, one per line, between two lines with the mark."""
    lines = (_on_one_line(json.dumps(item, ensure_ascii=False)) for item in items)
    return "\n".join([f"<{mark}>", *lines, f"</{mark}>"])


def _on_one_line(line: str) -> str:
    """Escape characters in the JSON that some readers treat as line breaks."""
    return "".join(character if character.isprintable() else json.dumps(character)[1:-1] for character in line)
