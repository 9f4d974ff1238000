"""What is told of links between domains."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Changed, Found, Result, Timestamp


class DomainRef(Result):
    """The other end of a link, as it is seen from one end."""

    domain: str
    node_id: str
    title: str | None = Field(default=None, description="Of that node, while it lives")
    link_type: str = Field(description="As it reads from here: reference, or from the target referenced_by …")
    description: str | None = None
    strength: float = Field(description="0 to 1")
    bidirectional: bool
    metadata: dict[str, object] | None = None
    created: Timestamp


class Candidate(Result):
    """A node of the target that the link might have led to."""

    node_id: str
    type: str
    title: str
    score: float = Field(description="0 to 1: how well it fits what the source says; whether they name each other")
    fits: bool = Field(description="Whether it is close enough in meaning and words, or one names the other")
    mentions: int = Field(description="2 if it and the source name each other, 1 if one names the other")
    connections: int = Field(description="To others of these candidates")


class LinkCreated(Result):
    """The new link; without success nothing was written."""

    success: bool
    link_id: str | None = None
    version: int | None = None
    source_ref: DomainRef | None = Field(default=None, description="The target, as the source has it")
    target_ref: DomainRef | None = Field(default=None, description="The source, as the target has it, if bidirectional")
    candidates: tuple[Candidate, ...] | None = Field(
        default=None, description="Without target_node_id: what was found, what fits first; the link leads to the first"
    )
    hint: str | None = Field(default=None, description="Without success: what to do next")


class Link(Result):
    """A link, as it is seen from the domain that was asked."""

    link_id: str
    domain: str = Field(description="Whose log has it: pass it to delete the link")
    node_id: str = Field(description="The end in the domain that was asked")
    title: str | None = Field(default=None, description="Of that node")
    ref: DomainRef = Field(description="The other end")
    dangling: str | None = Field(default=None, description="Why it leads nowhere now; the link is kept")


class Links(Found):
    """Links of a domain or a node, those to it among them that are bidirectional."""

    links: tuple[Link, ...]


class LinkDeleted(Changed):
    """The deleted link."""

    link_id: str
