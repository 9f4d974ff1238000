"""Statements about the log and its contents that several modules use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.model.events import Event
from graph_memory.storage.queries import NoRow, query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class ContentRow:
    """A text stored in Neo4j, with its SHA-256."""

    sha256: str
    text: str


LAST_EVENTS = query("log/last_events", dict[str, object])
CONTENTS = query("log/contents", ContentRow)


@dataclass(frozen=True, slots=True)
class SubjectAtFork:
    """A subject at a branch's fork: its last event, whether it is unchanged since then, and its blob's hash."""

    subject: str
    origin: int
    op: str
    kind: str
    type: str | None
    is_present: bool
    blob: str | None


@dataclass(frozen=True, slots=True)
class StateRow:
    """An event and its text. The text is None if it is not stored in Neo4j."""

    event: Mapping[str, object]
    text: str | None


SUBJECT_PAGE = query("log/page", SubjectAtFork)
STATES = query("log/states", StateRow)
DROP_CONTENTS = query("log/drop_contents", NoRow)
MEND_CONTENTS = query("log/mend_contents", NoRow)


async def last_events(reader: Reader, domain: str, subjects: Sequence[str]) -> list[Event]:
    """Return the last event of each subject. Subjects without events are omitted."""
    return [Event.from_row(row) for row in await reader.read(LAST_EVENTS, domain=domain, subjects=list(subjects))]


async def last_event(reader: Reader, domain: str, subject: str) -> Event | None:
    """Return the last event of the subject, or None if it has none."""
    row = await reader.first_row(LAST_EVENTS, domain=domain, subjects=[subject])
    return Event.from_row(row) if row else None
