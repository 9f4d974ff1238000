"""What walks, paths and neighbours return: nodes, the connections between them, and what is left out and why."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from graph_memory.model.results import Answered, ConnectionBrief, NodeBrief, NodeSummary, Result
from graph_memory.model.values.properties import PropertyValue

ReturnMode = Literal["full_content", "summarized", "adaptive"]
Deduplication = Literal["none", "content_hash", "semantic_similarity"]
PathMode = Literal["shortest", "weighted", "k_shortest"]


class ReachedNode(NodeBrief):
    """A node that a walk reached."""

    domain: str | None = Field(default=None, description="Of a node that a link led to, where it is")
    depth: int = Field(description="Connections from the nearest start of its walk; 0 for a start")
    via: str | None = Field(default=None, description="Id of the connection by which it was reached")
    parent: str | None = Field(default=None, description="Id of the node from which it was reached")
    parent_domain: str | None = Field(default=None, description="Where that is, if in another domain")
    content: str | None = Field(default=None, description="Its content or summary; … where it was cut")
    properties: dict[str, PropertyValue] | None = Field(default=None, description="With full_content")
    duplicates: tuple[str, ...] | None = Field(default=None, description="Nodes left out because they say the same")
    degree: int | None = Field(default=None, description="With metrics: nodes of the result next to it")
    centrality: float | None = Field(
        default=None, description="With metrics: share of the shortest paths between others on which it lies"
    )


class Followed(Result):
    """A connection as it is stored."""

    id: str
    type: str
    from_id: str
    to_id: str
    from_domain: str | None = Field(default=None, description="Of an end in another domain")
    to_domain: str | None = None
    weight: float = Field(description="How much it counts: 0 to 1 by the formula, or by the weight that was asked for")
    since: date | None = Field(default=None, description="The day on which it began, else on which it was created")
    until: date | None = Field(default=None, description="The last day on which it holds, if it ends")


class Metrics(Result):
    """What the result is like as a graph, without directions."""

    nodes: int
    connections: int
    depth: int = Field(description="Of the node farthest from a start")
    density: float = Field(description="Share of the pairs of nodes that are connected")
    components: int = Field(description="Parts that are not connected to each other")
    largest_component: int = Field(description="Nodes of the largest of them")


class LeftOut(Result):
    """What a walk left out, by the limit that was the reason."""

    max_nodes: Literal[True] | None = Field(default=None, description="There was no room for more nodes")
    max_depth: int | None = Field(default=None, description="Nodes at max_depth, not followed further")
    max_tokens: int | None = Field(default=None, description="Nodes that max_tokens left no room for")
    duplicates: int | None = Field(default=None, description="Nodes that say what others say")
    connections: int | None = Field(default=None, description="Connections between the nodes beyond those shown")
    hubs: tuple[str, ...] | None = Field(
        default=None, description="Nodes with more connections than were looked at; of another domain as domain/id"
    )


class Walked(Answered):
    """What a walk reached, in the order in which it did, and the connections between those nodes."""

    nodes: tuple[ReachedNode, ...]
    connections: tuple[Followed, ...] = ()
    metrics: Metrics | None = None
    left_out: LeftOut | None = None
    tokens: int | None = Field(default=None, description="With max_tokens: tokens of nodes and connections as JSON")


class Path(Result):
    """A way from one node to another."""

    nodes: tuple[NodeBrief, ...]
    connections: tuple[Followed, ...] = Field(description="One between each node and the next, as it is stored")
    length: int = Field(description="Number of connections")
    weight: float = Field(description="Product of the weights of the connections")


class Paths(Answered):
    """The paths that were found, the best first; none with what was tried."""

    paths: tuple[Path, ...]
    tried: str | None = Field(default=None, description="Without a path: what was looked at")


class NextTo(ConnectionBrief):
    """A connection of a node, as it is seen under the name that was asked for."""

    weight: float = Field(description="0 to 1, from strength, importance and age")
    since: date | None = Field(default=None, description="The day on which it began, else on which it was created")
    until: date | None = Field(default=None, description="The last day on which it holds, if it ends")


class Neighbors(Answered):
    """A node, its connections, and the nodes at their other ends; those that count most come first."""

    node: NodeSummary
    outgoing: tuple[NextTo, ...]
    incoming: tuple[NextTo, ...]
    neighbors: tuple[NodeBrief, ...]
    left_out: Literal[True] | None = Field(default=None, description="There are more connections than limit")
