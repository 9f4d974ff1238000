"""What a batch is asked for: operations with checked arguments, options, and what is wrong with some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.entity_graph.values.request import (
    EntityRemoval,
    NewEntity,
    NewObservations,
    NewRelation,
    RelationRemoval,
    Removal,
)
from graph_memory.memory.graph.connections import ConnectionEdit, NewConnection
from graph_memory.memory.graph.nodes import NewNode, NodeEdit
from graph_memory.memory.graph.validity import ValidityEdit
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.kinds import Kind

MOST = 10_000
"""Operations of one batch: one transaction holds all of them."""
MOST_CONTENT = 64_000_000
"""Bytes of content of one batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """What a delete asks for."""

    kind: Kind
    expected_version: int | None = None


ByName = NewEntity | NewObservations | NewRelation | EntityRemoval | Removal | RelationRemoval
"""What is asked for by names: one entity, one observation, one relation."""
Asked = NewNode | NodeEdit | NewConnection | ConnectionEdit | ValidityEdit | Deletion | ByName


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One change of one subject that was asked for. Several have one index where one operation asks for several.

    The subject of one that is asked for by name is only the id that it would get: what is there has its own.
    """

    index: int
    verb: str
    subject: str
    asked: Asked
    ref: str | None = None
    is_named: bool = True
    """Whether the caller named the subject, so that the log may know it; ids that we make are new by their making."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The ids that have to be there."""
        if isinstance(self.asked, NewConnection):
            return (self.asked.from_id, self.asked.to_id)
        return () if isinstance(self.asked, NewNode | ByName) else (self.subject,)


class NotCreated(GraphError):  # noqa: N818 - it is told as any other
    """What an operation needs was to be created by an earlier one, which is at fault."""

    def __init__(self, index: int) -> None:
        message = f"It needs what operations[{index}] would have created"
        super().__init__(Code.NODE_NOT_FOUND, message, {"hint": f"Correct operations[{index}], which is at fault."})


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an operation; it `follows` from what is wrong with others where it would be right else."""

    index: int
    verb: str
    error: GraphError
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """How a batch is made."""

    atomic: bool = True
    """All operations or none; otherwise those that are at fault are left out."""
    validate_before_commit: bool = True
    """Whether all faults are looked for before an atomic batch is refused, or only the first."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """The operations of a batch, and what is wrong with those that could not be read."""

    operations: Sequence[Operation]
    faults: Sequence[Fault]
    lost: Mapping[str, int]
    """The ids that those of them would have given, with their places."""
    count: int
    lost_names: Mapping[str, int] = field(default_factory=dict[str, int])
    """The names of the entities that they would have made, with their places."""
