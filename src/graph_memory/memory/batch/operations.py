"""The request of a batch: operations with checked arguments, options, and the faults of operations."""

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

MAX_OPERATIONS = 10_000
"""Maximum number of operations of one batch, which is one transaction."""
MAX_CONTENT_BYTES = 64_000_000
"""Maximum size of the content of one batch, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A deletion by id."""

    kind: Kind
    expected_version: int | None = None


ChangeByName = NewEntity | NewObservations | NewRelation | EntityRemoval | Removal | RelationRemoval
"""A change of one entity, observation or relation, by name."""
RequestedChange = NewNode | NodeEdit | NewConnection | ConnectionEdit | ValidityEdit | Deletion | ChangeByName


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One requested change of one subject. All changes that come from the same operation of the caller share its index.

    For a change by name, `subject` is the id that the subject gets if it is new. An existing subject keeps its id.
    """

    index: int
    verb: str
    subject: str
    change: RequestedChange
    ref: str | None = None
    is_named: bool = True
    """Whether the caller gave the id of the subject, so that it may exist. Generated ids are new."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The ids of the subjects that must exist before the operation."""
        if isinstance(self.change, NewConnection):
            return (self.change.from_id, self.change.to_id)
        return () if isinstance(self.change, NewNode | ChangeByName) else (self.subject,)


class NotCreated(GraphError):  # noqa: N818 - named by its cause
    """The error for an operation that needs the subject of an earlier, faulty operation."""

    def __init__(self, index: int) -> None:
        message = f"It needs the result of operations[{index}], which has a fault"
        super().__init__(Code.NODE_NOT_FOUND, message, {"hint": f"Correct operations[{index}]."})


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of an operation. `follows` is set if only the faults of other operations cause it."""

    index: int
    verb: str
    error: GraphError
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a batch."""

    atomic: bool = True
    """Whether one fault rejects the whole batch. Otherwise only the faulty operations are left out."""
    validate_before_commit: bool = True
    """Whether the error of an atomic batch lists all faults, or only the first."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """The operations of a batch, and the faults of the unreadable ones."""

    operations: Sequence[Operation]
    faults: Sequence[Fault]
    failed_ids: Mapping[str, int]
    """The ids that unreadable operations would assign, with the indexes of the operations."""
    count: int
    failed_names: Mapping[str, int] = field(default_factory=dict[str, int])
    """The names of the entities that unreadable operations would create, with the indexes of the operations."""
