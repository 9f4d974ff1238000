"""Drafts entities, observations and relations to create, with the types that they need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from graph_memory.memory.changes.stored_data_check import incompatible_end_error
from graph_memory.memory.entity_graph.values.request import NewEntity, NewObservation, NewRelation
from graph_memory.memory.entity_graph.values.spelling import ENTITY, RELATION, spelling_to_store, stored_name
from graph_memory.memory.graph.ontology import ad_hoc_types, check_type_limit
from graph_memory.model.events import Draft, Head, Op, Origin, new_id
from graph_memory.model.ontology.ontology import ANY, ConnectionType, NodeType, Ontology
from graph_memory.model.projection import new_type_draft, with_types
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState, NodeState, ObservationState
from graph_memory.model.values.content import Content
from graph_memory.model.values.strength import Provenance
from graph_memory.model.values.titles import title_of

EMPTY_CONTENT = Content(data=b"", encoding="utf-8", format="markdown")


@dataclass(slots=True)
class DraftCollector:
    """Collects drafts in order. If the ontology lacks a draft's type, it first adds a draft that declares the type."""

    head: Head
    origin: Origin
    type_limit: int
    deletions_by_end: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """For each node that may become an entity, drafts that delete its connections of types with rules."""
    drafts: list[Draft] = field(default_factory=list[Draft])
    ontology: Ontology = field(init=False)
    _places: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.ontology = self.head.ontology

    def draft_entity(self, entity: NewEntity) -> str:
        """Draft an entity with its observations. Returns the id of the entity."""
        node = self._make_node(entity.name, entity.type, entity)
        self._add_node_draft(node, entity.content)
        self.draft_observations(node.id, entity.observations)
        return node.id

    def draft_mention(self, name: str) -> str:
        """Draft a node for an endpoint of a relation whose name no entity has. Returns the id of the node."""
        node = replace(self._make_node(name, ENTITY), mentioned=True)
        self._add_node_draft(node, EMPTY_CONTENT)
        return node.id

    def promote_mention(self, mention: NodeState, entity: NewEntity) -> None:
        """Draft the change of a node that was only an endpoint of relations into an entity.

        The node keeps its type if one of its relations does not allow the entity's type. Raises INVALID_NODE_TYPE if a
        closed ontology does not have the type.
        """
        properties = {**entity.properties, "name": entity.name}
        kind = self.node_type(entity.type)
        type_error = incompatible_end_error(
            Draft(op=Op.UPDATE, kind=Kind.NODE, subject=mention.id, type=kind),
            self.deletions_by_end.get(mention.id, ()),
            self.ontology,
        )
        node = replace(
            mention,
            type=mention.type if type_error else kind,
            entity=entity.type,
            mentioned=False,
            place=next(self._places),
            created=self.head.at,
            modified=self.head.at,
            properties=properties,
            content=entity.content.ref,
            title=title_of(mention.type if type_error else kind, properties, entity.content.text),
        )
        self._add_node_draft(node, entity.content, Op.UPDATE)
        self.draft_observations(node.id, entity.observations)

    def draft_observations(self, node: str, observations: Sequence[NewObservation]) -> list[str]:
        """Draft observations of the node with the id `node`. Returns the ids of the observations."""
        ids: list[str] = []
        for observation in observations:
            state = ObservationState(
                text=observation.text,
                time=observation.time or self.head.at,
                created=self.head.at,
                origin=observation.source or self.origin.session or self.origin.source,
                confidence=observation.confidence,
                validity=observation.validity,
                place=next(self._places),
                supersedes=observation.supersedes,
                asks=observation.asks,
            )
            ids.append(observation.id)
            draft = Draft(
                op=Op.CREATE, kind=Kind.OBSERVATION, subject=observation.id, from_id=node, state=state.state()
            )
            self.drafts.append(draft)
        return ids

    def draft_relation(self, relation: NewRelation, from_id: str, to_id: str) -> None:
        """Draft a relation from the node with the id `from_id` to the node with the id `to_id`."""
        kind = self._connection_type(relation.type)
        state = ConnectionState(
            id=relation.id,
            type=kind,
            from_node_id=from_id,
            to_node_id=to_id,
            created=self.head.at,
            modified=self.head.at,
            properties=relation.properties,
            relation=spelling_to_store(relation.type, kind),
            provenance=Provenance(actor=self.origin.actor),
            place=next(self._places),
        )
        self.drafts.append(
            Draft(
                op=Op.CREATE,
                kind=Kind.CONNECTION,
                subject=state.id,
                type=kind,
                from_id=from_id,
                to_id=to_id,
                state=state.state(),
            )
        )

    def _make_node(self, name: str, spelling: str, entity: NewEntity | None = None) -> NodeState:
        properties = {**(entity.properties if entity else {}), "name": name}
        content, kind = entity.content if entity else EMPTY_CONTENT, self.node_type(spelling)
        return NodeState(
            id=entity.id if entity else new_id("mem"),
            type=kind,
            created=self.head.at,
            modified=self.head.at,
            title=title_of(kind, properties, content.text),
            content=content.ref,
            properties=properties,
            entity=spelling,
            place=next(self._places),
        )

    def _add_node_draft(self, node: NodeState, content: Content, op: Op = Op.CREATE) -> None:
        previous = node.version or None
        state = node.state()
        self.drafts.append(
            Draft(
                op=op, kind=Kind.NODE, subject=node.id, type=node.type, previous=previous, state=state, content=content
            )
        )

    def node_type(self, spelling: str) -> str:
        """Return the type under which an entity is stored. Declares it if needed.

        Raises INVALID_NODE_TYPE if a closed ontology does not have the type.
        """
        name = stored_name(spelling, ENTITY)
        if self.ontology.find_node_type(name) is None:
            name = self._declare(NodeType(name, ad_hoc=True), NodeType(ENTITY, ad_hoc=True))
        return name

    def _connection_type(self, spelling: str) -> str:
        """Return the type under which a relation is stored. Declares it if needed.

        The name of an inverse is never declared. A relation with such a name is stored under the general type.
        """
        name = stored_name(spelling, RELATION)
        general_type = ConnectionType(RELATION, (ANY,), (ANY,), ad_hoc=True)
        is_inverse = self.ontology.stored_type(name)[1]
        if is_inverse or self.ontology.find_connection_type(name) is None:
            wanted_type = general_type if is_inverse else ConnectionType(name, (ANY,), (ANY,), ad_hoc=True)
            name = self._declare(wanted_type, general_type)
        return name

    def _declare(self, new_type: NodeType | ConnectionType, general_type: NodeType | ConnectionType) -> str:
        """Declare the type, or the general type if the domain has reached its type limit. Return the name.

        Raises INVALID_NODE_TYPE or INVALID_CONNECTION_TYPE if a closed ontology does not have the type, and
        TYPE_LIMIT_REACHED if the general type cannot be declared either.
        """
        is_node = isinstance(new_type, NodeType)
        find = self.ontology.find_node_type if is_node else self.ontology.find_connection_type
        if not self.ontology.open:
            return (self.ontology.node_type if is_node else self.ontology.connection_type)(new_type.name).name
        general_types = self.ontology.find_node_type(ENTITY), self.ontology.find_connection_type(RELATION)
        reserved = general_types.count(None)
        chosen_type = new_type if ad_hoc_types(self.ontology) + reserved < self.type_limit else general_type
        if find(chosen_type.name) is None:
            check_type_limit(self.ontology, self.head.domain, self.type_limit)
            draft = new_type_draft(chosen_type)
            self.ontology = with_types(self.ontology, [draft])
            self.drafts.append(draft)
        return chosen_type.name
