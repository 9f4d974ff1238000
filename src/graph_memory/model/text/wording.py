"""Names and values in messages: printable, limited in length, with suggestions for misspelled names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from graph_memory.model.text.visible import QUOTES, escape_invisible

MOST_LISTED = 50
_MAX_CHARACTERS = 80
_MAX_CANDIDATES = 1_000
_PLAIN_NAME = re.compile(r"[\w.*-]{1,60}")
_CREDENTIALS = re.compile(r"//[^/@\s]*@")


def printable(value: object) -> str:
    """Return the value as printable text for a message, on one line, truncated to a maximum length."""
    text = as_text(value)
    return escape_invisible(text if len(text) <= _MAX_CHARACTERS else text[:_MAX_CHARACTERS] + "…")


def as_text(value: object) -> str:
    """Return a string unchanged, and any other value as JSON text."""
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() if value.bit_length() > 1_000:  # Python does not convert very long numbers
            return "a very large number"
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case list() | tuple():
            return f"[{', '.join(map(quote, cast('Sequence[object]', value)))}]"
        case Mapping():
            items = cast("Mapping[object, object]", value).items()
            return f"{{{', '.join(f'{quote(key)}: {quote(item)}' for key, item in items)}}}"
        case _:
            return str(value)


def quote(value: object) -> str:
    """Return a value for a message: strings in quotation marks, with inner marks replaced, and other values as JSON."""
    return f'"{printable(value).translate(QUOTES)}"' if isinstance(value, str) else printable(value)


def with_title(subject: str, title: object) -> str:
    """Return a subject for a message: `"title" (id)`, or only its id if the title is None."""
    return subject if title is None else f"{quote(title)} ({subject})"


def printable_name(name: str) -> str:
    """Return a stored name for a message: unchanged if it is a plain word, otherwise in quotation marks."""
    return name if _PLAIN_NAME.fullmatch(name) else quote(name)


def join_names(names: Sequence[str]) -> str:
    """Return stored names as `[a, b, "c d"]`. If there are more than 50, the list ends with `and N more`."""
    return join_parts([printable_name(name) for name in names])


def join_parts(names: Sequence[str]) -> str:
    """Return texts as `[a, b, c]`. If there are more than 50, the list ends with `and N more`."""
    parts = list(names[:MOST_LISTED])
    if len(names) > MOST_LISTED:
        parts.append(f"and {len(names) - MOST_LISTED} more")
    return f"[{', '.join(parts)}]"


def format_day(at: datetime) -> str:
    """Return the date of a time as text, such as `8 May 2023`."""
    return f"{at.day} {at:%B} {at.year}"


def format_last_day(end: datetime) -> str:
    """Return a period's last day as text. `end` is the period's exclusive end."""
    return format_day(end - end.resolution if end.replace(tzinfo=None) > datetime.min else end)


def kind_of(value: object) -> str:
    """Return a value's JSON kind, such as `null`, `a list` or `text`."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return f"a value of type {printable(type(value).__name__)}"


def nearest(name: str, candidates: Collection[str]) -> str | None:
    """Return the candidate most similar to the name, or None if none is similar or there are too many to compare."""
    if len(candidates) > _MAX_CANDIDATES:
        return None
    folded = {candidate.casefold(): candidate for candidate in reversed(list(candidates))}
    close = difflib.get_close_matches(name[:256].casefold(), folded, n=1)
    return folded[close[0]] if close else None


def did_you_mean(names: Sequence[str]) -> str:
    """Return `Did you mean …? ` with a space at the end, or an empty string if there are no names."""
    return "" if not names else f"Did you mean {names[0] if len(names) == 1 else f'one of {join_parts(names)}'}? "


def suggestion(name: str, candidates: Collection[str], fallback: str) -> str:
    """Return `Did you mean "x"?` with the most similar candidate, or `fallback` if no candidate is similar."""
    candidate = nearest(name, candidates)
    return fallback if candidate is None else f"Did you mean {quote(candidate)}?"


def without_credentials(text: str) -> str:
    """Return the text without the credentials in its URLs."""
    return _CREDENTIALS.sub("//", text)
