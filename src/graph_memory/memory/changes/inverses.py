"""The second relationships of what is stored of a connection type, made anew where the type has others than before."""

from __future__ import annotations

from collections.abc import Sequence

from graph_memory.model.events import Event, Op
from graph_memory.model.projection import Projection, project_inverse
from graph_memory.storage.log.project import run_projection
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.store import Transaction


async def put_inverses(
    transaction: Transaction, domain: str, name: str, ids: Sequence[str], *, stays: str = ""
) -> None:
    """Make the second relationships of these connections those of a type, or none if its name is empty.

    Those of the type `stays` are left as they are.
    """
    rows = await transaction.run(LAST_EVENTS, domain=domain, subjects=list(ids))
    projection = Projection(domain)
    for event in map(Event.from_row, rows):
        project_inverse(projection, event, name, is_gone=not name or event.draft.op is Op.DELETE, stays=stays)
    await run_projection(transaction, projection)
