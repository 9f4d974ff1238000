"""Drafts the operations of a batch that refer to entities by name, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.batch.operations import ChangeByName, NotCreated, Operation
from graph_memory.memory.entity_graph.drafting import Drafting
from graph_memory.memory.entity_graph.graph import NamedGraph, Steps
from graph_memory.memory.entity_graph.names import not_found
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
    """The stored data for the names in operations."""

    graph: NamedGraph = field(default_factory=NamedGraph)
    ends: Mapping[str, EndRow] = field(default_factory=dict[str, EndRow])
    """The nodes that exist only as ends of relations which may be deleted, by id."""
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """The deletions of subjects attached to nodes that may become entities."""
    failed_names: Mapping[str, int] = field(default_factory=dict[str, int])
    """Names of entities that unreadable operations would create, with the index of the operation."""


@dataclass(slots=True)
class NamedSteps:
    """The state of the named entities after the operations that were drafted so far."""

    graph: NamedGraph
    drafting: Drafting
    failed_names: dict[str, int]
    """Names of entities that are not created because their operation is faulty, with the index of the operation."""
    subjects: dict[str, str] = field(default_factory=dict[str, str])
    """The subject of each operation, by the id that it would get if it were new."""

    @classmethod
    def of(cls, stored: StoredNames, head: Head, origin: Origin, type_limit: int) -> NamedSteps:
        """Return the state before the first operation."""
        return cls(stored.graph.copy(), Drafting(head, origin, type_limit, stored.attached), dict(stored.failed_names))

    def with_existing_ids(self, operation: Operation) -> Operation:
        """Return an operation with the ids of existing entities in place of new ids."""
        id_of, connection = self.graph.id_of, operation.change
        if isinstance(connection, NewConnection):
            connection = replace(connection, from_id=id_of(connection.from_id), to_id=id_of(connection.to_id))
            return operation if connection == operation.change else replace(operation, change=connection)
        subject = id_of(operation.subject)
        return operation if subject == operation.subject else replace(operation, subject=subject)

    def draft(
        self, operation: Operation, change: ChangeByName, ontology: Ontology, failed_ids: Mapping[str, int]
    ) -> Sequence[Draft]:
        """Return the changes that an operation makes after the earlier ones.

        Raises NODE_NOT_FOUND, NotCreated, and the errors of a closed ontology.
        """
        self.drafting.ontology = ontology
        before = len(self.drafting.drafts)
        try:
            deletions = self._step(operation, change, failed_ids)
        except GraphError:
            del self.drafting.drafts[before:]
            raise
        return [*self.drafting.drafts[before:], *deletions]

    def _step(self, operation: Operation, change: ChangeByName, failed_ids: Mapping[str, int]) -> Sequence[Draft]:
        """Draft the subjects to create and change, and return the deletions."""
        steps, graph, drafts = Steps(self.graph, self.drafting), self.graph, list[Draft]()
        match change:
            case NewEntity():
                self.subjects[operation.subject], _ = steps.create(change)
            case NewObservations(name=name, observations=[observation]):
                if (entity := graph.entity(name)) is None:
                    raise self._not_found(name, failed_ids)
                self.subjects[operation.subject], _ = steps.observe(entity, observation)
            case NewRelation():
                if (name := steps.missing_end(change)) is not None:
                    raise self._not_found(name, failed_ids)
                self.subjects[operation.subject], _ = steps.relate(change)
            case Removal(name=name, texts=[text]):
                entity = graph.entity(name)
                drafts = list(graph.deletions_of_text(entity.id, text).values()) if entity else []
            case RelationRemoval(relation=observation):
                start, end = graph.find(observation.from_name), graph.find(observation.to_name)
                drafts = (
                    list(graph.deletions_of_relation(start.id, end.id, observation.type).values())
                    if start and end
                    else []
                )
            case EntityRemoval() | NewObservations() | Removal():
                pass
        if drafts:
            self.subjects[operation.subject] = drafts[0].subject
        return drafts

    def _not_found(self, name: str, failed_ids: Mapping[str, int]) -> GraphError:
        index = self.failed_names.get(name, failed_ids.get(name))
        return not_found(name) if index is None else NotCreated(index)
