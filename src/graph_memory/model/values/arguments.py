"""Checks of arguments that all interfaces share: domain names, ids, tags, cursors, limits."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from urllib.parse import urlsplit

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import quote

UNLIMITED = 2**53
"""The limit of a query for which no limit was given."""

AUTO = "auto"
"""The setting for the domain of the current project. No domain has that name."""

_DOMAIN = re.compile(r"(?=.{1,64}\Z)[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}")
_RESERVED_IDS = frozenset({"domain", "ontology"})
_CURSOR = "after:"
_MOST_TAGS = 100
_LONGEST = 1_000


def invalid_argument(argument: str, message: str, hint: str) -> GraphError:
    """Return the INVALID_ARGUMENT error that names an argument."""
    return GraphError(Code.INVALID_ARGUMENT, message, {"argument": argument, "hint": hint})


def check_domain(name: str, *, argument: str = "domain") -> str:
    """Check a domain name, and return it. Raises INVALID_ARGUMENT."""
    if name == AUTO:
        hint = "Use another name. Only --domain and GRAPH_MEMORY_DOMAIN accept auto, for the current project."
        raise invalid_argument(argument, "auto is reserved and cannot be a domain name", hint)
    if not is_domain(name):
        hint = (
            "Use 1 to 64 letters, digits, dots, underscores or hyphens, starting with a letter or digit. "
            "Such names may be joined by single slashes, as in experiment/new-approach."
        )
        raise invalid_argument(argument, f"{quote(name)} is not a valid domain name", hint)
    return name


def is_domain(name: str) -> bool:
    """Return whether a text is a valid domain name."""
    return _DOMAIN.fullmatch(name) is not None


def file_name_part(domain: str) -> str:
    """Return a domain's name as part of a file name. It is unique, because no domain name contains `=`."""
    return domain.replace("/", "=")


def check_new_id(argument: str, value: str) -> str:
    """Check an id that a caller chose, and return it. Raises INVALID_ARGUMENT."""
    if not _ID.fullmatch(value) or value in _RESERVED_IDS:
        hint = "Use 1 to 128 letters, digits and . _ : @ -, starting with a letter or digit; or leave it out."
        raise invalid_argument(argument, f"{quote(value)} is not a valid id", hint)
    return value


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Check tags, and return them without duplicates, in their order. Raises INVALID_ARGUMENT."""
    if isinstance(tags, str):
        raise invalid_argument("tags", f"tags is {quote(tags)}, not a list", 'For one tag, pass ["one"].')
    if len(tags) > _MOST_TAGS:
        raise invalid_argument("tags", f"{len(tags):,} tags are too many", f"Give at most {_MOST_TAGS}.")
    return tuple(dict.fromkeys(_check_text("tags", tag) for tag in tags))


def _check_text(argument: str, text: object) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST or not is_encodable(text):
        raise invalid_argument(argument, f"{quote(text)} is not a valid {argument}", f"Use 1 to {_LONGEST} characters.")
    return text


def check_limit(limit: int | None) -> int:
    """Check the maximum number of results, and return it, or `UNLIMITED` for None. Raises INVALID_ARGUMENT."""
    if limit is None:
        return UNLIMITED
    if type(limit) is not int or limit < 1:
        raise invalid_argument(
            "limit",
            f"limit is {quote(limit)}, not a whole number above 0",
            "Give 1 or more, or leave it out.",
        )
    return min(limit, UNLIMITED)


def check_integer(argument: str, value: object, least: int, most: int) -> None:
    """Raise INVALID_ARGUMENT unless the value is a whole number from `least` to `most`."""
    if type(value) is not int or not least <= value <= most:
        raise invalid_argument(
            argument, f"{argument} is {quote(value)}", f"Pass a whole number from {least} to {most:,}."
        )


def cursor_after(last_id: str) -> str:
    """Return the cursor of the page that begins after an id."""
    return _CURSOR + last_id


def check_cursor(cursor: str | None) -> str:
    """Return the id after which the page begins, or empty text for the first page. Raises INVALID_ARGUMENT."""
    if cursor is None:
        return ""
    if not cursor.startswith(_CURSOR) or not is_encodable(cursor):
        raise invalid_cursor(cursor)
    return cursor.removeprefix(_CURSOR)


def invalid_cursor(cursor: str) -> GraphError:
    """Return the error for an invalid cursor."""
    hint = Hint("Pass {next_cursor} from the previous page, or leave it out for the first page.")
    return invalid_argument("cursor", f"{quote(cursor)} is not a valid cursor", hint)


def check_direction(direction: str) -> str:
    """Check a direction, and return it. Raises INVALID_ARGUMENT."""
    if direction not in ("out", "in", "both"):
        raise invalid_argument("direction", f"{quote(direction)} is not a direction", "Use out, in or both.")
    return direction


def check_query(query: str, argument: str = "query") -> str:
    """Check a search text, and return it. Raises INVALID_ARGUMENT."""
    if not query:
        raise invalid_argument(argument, "There is no text to search for", "Give at least one character.")
    if not is_encodable(query):
        raise invalid_argument(
            argument, f"{argument} contains a lone surrogate", "Remove it, or replace it with U+FFFD."
        )
    return query


def is_encodable(text: str) -> bool:
    """Return whether the text can be stored: it has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_SHORT = {
    "from": ("from_node_id", "from_id"),
    "to": ("to_node_id", "to_id"),
    "id": ("node_id", "connection_id"),
}
"""The full names of arguments by their short names."""


def full_argument_name(name: str, allowed: Collection[str]) -> str:
    """Return the full name of the only allowed argument with this short name, or the name itself."""
    full_names = [full_name for full_name in _SHORT.get(name, ()) if full_name in allowed]
    return full_names[0] if len(full_names) == 1 and name not in allowed else name


def http_url(url: str) -> str:
    """Return the URL of a web server without a final slash. Raises ValueError for other URLs and for credentials."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None or parts.query:
        raise ValueError("must be a URL as in http://localhost:11434/v1, without a user name")
    _ = parts.port  # raises ValueError for an invalid port
    return url.rstrip("/")
