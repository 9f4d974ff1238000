"""Staged records of a source, which wait to be loaded, and the findings about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from graph_memory.memory.transfer.formats.records import InvalidRecord, Note, SourcePosition
from graph_memory.model.values.properties import PropertyValue

MAX_EXAMPLES = 20
"""Maximum number of rejected records, and of notes, in a report."""


class LoadOutcome(IntEnum):
    """The outcome of loading a staged node or connection."""

    CREATED = 0
    SKIPPED = 1
    """The record's subject already exists in the domain, and is not changed."""
    UPDATED = 2
    WRITTEN = 3
    """An earlier run of the same load wrote the record."""
    REJECTED = 4


@dataclass(frozen=True, slots=True)
class Span:
    """The numbers of the first and the last node or connection that are written together."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class StagedNode:
    """A node that may be loaded."""

    n: int
    fate: LoadOutcome
    id: str
    type: str
    place: SourcePosition
    properties: Mapping[str, PropertyValue]
    content: str | None
    valid_from: str | None
    valid_to: str | None
    format: str | None
    encoding: str | None
    tags: Sequence[str]
    fields: Mapping[str, str]
    labels: Sequence[str]


@dataclass(frozen=True, slots=True)
class StagedConnection:
    """A connection that may be loaded, with the types of its endpoints if known."""

    n: int
    fate: LoadOutcome
    id: str
    type: str
    source: str
    target: str
    place: SourcePosition
    ends: tuple[str | None, str | None]
    properties: Mapping[str, PropertyValue]
    content: str | None
    valid_from: str | None
    valid_to: str | None
    strength: object = None
    importance: object = None
    made: Mapping[str, str] = field(default_factory=dict[str, str])


Staged = StagedNode | StagedConnection


@dataclass(slots=True)
class Findings:
    """Problems found in a source: rejected records, and notes on data that is stored differently."""

    invalid_records: list[InvalidRecord] = field(default_factory=list[InvalidRecord])
    count: int = 0
    codes: Counter[str] = field(default_factory=Counter[str])
    is_cut: bool = False
    """Whether the rest of a file could not be read."""
    notes: dict[str, Note] = field(default_factory=dict[str, Note])
    unlisted: int = 0
    """Number of notes that were dropped because there are more than `MAX_EXAMPLES`."""

    def reject(self, record: InvalidRecord) -> None:
        """Count a record that cannot be loaded. Only the first `MAX_EXAMPLES` records are kept."""
        self.count += 1
        self.codes[str(record.code)] += 1
        self.is_cut |= record.ends
        if len(self.invalid_records) < MAX_EXAMPLES:
            self.invalid_records.append(record)

    def note(self, note: Note) -> None:
        """Add a note on data that is stored differently."""
        if len(self.notes) < MAX_EXAMPLES:
            self.notes.setdefault(note.text, note)
        elif note.text not in self.notes:
            self.unlisted += 1
