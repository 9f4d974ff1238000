"""What a recall is asked for, checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast, get_args

from graph_memory.memory.recall.results import CONTEXT, Depth, Form
from graph_memory.memory.search.request import MAX_QUERY_LENGTH, MAX_RESULTS, MIN_TOKENS
from graph_memory.model.text.wording import quoted, shown, suggestion
from graph_memory.model.time.points import instant
from graph_memory.model.values.arguments import check_query, check_tags, fault
from graph_memory.storage.log.writing import utc_now

TOKENS: Mapping[Depth, int] = {"shallow": 500, "medium": 2_000, "deep": 5_000}
"""How much a reply of each depth takes at most, unless it is said."""
MOST_TOKENS = 100_000
MOST_FOCUS = 50


@dataclass(frozen=True, slots=True)
class Context:
    """What the caller is about: things like it come first."""

    text: str = ""
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A recall. Raises INVALID_ARGUMENT."""

    depth: Depth = "medium"
    query: str | None = None
    focus: tuple[str, ...] = ()
    max_tokens: int = 0
    form: Form = "prose"
    as_of: int | str | None = None
    since: int | str | None = None
    """The point from which on it tells what changed."""
    valid_at: datetime | None = None
    limit: int | None = None
    context: Context = field(default_factory=Context)
    told: frozenset[str] = frozenset()
    """What the reader has been told already: it is left out."""
    in_primer: bool = False
    """Whether it is a part of a primer, which tells by itself what changed last and the last summary, and is no use."""

    waits: bool = True
    """Whether what is new is indexed first."""
    beside: int = 0
    """Tokens that the caller adds to the reply."""
    follows_lines: bool = False
    """Whether lines that fit the query come before the reply: corrections and preferences of users."""

    def __post_init__(self) -> None:
        _among("depth", self.depth, get_args(Depth))
        _among("as", self.form, get_args(Form))
        if self.query is not None and not (isinstance(self.query, str) and check_query(self.query).strip()):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
            raise fault("query", "There are no words to search for", "Ask a question, or leave it out.")
        _whole("max_tokens", self.max_tokens, MIN_TOKENS, MOST_TOKENS)
        if self.limit is not None:
            _whole("limit", self.limit, 1, MAX_RESULTS)

    @property
    def compares(self) -> bool:
        """Whether texts are compared with something that is asked, by words and by meaning."""
        return self.query is not None or bool(self.context.text)

    @property
    def needs_index(self) -> bool:
        """Whether it is told from the index: an overview is told from the log."""
        return self.depth != "shallow" or self.compares or bool(self.focus)

    @property
    def is_for_all(self) -> bool:
        """Whether it is for the whole memory, as much as fits."""
        return self.depth == "deep" and self.query is None and not self.focus and self.limit is None


def asked(
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
    """Return what is asked for, with what each depth takes by itself. Raises INVALID_ARGUMENT."""
    return RecallRequest(
        depth=depth,
        query=query,
        focus=_texts("focus", focus or (), MOST_FOCUS),
        max_tokens=TOKENS.get(depth, TOKENS["medium"]) if max_tokens is None else max_tokens,
        form=form,
        as_of=as_of,
        valid_at=None if valid_at is None else instant("valid_at", valid_at, utc_now()),
        limit=limit,
        context=_context(context or {}),
    )


def _context(given: Mapping[str, object]) -> Context:
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise fault("context", f"context is {quoted(given)}, not an object", f"Valid keys are {', '.join(CONTEXT)}.")
    for key in given:
        if key not in CONTEXT:
            hint = f"{suggestion(str(key), CONTEXT, '')} Valid keys are {', '.join(CONTEXT)}.".strip()
            raise fault("context", f"context has no {shown(key)}", hint)
    told = {key: one for key, one in given.items() if one is not None}
    texts: dict[str, str] = {}
    for key in ("text", "path", "session"):
        one = told.get(key, "")
        if not isinstance(one, str):
            raise fault(f"context.{key}", f"context.{key} is {quoted(one)}", "Give a text.")
        texts[key] = _text(f"context.{key}", one).strip() if one.strip() else ""
    lists = {key: _texts(f"context.{key}", told.get(key, ()), MAX_RESULTS) for key in ("types", "tags")}
    return Context(texts["text"], lists["types"], check_tags(list(lists["tags"])), texts["path"], texts["session"])


def _texts(argument: str, given: object, most: int) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise fault(argument, f"{argument} is {quoted(given)}, not a list", 'For one, pass ["one"].')
    texts = cast("Sequence[object]", given)
    if len(texts) > most:
        raise fault(argument, f"{argument} has {len(texts):,} texts", f"Give at most {most}.")
    return tuple(dict.fromkeys(_text(argument, each) for each in texts))


def _text(argument: str, given: object) -> str:
    """Return a text that has words. Raises INVALID_ARGUMENT."""
    if not isinstance(given, str) or not given.strip():
        raise fault(argument, f"{argument} has {quoted(given)}, which is no text", "Leave it out.")
    if len(given) > MAX_QUERY_LENGTH:
        message = f"{argument} has a text of {len(given):,} characters, over the limit of {MAX_QUERY_LENGTH:,}"
        raise fault(argument, message, "Give the words that matter.")
    return check_query(given, argument)


def _among(argument: str, given: object, valid: Sequence[str]) -> None:
    if given not in valid:
        hint = suggestion(str(given), valid, f"Use {', '.join(valid[:-1])} or {valid[-1]}.")
        raise fault(argument, f"{quoted(given)} is not a valid {argument}", hint)


def _whole(argument: str, given: object, least: int, most: int) -> None:
    if type(given) is not int or not least <= given <= most:
        raise fault(argument, f"{argument} is {quoted(given)}", f"Give a whole number from {least} to {most:,}.")
