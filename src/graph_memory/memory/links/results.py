"""Results about links between domains."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Changed, PagedResult, Result, Timestamp


class DomainRef(Result):
    """The other end of a link, as seen from one end."""

    domain: str
    node_id: str
    title: str | None = Field(default=None, description="Title of that node, if it exists")
    link_type: str = Field(description="As seen from this end: reference, or from the target referenced_by …")
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
    score: float = Field(description="0 to 1, by its similarity to the source, and mentions of each other")
    fits: bool = Field(description="Whether it is similar enough in meaning and words, or one names the other")
    mentions: int = Field(description="2 if it and the source name each other, 1 if one names the other")
    connections: int = Field(description="Number of connections to other candidates")


class LinkCreated(Result):
    """The result of creating a link. If `success` is false, nothing was written."""

    success: bool
    link_id: str | None = None
    version: int | None = None
    source_ref: DomainRef | None = Field(default=None, description="The target, as seen from the source")
    target_ref: DomainRef | None = Field(
        default=None, description="The source, as seen from the target, if bidirectional"
    )
    candidates: tuple[Candidate, ...] | None = Field(
        default=None, description="Without target_node_id: candidates, fitting ones first; the link leads to the first"
    )
    hint: str | None = Field(default=None, description="The next step if `success` is false")


class Link(Result):
    """A link, as seen from the queried domain."""

    link_id: str
    domain: str = Field(description="Domain whose log has the link: pass it to delete the link")
    node_id: str = Field(description="The end in the queried domain")
    title: str | None = Field(default=None, description="Title of that node")
    ref: DomainRef = Field(description="The other end")
    dangling: str | None = Field(default=None, description="Reason why it has no target now; the link is kept")


class Links(PagedResult):
    """Links from a domain or node, and bidirectional links to it."""

    links: tuple[Link, ...]


class LinkDeleted(Changed):
    """The deleted link."""

    link_id: str
