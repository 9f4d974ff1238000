"""Finds the subject that a user refers to by a prefix of its id, or by the title of a node."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.core import Core
from graph_memory.memory.history.results import NamedSubject
from graph_memory.model.events import Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import is_encodable
from graph_memory.storage.queries import query

MIN_CHARACTERS = 6
"""Minimum length of an abbreviated id, in characters. With a typo, a shorter id could match another subject."""
MAX_CANDIDATES = 12
"""Maximum number of subjects that are returned for a text."""


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A subject's data in its last event. An erased subject has neither a type nor a title."""

    id: str
    kind: str
    type: str | None
    title: str | None
    op: str


NAMED = query("history/named", NamedRow)


async def resolve_subject(core: Core, domain: str, text: str) -> tuple[NamedSubject, ...]:
    """Return the subjects that a text may refer to, or an empty tuple if there are none. See `History.named`."""
    if not text or not is_encodable(text):
        return ()
    rows = await core.store.read(NAMED, domain=domain, text=text, limit=MAX_CANDIDATES)
    matches = [_as_result(row) for row in rows if len(text) >= MIN_CHARACTERS or text in (row.id, row.title)]
    exact_matches = [subject for subject in matches if subject.id == text]
    live_matches = [subject for subject in matches if not subject.deleted]
    return tuple(exact_matches or live_matches or matches)


def _as_result(row: NamedRow) -> NamedSubject:
    is_deleted = row.op == Op.DELETE or row.type is None
    return NamedSubject(id=row.id, kind=Kind(row.kind), type=row.type, title=row.title, deleted=is_deleted)
