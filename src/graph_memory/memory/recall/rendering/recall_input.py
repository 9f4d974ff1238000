"""The input of the rendering of a recall: items, best first, and their connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.recall.rendering.wording import in_words
from graph_memory.memory.search.results import Superseded
from graph_memory.model.values.properties import PropertyValue


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation with its date and, if it is superseded, the end of its validity and its replacement."""

    text: str
    day: str
    over: Superseded | None = None
    since: str = ""
    """The word before the day: `since` or `from` for the beginning of its validity, `on` for the time it happened."""
    until: str = ""
    """The last day on which it will be valid, if that is known and in the future."""

    @property
    def when(self) -> str:
        """The day of the observation, or the day with a preceding word such as `since`."""
        return f"{self.since} {self.day}" if self.since else self.day

    @property
    def end(self) -> str:
        """The end of the observation's validity in words, or an empty text if it has no end."""
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
    """The observations that were read, best first."""
    unread: int = 0
    """Number of its observations that were not read."""
    share: float = 0.0
    """For a named item, the share of the remaining tokens for its observations before other items."""
    when: str = ""
    """Its date in the world, or else how long ago it was changed."""
    path: str = ""
    order: str = ""
    """Sorts the items of a path by their creation."""
    ends: tuple[str, str, str, str] | None = None
    """For a connection, the ids and titles of both ends, source first."""
    uses: int = 0
    """Number of times it was returned to an agent, if it is rendered."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A connection between two nodes, and its weight."""

    id: str
    type: str
    from_id: str
    to_id: str
    weight: float
    until: str = ""
    """The first day on which it is no longer valid."""
    since: str = ""
    """The first day on which it was valid, or else known. Set only if it is valid now."""

    def other(self, node: str) -> str:
        """Return the node at the other end of the connection."""
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
    """Number of nodes of each type; `MANY` means that many or more."""
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
        """Whether it contains nothing to render."""
        return not (self.items or self.lists or self.counts or self.changes)


MANY = 10_000
"""Maximum number of counted nodes of a type."""
