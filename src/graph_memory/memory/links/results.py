"""Results about links between domains."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import ChangeResult, PagedResult, Result, Timestamp


class DomainRef(Result):
    """The node at the other end of a link, in another domain."""

    domain: str
    node_id: str
    title: str | None = Field(default=None, description="Title of the node, if it exists")
    link_type: str = Field(
        description="Type as seen from this end, such as reference from the source and referenced_by from the target"
    )
    description: str | None = None
    strength: float = Field(description="Strength from 0 to 1")
    bidirectional: bool = Field(description="Whether the link is also visible from the target")
    metadata: dict[str, object] | None = None
    created: Timestamp


class Candidate(Result):
    """A possible target of a link."""

    node_id: str
    type: str
    title: str
    score: float = Field(
        description="Score from 0 to 1, computed from the similarity of both nodes and their mentions of each other"
    )
    fits: bool = Field(
        description="Whether both nodes are similar enough in meaning and words, or one mentions the other"
    )
    mentions: int = Field(description="2 if both nodes mention each other, 1 if only one mentions the other")
    connections: int = Field(description="Number of connections to other candidates")


class LinkCreationResult(Result):
    """The result of creating a link. If `success` is false, nothing was written."""

    success: bool = Field(description="Whether the link was created")
    link_id: str | None = Field(default=None, description="Id of the new link")
    version: int | None = Field(default=None, description="Version of the new link")
    source_ref: DomainRef | None = Field(default=None, description="How the source refers to the target")
    target_ref: DomainRef | None = Field(
        default=None, description="The source, as seen from the target, if bidirectional"
    )
    candidates: tuple[Candidate, ...] | None = Field(
        default=None, description="If target_node_id was omitted: possible targets, the chosen target first"
    )
    hint: str | None = Field(default=None, description="The next step if `success` is false")


class Link(Result):
    """A link, as seen from the queried domain."""

    link_id: str
    domain: str = Field(description="Domain whose log contains the link. Pass it to delete the link")
    node_id: str = Field(description="Id of the node in the queried domain")
    title: str | None = Field(default=None, description="Title of the node")
    ref: DomainRef = Field(description="The node at the other end")
    dangling: str | None = Field(default=None, description="Why its target cannot be read; the link is kept")


class Links(PagedResult):
    """Links from a domain or node, and bidirectional links to it."""

    links: tuple[Link, ...]


class LinkDeletionResult(ChangeResult):
    """The deleted link."""

    link_id: str = Field(description="Id of the deleted link")
