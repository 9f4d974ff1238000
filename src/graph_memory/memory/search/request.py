"""What a search is asked for, checked once: modes, weights, filters, bounds and the cursor."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, cast, get_args

from graph_memory.memory.graph.fields import field_filter
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, microseconds
from graph_memory.memory.search.ranking.ranking import DEFAULT, Weights
from graph_memory.memory.search.results import FILTERS, WEIGHTS, SearchMode, Syntax
from graph_memory.model.errors import Hint
from graph_memory.model.matching import FieldFilter, Wanted
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import quoted, shown, suggestion
from graph_memory.model.time.points import instant
from graph_memory.model.values.arguments import check_query, check_tags, fault, not_a_cursor
from graph_memory.model.values.properties import PropertyValue, check_properties
from graph_memory.model.values.strength import fraction
from graph_memory.storage.log.writing import utc_now

MOST_RESULTS = 100
DEEPEST = 3
FEWEST_TOKENS = 50
_FEWEST_TOKENS = 100
"""A search says in so many what it has no room for."""
_FIELDS = ("created_after", "created_before", "path_prefix", "namespace")
_MOST_TYPES = 100
_CURSOR = re.compile(r"search:(\d{1,16}):(\d{1,7}):(\d{1,7})")
_MOST_WEIGHT = 100.0
_MOST_EDGES = 2**53
LONGEST_QUERY = 100_000
_SHORTEST = 1e-30
"""A vector that is shorter has no direction that could be relied on."""


class Cursor(NamedTuple):
    """Where a page begins: in the ranking of so many candidates, as of a number of the log, after so many hits."""

    seq: int
    width: int
    after: int

    def __str__(self) -> str:
        return f"search:{self.seq}:{self.width}:{self.after}"


@dataclass(frozen=True, slots=True)
class Filters:
    """What hits must be. The indexes hold types and times; the rest leads to a set of nodes first."""

    types: tuple[str, ...] = ()
    fields: FieldFilter = field(default_factory=FieldFilter)
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    tags: tuple[str, ...] = ()
    min_edges: int | None = None
    min_strength: float | None = None
    valid_at: datetime | None = None
    ended: bool = False
    """Whether observations that have ended are included."""
    began: tuple[int, int] | None = None
    """The first and the last time at which a hit began to hold; what has no such time is left out."""

    @property
    def is_selective(self) -> bool:
        """Whether it asks for more than the indexes hold."""
        requests = (self.fields.namespace, self.fields.path_prefix, self.min_edges, self.min_strength)
        return bool(self.tags or self.properties) or any(request is not None for request in requests)

    @property
    def is_free(self) -> bool:
        """Whether hits may be anything."""
        return not (self.types or self.created or self.began or self.valid_at or self.is_selective)

    @property
    def created(self) -> tuple[int, int] | None:
        """The first and the last time of creation, None where all are meant."""
        after, before = self.fields.created_after, self.fields.created_before
        if after is None and before is None:
            return None
        return EARLIEST if after is None else microseconds(after), LATEST if before is None else microseconds(
            before
        ) - 1

    @property
    def valid(self) -> int | None:
        """The time at which a hit must hold."""
        return None if self.valid_at is None else microseconds(self.valid_at)

    @property
    def wanted(self) -> Wanted:
        """What is asked of a node, by its state; its type and tags are not in it."""
        return Wanted(kind=Kind.NODE, properties=self.properties, valid_at=self.valid_at, fields=self.fields)


@dataclass(frozen=True, slots=True)
class Request:
    """A search. Raises INVALID_ARGUMENT."""

    query: str
    mode: SearchMode = "hybrid"
    weights: Weights = DEFAULT
    filters: Filters = field(default_factory=Filters)
    depth: int = 0
    scores: bool = True
    explanation: bool = False
    max_results: int = 10
    max_tokens: int | None = None
    cursor: Cursor | None = None
    as_of: int | str | None = None
    syntax: Syntax = "plain"
    vector: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.vector is None and not (isinstance(self.query, str) and check_query(self.query).strip()):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
            raise fault("query", "There are no words to search for", "Ask a question, or give some words.")
        if len(self.query) > LONGEST_QUERY:
            message = f"query has {len(self.query):,} characters, over the limit of {LONGEST_QUERY:,}"
            raise fault("query", message, "Ask with the words that matter.")
        among("search_mode", self.mode, get_args(SearchMode))
        among("syntax", self.syntax, get_args(Syntax))
        whole("max_results", self.max_results, 1, MOST_RESULTS)
        whole("traversal_depth", self.depth, 0, DEEPEST)
        if self.max_tokens is not None:
            whole("max_tokens", self.max_tokens, _FEWEST_TOKENS, None)


def weights_of(given: Mapping[str, float] | None) -> Weights:
    """Return weights by their names, long or short. Raises INVALID_ARGUMENT."""
    names = {**{f"{name}_weight": name for name in WEIGHTS}, **{name: name for name in WEIGHTS}}
    scores: dict[str, float] = {}
    for key, value in checked("weightings", given, names).items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= (number := cast("float", value)) <= _MOST_WEIGHT:
            raise fault("weightings", f"{key} is {quoted(value)}", f"Give a number from 0 to {_MOST_WEIGHT:g}.")
        if names[key] in scores:
            raise fault("weightings", f"{names[key]} is given twice", "Give it once, with or without _weight.")
        scores[names[key]] = float(number)
    return Weights(**scores)


def filters_of(given: Mapping[str, object] | None, valid_at: datetime | str | None) -> Filters:
    """Return filters by their names. Raises INVALID_ARGUMENT and INVALID_PROPERTY."""
    rendered = {key: value for key, value in checked("filters", given, FILTERS).items() if value is not None}
    for key in ("path_prefix", "namespace"):
        if not isinstance(rendered.get(key, ""), str):
            raise fault("filters", f"{key} is {quoted(rendered[key])}", "Give a text.")
    fields: dict[str, Any] = {key: rendered.get(key) for key in _FIELDS}
    properties = rendered.get("properties", {})
    if not isinstance(properties, Mapping):
        raise fault("filters", f"properties is {quoted(properties)}", 'Give an object, as in {"status": "open"}.')
    edges, strength = rendered.get("min_edge_count"), rendered.get("min_strength")
    filters = Filters(
        types=named("node_types", rendered.get("node_types", ())),
        fields=field_filter(**fields, modified_after=None, modified_before=None),
        properties=check_properties(cast("Mapping[str, object]", properties)),
        tags=check_tags(texts("tags", rendered.get("tags", ()))),
        min_edges=None if edges is None else whole("min_edge_count", edges, 0, _MOST_EDGES) or None,
        min_strength=None if strength is None else fraction("min_strength", strength) or None,
        valid_at=None if valid_at is None else instant("valid_at", valid_at, utc_now()),
    )
    first, last = filters.created or (EARLIEST, LATEST)
    if first > last:
        message = Hint("{created_after} is not before {created_before}")
        raise fault("filters", message, "Swap them, or leave one out.")
    return filters


def types_of(types: Sequence[str] | None, one: str | None) -> Filters:
    """Return the filter for types, given as several or as one. Raises INVALID_ARGUMENT."""
    return Filters(types=named("types", [*texts("types", types or ()), *([] if one is None else [one])]))


def vector_of(given: Sequence[float]) -> tuple[float, ...]:
    """Return a vector of the same direction and the length 1. Raises INVALID_ARGUMENT where it has none."""
    hint = "Give the numbers that the domain's model made of a text."
    is_list = isinstance(given, Iterable) and not isinstance(given, str)  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
    if not is_list or not all(isinstance(value, int | float) for value in given):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise fault("vector", "vector is not a list of numbers", hint)
    try:
        vector = tuple(float(value) for value in given)
    except OverflowError:
        raise fault("vector", "vector has a number that is too large", hint) from None
    length = math.hypot(*vector)
    if not _SHORTEST < length < math.inf:
        raise fault("vector", "vector has no direction", hint)
    return tuple(value / length for value in vector)


def cursor_of(given: str | None) -> Cursor | None:
    """Return the cursor that a page gave. Raises INVALID_ARGUMENT."""
    if given is None:
        return None
    if not isinstance(given, str) or not (match := _CURSOR.fullmatch(given)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise not_a_cursor(given)
    return Cursor(*map(int, match.groups()))


def checked(
    argument: str, given: Mapping[str, object] | None, valid: Sequence[str] | Mapping[str, str]
) -> Mapping[str, object]:
    """Return an object that has no other keys than those that are valid."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise fault(argument, f"{argument} is {quoted(given)}, not an object", f"Valid keys are {', '.join(valid)}.")
    for key in given:
        if key not in valid:
            hint = f"{suggestion(str(key), valid, '')} Valid keys are {', '.join(valid)}.".strip()
            raise fault(argument, f"{argument} has no {shown(key)}", hint)
    return given


def texts(argument: str, given: object) -> list[str]:
    """Return a list. Raises INVALID_ARGUMENT for what is none."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise fault(argument, f"{argument} is {quoted(given)}, not a list", 'For one, pass ["one"].')
    return list(cast("Sequence[str]", given))


def named(argument: str, given: object) -> tuple[str, ...]:
    """Return the names of types, each once. Raises INVALID_ARGUMENT."""
    names = texts(argument, given)
    if len(names) > _MOST_TYPES or not all(isinstance(name, str) and name for name in names):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise fault(argument, f"{argument} is {quoted(names)}", f"Give at most {_MOST_TYPES} names of types.")
    return tuple(dict.fromkeys(names))


def among(argument: str, given: object, valid: Sequence[str]) -> None:
    """Raise INVALID_ARGUMENT for what is none of some texts."""
    if given not in valid:
        hint = suggestion(str(given), valid, f"Use {', '.join(valid[:-1])} or {valid[-1]}.")
        raise fault(argument, f"{quoted(given)} is not a valid {argument}", hint)


def whole(argument: str, given: object, least: int, most: int | None) -> int:
    """Return a whole number between bounds. Raises INVALID_ARGUMENT."""
    bounds = f"from {least} to {most:,}" if most is not None else f"of at least {least}"
    if type(given) is not int or given < least or (most is not None and given > most):
        raise fault(argument, f"{argument} is {quoted(given)}", f"Give a whole number {bounds}.")
    return given
