"""Parses properties that contain several names, such as aliases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import cast

ALIASES = ("aliases", "alias")
"""The properties that contain a subject's other names."""
_SEPARATOR = re.compile(r"[,;\n、，；]")


def name_list(names: Iterable[str]) -> str:
    """Encode names as a property that `listed_names` parses: a JSON list."""
    return json.dumps([*names], ensure_ascii=False)


def listed_names(value: object) -> Iterator[str]:
    """Yield the names in a property, or none if its value is not a string.

    The names are the strings in a JSON list, or the parts between commas, semicolons or line breaks.
    """
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
