"""Argument checks for all interfaces: domain names, ids, tags, cursors and limits."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import quote

UNLIMITED = 2**53
"""The limit of a query for which the caller gives no limit."""

AUTO = "auto"
"""The value of the domain setting that selects the current project's domain. It is not a valid domain name."""

_DOMAIN = re.compile(r"(?=.{1,64}\Z)[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}")
_RESERVED_IDS = frozenset({"domain", "ontology"})
_CURSOR = "after:"
_MOST_TAGS = 100
_MAX_TAG_LENGTH = 1_000


def invalid_argument(argument: str, message: str, hint: str) -> GraphError:
    """Return an argument's INVALID_ARGUMENT error, with the argument's name in the details."""
    return GraphError(Code.INVALID_ARGUMENT, message, {"argument": argument, "hint": hint})


def check_domain(name: str, *, argument: str = "domain") -> str:
    """Check a domain name, and return it. Raises INVALID_ARGUMENT if the name is invalid."""
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


def domain_name(value: str) -> str:
    """Check a domain's name in a setting, and return it. Raises ValueError if it is invalid."""
    if value == AUTO or not is_domain(value):
        raise ValueError(
            "must be the name of a domain, not auto: 1 to 64 letters, digits, dots, underscores and hyphens"
        )
    return value


DomainName = Annotated[str, AfterValidator(domain_name)]
"""The name of a domain in a setting."""


def file_name_part(domain: str) -> str:
    """Return a domain's name with `=` instead of `/`, for a file name.

    It is unique, because domain names do not contain `=`.
    """
    return domain.replace("/", "=")


def check_new_id(argument: str, value: str) -> str:
    """Check an id chosen by a caller, and return it. Raises INVALID_ARGUMENT if it is invalid."""
    if not _ID.fullmatch(value) or value in _RESERVED_IDS:
        hint = "Use 1 to 128 letters, digits and . _ : @ -, starting with a letter or digit; or leave it out."
        raise invalid_argument(argument, f"{quote(value)} is not a valid id", hint)
    return value


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Check tags, and return them in order without duplicates.

    Raises INVALID_ARGUMENT if a tag is empty or too long, or there are too many.
    """
    if isinstance(tags, str):
        raise invalid_argument("tags", f"tags is {quote(tags)}, not a list", 'Pass a single tag as ["name"].')
    if len(tags) > _MOST_TAGS:
        raise invalid_argument("tags", f"{len(tags):,} tags are too many", f"Pass at most {_MOST_TAGS}.")
    return tuple(dict.fromkeys(_check_tag(tag) for tag in tags))


def _check_tag(tag: object) -> str:
    if not isinstance(tag, str) or not 0 < len(tag) <= _MAX_TAG_LENGTH or not is_encodable(tag):
        raise invalid_argument("tags", f"{quote(tag)} is not a valid tag", f"Use 1 to {_MAX_TAG_LENGTH} characters.")
    return tag


def check_limit(limit: int | None) -> int:
    """Check the maximum number of results, and return it. For None, return `UNLIMITED`.

    Raises INVALID_ARGUMENT if it is not a positive integer.
    """
    if limit is None:
        return UNLIMITED
    if type(limit) is not int or limit < 1:
        raise invalid_argument(
            "limit",
            f"limit is {quote(limit)}, not a whole number above 0",
            "Pass 1 or more, or leave it out.",
        )
    return min(limit, UNLIMITED)


def check_integer(argument: str, value: object, minimum: int, maximum: int) -> None:
    """Raise INVALID_ARGUMENT unless the value is an integer from `minimum` to `maximum`."""
    if type(value) is not int or not minimum <= value <= maximum:
        raise invalid_argument(
            argument, f"{argument} cannot be {quote(value)}", f"Pass a whole number from {minimum} to {maximum:,}."
        )


def cursor_after(last_id: str) -> str:
    """Return the cursor of the page that begins after an id."""
    return _CURSOR + last_id


def check_cursor(cursor: str | None) -> str:
    """Return the id after which the cursor's page begins. For None (the first page), return an empty string.

    Raises INVALID_ARGUMENT if the cursor is invalid.
    """
    if cursor is None:
        return ""
    if not cursor.startswith(_CURSOR) or not is_encodable(cursor):
        raise invalid_cursor_error(cursor)
    return cursor.removeprefix(_CURSOR)


def invalid_cursor_error(cursor: str) -> GraphError:
    """Return the error for an invalid cursor."""
    hint = Hint("Pass {next_cursor} from the previous page, or leave it out for the first page.")
    return invalid_argument("cursor", f"{quote(cursor)} is not a valid cursor", hint)


def check_direction(direction: str) -> str:
    """Check a direction of connections, and return it. Raises INVALID_ARGUMENT unless it is `out`, `in` or `both`."""
    if direction not in ("out", "in", "both"):
        raise invalid_argument("direction", f"{quote(direction)} is not a direction", "Use out, in or both.")
    return direction


def check_query(query: str, argument: str = "query") -> str:
    """Check a search text, and return it. Raises INVALID_ARGUMENT if it is empty or contains a lone surrogate."""
    if not query:
        raise invalid_argument(argument, "There is no text to search for", "Pass at least one character.")
    if not is_encodable(query):
        raise invalid_argument(
            argument, f"{argument} contains a lone surrogate", "Remove it, or replace it with U+FFFD."
        )
    return query


def is_encodable(text: str) -> bool:
    """Return whether the text can be encoded as UTF-8: it contains no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_FULL_NAMES = {
    "from": ("from_node_id", "from_id"),
    "to": ("to_node_id", "to_id"),
    "id": ("node_id", "connection_id"),
}
"""The possible full names of arguments, by short name."""


def full_argument_name(name: str, allowed: Collection[str]) -> str:
    """Return the full name for a short argument name. If no or several full names match, return the name unchanged."""
    full_names = [full_name for full_name in _FULL_NAMES.get(name, ()) if full_name in allowed]
    return full_names[0] if len(full_names) == 1 and name not in allowed else name


def http_url(url: str) -> str:
    """Return an HTTP URL without trailing slashes.

    Raises ValueError for other URLs, and for URLs with credentials or a query.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None or parts.query:
        raise ValueError("must be a URL as in http://localhost:11434/v1, without a user name")
    _ = parts.port  # raises ValueError for an invalid port
    return url.rstrip("/")
