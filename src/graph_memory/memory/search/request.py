"""The validated arguments of a search: mode, weights, filters, limits and cursor."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, cast, get_args

from graph_memory.memory.graph.fields import field_filter
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, microseconds
from graph_memory.memory.search.ranking.ranking import DEFAULT, EvidenceWeights
from graph_memory.memory.search.results import FILTERS, WEIGHTS, SearchMode, Syntax
from graph_memory.model.errors import Hint
from graph_memory.model.matching import Criteria, FieldFilter
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import kind_of, quote, suggestion
from graph_memory.model.time.points import parse_instant
from graph_memory.model.values.arguments import check_query, check_tags, invalid_argument, invalid_cursor_error
from graph_memory.model.values.properties import PropertyValue, check_properties
from graph_memory.model.values.strength import check_fraction
from graph_memory.storage.log.writing import utc_now

MAX_RESULTS = 100
MAX_DEPTH = 3
MIN_TOKENS = 50
_MIN_TOKENS_OF_SEARCH = 100
"""Minimum token budget of a search, to leave tokens for its warnings."""
_FIELDS = ("created_after", "created_before", "path_prefix", "namespace")
_MAX_TYPES = 100
_CURSOR = re.compile(r"search:(\d{1,16}):(\d{1,7}):(\d{1,7})")
_MAX_WEIGHT = 100.0
_MAX_EDGES = 2**53
MAX_QUERY_LENGTH = 100_000
_MIN_VECTOR_LENGTH = 1e-30
"""Minimum length of a vector. A shorter vector's direction is not reliable."""


class Cursor(NamedTuple):
    """The start of a page: the log number, the number of ranked candidates, and the number of hits to skip."""

    seq: int
    width: int
    after: int

    def __str__(self) -> str:
        return f"search:{self.seq}:{self.width}:{self.after}"


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on hits. The indexes filter by type and time. For other conditions, nodes are selected first."""

    types: tuple[str, ...] = ()
    fields: FieldFilter = field(default_factory=FieldFilter)
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    tags: tuple[str, ...] = ()
    min_edges: int | None = None
    min_strength: float | None = None
    valid_at: datetime | None = None
    includes_ended: bool = False
    """Whether ended observations are included."""
    start_bounds: tuple[int, int] | None = None
    """The first and last allowed time, in microseconds, at which a hit became valid. Hits without such a time are
    excluded."""

    @property
    def is_selective(self) -> bool:
        """Whether there are conditions that the indexes cannot filter by."""
        conditions = (self.fields.namespace, self.fields.path_prefix, self.min_edges, self.min_strength)
        return bool(self.tags or self.properties) or any(condition is not None for condition in conditions)

    @property
    def is_empty(self) -> bool:
        """Whether there are no conditions."""
        return not (self.types or self.created or self.start_bounds or self.valid_at or self.is_selective)

    @property
    def created(self) -> tuple[int, int] | None:
        """The first and last allowed creation time in microseconds, or None if both are open."""
        after, before = self.fields.created_after, self.fields.created_before
        if after is None and before is None:
            return None
        return EARLIEST if after is None else microseconds(after), LATEST if before is None else microseconds(
            before
        ) - 1

    @property
    def valid(self) -> int | None:
        """The time in microseconds at which a hit must be valid, or None."""
        return None if self.valid_at is None else microseconds(self.valid_at)

    @property
    def node_criteria(self) -> Criteria:
        """The conditions on a node's state, without type and tags."""
        return Criteria(kind=Kind.NODE, properties=self.properties, valid_at=self.valid_at, fields=self.fields)


@dataclass(frozen=True, slots=True)
class Request:
    """A validated search request. Raises INVALID_ARGUMENT if a field is out of range or the query has no words."""

    query: str
    mode: SearchMode = "hybrid"
    weights: EvidenceWeights = DEFAULT
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
            raise invalid_argument("query", "query contains no words", "Ask a question, or pass search terms.")
        if len(self.query) > MAX_QUERY_LENGTH:
            message = f"query has {len(self.query):,} characters, over the limit of {MAX_QUERY_LENGTH:,}"
            raise invalid_argument("query", message, "Pass only the words that matter.")
        check_choice("search_mode", self.mode, get_args(SearchMode))
        check_choice("syntax", self.syntax, get_args(Syntax))
        check_integer("max_results", self.max_results, 1, MAX_RESULTS)
        check_integer("traversal_depth", self.depth, 0, MAX_DEPTH)
        if self.max_tokens is not None:
            check_integer("max_tokens", self.max_tokens, _MIN_TOKENS_OF_SEARCH, None)


def weights_of(weightings: Mapping[str, float] | None) -> EvidenceWeights:
    """Convert numbers, keyed by the names of weights, to weights. The suffix `_weight` of a name is optional.

    Raises INVALID_ARGUMENT if a name is unknown or repeated, or a value is out of range.
    """
    names = {**{f"{name}_weight": name for name in WEIGHTS}, **{name: name for name in WEIGHTS}}
    weight_by_name: dict[str, float] = {}
    for key, value in check_keys("weightings", weightings, names).items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= (weight := cast("float", value)) <= _MAX_WEIGHT:
            raise invalid_argument(
                "weightings", f"{key} cannot be {quote(value)}", f"Use a number from 0 to {_MAX_WEIGHT:g}."
            )
        if names[key] in weight_by_name:
            raise invalid_argument(
                "weightings", f"weightings contains {names[key]} twice", "Pass it once, with or without _weight."
            )
        weight_by_name[names[key]] = float(weight)
    return EvidenceWeights(**weight_by_name)


def filters_of(filters_by_name: Mapping[str, object] | None, valid_at: datetime | str | None) -> Filters:
    """Convert values, keyed by the names of filters, to filters.

    Raises INVALID_ARGUMENT if a name or value is invalid, and INVALID_PROPERTY if a property is invalid.
    """
    values = {key: value for key, value in check_keys("filters", filters_by_name, FILTERS).items() if value is not None}
    for key in ("path_prefix", "namespace"):
        if not isinstance(values.get(key, ""), str):
            raise invalid_argument("filters", f"{key} is {quote(values[key])}, not a string", "Pass a string.")
    fields: dict[str, Any] = {key: values.get(key) for key in _FIELDS}
    properties = values.get("properties", {})
    if not isinstance(properties, Mapping):
        raise invalid_argument(
            "filters", f"properties is {quote(properties)}, not an object", 'Pass an object such as {"status": "open"}.'
        )
    edges, strength = values.get("min_edge_count"), values.get("min_strength")
    filters = Filters(
        types=check_type_names("node_types", values.get("node_types", ())),
        fields=field_filter(**fields, modified_after=None, modified_before=None),
        properties=check_properties(cast("Mapping[str, object]", properties)),
        tags=check_tags(check_list("tags", values.get("tags", ()))),
        min_edges=None if edges is None else check_integer("min_edge_count", edges, 0, _MAX_EDGES) or None,
        min_strength=None if strength is None else check_fraction("min_strength", strength) or None,
        valid_at=None if valid_at is None else parse_instant("valid_at", valid_at, utc_now()),
    )
    first, last = filters.created or (EARLIEST, LATEST)
    if first > last:
        message = Hint("{created_after} is not before {created_before}")
        raise invalid_argument("filters", message, "Swap them, or omit one.")
    return filters


def types_of(types: Sequence[str] | None, type_name: str | None) -> Filters:
    """Return a filter that accepts any of the types.

    Raises INVALID_ARGUMENT if there are too many types, or a type is invalid.
    """
    return Filters(
        types=check_type_names(
            "types", [*check_list("types", types or ()), *([] if type_name is None else [type_name])]
        )
    )


def vector_of(numbers: Sequence[float]) -> tuple[float, ...]:
    """Return the numbers, scaled to a vector of length 1.

    Raises INVALID_ARGUMENT if a value is not a number or is too large, or if all are zero.
    """
    hint = "Pass the numbers that the domain's model returned for a text."
    is_list = isinstance(numbers, Iterable) and not isinstance(numbers, str)  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
    if not is_list or not all(isinstance(value, int | float) for value in numbers):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_argument("vector", f"vector is {kind_of(numbers)}, not a list of numbers", hint)
    try:
        vector = tuple(float(value) for value in numbers)
    except OverflowError:
        raise invalid_argument("vector", "vector contains a number that is too large", hint) from None
    length = math.hypot(*vector)
    if not _MIN_VECTOR_LENGTH < length < math.inf:
        raise invalid_argument("vector", "vector contains only zeros", hint)
    return tuple(value / length for value in vector)


def cursor_of(text: str | None) -> Cursor | None:
    """Parse a previous page's cursor. Raises INVALID_ARGUMENT if the text is not a cursor."""
    if text is None:
        return None
    if not isinstance(text, str) or not (match := _CURSOR.fullmatch(text)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_cursor_error(text)
    return Cursor(*map(int, match.groups()))


def check_keys(
    argument: str, value: Mapping[str, object] | None, valid: Sequence[str] | Mapping[str, str]
) -> Mapping[str, object]:
    """Return the mapping, or an empty mapping for None.

    Raises INVALID_ARGUMENT if the value is not a mapping, or has an invalid key.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_argument(
            argument, f"{argument} is {quote(value)}, not an object", f"Valid keys are {', '.join(valid)}."
        )
    for key in value:
        if key not in valid:
            hint = f"{suggestion(str(key), valid, '')} Valid keys are {', '.join(valid)}.".strip()
            raise invalid_argument(argument, f"{argument} contains the unknown key {quote(str(key))}", hint)
    return value


def check_list(argument: str, value: object) -> list[str]:
    """Return the value as a list. Raises INVALID_ARGUMENT if it is not a list."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise invalid_argument(
            argument, f"{argument} is {quote(value)}, not a list", 'For a single value, pass ["value"].'
        )
    return list(cast("Sequence[str]", value))


def check_type_names(argument: str, value: object) -> tuple[str, ...]:
    """Return type names without duplicates. Raises INVALID_ARGUMENT if there are more than 100, or a name is empty."""
    names = check_list(argument, value)
    if len(names) > _MAX_TYPES or not all(isinstance(name, str) and name for name in names):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_argument(
            argument, f"{argument} cannot be {quote(names)}", f"Pass at most {_MAX_TYPES} type names."
        )
    return tuple(dict.fromkeys(names))


def check_choice(argument: str, value: object, valid: Sequence[str]) -> None:
    """Raise INVALID_ARGUMENT if a value is not one of the valid strings."""
    if value not in valid:
        hint = suggestion(str(value), valid, f"Use {', '.join(valid[:-1])} or {valid[-1]}.")
        raise invalid_argument(argument, f"{quote(value)} is not a valid {argument}", hint)


def check_integer(argument: str, value: object, minimum: int, maximum: int | None) -> int:
    """Return the value. Raises INVALID_ARGUMENT if it is not an integer from `minimum` to `maximum`."""
    bounds = f"from {minimum} to {maximum:,}" if maximum is not None else f"of at least {minimum}"
    if type(value) is not int or value < minimum or (maximum is not None and value > maximum):
        raise invalid_argument(argument, f"{argument} cannot be {quote(value)}", f"Use a whole number {bounds}.")
    return value
