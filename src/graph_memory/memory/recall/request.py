"""The validated arguments of a recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast, get_args

from graph_memory.memory.recall.results import CONTEXT, Depth, Form
from graph_memory.memory.search.request import MAX_QUERY_LENGTH, MAX_RESULTS, MIN_TOKENS, check_choice, check_keys
from graph_memory.model.text.wording import quote
from graph_memory.model.time.points import parse_instant
from graph_memory.model.values.arguments import check_integer, check_query, check_tags, invalid_argument
from graph_memory.storage.log.writing import utc_now

TOKENS: Mapping[Depth, int] = {"shallow": 500, "medium": 2_000, "deep": 5_000}
"""Default maximum number of tokens of a reply, by depth."""
MOST_TOKENS = 100_000
MOST_FOCUS = 50


@dataclass(frozen=True, slots=True)
class Context:
    """The caller's context. Nodes that resemble it come first."""

    text: str = ""
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A validated recall request. Raises INVALID_ARGUMENT if a field is out of range, or the query has no words."""

    depth: Depth = "medium"
    query: str | None = None
    focus: tuple[str, ...] = ()
    max_tokens: int = 0
    form: Form = "prose"
    as_of: int | str | None = None
    since: int | str | None = None
    """The point since which changes are reported."""
    valid_at: datetime | None = None
    limit: int | None = None
    context: Context = field(default_factory=Context)
    reported: frozenset[str] = frozenset()
    """Ids of the nodes that the reader has already seen. They are excluded."""
    without_types: frozenset[str] = frozenset()
    """The node types that are excluded."""
    in_primer: bool = False
    """Whether the recall is part of a primer. A primer shows the last changes itself, and does not count as use."""
    waits_for_index: bool = True
    """Whether the recall waits until new texts are indexed."""
    is_asked: bool = True
    """Whether the reader asked for the recall. If not, only clearly relevant text is returned, and no summaries."""
    reserved_tokens: int = 0
    """Number of tokens that the caller adds to the reply."""
    follows_corrections: bool = False
    """Whether the reply is preceded by the users' corrections and preferences that are relevant to the query."""

    def __post_init__(self) -> None:
        check_choice("depth", self.depth, get_args(Depth))
        check_choice("as", self.form, get_args(Form))
        if self.query is not None and not (isinstance(self.query, str) and check_query(self.query).strip()):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
            raise invalid_argument("query", "query contains no words", "Ask a question, or omit query.")
        check_integer("max_tokens", self.max_tokens, MIN_TOKENS, MOST_TOKENS)
        if self.limit is not None:
            check_integer("limit", self.limit, 1, MAX_RESULTS)

    @property
    def compares(self) -> bool:
        """Whether the recall compares texts with a query or a context."""
        return self.query is not None or bool(self.context.text)

    @property
    def needs_index(self) -> bool:
        """Whether the recall reads the index. An overview only reads the log."""
        return self.depth != "shallow" or self.compares or bool(self.focus)

    @property
    def is_for_all(self) -> bool:
        """Whether the recall is about the whole memory: deep, without a query, focus or limit."""
        return self.depth == "deep" and self.query is None and not self.focus and self.limit is None


def recall_request(
    depth: Depth,
    query: str | None,
    focus: Sequence[str] | None,
    max_tokens: int | None,
    form: Form,
    as_of: int | str | None,
    valid_at: datetime | str | None,
    limit: int | None,
    context: Mapping[str, object] | None,
) -> RecallRequest:
    """Return the request with the default budget of its depth. Raises INVALID_ARGUMENT if an argument is invalid."""
    return RecallRequest(
        depth=depth,
        query=query,
        focus=_check_texts("focus", focus or (), MOST_FOCUS),
        max_tokens=TOKENS.get(depth, TOKENS["medium"]) if max_tokens is None else max_tokens,
        form=form,
        as_of=as_of,
        valid_at=None if valid_at is None else parse_instant("valid_at", valid_at, utc_now()),
        limit=limit,
        context=_context_of(context or None),
    )


def _context_of(context: Mapping[str, object] | None) -> Context:
    values = {key: value for key, value in check_keys("context", context, CONTEXT).items() if value is not None}
    texts: dict[str, str] = {}
    for key in ("text", "path", "session"):
        value = values.get(key, "")
        if not isinstance(value, str):
            raise invalid_argument(f"context.{key}", f"context.{key} cannot be {quote(value)}", "Pass a string.")
        texts[key] = _check_text(f"context.{key}", value).strip() if value.strip() else ""
    lists = {key: _check_texts(f"context.{key}", values.get(key, ()), MAX_RESULTS) for key in ("types", "tags")}
    return Context(texts["text"], lists["types"], check_tags(list(lists["tags"])), texts["path"], texts["session"])


def _check_texts(argument: str, value: object, most: int) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise invalid_argument(argument, f"{argument} is {quote(value)}, not a list", 'Pass one item as ["item"].')
    texts = cast("Sequence[object]", value)
    if len(texts) > most:
        raise invalid_argument(argument, f"{argument} has {len(texts):,} items", f"Pass at most {most}.")
    return tuple(dict.fromkeys(_check_text(argument, text) for text in texts))


def _check_text(argument: str, value: object) -> str:
    """Return the value if it is a string with text. Raises INVALID_ARGUMENT if it is blank or too long."""
    if not isinstance(value, str) or not value.strip():
        message = f"{argument} contains {quote(value)}, which is not a string or is empty"
        raise invalid_argument(argument, message, "Omit it.")
    if len(value) > MAX_QUERY_LENGTH:
        message = f"{argument} contains a string of {len(value):,} characters, over the limit of {MAX_QUERY_LENGTH:,}"
        raise invalid_argument(argument, message, "Pass only the words that matter.")
    return check_query(value, argument)
