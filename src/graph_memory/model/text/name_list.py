"""Several names in one property. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

ALIASES = ("aliases", "alias")
"""The properties that hold other names of a subject."""
_BETWEEN = re.compile(r"[,;\n、，；]")


def listed_names(value: object) -> Iterator[str]:
    """Give the names in a property: a list in JSON, or text with commas."""
    if not isinstance(value, str):
        return
    if value.lstrip().startswith("["):
        try:
            given = json.loads(value)
        except (ValueError, RecursionError):
            given = None
        if isinstance(given, list):
            yield from (each for each in cast("list[object]", given) if isinstance(each, str))
            return
    yield from _BETWEEN.split(value)
