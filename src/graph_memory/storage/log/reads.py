"""Statements that read the log and its contents, for use by several modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.model.events import Event
from graph_memory.storage.queries import Nothing, query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class ContentRow:
    """An inline text."""

    sha256: str
    text: str


LAST_EVENTS = query("log/last_events", dict[str, object])
CONTENTS = query("log/contents", ContentRow)


@dataclass(frozen=True, slots=True)
class SubjectAt:
    """A subject as of the fork: the last event, whether it is unchanged since, and the hash of its blob."""

    subject: str
    origin: int
    op: str
    kind: str
    type: str | None
    is_present: bool
    blob: str | None


@dataclass(frozen=True, slots=True)
class StateRow:
    """An event and its inline text."""

    event: Mapping[str, object]
    text: str | None


PAGE_OF = query("log/page", SubjectAt)
STATES = query("log/states", StateRow)
DROP_CONTENTS = query("log/drop_contents", Nothing)
MEND_CONTENTS = query("log/mend_contents", Nothing)


async def last_events(reader: Reader, domain: str, subjects: Sequence[str]) -> list[Event]:
    """Return the last event of each of the subjects. Subjects without events are omitted."""
    return [Event.from_row(row) for row in await reader.read(LAST_EVENTS, domain=domain, subjects=list(subjects))]


async def last_event(reader: Reader, domain: str, subject: str) -> Event | None:
    """Return the last event of the subject, or None if it has none."""
    row = await reader.first_row(LAST_EVENTS, domain=domain, subjects=[subject])
    return Event.from_row(row) if row else None
