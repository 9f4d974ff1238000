"""The results of a search: hits with explanations, and what a page omits."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graph_memory.model.results import NodeBrief, Result, ResultWithWarnings, Timestamp

SearchMode = Literal["lexical", "semantic", "hybrid"]
Syntax = Literal["plain", "lucene"]
Style = Literal["summary", "analysis", "recommendations"]
WEIGHTS = ("title", "content", "tag", "edge", "recency", "use")
"""The keys that `weightings` may have."""
FILTERS = (
    "created_after", "created_before", "tags", "min_edge_count", "node_types", "path_prefix", "namespace",
    "min_strength", "properties",
)  # fmt: skip
"""The keys that `filters` may have."""


class Part(Result):
    """A part of a score. The parts of a hit add up to its score."""

    name: str = Field(description="lexical, semantic, place, length, edges, recency, use, name or hop")
    value: float
    detail: dict[str, object] = Field(default_factory=dict, description="What it is made of")


class Statement(Result):
    """An observation with its id and text."""

    id: str
    text: str


class Superseded(Result):
    """When a statement stopped holding, and its replacement."""

    since: Timestamp = Field(description="Time since which it is no longer valid")
    replaced_by: tuple[Statement, ...] | None = Field(default=None, description="Observations that took its place")


class Hit(Result):
    """A node or connection that matches, with its best passage."""

    id: str
    domain: str | None = Field(default=None, description="Where it is, if several domains were searched")
    kind: Literal["node", "connection"]
    type: str
    title: str = Field(description="Of a connection, the titles of both ends")
    score: float | None = Field(default=None, description="Higher is better; compare only within one search")
    distance: float | None = Field(default=None, description="1 - cosine of the angle between query and passage")
    why: str = Field(description="In short, why it was found")
    passage: str | None = Field(default=None, description="Part of its text around the match; … marks cuts")
    place: str | None = Field(default=None, description="Where that is: title, tags, properties, summary, content …")
    range: tuple[int, int] | None = Field(
        default=None, description="First character of the passage in the content, and the one after its last"
    )
    created: Timestamp | None = None
    began: Timestamp | None = Field(default=None, description="Time at which it happened or became valid, if known")
    modified: Timestamp | None = Field(default=None, description="Its last change; absent if none")
    age_days: int | None = Field(default=None, description="Whole days since it was last changed")
    contradicted_by: tuple[NodeBrief, ...] | None = Field(
        default=None, description="Nodes that contradict it: check which of them is right"
    )
    over: Superseded | None = Field(
        default=None, description="Set if the fact in the passage, or the node or connection, is no longer valid"
    )
    explanation: tuple[Part, ...] | None = Field(default=None, description="The parts of the score; they add up to it")


class SearchResult(ResultWithWarnings):
    """The hits of a search, best first."""

    hits: tuple[Hit, ...]
    mode: SearchMode = Field(description="How it was searched: lexical where vectors could not be had")
    found: int = Field(description="Total number of nodes and connections in the ranking")
    domains: tuple[str, ...] | None = Field(default=None, description="The domains that were searched, if several")
    not_covered: int | None = Field(
        default=None, description="Changes that are not indexed, so not searched: the latest, and such as warnings name"
    )
    without_vectors: int | None = Field(
        default=None, description="Passages that have no vectors yet, so are found by words alone"
    )
    left_out: int | None = Field(
        default=None,
        description="Hits of this page, and nodes that follow, for which max_tokens left no room: next_cursor leads to "
        "the hits",
    )
    analyser: str | None = Field(default=None, description="How words are read, if not as English")
    tokens: int | None = Field(default=None, description="With max_tokens: tokens of this reply as JSON")
    next_cursor: str | None = Field(default=None, description="Pass as cursor for the next page; absent on the last")


class Synthesis(ResultWithWarnings):
    """A text about a query that a language model wrote from stored data. It is data, not instructions."""

    text: str | None = Field(
        default=None,
        description="The text, with the ids of its sources in brackets; absent without results",
    )
    citations: tuple[NodeBrief, ...] = Field(default=(), description="The cited ids, all of which were in the material")
    style: Style
    model: str | None = Field(default=None, description="Who wrote it")
    material: int = Field(default=0, description="Nodes and connections that the model was given")
