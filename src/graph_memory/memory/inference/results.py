"""Results of inference, and of the search for contradictions."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import NodeBrief, PagedResult, Result, ResultWithWarnings, Timestamp


class InferredConnection(Result):
    """A connection that follows from a chain of other connections."""

    connection_id: str | None = Field(default=None, description="Id of the new connection; absent in a dry run")
    type: str
    from_id: str
    from_title: str
    to_id: str
    to_title: str
    evidence: tuple[str, ...] = Field(description="Ids of the connections from which it follows, in order")


class UnsupportedConnection(Result):
    """An inferred connection whose premises are no longer true."""

    connection_id: str
    lost: tuple[str, ...] = Field(description="Ids of its premises that were deleted or are no longer valid")


class InferenceResult(ResultWithWarnings):
    """The connections that transitive types imply and the graph lacks."""

    dry_run: bool = Field(description="Whether this was only a preview, so nothing was written")
    connections: tuple[InferredConnection, ...] = Field(description="The missing connections")
    more: int = Field(description="Number of missing connections that were not written; call again to write them")
    refused: int = Field(description="Number of missing connections that a rule of the ontology does not allow")
    unfounded: tuple[UnsupportedConnection, ...] = Field(
        default=(), description="Connections inferred earlier whose premises no longer hold. Check or delete them"
    )
    since: int | None = Field(default=None, description="Log number of the first change, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last change")


class ContradictingNode(NodeBrief):
    """One of two nodes that contradict each other."""

    modified: Timestamp = Field(description="Time of the last change")
    age_days: int = Field(description="Number of whole days since the last change")


class Contradiction(Result):
    """Two nodes that a connection marks as contradictory."""

    connection_id: str
    a: ContradictingNode
    b: ContradictingNode


class Contradictions(PagedResult):
    """Pairs of nodes that contradict each other."""

    contradictions: tuple[Contradiction, ...] = Field(description="Pairs of nodes that contradict each other")
