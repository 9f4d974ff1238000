"""The keys and inverse relationships of stored subjects, rewritten after a change of their type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graph_memory.memory.changes.context import stored_rows
from graph_memory.memory.changes.stored_data_check import StoredRow
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.ontology.indexes import Index, indexes_of, properties_of
from graph_memory.model.ontology.ontology_diff import TypeChange, materialized_type
from graph_memory.model.ontology.types import AnyType, kind_of_type
from graph_memory.model.projection import Projection, key_rows, project_inverse
from graph_memory.model.subjects.kinds import Step
from graph_memory.model.subjects.subjects import without_nulls
from graph_memory.storage.log.project import run_projection
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.store import Transaction


async def rekey(transaction: Transaction, domain: str, changes: Iterable[TypeChange]) -> None:
    """Rewrite the index keys and inverse relationships of the stored subjects of a type, if its change affects them."""
    for change in changes:
        if change.changes_inverses:
            async for _, rows in stored_rows(transaction, domain, change.after, []):
                await put_inverses(transaction, domain, materialized_type(change.after), [row.id for row in rows])
        if change.changes_keys:
            indexes = indexes_of(change.after)
            async for _, rows in stored_rows(transaction, domain, change.after, properties_of(indexes)):
                await put_keys(transaction, domain, change.after, indexes, rows)


async def put_keys(
    transaction: Transaction, domain: str, subject_type: AnyType, indexes: Sequence[Index], rows: Sequence[StoredRow]
) -> None:
    """Write the index keys of stored subjects of a type. Each row has the values of `properties_of(indexes)`."""
    names = properties_of(indexes)
    projection = Projection(domain)
    for row in rows:
        state = without_nulls(dict(zip(names, row.values, strict=True)))
        draft = Draft(
            op=Op.UPDATE, kind=kind_of_type(subject_type), subject=row.id, type=subject_type.name, state=state
        )
        projection.add(Step.PUT_KEYS, [{"owner": row.id, "rows": key_rows(domain, draft, indexes)}])
    await run_projection(transaction, projection)


async def put_inverses(
    transaction: Transaction, domain: str, name: str, ids: Sequence[str], *, kept_type: str = ""
) -> None:
    """Write the inverse relationships of connections under a type name, or delete them if the name is empty.

    Inverse relationships of the type `kept_type` are not deleted.
    """
    rows = await transaction.run(LAST_EVENTS, domain=domain, subjects=list(ids))
    projection = Projection(domain)
    for event in map(Event.from_row, rows):
        project_inverse(
            projection, event, name, is_deleted=not name or event.draft.op is Op.DELETE, kept_type=kept_type
        )
    await run_projection(transaction, projection)
