"""Validated requests for walks and paths: start nodes, filters and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast, get_args

from graph_memory.memory.search.request import check_choice, check_integer, check_keys, check_list, check_type_names
from graph_memory.memory.traversal.results import Deduplication, PathMode, ReturnMode
from graph_memory.memory.traversal.walks.walk import Expansion, Strategy
from graph_memory.memory.traversal.walks.weighting import Weighting
from graph_memory.model.results import Direction
from graph_memory.model.text.wording import quote
from graph_memory.model.time.points import parse_instant
from graph_memory.model.values.arguments import check_direction, check_tags, invalid_argument
from graph_memory.model.values.properties import PropertyValue, check_properties
from graph_memory.model.values.strength import check_fraction
from graph_memory.storage.log.writing import utc_now

MAX_STARTS = 50
MAX_NODES = 500
MAX_DEPTH = 10
MAX_PATHS = 20
MAX_NEIGHBORS = 1_000
MIN_TOKENS = 50
DEFAULT_PATHS = 3
"""Default number of paths in mode `k_shortest`."""


@dataclass(frozen=True, slots=True)
class EdgeFilter:
    """A filter for the connections that a walk follows."""

    types: tuple[str, ...] = ()
    direction: Direction = "both"
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    least: float = 0.0
    valid_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """A filter for the nodes that a walk reaches. It does not apply to start nodes."""

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])

    @property
    def takes_all(self) -> bool:
        """Whether the filter is empty."""
        return not (self.types or self.tags or self.properties)


TAKES_ALL = NodeFilter()


@dataclass(frozen=True, slots=True)
class WalkRequest:
    """A validated walk request. Raises INVALID_ARGUMENT if a field is out of range, or arguments cannot be combined."""

    starts: tuple[str, ...]
    strategy: Strategy
    max_depth: int
    max_nodes: int
    edges: EdgeFilter
    nodes: NodeFilter
    weighting: Weighting
    expansion: Expansion
    return_mode: ReturnMode
    deduplication: Deduplication
    include_metrics: bool
    as_of: int | str | None
    max_tokens: int | None
    cross_domains: bool = False

    def __post_init__(self) -> None:
        check_choice("strategy", self.strategy, get_args(Strategy))
        check_choice("expansion", self.expansion, get_args(Expansion))
        check_choice("return_mode", self.return_mode, get_args(ReturnMode))
        check_choice("deduplication", self.deduplication, get_args(Deduplication))
        check_integer("max_depth", self.max_depth, 0, MAX_DEPTH)
        check_integer("max_nodes", self.max_nodes, 1, MAX_NODES)
        if self.max_tokens is not None:
            check_integer("max_tokens", self.max_tokens, MIN_TOKENS, None)
        if self.cross_domains and self.as_of is not None:
            hint = "Omit as_of, or walk in each domain separately."
            raise invalid_argument("as_of", "Links to other domains cannot be followed in the past", hint)
        if len(self.starts) > self.max_nodes:
            raise invalid_argument(
                "max_nodes",
                f"max_nodes is less than the number of start nodes ({len(self.starts)})",
                "Increase it, or pass fewer start nodes.",
            )
        if self.strategy == "bidirectional" and len(self.starts) == 1:
            hint = "Pass several start nodes, or use breadth_first for a single one."
            raise invalid_argument("start", "bidirectional needs at least two start nodes", hint)


@dataclass(frozen=True, slots=True)
class PathRequest:
    """A validated path request.

    Raises INVALID_ARGUMENT if a field is out of range, or `k` is above 1 in mode `shortest`.
    """

    from_id: str
    to_id: str
    mode: PathMode
    k: int
    max_depth: int
    edges: EdgeFilter
    as_of: int | str | None

    def __post_init__(self) -> None:
        check_choice("mode", self.mode, get_args(PathMode))
        check_integer("max_depth", self.max_depth, 1, MAX_DEPTH)
        check_integer("k", self.k, 1, MAX_PATHS)
        if self.k > 1 and self.mode == "shortest":
            raise invalid_argument("k", "Mode shortest returns one path", "Use mode k_shortest for several, or omit k.")


def starts_of(starts: Sequence[str] | str) -> tuple[str, ...]:
    """Return the ids of a walk's start nodes.

    Raises INVALID_ARGUMENT if there are none or too many, or an id is empty.
    """
    node_ids = tuple(dict.fromkeys([starts] if isinstance(starts, str) else check_list("start", starts)))
    if not 0 < len(node_ids) <= MAX_STARTS or not all(isinstance(node_id, str) and node_id for node_id in node_ids):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise invalid_argument(
            "start", f"start cannot be {quote(list(node_ids))}", f"Pass 1 to {MAX_STARTS} ids of nodes."
        )
    return node_ids


def edges_of(arguments: Mapping[str, object] | None, valid_at: datetime | str | None) -> EdgeFilter:
    """Return a connection filter from its arguments.

    Raises INVALID_ARGUMENT or INVALID_PROPERTY if an argument is invalid.
    """
    fields = check_keys("edge_filter", arguments, ("types", "direction", "properties", "min_strength"))
    least = fields.get("min_strength")
    return edge_filter(
        cast("Sequence[str] | None", fields.get("types")),
        cast("Direction", fields.get("direction") or "both"),
        valid_at,
        _properties("edge_filter", fields.get("properties")),
        0.0 if least is None else check_fraction("min_strength", least),
    )


def edge_filter(
    types: Sequence[str] | None,
    direction: Direction,
    valid_at: datetime | str | None,
    properties: Mapping[str, PropertyValue] | None = None,
    least: float = 0.0,
) -> EdgeFilter:
    """Return a connection filter from its fields. Raises INVALID_ARGUMENT if a field is invalid."""
    check_direction(direction)
    valid = None if valid_at is None else parse_instant("valid_at", valid_at, utc_now())
    return EdgeFilter(check_type_names("types", types or ()), direction, properties or {}, least, valid)


def nodes_of(arguments: Mapping[str, object] | None) -> NodeFilter:
    """Return a node filter from its arguments.

    Raises INVALID_ARGUMENT or INVALID_PROPERTY if an argument is invalid.
    """
    fields = check_keys("node_filter", arguments, ("types", "tags", "properties"))
    return NodeFilter(
        check_type_names("types", fields.get("types") or ()),
        check_tags(check_list("tags", fields.get("tags") or ())),
        _properties("node_filter", fields.get("properties")),
    )


def _properties(argument: str, properties: object) -> dict[str, PropertyValue]:
    if not isinstance(properties or {}, Mapping):
        raise invalid_argument(
            argument, f"properties is {quote(properties)}, not an object", 'Pass an object such as {"status": "open"}.'
        )
    return check_properties(cast("Mapping[str, object]", properties or {}))
