"""What a walk is asked for, checked once: starts, filters, bounds."""

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
from graph_memory.model.text.wording import quoted
from graph_memory.model.time.points import instant
from graph_memory.model.values.arguments import check_direction, check_tags, fault
from graph_memory.model.values.properties import PropertyValue, check_properties
from graph_memory.model.values.strength import fraction
from graph_memory.storage.log.writing import utc_now

MOST_STARTS = 50
MOST_NODES = 500
DEEPEST = 10
MOST_PATHS = 20
MOST_NEIGHBORS = 1_000
FEWEST_TOKENS = 50
SEVERAL = 3
"""Paths that `k_shortest` gives unless it is told how many."""


@dataclass(frozen=True, slots=True)
class EdgeFilter:
    """What connections must be to be followed."""

    types: tuple[str, ...] = ()
    direction: Direction = "both"
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    least: float = 0.0
    valid_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """What nodes must be to be reached; the starts are there anyway."""

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])

    @property
    def takes_all(self) -> bool:
        """Whether it asks for nothing."""
        return not (self.types or self.tags or self.properties)


TAKES_ALL = NodeFilter()


@dataclass(frozen=True, slots=True)
class WalkRequest:
    """A walk. Raises INVALID_ARGUMENT."""

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
        check_integer("max_depth", self.max_depth, 0, DEEPEST)
        check_integer("max_nodes", self.max_nodes, 1, MOST_NODES)
        if self.max_tokens is not None:
            check_integer("max_tokens", self.max_tokens, FEWEST_TOKENS, None)
        if self.cross_domains and self.as_of is not None:
            hint = "Leave as_of out, or walk in each domain by itself."
            raise fault("as_of", "Links to other domains are followed as they are now", hint)
        if len(self.starts) > self.max_nodes:
            raise fault(
                "max_nodes", f"max_nodes is less than the {len(self.starts)} starts", "Give more, or fewer starts."
            )
        if self.strategy == "bidirectional" and len(self.starts) == 1:
            hint = "Give several starts; from one, use breadth_first."
            raise fault("start", "bidirectional goes from several starts towards each other", hint)


@dataclass(frozen=True, slots=True)
class PathRequest:
    """A search for paths. Raises INVALID_ARGUMENT."""

    from_id: str
    to_id: str
    mode: PathMode
    k: int
    max_depth: int
    edges: EdgeFilter
    as_of: int | str | None

    def __post_init__(self) -> None:
        check_choice("mode", self.mode, get_args(PathMode))
        check_integer("max_depth", self.max_depth, 1, DEEPEST)
        check_integer("k", self.k, 1, MOST_PATHS)
        if self.k > 1 and self.mode == "shortest":
            raise fault("k", "Mode shortest gives one path", "Use mode k_shortest for several, or leave k out.")


def starts_of(given: Sequence[str] | str) -> tuple[str, ...]:
    """Return the ids of the nodes where a walk starts. Raises INVALID_ARGUMENT."""
    results = tuple(dict.fromkeys([given] if isinstance(given, str) else check_list("start", given)))
    if not 0 < len(results) <= MOST_STARTS or not all(isinstance(one, str) and one for one in results):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
        raise fault("start", f"start is {quoted(list(results))}", f"Give 1 to {MOST_STARTS} ids of nodes.")
    return results


def edges_of(given: Mapping[str, object] | None, valid_at: datetime | str | None) -> EdgeFilter:
    """Return a filter for connections. Raises INVALID_ARGUMENT and INVALID_PROPERTY."""
    rendered = check_keys("edge_filter", given, ("types", "direction", "properties", "min_strength"))
    least = rendered.get("min_strength")
    return edge_filter(
        cast("Sequence[str] | None", rendered.get("types")),
        cast("Direction", rendered.get("direction") or "both"),
        valid_at,
        _properties("edge_filter", rendered.get("properties")),
        0.0 if least is None else fraction("min_strength", least),
    )


def edge_filter(
    types: Sequence[str] | None,
    direction: Direction,
    valid_at: datetime | str | None,
    properties: Mapping[str, PropertyValue] | None = None,
    least: float = 0.0,
) -> EdgeFilter:
    """Return a filter for connections by what it is made of. Raises INVALID_ARGUMENT."""
    check_direction(direction)
    valid = None if valid_at is None else instant("valid_at", valid_at, utc_now())
    return EdgeFilter(check_type_names("types", types or ()), direction, properties or {}, least, valid)


def nodes_of(given: Mapping[str, object] | None) -> NodeFilter:
    """Return a filter for nodes. Raises INVALID_ARGUMENT and INVALID_PROPERTY."""
    rendered = check_keys("node_filter", given, ("types", "tags", "properties"))
    return NodeFilter(
        check_type_names("types", rendered.get("types") or ()),
        check_tags(check_list("tags", rendered.get("tags") or ())),
        _properties("node_filter", rendered.get("properties")),
    )


def _properties(argument: str, given: object) -> dict[str, PropertyValue]:
    if not isinstance(given or {}, Mapping):
        raise fault(argument, f"properties is {quoted(given)}", 'Give an object, as in {"status": "open"}.')
    return check_properties(cast("Mapping[str, object]", given or {}))
