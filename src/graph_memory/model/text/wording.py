"""How names and values from outside are shown in messages: cleaned, cut to size, with a guess at what was meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from graph_memory.model.text.visible import QUOTES, escaped

MOST_LISTED = 50
_MOST_SHOWN = 80
_MOST_COMPARED = 1_000
_PLAIN_NAME = re.compile(r"[\w.*-]{1,60}")
_CREDENTIALS = re.compile(r"//[^/@\s]*@")


def shown(value: object) -> str:
    """Return a value as it may stand in a message: printable, on one line and of bounded length."""
    text = as_text(value)
    return escaped(text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…")


def as_text(value: object) -> str:
    """Return a value as JSON would say it, and text as it is."""
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() if value.bit_length() > 1_000:  # Python refuses to write very long numbers
            return "a very large number"
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case list() | tuple():
            return f"[{', '.join(map(quoted, cast('Sequence[object]', value)))}]"
        case Mapping():
            items = cast("Mapping[object, object]", value).items()
            return f"{{{', '.join(f'{quoted(key)}: {quoted(one)}' for key, one in items)}}}"
        case _:
            return str(value)


def quoted(value: object) -> str:
    """Return a value for a message: text in quotes that nothing in it can end, booleans as JSON writes them."""
    return f'"{shown(value).translate(QUOTES)}"' if isinstance(value, str) else shown(value)


def with_title(subject: str, title: object) -> str:
    """Return an id for a message, after the title of what it stands for where that is known."""
    return subject if title is None else f"{quoted(title)} ({subject})"


def named(name: str) -> str:
    """Return a stored name for a message: as it is if it is one plain word, otherwise in quotes."""
    return name if _PLAIN_NAME.fullmatch(name) else quoted(name)


def listed(names: Sequence[str]) -> str:
    """Return stored names as `[a, b, "c d"]`, at most 50 of them and then `and N more`."""
    return listed_parts([named(name) for name in names])


def listed_parts(names: Sequence[str]) -> str:
    """Return parts of a message as `[a, b, c]`, at most 50 of them and then `and N more`."""
    parts = list(names[:MOST_LISTED])
    if len(names) > MOST_LISTED:
        parts.append(f"and {len(names) - MOST_LISTED} more")
    return f"[{', '.join(parts)}]"


def day(at: datetime) -> str:
    """Return the day of a time, as in `8 May 2023`."""
    return f"{at.day} {at:%B} {at.year}"


def last_day(end: datetime) -> str:
    """Return the last day on which a statement that ends at a time holds."""
    return day(end - end.resolution if end.replace(tzinfo=None) > datetime.min else end)


def kind_of(value: object) -> str:
    """Return what a value from JSON or YAML is, in the words of JSON, such as `null`, `a list` or `text`."""
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
            return f"a {shown(type(value).__name__)}"


def nearest(name: str, candidates: Collection[str]) -> str | None:
    """Return the candidate that was probably meant, if one is close enough."""
    if len(candidates) > _MOST_COMPARED:
        return None
    folded = {candidate.casefold(): candidate for candidate in reversed(list(candidates))}
    close = difflib.get_close_matches(name[:256].casefold(), folded, n=1)
    return folded[close[0]] if close else None


def did_you_mean(parts: Sequence[str]) -> str:
    """Return the question about what may be meant, with a space behind it; nothing for nothing."""
    return "" if not parts else f"Did you mean {parts[0] if len(parts) == 1 else f'one of {listed_parts(parts)}'}? "


def suggestion(name: str, candidates: Collection[str], otherwise: str) -> str:
    """Return `Did you mean "x"?`, or the other advice when nothing comes close."""
    found = nearest(name, candidates)
    return otherwise if found is None else f"Did you mean {quoted(found)}?"


def without_credentials(text: str) -> str:
    """Return the text with the credentials of its URLs taken out."""
    return _CREDENTIALS.sub("//", text)
