"""The inverse relationships of stored connections, rewritten after a change of their type."""

from __future__ import annotations

from collections.abc import Sequence

from graph_memory.model.events import Event, Op
from graph_memory.model.projection import Projection, project_inverse
from graph_memory.storage.log.project import run_projection
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.store import Transaction


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
