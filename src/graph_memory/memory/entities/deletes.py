"""Deletes entities, observations and relations by name. Missing records are not an error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.changes.context import read_attachments, read_in_parts
from graph_memory.memory.changes.paging import TooManyEvents
from graph_memory.memory.changes.plan import Changeset, Context
from graph_memory.memory.core import Core
from graph_memory.memory.entities.results import Confirmation
from graph_memory.memory.entity_graph.entity_queries import (
    NODES_BY_NAME,
    equal_relations,
    find_only_ends,
    observations_by_text,
)
from graph_memory.memory.entity_graph.values.request import NewRelation, Removal
from graph_memory.memory.entity_graph.values.rows import EndRow, EntityObservationsRow, EqualRelationsRow, NodeRow
from graph_memory.memory.graph.node_deletion import delete_node
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Head
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

DeletableRow = NodeRow | EntityObservationsRow | EqualRelationsRow


@dataclass(frozen=True, slots=True)
class _Deletion:
    """The records to delete, the records attached to deleted nodes, and the nodes that are only relation endpoints."""

    rows: Sequence[DeletableRow]
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    ends: Sequence[EndRow] = ()


ReadDeletion = Callable[[Reader, Head], Awaitable[_Deletion]]


async def delete_entities(core: Core, domain: str, names: Sequence[str]) -> Confirmation:
    """Delete entities with everything attached to them. See `Entities.delete_entities`."""

    async def read(reader: Reader, _: Head) -> _Deletion:
        rows = await read_in_parts(reader, NODES_BY_NAME, domain, names=names)
        attached = await read_attachments(reader, domain, [row.id for row in rows])
        attached_drafts = [draft for drafts in attached.values() for draft in drafts]
        return _Deletion(
            rows, attached, await find_only_ends(reader, domain, attached_drafts, [row.id for row in rows])
        )

    try:
        deleted = await _delete(core, domain, "delete_entities", read)
    except TooManyEvents:
        deleted = await _delete_in_parts(core, domain, names)
    return Confirmation(message="Entities deleted successfully", deleted=deleted)


async def _delete_in_parts(core: Core, domain: str, names: Sequence[str]) -> int:
    """Delete entities in several writes. Halves the list of names until each part fits. Deletes one entity in pages."""
    if middle := len(names) // 2:
        return sum([(await delete_entities(core, domain, half)).deleted for half in (names[:middle], names[middle:])])
    rows = await core.store.read(NODES_BY_NAME, domain=domain, names=names)
    for row in rows:
        await delete_node(core, domain, row.id, None)
    return len(rows)


async def delete_observations(core: Core, domain: str, removals: Sequence[Removal]) -> Confirmation:
    """Delete observations. See `Entities.delete_observations`."""

    async def read(reader: Reader, _: Head) -> _Deletion:
        return _Deletion(
            await observations_by_text(reader, domain, ((removal.name, removal.texts) for removal in removals))
        )

    deleted = await _delete(core, domain, "delete_observations", read)
    return Confirmation(message="Observations deleted successfully", deleted=deleted)


async def delete_relations(core: Core, domain: str, relations: Sequence[NewRelation]) -> Confirmation:
    """Delete relations. See `Entities.delete_relations`."""

    async def read(reader: Reader, _: Head) -> _Deletion:
        rows = await equal_relations(reader, domain, relations)
        drafts = [draft for row in rows for draft in row.deletions]
        return _Deletion(rows, ends=await find_only_ends(reader, domain, drafts, ()))

    deleted = await _delete(core, domain, "delete_relations", read)
    return Confirmation(message="Relations deleted successfully", deleted=deleted)


def _decide(head: Head, deletion: _Deletion) -> Decision[int]:
    """Return the deletions. A node that is only an endpoint of relations is deleted with its last relation."""
    drafts = [draft for row in deletion.rows for draft in _deletions(row)]
    attached = (draft for drafts in deletion.attached.values() for draft in drafts)
    deleted_ids = {draft.subject for draft in (*drafts, *attached)}
    orphaned_ends = [row.deletion for row in deletion.ends if row.loses_all_relations(deleted_ids.__contains__)]
    context = Context(ontology=head.ontology, attached=deletion.attached)
    return Decision(Changeset.of(context, [*drafts, *orphaned_ends]).in_order() if drafts else (), len(drafts))


def _deletions(row: DeletableRow) -> Sequence[Draft]:
    return [row.deletion] if isinstance(row, NodeRow) else row.deletions


async def _delete(core: Core, domain: str, name: str, read: ReadDeletion) -> int:
    try:
        return (await core.log.write(name, domain, core.origin, read, _decide)).report
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return 0
