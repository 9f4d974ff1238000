"""The input of the rendering of a recall: items, best first, and their connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.recall.rendering.wording import in_words
from graph_memory.memory.search.results import Superseded
from graph_memory.model.values.properties import PropertyValue


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation with its date and, if it is superseded, since when and by what."""

    text: str
    day: str
    over: Superseded | None = None
    since: str = ""
    """The word before the day: `since` or `from` for the beginning of its validity, `on` for the time it happened."""
    until: str = ""
    """The last day on which it will hold, if it is known and not over."""

    @property
    def when(self) -> str:
        """The day on which it was observed, or the day with the word before it."""
        return f"{self.since} {self.day}" if self.since else self.day

    @property
    def end(self) -> str:
        """The end of its validity in words; empty if it has no end."""
        return in_words(self.over) or (f"until {self.until}" if self.until else "")


@dataclass(frozen=True, slots=True)
class RecallItem:
    """A node, or a connection with content, and its values for rendering."""

    id: str
    type: str
    title: str
    text: str = ""
    """Its content, or the matching parts of a long one, each on one line."""
    is_part: bool = False
    """Whether there is more content than `text`."""
    summary: str = ""
    facts: tuple[tuple[str, PropertyValue], ...] = ()
    observed: tuple[Observed, ...] = ()
    """Its observations, as far as they were read, best first."""
    unread: int = 0
    """Number of its observations that were not read."""
    share: float = 0.0
    """Of what is asked about, the part of the tokens left that its observations take before other things are told."""
    when: str = ""
    """Its date in the world, or else how long ago it was changed."""
    path: str = ""
    order: str = ""
    """Sorts things of a path as they came."""
    ends: tuple[str, str, str, str] | None = None
    """Of a connection: the ids and titles of both ends, those from which it leads first."""
    uses: int = 0
    """How often it was given to an agent, where that is told."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A connection between two nodes, and how much it counts."""

    id: str
    type: str
    from_id: str
    to_id: str
    weight: float
    until: str = ""
    """The day since which it holds no longer."""
    since: str = ""
    """The day since which it holds, or else is known, if it holds."""

    def other(self, node: str) -> str:
        """Return the end that is not this one."""
        return self.to_id if node == self.from_id else self.from_id


@dataclass(frozen=True, slots=True)
class Brief:
    """The title and type of a node."""

    title: str
    type: str


@dataclass(frozen=True, slots=True)
class RecallInput:
    """Everything that a recall may render, the most valuable items first."""

    items: Sequence[RecallItem] = ()
    ties: Sequence[Tie] = ()
    known: Mapping[str, Brief] = field(default_factory=dict[str, Brief])
    """The nodes at the ends of connections by id."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many nodes there are of each type; `MANY` stands for that many or more."""
    lists: Sequence[tuple[str, Sequence[RecallItem]]] = ()
    """Lists of briefly rendered items with their headings."""
    changes: Sequence[str] = ()
    """Lines of changes, the newest first."""
    reported: Sequence[str] = ()
    """The ids of the items in the reply."""
    note: str = ""
    """A sentence before the content."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.items or self.lists or self.counts or self.changes)


MANY = 10_000
"""Nodes of a type that are counted at most."""
