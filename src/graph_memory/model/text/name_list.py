"""Several names in one property. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

ALIASES = ("aliases", "alias")
"""The properties that contain other names of a subject."""
_SEPARATOR = re.compile(r"[,;\n、，；]")


def listed_names(value: object) -> Iterator[str]:
    """Yield the names in a property: a JSON list, or text with commas."""
    if not isinstance(value, str):
        return
    if value.lstrip().startswith("["):
        try:
            names = json.loads(value)
        except (ValueError, RecursionError):
            names = None
        if isinstance(names, list):
            yield from (name for name in cast("list[object]", names) if isinstance(name, str))
            return
    yield from _SEPARATOR.split(value)
