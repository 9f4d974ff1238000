"""Results of inference and contradictions."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import NodeBrief, PagedResult, Result, ResultWithWarnings, Timestamp


class InferredConnection(Result):
    """A connection that follows from a chain of others."""

    connection_id: str | None = Field(default=None, description="Absent in a dry run")
    type: str
    from_id: str
    from_title: str
    to_id: str
    to_title: str
    evidence: tuple[str, ...] = Field(description="Ids of the connections from which it follows, in order")


class LostPremises(Result):
    """An inferred connection that has lost premises."""

    connection_id: str
    lost: tuple[str, ...] = Field(description="Ids of its premises that were deleted or are no longer valid")


class Inferred(ResultWithWarnings):
    """The missing connections that follow from transitive types."""

    dry_run: bool
    connections: tuple[InferredConnection, ...]
    more: int = Field(description="Number of further missing connections; call again for them")
    refused: int = Field(description="Number of further connections that a rule of the ontology does not allow")
    unfounded: tuple[LostPremises, ...] = Field(
        default=(), description="Earlier inferred connections that lost premises: check or delete them"
    )
    since: int | None = Field(default=None, description="Number of the first event, for memory_revert")
    until: int | None = Field(default=None, description="Number of the last event")


class Side(NodeBrief):
    """One of two nodes that contradict each other."""

    modified: Timestamp
    age_days: int = Field(description="Whole days since it was last changed")


class Contradiction(Result):
    """Two nodes that a connection marks as contradictory."""

    connection_id: str
    a: Side
    b: Side


class Contradictions(PagedResult):
    """Pairs of nodes that contradict each other."""

    contradictions: tuple[Contradiction, ...]
