"""The input of the rendering of a recall: items, best first, and their connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.recall.rendering.wording import render_end
from graph_memory.memory.search.results import Superseded
from graph_memory.model.values.properties import PropertyValue


@dataclass(frozen=True, slots=True)
class RecallFact:
    """An observation with its date and, if it is superseded, the end of its validity and its replacement."""

    text: str
    day: str
    over: Superseded | None = None
    since: str = ""
    """The word before the day: `since` or `from` for the beginning of its validity, `on` for the day it happened."""
    until: str = ""
    """The last day on which the observation will be valid, if the day is known and in the future."""

    @property
    def when(self) -> str:
        """The day of the observation, or the day with a preceding word such as `since`."""
        return f"{self.since} {self.day}" if self.since else self.day

    @property
    def end(self) -> str:
        """The end of the observation's validity in words, or an empty string if it has no end."""
        return render_end(self.over) or (f"until {self.until}" if self.until else "")


@dataclass(frozen=True, slots=True)
class RecallItem:
    """A node, or a connection with content, and its values for rendering."""

    id: str
    type: str
    title: str
    text: str = ""
    """The content of the item, or the matching parts of a long content, each on one line."""
    is_part: bool = False
    """Whether `text` is only a part of the content."""
    summary: str = ""
    facts: tuple[tuple[str, PropertyValue], ...] = ()
    observed: tuple[RecallFact, ...] = ()
    """The observations that were read, best first."""
    unread: int = 0
    """Number of the item's observations that were not read."""
    share: float = 0.0
    """For a named item, the share of the remaining tokens that its observations may use before other items."""
    when: str = ""
    """The date on which the item was valid or happened, or else the time since its last change."""
    path: str = ""
    order: str = ""
    """The sort key that orders the items of a path by creation."""
    ends: tuple[str, str, str, str] | None = None
    """For a connection, the ids and titles of both endpoints, source first."""
    uses: int = 0
    """Number of times that the item was returned to an agent, or 0 if the number is not rendered."""


@dataclass(frozen=True, slots=True)
class RecallEdge:
    """A connection between two nodes, and its weight."""

    id: str
    type: str
    from_id: str
    to_id: str
    weight: float
    until: str = ""
    """The last day on which the connection was valid, if it has ended."""
    since: str = ""
    """The first day on which the connection was valid, or the day on which it was stored. Empty if it has ended."""

    def other(self, node: str) -> str:
        """Return the node at the other end of the connection."""
        return self.to_id if node == self.from_id else self.from_id


@dataclass(frozen=True, slots=True)
class TitleAndType:
    """The title and type of a node."""

    title: str
    type: str


@dataclass(frozen=True, slots=True)
class RecallInput:
    """The data that a recall may render, the most valuable items first."""

    items: Sequence[RecallItem] = ()
    connections: Sequence[RecallEdge] = ()
    known: Mapping[str, TitleAndType] = field(default_factory=dict[str, TitleAndType])
    """The titles and types of the items and of the nodes that they are connected to, keyed by id."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Number of nodes of each type, counted up to `MANY`."""
    lists: Sequence[tuple[str, Sequence[RecallItem]]] = ()
    """Lists of briefly rendered items with their headings."""
    changes: Sequence[str] = ()
    """Lines that describe changes, the newest first."""
    reported: Sequence[str] = ()
    """The ids of the items in the reply."""
    note: str = ""
    """A sentence that precedes the content, or an empty string."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to render."""
        return not (self.items or self.lists or self.counts or self.changes)


MANY = 10_000
"""Number up to which the nodes of a type are counted."""


def as_count(number: int) -> str:
    """Return a node count as text. Counting stops at `MANY`, which is rendered as "at least …"."""
    return f"{number:,}" if number < MANY else f"at least {MANY:,}"
