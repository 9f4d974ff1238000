"""Checks of the arguments that every way in shares: domain names, ids, tags, paths, limits."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import quoted

UNLIMITED = 2**53
"""What a query is given as its limit when the caller set none."""

AUTO = "auto"
"""The setting that means the domain of the project at hand, so no domain has that name."""

_DOMAIN = re.compile(r"(?=.{1,64}\Z)[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}")
_RESERVED_IDS = frozenset({"domain", "ontology"})
_CURSOR = "after:"
_MOST_TAGS = 100
_LONGEST = 1_000


def fault(argument: str, message: str, hint: str) -> GraphError:
    """Return the INVALID_ARGUMENT error that names an argument."""
    return GraphError(Code.INVALID_ARGUMENT, message, {"argument": argument, "hint": hint})


def check_domain(name: str, *, argument: str = "domain") -> str:
    """Return a domain name. Raises INVALID_ARGUMENT."""
    if name == AUTO:
        hint = "Only the option --domain and the setting GRAPH_MEMORY_DOMAIN take it, for the project at hand."
        raise fault(argument, "auto is not the name of a domain", hint)
    if not is_domain(name):
        hint = (
            "Use 1 to 64 letters, digits, dots, underscores or hyphens, starting with a letter or digit. "
            "Such names may be joined by single slashes, as in experiment/new-approach."
        )
        raise fault(argument, f"{quoted(name)} is not a valid domain name", hint)
    return name


def is_domain(name: str) -> bool:
    """Say whether a text may be the name of a domain."""
    return _DOMAIN.fullmatch(name) is not None


def in_file_name(domain: str) -> str:
    """Return a domain's name as part of the name of a file, another for each domain: it has no `=` of its own."""
    return domain.replace("/", "=")


def check_new_id(argument: str, given: str) -> str:
    """Return an id that a caller chose. Raises INVALID_ARGUMENT."""
    if not _ID.fullmatch(given) or given in _RESERVED_IDS:
        hint = "Use 1 to 128 letters, digits and . _ : @ -, starting with a letter or digit; or leave it out."
        raise fault(argument, f"{quoted(given)} is not a valid id", hint)
    return given


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags, each once and in the order given. Raises INVALID_ARGUMENT."""
    if isinstance(tags, str):
        raise fault("tags", "tags must be a list of text", 'For one tag, pass ["one"].')
    if len(tags) > _MOST_TAGS:
        raise fault("tags", f"{len(tags):,} tags are too many", f"Give at most {_MOST_TAGS}.")
    return tuple(dict.fromkeys(_text("tags", tag) for tag in tags))


def _text(argument: str, text: object) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST or not is_encodable(text):
        raise fault(argument, f"{quoted(text)} is not a valid {argument}", f"Use 1 to {_LONGEST} characters.")
    return text


def check_limit(limit: int | None) -> int:
    """Return the number of results asked for, `UNLIMITED` when none was given. Raises INVALID_ARGUMENT."""
    if limit is None:
        return UNLIMITED
    if type(limit) is not int or limit < 1:
        raise fault(
            "limit", f"limit must be an integer of at least 1, not {quoted(limit)}", "Give 1 or more, or leave it out."
        )
    return min(limit, UNLIMITED)


def cursor_after(last_id: str) -> str:
    """Return the cursor of the page that begins after an id."""
    return _CURSOR + last_id


def check_cursor(cursor: str | None) -> str:
    """Return the id after which the page begins, empty for the first page. Raises INVALID_ARGUMENT."""
    if cursor is None:
        return ""
    if not cursor.startswith(_CURSOR) or not is_encodable(cursor):
        raise not_a_cursor(cursor)
    return cursor.removeprefix(_CURSOR)


def not_a_cursor(cursor: str) -> GraphError:
    """Return the error for a cursor that no page has given."""
    hint = Hint("Pass {next_cursor} from the previous page, or leave it out for the first page.")
    return fault("cursor", f"{quoted(cursor)} is not a valid cursor", hint)


def check_direction(direction: str) -> str:
    """Return a direction. Raises INVALID_ARGUMENT."""
    if direction not in ("out", "in", "both"):
        raise fault("direction", f"{quoted(direction)} is not a direction", "Use out, in or both.")
    return direction


def check_query(query: str, argument: str = "query") -> str:
    """Return a search string. Raises INVALID_ARGUMENT."""
    if not query:
        raise fault(argument, "There is no text to search for", "Give at least one character.")
    if not is_encodable(query):
        raise fault(argument, f"{argument} contains a lone surrogate", "Remove it, or replace it with U+FFFD.")
    return query


def is_encodable(text: str) -> bool:
    """Say whether the text is Unicode that can be stored: it has no lone surrogates."""
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
"""Arguments that a short name may stand for."""


def argument_meant(name: str, allowed: Collection[str]) -> str:
    """Return the argument that a short name stands for, if exactly one that is allowed does; else the name."""
    meant = [other for other in _SHORT.get(name, ()) if other in allowed]
    return meant[0] if len(meant) == 1 and name not in allowed else name
