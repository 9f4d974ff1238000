"""Results of queries of communities."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import NodeBrief, Result, ResultWithWarnings


class Community(Result):
    """Nodes that are more connected with each other than with other nodes."""

    id: str = Field(
        description="Id of the most connected node of the community; :other and :unconnected are not real communities"
    )
    label: str = Field(description="Titles of the most connected nodes")
    size: int = Field(description="Number of nodes")
    types: dict[str, int] = Field(description="Number of nodes by type, largest first")
    nodes: tuple[NodeBrief, ...] = Field(description="The most connected nodes, in descending order")


class CommunityEdge(Result):
    """The connections between two communities, in either direction."""

    from_id: str
    to_id: str
    connections: int = Field(description="Number of connections")


class Communities(ResultWithWarnings):
    """A domain's communities at a log number, largest first. `:other` and `:unconnected` are last."""

    communities: tuple[Community, ...] = Field(description="The communities, largest first")
    edges: tuple[CommunityEdge, ...] = Field(
        default=(),
        description="Edges between the returned communities, most connections first. Warnings report omitted edges",
    )
    members: dict[str, str] | None = Field(
        default=None, description="With node_ids: the id of each node's community, by node id"
    )
    nodes: int = Field(default=0, description="Number of nodes in all communities")
    left_out: int | None = Field(
        default=None, description="Number of communities that were omitted because they are the smallest"
    )
    at: int | None = Field(default=None, description="Log position of the result; absent if there is no result yet")
    seq: int = Field(description="Log position of the domain's last change")
    is_computing: bool = Field(description="Whether a newer result is being computed. Repeat the call to get it")
