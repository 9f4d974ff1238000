"""Results about links between domains."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import ChangeResult, PagedResult, Result, Timestamp


class DomainRef(Result):
    """The node at the other end of a link, in another domain."""

    domain: str
    node_id: str
    title: str | None = Field(default=None, description="Title of that node, if it exists")
    link_type: str = Field(description="Type as seen from this end: reference …, or from the target referenced_by …")
    description: str | None = None
    strength: float = Field(description="0 to 1")
    bidirectional: bool
    metadata: dict[str, object] | None = None
    created: Timestamp


class Candidate(Result):
    """A possible target of a link."""

    node_id: str
    type: str
    title: str
    score: float = Field(description="0 to 1, from its similarity to the source and their mentions of each other")
    fits: bool = Field(description="Whether it is similar enough in meaning and words, or one node names the other")
    mentions: int = Field(description="2 if it and the source name each other, 1 if only one names the other")
    connections: int = Field(description="Number of connections to other candidates")


class LinkCreationResult(Result):
    """The result of creating a link. If `success` is false, nothing was written."""

    success: bool
    link_id: str | None = None
    version: int | None = None
    source_ref: DomainRef | None = Field(default=None, description="The target, as seen from the source")
    target_ref: DomainRef | None = Field(
        default=None, description="The source, as seen from the target, if bidirectional"
    )
    candidates: tuple[Candidate, ...] | None = Field(
        default=None, description="Without target_node_id: candidates, fitting ones first; the first becomes the target"
    )
    hint: str | None = Field(default=None, description="The next step if `success` is false")


class Link(Result):
    """A link, as seen from the queried domain."""

    link_id: str
    domain: str = Field(description="Domain whose log contains the link: pass it to delete the link")
    node_id: str = Field(description="The end in the queried domain")
    title: str | None = Field(default=None, description="Title of that node")
    ref: DomainRef = Field(description="The other end")
    dangling: str | None = Field(default=None, description="Why its target cannot be read; the link is kept")


class Links(PagedResult):
    """Links from a domain or node, and bidirectional links to it."""

    links: tuple[Link, ...]


class LinkDeletionResult(ChangeResult):
    """The deleted link."""

    link_id: str
