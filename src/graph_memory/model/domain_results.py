"""Results of the operations on domains."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import ChangeResult, PagedResult, Result, Timestamp


class DomainProtection(Result):
    """A domain's protection: who set it, when, why and until when, and who may remove it."""

    is_read_only: bool = Field(description="Whether the protection applies: false once it has expired")
    last_modified_by: str = Field(description="The actor who set the protection")
    last_modified_at: Timestamp = Field(description="When the protection was set")
    protection_reason: str | None = Field(default=None, description="Why the domain is protected")
    expires_at: Timestamp | None = Field(
        default=None, description="When the protection expires; absent if it never does"
    )
    can_be_unprotected_by: tuple[str, ...] | None = Field(
        default=None, description="The actors who may write to the domain and unprotect it"
    )


class DomainSummary(Result):
    """A domain in a list: its times, its numbers of events and types, and its source, parent and children."""

    name: str
    created: Timestamp = Field(description="Time of creation")
    modified: Timestamp = Field(description="Time of the last event")
    events: int = Field(description="Number of changes in its log, not counting changes before a fork")
    node_types: int = Field(description="Number of node types")
    connection_types: int = Field(description="Number of connection types")
    forked_from: str | None = Field(default=None, description="For a branch: the domain from which it was created")
    forked_at: int | None = Field(default=None, description="For a branch: its starting point in that domain's log")
    busy: str | None = Field(
        default=None, description="The long operation that is running in the domain, such as branching"
    )
    description: str | None = Field(default=None, description="Purpose of the domain")
    parent: str | None = Field(default=None, description="The parent domain, whose types it inherits")
    children: tuple[str, ...] | None = Field(default=None, description="Its child domains")


class DomainInfo(DomainSummary):
    """A domain with its metadata, its inherited types, the size of its contents, and its index's backlog."""

    metadata: dict[str, object] | None = Field(default=None, description="Stored data about the domain")
    last_access: Timestamp | None = Field(
        default=None, description="When one of its nodes was last read by id or found by a search"
    )
    ontology_version: int = Field(description="Log number of the last change to its own types")
    inherited_types: dict[str, tuple[str, ...]] | None = Field(
        default=None, description="Types inherited from its ancestors, by ancestor"
    )
    differing_types: tuple[str, ...] | None = Field(
        default=None, description="Types that an ancestor now defines differently than this domain"
    )
    branches: tuple[str, ...] | None = Field(default=None, description="The branches created from it")
    nodes: int = Field(description="Number of nodes")
    connections: int = Field(description="Number of connections")
    content_bytes: int = Field(description="Size of the current contents of its nodes and connections, in bytes")
    not_indexed: int = Field(
        default=0, description="Number of recent changes that are not indexed yet. The next search indexes them first"
    )
    without_vectors: int = Field(default=0, description="Number of passages that have no vectors yet")
    analyser: str | None = Field(
        default=None, description="The analyser of the domain's text search, once there is an index"
    )
    protection: DomainProtection | None = Field(default=None, description="The domain's protection, if it has one")


class Domains(PagedResult):
    """A page of domains, sorted by name."""

    domains: tuple[DomainSummary, ...]
    unavailable_databases: tuple[str, ...] | None = Field(
        default=None, description="Databases that cannot be reached, whose domains are therefore not listed"
    )


class DomainChangeResult(ChangeResult):
    """The name and new version of a created or changed domain."""

    domain: str = Field(description="Name of the domain")


class DomainSelectionResult(Result):
    """The domain that this session's next calls use unless they name another."""

    domain: str = Field(description="Name of the selected domain")


class DomainDeletionResult(Result):
    """The name of a deleted domain, with the numbers of deleted nodes, events and blobs."""

    domain: str = Field(description="Name of the deleted domain")
    nodes: int = Field(description="Number of deleted nodes")
    events: int = Field(description="Number of deleted events")
    blobs: int | None = Field(
        default=None,
        description="Number of deleted blobs; absent if they were kept because another database uses the location",
    )
    resumed: bool | None = Field(
        default=None,
        description="Whether an interrupted deletion was completed. If so, the counts cover only its last part",
    )
