"""Results of the operations on domains."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import ChangeResult, PagedResult, Result, Timestamp


class DomainProtection(Result):
    """A domain's protection: who set it, when, why and until when, and who may remove it."""

    is_read_only: bool = Field(description="False once it has expired")
    last_modified_by: str
    last_modified_at: Timestamp
    protection_reason: str | None = None
    expires_at: Timestamp | None = None
    can_be_unprotected_by: tuple[str, ...] | None = None


class DomainSummary(Result):
    """A domain in a list: its times, its numbers of events and types, and its source, parent and children."""

    name: str
    created: Timestamp
    modified: Timestamp = Field(description="Time of the last event")
    events: int = Field(description="Number of changes in its log, without changes before a fork")
    node_types: int
    connection_types: int
    forked_from: str | None = Field(default=None, description="For a branch: the domain from which it was created")
    forked_at: int | None = Field(default=None, description="For a branch: its starting point in that domain's log")
    busy: str | None = Field(default=None, description="The long operation running in it, such as branching")
    description: str | None = None
    parent: str | None = Field(default=None, description="The parent domain, whose types it inherits")
    children: tuple[str, ...] | None = Field(default=None, description="Its child domains")


class DomainInfo(DomainSummary):
    """A domain with its metadata, its inherited types, the size of its contents, and its index's backlog."""

    metadata: dict[str, object] | None = None
    last_access: Timestamp | None = Field(
        default=None, description="When one of its nodes was last read by id or found by a search"
    )
    ontology_version: int = Field(description="Log number of the last change to its own types")
    inherited_types: dict[str, tuple[str, ...]] | None = Field(
        default=None, description="Types inherited from its ancestors, keyed by ancestor"
    )
    differing_types: tuple[str, ...] | None = Field(
        default=None, description="Types that an ancestor now defines differently than this domain"
    )
    branches: tuple[str, ...] | None = Field(default=None, description="The branches created from it")
    nodes: int
    connections: int
    content_bytes: int = Field(description="Size of the current contents of its nodes and connections, in bytes")
    not_indexed: int = Field(
        default=0, description="Number of latest changes that are not indexed yet; the next search indexes them first"
    )
    without_vectors: int = Field(default=0, description="Number of passages that have no vectors yet")
    analyser: str | None = Field(
        default=None, description="The analyser of the domain's text search, once there is an index"
    )
    protection: DomainProtection | None = None


class Domains(PagedResult):
    """A page of domains, sorted by name."""

    domains: tuple[DomainSummary, ...]
    unavailable_databases: tuple[str, ...] | None = Field(
        default=None, description="Databases that cannot be reached now: the list lacks their domains"
    )


class DomainChangeResult(ChangeResult):
    """The name and new version of a created or changed domain."""

    domain: str


class DomainSelectionResult(Result):
    """The domain that this session's next calls use unless they name another."""

    domain: str


class DomainDeletionResult(Result):
    """The name of a deleted domain, with the numbers of deleted nodes, events and blobs."""

    domain: str
    nodes: int = Field(description="Number of deleted nodes")
    events: int = Field(description="Number of deleted events")
    blobs: int | None = Field(
        default=None,
        description="Number of deleted blobs; absent if they were kept for another database in the same location",
    )
    resumed: bool | None = Field(
        default=None,
        description="Whether an interrupted deletion was completed; the counts then cover only the last part",
    )
