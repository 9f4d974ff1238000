"""The calls of tools that skills name, with values in place of their placeholders."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

CALL = re.compile(r"`(\w+)`\s+with\s+`(\{.*?\})`", re.DOTALL)
Calls = list[tuple[str, dict[str, Any]]]


def calls_in(text: str, values: Mapping[str, str]) -> Calls:
    """Return the calls that a skill's text names, with values in place of <names>. Skips calls with other names."""
    calls: Calls = []
    for tool, arguments in CALL.findall(text):
        if set(re.findall(r"<([^<>]+)>", arguments)) <= values.keys():
            filled = re.sub(r"<([^<>]+)>", lambda match: json.dumps(values[match[1]])[1:-1], arguments)
            calls.append((tool, json.loads(filled)))
    return calls
