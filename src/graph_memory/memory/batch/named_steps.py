"""What a batch asks for by names, made on paper one after the other: which drafts each comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.batch.operations import ByName, NotCreated, Operation
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
class KnownByName:
    """What was read of the names that operations give."""

    graph: NamedGraph = field(default_factory=NamedGraph)
    ends: Mapping[str, EndRow] = field(default_factory=dict[str, EndRow])
    """Of the ends of relations that could go, those that are nothing else, by id."""
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """For ends of relations that could become entities, the deletions of what leads to them."""
    lost: Mapping[str, int] = field(default_factory=dict[str, int])
    """Names of entities that operations which could not be read would have made."""


@dataclass(slots=True)
class NamedSteps:
    """The steps by name up to one of them."""

    graph: NamedGraph
    drafting: Drafting
    lost: dict[str, int]
    """Names that no entity gets, because the operation that would have made it is at fault."""
    subjects: dict[str, str] = field(default_factory=dict[str, str])
    """What each operation found or made, by the id that it would get if it were new."""

    @classmethod
    def of(cls, known: KnownByName, head: Head, origin: Origin, type_limit: int) -> NamedSteps:
        """Return what begins with what was read."""
        return cls(known.graph.copy(), Drafting(head, origin, type_limit, known.attached), dict(known.lost))

    def with_known_ids(self, operation: Operation) -> Operation:
        """Return an operation with the id of the entity that is there for one that an earlier one asked for."""
        id_of, connection = self.graph.id_of, operation.asked
        if isinstance(connection, NewConnection):
            connection = replace(connection, from_id=id_of(connection.from_id), to_id=id_of(connection.to_id))
            return operation if connection == operation.asked else replace(operation, asked=connection)
        subject = id_of(operation.subject)
        return operation if subject == operation.subject else replace(operation, subject=subject)

    def drafted(
        self, operation: Operation, asked: ByName, ontology: Ontology, lost: Mapping[str, int]
    ) -> Sequence[Draft]:
        """Return the changes that an operation comes to after those before it, with these types.

        Raises NODE_NOT_FOUND, NotCreated, and what the types of a closed domain have against it.
        """
        self.drafting.ontology = ontology
        before = len(self.drafting.drafts)
        try:
            going = self._step(operation, asked, lost)
        except GraphError:
            del self.drafting.drafts[before:]
            raise
        return [*self.drafting.drafts[before:], *going]

    def _step(self, operation: Operation, asked: ByName, lost: Mapping[str, int]) -> Sequence[Draft]:
        """Draft what is to be made, and return what is to go."""
        steps, graph, drafts = Steps(self.graph, self.drafting), self.graph, list[Draft]()
        match asked:
            case NewEntity():
                self.subjects[operation.subject], _ = steps.create(asked)
            case NewObservations(name=name, observations=[one]):
                if (entity := graph.entity(name)) is None:
                    raise self._not_found(name, lost)
                self.subjects[operation.subject], _ = steps.observe(entity, one)
            case NewRelation():
                if (name := steps.lacking(asked)) is not None:
                    raise self._not_found(name, lost)
                self.subjects[operation.subject], _ = steps.relate(asked)
            case Removal(name=name, texts=[text]):
                entity = graph.entity(name)
                drafts = list(graph.observed(entity.id, text).values()) if entity else []
            case RelationRemoval(relation=one):
                start, end = graph.find(one.from_name), graph.find(one.to_name)
                drafts = list(graph.related(start.id, end.id, one.type).values()) if start and end else []
            case EntityRemoval() | NewObservations() | Removal():
                pass
        if drafts:
            self.subjects[operation.subject] = drafts[0].subject
        return drafts

    def _not_found(self, name: str, lost: Mapping[str, int]) -> GraphError:
        index = self.lost.get(name, lost.get(name))
        return not_found(name) if index is None else NotCreated(index)
