"""Finds the subject that a user means by the start of its id, or by the title of a node."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.history.results import Named
from graph_memory.model.events import Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import is_encodable
from graph_memory.storage.queries import query

MIN_CHARACTERS = 6
"""Minimum length of an abbreviated id, in characters. A shorter one could match by a typing error."""
MAX_CANDIDATES = 12
"""Maximum number of candidates."""


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A subject's last event. An erased subject has neither type nor title."""

    id: str
    kind: str
    type: str | None
    title: str | None
    op: str


NAMED = query("history/named", NamedRow)


async def resolve_subject(core: Core, domain: str, text: str) -> tuple[Named, ...]:
    """Return the subjects that a text may refer to. See `History.named`."""
    if not text or not is_encodable(text):
        return ()
    rows = await core.store.read(NAMED, domain=domain, text=text, limit=MAX_CANDIDATES)
    results = [_as_result(row) for row in rows if len(text) >= MIN_CHARACTERS or text in (row.id, row.title)]
    exact = [subject for subject in results if subject.id == text]
    living = [subject for subject in results if not subject.deleted]
    return tuple(exact or living or results)


def _as_result(row: NamedRow) -> Named:
    is_deleted = row.op == Op.DELETE or row.type is None
    return Named(id=row.id, kind=Kind(row.kind), type=row.type, title=row.title, deleted=is_deleted)
