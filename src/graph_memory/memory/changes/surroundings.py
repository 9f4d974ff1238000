"""What is attached to nodes, their connections and the observations about them, and goes when they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.memory.changes import paging
from graph_memory.model.events import Draft, Op
from graph_memory.model.kinds import Kind
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class AttachedRow:
    """A connection or observation that goes when its node goes."""

    node: str
    kind: str
    id: str
    type: str | None
    from_id: str
    to_id: str | None
    version: int


ATTACHED = query("changes/attached", AttachedRow)


async def attached_to(reader: Reader, domain: str, nodes: Sequence[str]) -> list[AttachedRow]:
    """Return what is attached to nodes. Raises TooMany when it is more than one transaction takes."""
    if not nodes:
        return []
    rows = await reader.read(ATTACHED, domain=domain, nodes=nodes, limit=paging.AT_ONCE + 1)
    paging.check_amount(len(rows), paging.AT_ONCE)
    return rows


def detaching(row: AttachedRow) -> Draft:
    """Return the event that deletes what goes with a node."""
    return Draft(
        op=Op.DELETE,
        kind=Kind(row.kind),
        subject=row.id,
        type=row.type,
        from_id=row.from_id,
        to_id=row.to_id,
        previous=row.version,
    )


@dataclass(frozen=True, slots=True)
class LivingRow:
    """A node that exists."""

    id: str
    type: str


LIVING = query("changes/living", LivingRow)
