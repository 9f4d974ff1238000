"""Results of the operations on domains."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Changed, PagedResult, Result, Timestamp


class DomainProtection(Result):
    """How a domain is protected."""

    is_read_only: bool = Field(description="False once it has expired")
    last_modified_by: str
    last_modified_at: Timestamp
    protection_reason: str | None = None
    expires_at: Timestamp | None = None
    can_be_unprotected_by: tuple[str, ...] | None = None


class DomainSummary(Result):
    """Facts about one domain from its log and its ontology."""

    name: str
    created: Timestamp
    modified: Timestamp = Field(description="Time of the last event")
    events: int = Field(description="Changes in its log, not counting those before a fork")
    node_types: int
    connection_types: int
    forked_from: str | None = Field(default=None, description="For a branch: the domain it was made from")
    forked_at: int | None = Field(default=None, description="For a branch: its starting point in that domain's log")
    busy: str | None = Field(default=None, description="The long operation running in it, such as branching")
    description: str | None = None
    parent: str | None = Field(default=None, description="The domain above, whose types it inherits")
    children: tuple[str, ...] | None = Field(default=None, description="The domains right under it")


class DomainInfo(DomainSummary):
    """One domain with the numbers of its nodes and connections, and of the passages that search lacks."""

    metadata: dict[str, object] | None = None
    last_access: Timestamp | None = Field(
        default=None, description="When one of its nodes was last read by id or found by a search"
    )
    ontology_version: int = Field(description="Number of the last change of its own types")
    inherited_types: dict[str, tuple[str, ...]] | None = Field(
        default=None, description="Types of the domains above, by domain"
    )
    differing_types: tuple[str, ...] | None = Field(
        default=None, description="Types that a domain above has changed or added since this domain copied them"
    )
    branches: tuple[str, ...] | None = Field(default=None, description="The domains made from it")
    nodes: int
    connections: int
    content_bytes: int = Field(description="Bytes of the current contents of its nodes and connections")
    not_indexed: int = Field(
        default=0, description="Latest changes that are not indexed yet; the next search indexes them first"
    )
    without_vectors: int = Field(default=0, description="Passages that have no vectors yet")
    analyser: str | None = Field(
        default=None, description="The analyser of the domain's text search, once there is an index"
    )
    protection: DomainProtection | None = None


class Domains(PagedResult):
    """Domains, by name."""

    domains: tuple[DomainSummary, ...]


class DomainChanged(Changed):
    """A domain that was created or changed."""

    domain: str


class DomainSelected(Result):
    """The domain that this session's next calls use unless they name another."""

    domain: str


class DomainDeleted(Result):
    """A domain that was deleted, with everything in it."""

    domain: str
    nodes: int = Field(description="Nodes deleted")
    events: int = Field(description="Events deleted")
    blobs: int | None = Field(
        default=None,
        description="Large contents deleted; absent if they stay because another database keeps its own there",
    )
    resumed: bool | None = Field(
        default=None, description="An interrupted deletion was completed; the counts cover only this part"
    )
