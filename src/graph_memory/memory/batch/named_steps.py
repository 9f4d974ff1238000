"""Drafts the operations of a batch that refer to entities by name, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.batch.operations import ChangeByName, FailedDependency, Operation
from graph_memory.memory.entity_graph.drafting import DraftCollector
from graph_memory.memory.entity_graph.graph import NamedGraph, RecordDrafter
from graph_memory.memory.entity_graph.names import official_not_found_error
from graph_memory.memory.entity_graph.values.request import (
    EntityRemoval,
    NewEntity,
    NewObservations,
    NewRelation,
    RelationRemoval,
    Removal,
)
from graph_memory.memory.entity_graph.values.rows import EndRow
from graph_memory.memory.graph.connections import NewConnection
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Head, Origin
from graph_memory.model.ontology.ontology import Ontology


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredNames:
    """The stored data that operations refer to by name."""

    graph: NamedGraph = field(default_factory=NamedGraph)
    ends: Mapping[str, EndRow] = field(default_factory=dict[str, EndRow])
    """The nodes that exist only as endpoints of relations that the batch may delete, keyed by id."""
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """Drafts that delete attachments of nodes that the batch may turn into entities, keyed by node id."""
    failed_names: Mapping[str, int] = field(default_factory=dict[str, int])
    """The indexes of operations that cannot be parsed, keyed by the name of the entity that each would create."""


@dataclass(slots=True)
class NamedOperationDrafter:
    """The state of the named entities after the operations drafted so far."""

    graph: NamedGraph
    drafting: DraftCollector
    failed_names: dict[str, int]
    """The indexes of invalid operations, keyed by the name of the entity that each would have created."""
    subjects: dict[str, str] = field(default_factory=dict[str, str])
    """The ids of the operations' subjects, keyed by the provisional ids in the operations."""

    @classmethod
    def of(cls, stored: StoredNames, head: Head, origin: Origin, type_limit: int) -> NamedOperationDrafter:
        """Return the state before the first operation."""
        return cls(
            stored.graph.copy(), DraftCollector(head, origin, type_limit, stored.attached), dict(stored.failed_names)
        )

    def with_existing_ids(self, operation: Operation) -> Operation:
        """Return the operation. If an entity already exists, its id replaces the provisional id."""
        id_of, connection = self.graph.id_of, operation.change
        if isinstance(connection, NewConnection):
            connection = replace(connection, from_id=id_of(connection.from_id), to_id=id_of(connection.to_id))
            return operation if connection == operation.change else replace(operation, change=connection)
        subject = id_of(operation.subject)
        return operation if subject == operation.subject else replace(operation, subject=subject)

    def draft(
        self, operation: Operation, change: ChangeByName, ontology: Ontology, failed_ids: Mapping[str, int]
    ) -> Sequence[Draft]:
        """Return the changes of an operation, based on the state after the earlier operations.

        Raises NODE_NOT_FOUND if an entity does not exist, FailedDependency if an invalid operation would have created
        it, and INVALID_NODE_TYPE or INVALID_CONNECTION_TYPE if a closed ontology lacks a type.
        """
        self.drafting.ontology = ontology
        earlier_count = len(self.drafting.drafts)
        try:
            deletions = self._draft_step(operation, change, failed_ids)
        except GraphError:
            del self.drafting.drafts[earlier_count:]
            raise
        return [*self.drafting.drafts[earlier_count:], *deletions]

    def _draft_step(self, operation: Operation, change: ChangeByName, failed_ids: Mapping[str, int]) -> Sequence[Draft]:
        """Apply the creations and changes of an operation to the graph. Return the drafts of its deletions."""
        steps, graph, drafts = RecordDrafter(self.graph, self.drafting), self.graph, list[Draft]()
        match change:
            case NewEntity():
                self.subjects[operation.subject], _ = steps.create(change)
            case NewObservations(name=name, observations=[observation]):
                if (entity := graph.entity(name)) is None:
                    raise self._not_found_error(name, failed_ids)
                self.subjects[operation.subject], _ = steps.observe(entity, observation)
            case NewRelation():
                if (name := steps.missing_end(change)) is not None:
                    raise self._not_found_error(name, failed_ids)
                self.subjects[operation.subject], _ = steps.relate(change)
            case Removal(name=name, texts=[text]):
                entity = graph.entity(name)
                drafts = list(graph.deletions_of_text(entity.id, text).values()) if entity else []
            case RelationRemoval(relation=relation):
                start, end = graph.find(relation.from_name), graph.find(relation.to_name)
                drafts = (
                    list(graph.deletions_of_relation(start.id, end.id, relation.type).values()) if start and end else []
                )
            case EntityRemoval() | NewObservations() | Removal():
                pass
        if drafts:
            self.subjects[operation.subject] = drafts[0].subject
        return drafts

    def _not_found_error(self, name: str, failed_ids: Mapping[str, int]) -> GraphError:
        index = self.failed_names.get(name, failed_ids.get(name))
        return official_not_found_error(name) if index is None else FailedDependency(index)
