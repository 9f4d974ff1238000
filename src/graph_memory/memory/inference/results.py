"""What is returned of what follows from connections."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Answered, Found, NodeBrief, Result, Timestamp


class InferredConnection(Result):
    """A connection that follows from others in a row."""

    connection_id: str | None = Field(default=None, description="Absent in a dry run")
    type: str
    from_id: str
    from_title: str
    to_id: str
    to_title: str
    evidence: tuple[str, ...] = Field(description="Ids of the connections from which it follows, in a row")


class LostPremises(Result):
    """An inferred connection that no longer follows from what it was inferred from."""

    connection_id: str
    lost: tuple[str, ...] = Field(description="Ids of its evidence that are gone, or no longer hold")


class Inferred(Answered):
    """What follows from the connections of transitive types, and was not there."""

    dry_run: bool
    connections: tuple[InferredConnection, ...]
    more: int = Field(description="Others that follow too; call again for them")
    refused: int = Field(description="Others that follow, but that a rule of the ontology does not allow")
    unfounded: tuple[LostPremises, ...] = Field(
        default=(), description="Inferred before, from what no longer holds: check them, or delete them"
    )
    since: int | None = Field(default=None, description="Number of the first event, for memory_revert")
    until: int | None = Field(default=None, description="Number of the last event")


class Side(NodeBrief):
    """One of two nodes that contradict each other."""

    modified: Timestamp
    age_days: int = Field(description="Whole days since it was last changed")


class Contradiction(Result):
    """Two nodes that a connection says cannot both be true."""

    connection_id: str
    a: Side
    b: Side


class Contradictions(Found):
    """Pairs of nodes that contradict each other."""

    contradictions: tuple[Contradiction, ...]
