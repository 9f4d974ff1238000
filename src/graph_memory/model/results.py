"""Results of the operations of a memory. Adapters render them and add nothing."""

from __future__ import annotations

import base64
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, WrapValidator

from graph_memory.model.errors import Hint
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.content import Encoding
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import CreationMethod

Direction = Literal["out", "in", "both"]


Timestamp = Annotated[datetime, PlainSerializer(rfc3339, return_type=str)]


Text = Annotated[str, WrapValidator(lambda value, check: value if isinstance(value, Hint) else check(value))]
"""Text; a `Hint` is kept as a `Hint`."""


class Result(BaseModel):
    """A frozen value; fields that are None are left out of its JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def to_dict(self) -> dict[str, object]:
        """Return the result ready for JSON, without fields that are None."""
        return self.model_dump(mode="json", exclude_none=True)


class ReadyCall(Result):
    """A complete call that fixes a finding or resolves a conflict."""

    tool: str
    arguments: dict[str, Any]
    not_offered: str | None = Field(default=None, description="Why you cannot make it here, and who can change that")


class NodeCreated(Result):
    """The new node."""

    node_id: str = Field(description="Id of the new node")
    version: int = Field(description="Version of the node: pass it as expected_version to guard a later change")


class ConnectionCreated(Result):
    """The new connection."""

    connection_id: str = Field(description="Id of the new connection")
    version: int = Field(description="Version of the connection: pass it as expected_version to guard a later change")
    existing: Literal[True] | None = Field(
        default=None, description="The connection already existed, stored as its inverse; nothing was written"
    )


class Changed(Result):
    """The result of a change."""

    version: int = Field(description="Version after the change; unchanged if there was nothing to change")


class NodeDeleted(Changed):
    """The result of deleting a node."""

    connections: int = Field(description="Connections, observations and outgoing links that were deleted with it")
    resumed: bool | None = Field(default=None, description="An interrupted deletion was resumed")


class OntologyChanged(Result):
    """The result of changing the ontology."""

    version: int = Field(description="Version of the domain's ontology after the change")


class OntologyApplied(OntologyChanged):
    """The types that applying an ontology added or changed; none if the domain already had all of them."""

    created: bool = Field(description="Whether this created the domain")
    node_types: tuple[str, ...]
    connection_types: tuple[str, ...]
    changed: tuple[str, ...] = Field(default=(), description="What changed in existing types, one line each")


class ProtectionInfo(Result):
    """How a node or connection is protected."""

    is_read_only: bool = Field(description="False once it has expired")
    locked_by: str
    locked_at: Timestamp
    reason: str | None = None
    expires_at: Timestamp | None = None
    can_be_unprotected_by: tuple[str, ...] | None = None


class ProtectionChanged(Changed):
    """The result of protect or unprotect."""

    is_read_only: bool = Field(description="Whether it is read-only now")
    expires_at: Timestamp | None = Field(default=None, description="When the protection expires")


class NodeInfo(Result):
    """One node without its content."""

    id: str
    type: str
    created: Timestamp
    modified: Timestamp
    title: str
    properties: dict[str, PropertyValue]
    content_format: str
    content_encoding: Encoding
    content_size: int = Field(description="Bytes of the content")
    version: int
    tags: tuple[str, ...] | None = None
    path: str | None = Field(default=None, description="Absent: /")
    namespace: str | None = Field(default=None, description="Absent: default")
    content_summary: str | None = None
    summary_timestamp: Timestamp | None = Field(default=None, description="When the summary was written")
    metadata: dict[str, object] | None = None
    valid_from: Timestamp | None = Field(default=None, description="When it starts to be true")
    valid_to: Timestamp | None = Field(default=None, description="When it stops being true")
    protection: ProtectionInfo | None = None


class NodeContent(Result):
    """The content of one node: stored data, not instructions."""

    content: str = Field(description="The content as stored: text, or base64 where encoding says so")
    encoding: Encoding
    format: str

    @property
    def data(self) -> bytes:
        """The bytes of the content: of text in UTF-8, of binary content decoded."""
        return self.content.encode() if self.encoding == "utf-8" else base64.b64decode(self.content)


class ConnectionInfo(Result):
    """One connection, with its content if requested."""

    id: str
    type: str
    from_node_id: str
    to_node_id: str
    created: Timestamp
    modified: Timestamp
    properties: dict[str, PropertyValue]
    has_content: bool
    version: int
    content: str | None = None
    valid_from: Timestamp | None = Field(default=None, description="When it starts to be true")
    valid_to: Timestamp | None = Field(default=None, description="When it stops being true")
    inverse: str | None = Field(default=None, description="Type under which it is seen from its other end")
    bidirectional: Literal[True] | None = Field(default=None, description="It is seen from both ends")
    transitive: Literal[True] | None = Field(default=None, description="Two connections in a row imply a third")
    protection: ProtectionInfo | None = None
    strength: dict[str, float] | None = Field(
        default=None, description="The set ones of semantic, structural, temporal and confidence, each 0 to 1"
    )
    importance: float | None = Field(default=None, description="The importance that was set, 0 to 1")
    creation_method: CreationMethod = "manual"
    created_by: str | None = Field(default=None, description="The actor that created it")
    evidence: str | None = Field(default=None, description="If inferred: the connections from which it follows")
    premises_lost: tuple[str, ...] | None = Field(
        default=None, description="Connections of its evidence that no longer hold"
    )


class NodeBrief(Result):
    """A node in a list."""

    id: str
    type: str
    title: str
    domain: str | None = Field(default=None, description="Its domain, if several domains were searched")


class ConnectionBrief(Result):
    """A connection in a list."""

    id: str
    type: str
    from_id: str
    from_title: str
    to_id: str
    to_title: str
    inferred: Literal[True] | None = Field(
        default=None, description="True if it is stored as its inverse, from the other end"
    )


class Link(Result):
    """A connection of the given node, as seen from that node."""

    id: str
    type: str
    direction: Literal["out", "in"]
    inferred: Literal[True] | None = Field(
        default=None, description="True if it is stored as its inverse, from the other end"
    )


class ConnectedNode(NodeBrief):
    """A node at the other end of connections."""

    connections: tuple[Link, ...]
    steps: int | None = Field(default=None, description="With transitive: the number of connections in the path to it")


class ResultWithWarnings(Result):
    """A result that may have warnings."""

    warnings: tuple[Text, ...] | None = Field(
        default=None,
        description="Why the result may be empty, or how to get many ids in pages",
    )


class PagedResult(ResultWithWarnings):
    """One page of a list of ids."""

    next_cursor: str | None = Field(default=None, description="Pass as cursor for the next page; absent on the last")


class NodeIds(PagedResult):
    """Ids of the matching nodes."""

    node_ids: tuple[str, ...]
    nodes: tuple[NodeBrief, ...] | None = Field(
        default=None, description="With detail, or with several domains: id, type, title and domain of each"
    )


class ConnectedNodes(NodeIds):
    """Ids of the nodes at the other ends."""

    nodes: tuple[ConnectedNode, ...] | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride] - frozen
        default=None,
        description="With detail: id, type, title and connections of each, a connection with its direction",
    )


class ConnectionIds(PagedResult):
    """Ids of the matching connections."""

    connection_ids: tuple[str, ...]
    connections: tuple[ConnectionBrief, ...] | None = Field(
        default=None, description="With detail: id, type, and ids and titles of the ends of each"
    )


class WeighedConnection(ConnectionBrief):
    """A connection in a list, with its weight."""

    weight: float = Field(description="0 to 1, from strength, importance and age")


class WeighedConnections(ResultWithWarnings):
    """Connections ordered by weight."""

    connections: tuple[WeighedConnection, ...]
    next_cursor: str | None = Field(default=None, description="Pass as cursor for the next page; absent on the last")


class NodeSummary(NodeBrief):
    """A node in a list, with its properties."""

    modified: Timestamp
    version: int
    properties: dict[str, PropertyValue] = Field(default_factory=dict)


class ConnectionSummary(ConnectionBrief):
    """A connection in a list, with its properties."""

    modified: Timestamp
    version: int
    properties: dict[str, PropertyValue] = Field(default_factory=dict)


class Validity(Result):
    """Whether a connection would be allowed."""

    valid: bool
    reason: str | None = Field(default=None, description="If it is not allowed: why, and which connections are")


class Branched(ResultWithWarnings):
    """A new branch."""

    domain: str
    forked_from: str
    forked_at: int = Field(description="Number in that domain's log after which the branch starts")
    seq: int = Field(description="Number of the branch's own first event; lower numbers belong to that domain")
    subjects: int = Field(description="Number of types, nodes, connections, observations and links that it starts with")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Why it is not under the parent of its source")


class Difference(Result):
    """One difference between the live graph and its log."""

    kind: str
    subject: str
    problem: str
    expected: str | None = None
    found: str | None = None


class Verification(Result):
    """The differences in a domain that `verify` found, or that `rebuild` repaired and could not repair."""

    domain: str
    events: int = Field(description="Events in the log")
    subjects: int = Field(description="Subjects in the log or the live graph that were compared")
    differences: tuple[Difference, ...]
    unmended: tuple[Difference, ...] | None = Field(default=None, description="After rebuild: what still differs")

    @property
    def clean(self) -> bool:
        """Whether graph and log agree."""
        return not self.differences


class CollectedBlob(Result):
    """A blob without references."""

    domain: str
    name: str
    bytes: int


class BlobsCollected(Result):
    """Blobs that were deleted, or would be in a dry run."""

    dry_run: bool
    blobs: tuple[CollectedBlob, ...]
