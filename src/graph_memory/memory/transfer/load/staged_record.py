"""Staged records of a source, which wait to be loaded, and the findings about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from graph_memory.memory.transfer.formats.records import Note, Place, Refused
from graph_memory.model.values.properties import PropertyValue

MAX_EXAMPLES = 20
"""Maximum number of refused records, and of notes, in a report."""


class Fate(IntEnum):
    """The outcome for a staged node or connection."""

    CREATED = 0
    SKIPPED = 1
    """The domain already has the record and keeps it unchanged."""
    UPDATED = 2
    WRITTEN = 3
    """An earlier run of the same load wrote the record."""
    REFUSED = 4


@dataclass(frozen=True, slots=True)
class Span:
    """The first and last number of nodes or connections that are written together."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class StagedNode:
    """A node that may be loaded."""

    n: int
    fate: Fate
    id: str
    type: str
    place: Place
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
    """A connection that may be loaded, with the types of its ends if they are known."""

    n: int
    fate: Fate
    id: str
    type: str
    source: str
    target: str
    place: Place
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

    refused: list[Refused] = field(default_factory=list[Refused])
    count: int = 0
    codes: Counter[str] = field(default_factory=Counter[str])
    is_cut: bool = False
    """Whether a file could not be read to its end."""
    notes: dict[str, Note] = field(default_factory=dict[str, Note])
    unlisted: int = 0
    """Number of notes beyond the maximum."""

    def refuse(self, refused: Refused) -> None:
        """Add a record that cannot be loaded."""
        self.count += 1
        self.codes[str(refused.code)] += 1
        self.is_cut |= refused.ends
        if len(self.refused) < MAX_EXAMPLES:
            self.refused.append(refused)

    def note(self, note: Note) -> None:
        """Add a note on data that is stored differently."""
        if len(self.notes) < MAX_EXAMPLES:
            self.notes.setdefault(note.text, note)
        elif note.text not in self.notes:
            self.unlisted += 1
