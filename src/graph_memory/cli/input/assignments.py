"""`key=text` and `key:=json` on the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence

from graph_memory.model.arguments import fault
from graph_memory.model.wording import shown

_EXAMPLES = "Write -p status=next for text, -p priority:=1 or -p done:=true for JSON."


def assigned(given: Sequence[str] | None) -> dict[str, object] | None:
    """Return the values by key, None when none was given.

    The first `=` ends the key: with a colon before it what follows is JSON, else it is text as it stands.
    Raises INVALID_ARGUMENT for what is neither, and for a key that is given twice.
    """
    found: dict[str, object] = {}
    for one in given or ():
        key, value = _pair(one)
        if key in found:
            raise fault("property", f"{shown(key)} is given twice", "Give each property once.")
        found[key] = value
    return found or None


def _pair(given: str) -> tuple[str, object]:
    key, equals, value = given.partition("=")
    if not equals or key in ("", ":"):
        raise fault("property", f"{shown(given)} is not a property", _EXAMPLES)
    return (key[:-1], _json(given, value)) if key.endswith(":") else (key, value)


def _json(given: str, value: str) -> object:
    try:
        return json.loads(value, parse_constant=_refused)
    except ValueError as error:
        raise fault("property", f"What follows := in {shown(given)} is not JSON", _EXAMPLES) from error


def _refused(name: str) -> object:
    raise ValueError(name)
