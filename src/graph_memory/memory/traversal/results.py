"""Results of walks, path queries and neighbour queries."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from graph_memory.model.results import ConnectionBrief, NodeBrief, NodeSummary, Result, ResultWithWarnings
from graph_memory.model.values.properties import PropertyValue

ReturnMode = Literal["full_content", "summarized", "adaptive"]
Deduplication = Literal["none", "content_hash", "semantic_similarity"]
PathMode = Literal["shortest", "weighted", "k_shortest"]


class ReachedNode(NodeBrief):
    """A node that a walk reached."""

    domain: str | None = Field(default=None, description="Domain of a node that was reached over a link")
    depth: int = Field(description="Number of connections from the nearest start node; 0 for a start node")
    via: str | None = Field(default=None, description="Id of the connection by which it was reached")
    parent: str | None = Field(default=None, description="Id of the node from which it was reached")
    parent_domain: str | None = Field(default=None, description="Domain of the parent, if it is in another domain")
    content: str | None = Field(default=None, description="The content or a summary; ends in … if it was shortened")
    properties: dict[str, PropertyValue] | None = Field(
        default=None, description="The properties, with return_mode full_content"
    )
    duplicates: tuple[str, ...] | None = Field(
        default=None, description="Ids of nodes omitted as duplicates of this node"
    )
    degree: int | None = Field(default=None, description="With include_metrics: number of neighbours in the result")
    centrality: float | None = Field(
        default=None,
        description="With include_metrics: share of the shortest paths between other nodes that pass through this node",
    )


class FollowedConnection(Result):
    """A connection of the result, in its stored direction."""

    id: str
    type: str
    from_id: str
    to_id: str
    from_domain: str | None = Field(default=None, description="Domain of the source, if it is in another domain")
    to_domain: str | None = Field(default=None, description="Domain of the target, if it is in another domain")
    weight: float = Field(description="Weight from 0 to 1, or the value of the requested weight formula")
    since: date | None = Field(default=None, description="Day on which it began or, if unknown, was created")
    until: date | None = Field(default=None, description="Last day on which it is valid, if it ends")


class Metrics(Result):
    """Metrics of the result, treated as an undirected graph."""

    nodes: int = Field(description="Number of nodes")
    connections: int = Field(description="Number of connections")
    depth: int = Field(description="Depth of the node farthest from the start nodes")
    density: float = Field(description="Share of the node pairs that are connected")
    components: int = Field(description="Number of parts that are not connected to each other")
    largest_component: int = Field(description="Number of nodes in the largest component")


class OmittedCounts(Result):
    """The numbers of omitted nodes and connections, by the limit that excluded them."""

    max_nodes: Literal[True] | None = Field(default=None, description="Whether the walk stopped at max_nodes")
    max_depth: int | None = Field(
        default=None, description="Number of nodes at max_depth, whose connections were not followed"
    )
    max_tokens: int | None = Field(default=None, description="Number of nodes omitted because of max_tokens")
    duplicates: int | None = Field(default=None, description="Number of nodes omitted as duplicates")
    connections: int | None = Field(default=None, description="Number of omitted connections between the nodes")
    hubs: tuple[str, ...] | None = Field(
        default=None,
        description="Ids of nodes with more connections than were read; for nodes in another domain, domain/id",
    )


class TraversalResult(ResultWithWarnings):
    """The nodes that a walk reached, in order, and the connections between them."""

    nodes: tuple[ReachedNode, ...] = Field(description="The nodes, in the order in which they were reached")
    connections: tuple[FollowedConnection, ...] = ()
    metrics: Metrics | None = Field(default=None, description="Metrics of the result, if include_metrics is set")
    left_out: OmittedCounts | None = Field(default=None, description="What was omitted, by reason")
    tokens: int | None = Field(
        default=None, description="With max_tokens: number of tokens in the nodes and connections as JSON"
    )


class Path(Result):
    """A path from one node to another."""

    nodes: tuple[NodeBrief, ...] = Field(description="The nodes on the path, in order")
    connections: tuple[FollowedConnection, ...] = Field(description="One connection per step, in its stored direction")
    length: int = Field(description="Number of connections")
    weight: float = Field(description="Product of the weights of the connections")


class Paths(ResultWithWarnings):
    """Paths, best first. If there are none, `tried` describes the search."""

    paths: tuple[Path, ...] = Field(description="The paths, best first")
    tried: str | None = Field(default=None, description="If there is no path: a description of what was searched")


class AdjacentConnection(ConnectionBrief):
    """A connection of a node, under the requested type name."""

    weight: float = Field(description="Weight from 0 to 1, computed from strength, importance and age")
    since: date | None = Field(default=None, description="Day on which it began or, if unknown, was created")
    until: date | None = Field(default=None, description="Last day on which it is valid, if it ends")


class Neighbors(ResultWithWarnings):
    """A node with its neighbours and connections, strongest connection first."""

    node: NodeSummary = Field(description="The requested node")
    outgoing: tuple[AdjacentConnection, ...] = Field(description="Connections that start at the node")
    incoming: tuple[AdjacentConnection, ...] = Field(description="Connections that end at the node")
    neighbors: tuple[NodeBrief, ...] = Field(description="The nodes at the other ends of the connections")
    left_out: Literal[True] | None = Field(
        default=None, description="Whether there are more connections than the limit"
    )
