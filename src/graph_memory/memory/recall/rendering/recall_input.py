"""What a recall has at hand before it is packed: things, best first, and what connects them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.memory.recall.rendering.wording import in_words
from graph_memory.memory.search.results import Superseded
from graph_memory.model.values.properties import PropertyValue


@dataclass(frozen=True, slots=True)
class Observed:
    """What was observed, when, and where it holds no more, since when and what holds instead."""

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
class Thing:
    """A node, or a connection with content of its own, and what may be told of it."""

    id: str
    type: str
    title: str
    text: str = ""
    """Its content, or those parts of a long one that fit; each on one line."""
    is_part: bool = False
    """Whether there is more content than `text`."""
    summary: str = ""
    facts: tuple[tuple[str, PropertyValue], ...] = ()
    observed: tuple[Observed, ...] = ()
    """What was observed of it, as far as it is at hand: what fits the question best comes first."""
    unread: int = 0
    """How many more observations of it there are."""
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
    """What a node is, in short."""

    title: str
    type: str


@dataclass(frozen=True, slots=True)
class Material:
    """All that a recall may tell, the most valuable first."""

    things: Sequence[Thing] = ()
    ties: Sequence[Tie] = ()
    known: Mapping[str, Brief] = field(default_factory=dict[str, Brief])
    """What stands at the ends of ties."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many nodes there are of each type; `MANY` stands for that many or more."""
    lists: Sequence[tuple[str, Sequence[Thing]]] = ()
    """Things that are only named, under a heading of our own."""
    changes: Sequence[str] = ()
    """Lines of what changed, the newest first."""
    told: Sequence[str] = ()
    """The things of which the reply tells."""
    note: str = ""
    """A sentence of our own that comes before all else."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.things or self.lists or self.counts or self.changes)


MANY = 10_000
"""Nodes of a type that are counted at most."""
