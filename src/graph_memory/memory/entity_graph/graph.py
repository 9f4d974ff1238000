"""Looks up entities, observations and relations by name while a write is drafted step by step.

Stored records are added first. Each step then adds the records that it drafts, so that later steps can look them up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from graph_memory.memory.entity_graph.drafting import DraftCollector
from graph_memory.memory.entity_graph.names import check_current
from graph_memory.memory.entity_graph.values.request import NewEntity, NewObservation, NewRelation
from graph_memory.memory.entity_graph.values.rows import EntityObservationsRow, EqualRelationsRow, NodeRow
from graph_memory.model.events import Draft, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ENTITY, MENTIONED, RELATION, TEXT, NodeState

_Deletions = dict[str, Draft]
_Key = tuple[str, str, str]
"""The ids of a relation's endpoints, and its type as written."""


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node with a name: an entity, or a mention, which is only an endpoint of relations."""

    id: str
    name: str
    is_mentioned: bool = False
    ended_at: datetime | None = None
    """The time at which the entity ended, or None."""


@dataclass(slots=True)
class NamedGraph:
    """The stored and drafted records. They can be looked up by name."""

    _nodes: dict[str, NamedNode] = field(default_factory=dict[str, NamedNode])
    _ids: dict[str, str] = field(default_factory=dict[str, str])
    _mentions: dict[str, NodeState] = field(default_factory=dict[str, NodeState])
    """The nodes that are only endpoints of relations, keyed by id. They can become entities."""
    _ids_by_alias: dict[str, str] = field(default_factory=dict[str, str])
    """The ids of entities, keyed by the aliases with which callers referred to them."""
    _replacements: dict[str, str] = field(default_factory=dict[str, str])
    """The ids of existing entities, keyed by the ids of the requested entities that they replace."""
    _texts: dict[str, dict[str, _Deletions]] = field(default_factory=dict[str, dict[str, _Deletions]])
    """The draft that creates or deletes each observation, keyed by node id, text and observation id."""
    _relations: dict[_Key, _Deletions] = field(default_factory=dict[_Key, _Deletions])
    _keys_by_end: dict[str, set[_Key]] = field(default_factory=dict[str, set[_Key]])

    def copy(self) -> NamedGraph:
        """Return a copy of the graph. Records added to the copy do not change this graph."""
        return NamedGraph(
            dict(self._nodes),
            dict(self._ids),
            dict(self._mentions),
            dict(self._ids_by_alias),
            dict(self._replacements),
            {node: {text: dict(deletions) for text, deletions in texts.items()} for node, texts in self._texts.items()},
            {key: dict(deletions) for key, deletions in self._relations.items()},
            {end: set(keys) for end, keys in self._keys_by_end.items()},
        )

    def add_nodes(self, rows: Iterable[NodeRow], mentions: Iterable[NodeState] = ()) -> None:
        """Add stored entities and stored mentions."""
        for row in rows:
            self._add_node(NamedNode(row.id, row.name, row.is_mentioned))
        self._mentions |= {state.id: state for state in mentions}

    def add_aliases(self, names: Mapping[str, str]) -> None:
        """Add entities' aliases. `names` maps each alias to the entity's name. Unknown names are ignored."""
        self._ids_by_alias |= {alias: self._ids[name] for alias, name in names.items() if name in self._ids}

    def add_observations(self, rows: Iterable[EntityObservationsRow]) -> None:
        """Add stored entities with their observations."""
        for row in rows:
            self._add_node(NamedNode(row.id, row.name, ended_at=row.over))
            for (_, text, _), draft in zip(row.matches, row.deletions, strict=True):
                self._add_observation(text, draft)

    def add_relations(self, relation: NewRelation, row: EqualRelationsRow) -> None:
        """Add the stored endpoint nodes of a requested relation, and the stored relations equal to it."""
        ends = (row.from_id, relation.from_name, row.from_mentioned), (row.to_id, relation.to_name, row.to_mentioned)
        for end, name, is_mentioned in ends:
            if end is not None and end not in self._nodes:
                self._add_node(NamedNode(end, name, is_mentioned))
        for draft in row.deletions:
            self._add_relation((row.from_id or "", row.to_id or "", relation.type), draft)

    def add_entity(self, name: str, node: str) -> None:
        """Add an entity that the same write creates or has already looked up."""
        self._add_node(NamedNode(node, name))

    def find(self, name: str) -> NamedNode | None:
        """Return the node with this name, or else with this alias or id. Returns None if there is none."""
        node = self._ids.get(name) or self._ids_by_alias.get(name, name)
        return self._nodes.get(self._replacements.get(node, node))

    def is_alias(self, name: str) -> bool:
        """Return whether the text is an alias of a known entity and not itself a name."""
        return name not in self._ids and self._ids_by_alias.get(name) in self._nodes

    def entity(self, name: str) -> NamedNode | None:
        """Return the entity with this name, alias or id. Returns None for a node that is only a relation's endpoint."""
        named = self.find(name)
        return None if named is None or named.is_mentioned else named

    def id_of(self, subject: str) -> str:
        """Return the id of the existing entity that replaces the subject. If there is none, return the subject."""
        return self._replacements.get(subject, subject)

    def apply(self, draft: Draft) -> None:
        """Add the effect of a draft. Applying a draft twice has no further effect."""
        match draft.kind:
            case Kind.NODE:
                self._apply_node(draft)
            case Kind.OBSERVATION if draft.op is Op.CREATE:
                self._add_observation(str((draft.state or {})[TEXT]), draft)
            case Kind.OBSERVATION if draft.op is Op.DELETE:
                for deletions in self._texts.get(draft.from_id or "", {}).values():
                    deletions.pop(draft.subject, None)
            case Kind.CONNECTION if draft.op is not Op.UPDATE:
                self._apply_connection(draft)
            case _:
                pass

    def _apply_node(self, draft: Draft) -> None:
        node_before = self._nodes.pop(draft.subject, None)
        self._mentions.pop(draft.subject, None)
        if node_before is not None and self._ids.get(node_before.name) == draft.subject:
            del self._ids[node_before.name]
        if draft.op is Op.DELETE:
            self._texts.pop(draft.subject, None)
            for key in self._keys_by_end.pop(draft.subject, ()):
                self._relations.pop(key, None)
        elif draft.state is not None and ENTITY in draft.state:
            is_mentioned = MENTIONED in draft.state
            self._add_node(NamedNode(draft.subject, str(draft.state["name"]), is_mentioned))
            if is_mentioned:
                identity = {"_id": draft.subject, "_type": draft.type, "_version": draft.previous or 0}
                self._mentions[draft.subject] = NodeState.from_live({**draft.state, **identity})

    def _apply_connection(self, draft: Draft) -> None:
        ends = draft.from_id or "", draft.to_id or ""
        if draft.op is Op.CREATE:
            kind = str((draft.state or {}).get(RELATION, draft.type))
            self._add_relation((*ends, kind), _as_deletion(draft))
        elif draft.op is Op.DELETE:
            for key in self._keys_by_end.get(ends[0], ()):
                self._relations.get(key, {}).pop(draft.subject, None)

    def _add_node(self, node: NamedNode) -> None:
        self._nodes[node.id] = node
        self._ids[node.name] = node.id

    def _add_observation(self, text: str, draft: Draft) -> None:
        texts = self._texts.setdefault(draft.from_id or "", {})
        texts.setdefault(text, {})[draft.subject] = draft

    def _add_relation(self, key: _Key, deletion: Draft) -> None:
        self._relations.setdefault(key, {})[deletion.subject] = deletion
        for end in key[:2]:
            self._keys_by_end.setdefault(end, set()).add(key)

    def mention(self, node: NamedNode) -> NodeState | None:
        """Return the state of a mention that can become an entity, otherwise None."""
        return self._mentions.get(node.id) if node.is_mentioned else None

    def add_replacement(self, new_id: str, existing_id: str) -> None:
        """Record that the entity with the id `new_id` already exists under the id `existing_id`."""
        self._replacements[new_id] = existing_id

    def deletions_of_text(self, node: str, text: str) -> Mapping[str, Draft]:
        """Return the drafts that delete a node's observations with this text, keyed by observation id."""
        deletions = self._texts.get(node, {}).get(text, {})
        return {subject: _as_deletion(draft) for subject, draft in deletions.items()}

    def deletions_of_relation(self, start: str, end: str, kind: str) -> Mapping[str, Draft]:
        """Return the drafts that delete the relations from `start` to `end`, keyed by id. `kind` is as written."""
        return self._relations.get((start, end, kind), {})


@dataclass(slots=True)
class RecordDrafter:
    """Drafts requested records by name. Existing records are not changed."""

    graph: NamedGraph
    drafting: DraftCollector

    def create(self, entity: NewEntity) -> tuple[str, bool]:
        """Draft an entity if its name is new. Returns the id of the entity with that name, and whether it is new."""
        node, draft_count = self.graph.find(entity.name), len(self.drafting.drafts)
        if node is not None and (node.name == entity.name or self.graph.is_alias(entity.name)):
            mention = self.graph.mention(node)
            if mention is None:
                self.graph.add_replacement(entity.id, node.id)
                return node.id, False
            self.drafting.promote_mention(mention, entity)
            self.graph.add_replacement(entity.id, node.id)
            self._apply_since(draft_count)
            return node.id, True
        self.drafting.draft_entity(entity)
        self._apply_since(draft_count)
        return entity.id, True

    def observe(self, node: NamedNode, observation: NewObservation) -> tuple[str, bool]:
        """Draft an observation if its text is new to the entity. Returns its id, and whether it is new.

        Raises INVALID_ARGUMENT if the entity has ended.
        """
        check_current(node.name, node.ended_at)
        if drafts := self.graph.deletions_of_text(node.id, observation.text):
            return next(iter(drafts)), False
        draft_count = len(self.drafting.drafts)
        self.drafting.draft_observations(node.id, [observation])
        self._apply_since(draft_count)
        return observation.id, True

    def relate(self, relation: NewRelation) -> tuple[str, bool]:
        """Draft a relation, with its missing endpoints, if it is new. Returns its id, and whether it is new."""
        start, end = self.graph.find(relation.from_name), self.graph.find(relation.to_name)
        if start and end and (drafts := self.graph.deletions_of_relation(start.id, end.id, relation.type)):
            return next(iter(drafts)), False
        draft_count = len(self.drafting.drafts)
        from_id = start.id if start else self.drafting.draft_mention(relation.from_name)
        is_same = end is None and relation.to_name == relation.from_name
        to_id = from_id if is_same else end.id if end else self.drafting.draft_mention(relation.to_name)
        self.drafting.draft_relation(relation, from_id, to_id)
        self._apply_since(draft_count)
        return relation.id, True

    def missing_end(self, relation: NewRelation) -> str | None:
        """Return the name of an endpoint of the relation if no entity has this name.

        Returns None if both entities exist, or if the relation is lenient and therefore needs no entities.
        """
        names = (relation.from_name, relation.to_name)
        return None if relation.lenient else next((name for name in names if self.graph.entity(name) is None), None)

    def _apply_since(self, draft_count: int) -> None:
        for draft in self.drafting.drafts[draft_count:]:
            self.graph.apply(draft)


def _as_deletion(draft: Draft) -> Draft:
    if draft.op is Op.DELETE:
        return draft
    return replace(draft, op=Op.DELETE, state=None, content=None, windows=None, previous=None)
