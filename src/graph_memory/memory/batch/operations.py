"""The request of a batch: operations with validated arguments, options, and the errors of operations."""

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
"""Maximum number of operations in a batch, which is one transaction."""
MAX_CONTENT_BYTES = 64_000_000
"""Maximum total size of a batch's content in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A requested deletion of the subject with this id."""

    kind: Kind
    expected_version: int | None = None


ChangeByName = NewEntity | NewObservations | NewRelation | EntityRemoval | Removal | RelationRemoval
"""A requested change of one entity, observation or relation, given by name."""
RequestedChange = NewNode | NodeEdit | NewConnection | ConnectionEdit | ValidityEdit | Deletion | ChangeByName


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A requested change of one subject. All changes from the same operation of the caller have the same index.

    For a change by name, `subject` is a provisional id, which the subject gets if it is new.
    """

    index: int
    verb: str
    subject: str
    change: RequestedChange
    ref: str | None = None
    is_named: bool = True
    """Whether the caller specified the id. The subject may then already exist. Generated ids are always new."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The ids of the subjects that must exist before the operation. Empty for a new node or a change by name."""
        if isinstance(self.change, NewConnection):
            return (self.change.from_id, self.change.to_id)
        return () if isinstance(self.change, NewNode | ChangeByName) else (self.subject,)


class FailedDependency(GraphError):  # noqa: N818 - named by its cause
    """The error of an operation that needs the subject of an earlier operation, which is invalid."""

    def __init__(self, index: int) -> None:
        message = f"This operation needs the result of operations[{index}], which is invalid"
        super().__init__(Code.NODE_NOT_FOUND, message, {"hint": f"Correct operations[{index}]."})


@dataclass(frozen=True, slots=True)
class OperationError:
    """The error of an operation. `follows` is true if it is only a consequence of the errors of other operations."""

    index: int
    verb: str
    error: GraphError
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a batch run."""

    atomic: bool = True
    """Whether one error rejects the whole batch. Otherwise, only invalid operations are excluded."""
    validate_before_commit: bool = True
    """Whether the error of an atomic batch lists the errors of all operations, not only the first error."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """The parsed operations of a batch, and the errors of operations that could not be parsed."""

    operations: Sequence[Operation]
    faults: Sequence[OperationError]
    failed_ids: Mapping[str, int]
    """The indexes of operations that cannot be parsed, keyed by the id of the subject that each would create."""
    count: int
    failed_names: Mapping[str, int] = field(default_factory=dict[str, int])
    """The indexes of operations that cannot be parsed, keyed by the name of the entity that each would create."""
