"""Reads the stored data that a batch needs, under the domain's lock: last events, attachments and named entities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graph_memory.memory.batch.fold import StoredData
from graph_memory.memory.batch.named_steps import StoredNames
from graph_memory.memory.batch.operations import Deletion, Operation, OperationError, ParsedBatch
from graph_memory.memory.changes.context import read_attachments, read_attachments_of_retyped, read_in_parts
from graph_memory.memory.changes.paging import TooManyEvents
from graph_memory.memory.core import Core
from graph_memory.memory.entity_graph.entity_queries import (
    NODES_BY_NAME,
    equal_relations,
    find_only_ends,
    observations_by_text,
    states_of,
)
from graph_memory.memory.entity_graph.graph import NamedGraph
from graph_memory.memory.entity_graph.names import entity_not_found_error
from graph_memory.memory.entity_graph.other_names import names_by_reference
from graph_memory.memory.entity_graph.values.request import (
    EntityRemoval,
    NewEntity,
    NewObservations,
    NewRelation,
    RelationRemoval,
    Removal,
)
from graph_memory.memory.graph.nodes import NodeEdit
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.store import Reader

MAX_ATTACHED = 10_000
"""Maximum number of connections, observations and links that one batch deletes with nodes."""
_MAX_SUGGESTIONS = 3
"""Maximum number of unknown entity names for which similar names are looked up."""


async def read_stored_data(core: Core, reader: Reader, head: Head, parsed: ParsedBatch) -> StoredData:
    """Return the stored data that a batch needs. Raises INVALID_ARGUMENT if it would delete too many subjects."""
    operations = parsed.operations
    names = _NameReader(reader, head.domain, operations)
    graph = await names.read()
    given_ids = (
        operation.subject
        for operation in operations
        if isinstance(operation.change, Deletion) and operation.change.kind is Kind.NODE
    )
    deleted_nodes = [names.existing.get(node_id, node_id) for node_id in given_ids]
    ids = {operation.subject: None for operation in operations if operation.is_named} | dict.fromkeys(parsed.failed_ids)
    ids |= dict.fromkeys(
        names.existing[operation.subject]
        for operation in operations
        if operation.ref and operation.subject in names.existing
    )
    ids |= dict.fromkeys((*names.deleted, *names.mentions))
    events = map(Event.from_row, await read_in_parts(reader, LAST_EVENTS, head.domain, subjects=list(ids)))
    try:
        attached = await read_attachments(
            reader, head.domain, list(dict.fromkeys([*deleted_nodes, *names.deleted])), MAX_ATTACHED
        )
    except TooManyEvents as error:
        message = f"More than {MAX_ATTACHED:,} connections, observations and links would be deleted with the nodes"
        hint = Hint("Delete nodes with many connections with {delete_node}, which has no limit.")
        raise invalid_argument("operations", message, hint) from error
    deletions = [draft for node in names.deleted for draft in attached.get(node, ())] + names.deleted_relations
    deletion_count = sum(
        isinstance(operation.change, Deletion) and operation.change.kind is Kind.CONNECTION for operation in operations
    )
    ends = await find_only_ends(
        reader, head.domain, deletions, names.deleted, deletion_count + sum(map(len, attached.values()))
    )
    return StoredData(
        head=head,
        last={event.draft.subject: event for event in events},
        attached=attached,
        failed_ids=parsed.failed_ids,
        open_type_limit=core.open_type_limit,
        origin=core.origin,
        by_name=StoredNames(
            graph=graph,
            ends={row.id: row for row in ends},
            attached=await read_attachments_of_retyped(reader, head.domain, names.mentions, head.ontology),
            failed_names=parsed.failed_names,
        ),
    )


class _NameReader:
    """Reads the entities, observations and relations that operations refer to by name."""

    def __init__(self, reader: Reader, domain: str, operations: Sequence[Operation]) -> None:
        self._reader = reader
        self._domain = domain
        self._changes = [operation.change for operation in operations]
        self._edits = [
            (operation.subject, operation.change) for operation in operations if isinstance(operation.change, NodeEdit)
        ]
        self.deleted: Sequence[str] = ()
        """Ids of nodes that operations delete by name."""
        self.mentions: Sequence[str] = ()
        """Ids of nodes that exist only as ends of relations, and that operations turn into entities."""
        self.existing: Mapping[str, str] = {}
        """Ids of existing entities, keyed by their provisional ids in the operations."""
        self.deleted_relations: list[Draft] = []
        """Drafts that delete the relations that operations identify by the names of their ends."""
        self._by_id: Mapping[str, str] = {}
        self._former_names: dict[str, list[str]] = {}

    async def read(self) -> NamedGraph:
        graph = NamedGraph()
        created, deleted = list[str](), list[str]()
        texts, relations = list[tuple[str, Iterable[str]]](), list[NewRelation]()
        for change in self._changes:
            match change:
                case NewEntity():
                    created.append(change.name)
                case EntityRemoval(name=name):
                    deleted.append(name)
                case NewObservations(name=name, observations=values):
                    texts.append((name, [observation.text for observation in values]))
                case Removal(name=name, texts=values):
                    texts.append((name, values))
                case NewRelation():
                    relations.append(change)
                case RelationRemoval(relation=relation):
                    relations.append(relation)
                case _:
                    pass
        ends = (end for relation in relations for end in (relation.from_name, relation.to_name))
        given_names = dict.fromkeys((*created, *deleted, *(name for name, _ in texts), *ends))
        if not given_names:
            return graph
        entities = [new_entity for new_entity in self._changes if isinstance(new_entity, NewEntity)]
        given_ids = (*given_names, *(subject for subject, _ in self._edits))
        names_by_id = await names_by_reference(self._reader, self._domain, given_ids, ends=True)
        by_id = {**names_by_id, **{entity.id: entity.name for entity in entities}}
        self._record_names(by_id)
        names = dict.fromkeys((*given_names, *by_id.values()))
        rows = await read_in_parts(self._reader, NODES_BY_NAME, self._domain, names=list(names))
        ids = {row.name: row.id for row in rows}
        self.deleted = [ids[name] for name_or_id in deleted for name in self._possible_names(name_or_id) if name in ids]
        entity_names = {entity.id: names_by_id.get(entity.name, entity.name) for entity in entities}
        self.existing = {subject: ids[name] for subject, name in entity_names.items() if name in ids}
        created_names = set(created)
        self.mentions = [row.id for row in rows if row.is_mentioned and row.name in created_names]
        graph.add_nodes(rows, (await states_of(self._reader, self._domain, self.mentions)).values())
        graph.add_aliases(names_by_id)
        pairs = [(name, contents) for name_or_id, contents in texts for name in self._possible_names(name_or_id)]
        graph.add_observations(await observations_by_text(self._reader, self._domain, pairs))
        await self._add_relations(graph, relations)
        return graph

    def _record_names(self, by_id: Mapping[str, str]) -> None:
        """Record each entity's name, and the stored names that operations replace."""
        self._by_id = by_id
        for subject, edit in self._edits:
            name = edit.properties.get("name")
            if isinstance(name, str) and subject in by_id:
                self._former_names.setdefault(name, []).append(by_id[subject])

    def _possible_names(self, name_or_id: str) -> list[str]:
        """Return the stored names that a name or id may refer to, because earlier operations can rename entities."""
        name = self._by_id.get(name_or_id, name_or_id)
        return [name, *self._former_names.get(name, ())]

    async def _add_relations(self, graph: NamedGraph, named_relations: Sequence[NewRelation]) -> None:
        relations = [
            replace(relation, from_name=start, to_name=end)
            for relation in named_relations
            for start in self._possible_names(relation.from_name)
            for end in self._possible_names(relation.to_name)
        ]
        for named_relation, row in zip(
            relations, await equal_relations(self._reader, self._domain, relations), strict=True
        ):
            graph.add_relations(named_relation, row)
            self.deleted_relations += row.deletions


async def fetch_suggestions(reader: Reader, domain: str, faults: Sequence[OperationError]) -> Mapping[str, GraphError]:
    """Return the errors for the first unknown entity names, keyed by name. Each suggests the most similar name."""
    names = [name for fault in faults if (name := _unknown_name(fault)) is not None][:_MAX_SUGGESTIONS]
    return {name: await entity_not_found_error(reader, domain, name) for name in dict.fromkeys(names)}


def with_suggestions(faults: Sequence[OperationError], suggestions: Mapping[str, GraphError]) -> list[OperationError]:
    """Return the errors of all operations. An error about an entity name in `suggestions` is replaced by that error."""
    return [replace(fault, error=suggestions.get(_unknown_name(fault) or "", fault.error)) for fault in faults]


def _unknown_name(fault: OperationError) -> str | None:
    name = fault.error.details.get("name") if fault.error.code is Code.NODE_NOT_FOUND else None
    return name if isinstance(name, str) else None
