"""What a person means who does not type a whole id: the beginning of one, or the title of a node."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.history.results import Named
from graph_memory.model.events import Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import is_encodable
from graph_memory.storage.queries import query

LEAST = 6
"""Characters that the beginning of an id must have: a slip of the hand should not name anything."""
MOST = 12
"""Candidates that are looked for."""


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A subject's last event; of what was erased, it has neither type nor title."""

    id: str
    kind: str
    type: str | None
    title: str | None
    op: str


NAMED = query("history/named", NamedRow)


async def named(core: Core, domain: str, text: str) -> tuple[Named, ...]:
    """Return what may be meant by a text. `History.named` tells the rest."""
    if not text or not is_encodable(text):
        return ()
    rows = await core.store.read(NAMED, domain=domain, text=text, limit=MOST)
    results = [_named(row) for row in rows if len(text) >= LEAST or text in (row.id, row.title)]
    whole = [one for one in results if one.id == text]
    living = [one for one in results if not one.deleted]
    return tuple(whole or living or results)


def _named(row: NamedRow) -> Named:
    gone = row.op == Op.DELETE or row.type is None
    return Named(id=row.id, kind=Kind(row.kind), type=row.type, title=row.title, deleted=gone)
