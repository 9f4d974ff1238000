"""How far the index of a domain has come, and what a reply says of what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from graph_memory.memory.core import Core
from graph_memory.model.text.analysers import labelled
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.queries import query

MANY = 100_000
"""Maximum number of passages without vectors that are counted."""
HANDFUL = 50
"""Maximum number of changes that a search waits for longer, since its reader probably just wrote them."""
WORD_RULES_VERSION = 2
"""Version of the tokenization rules. An index with another version is re-tokenized in the background."""
MAX_NAMED_EVENTS = 5
"""Maximum number of skipped events that a warning names."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far the log and the index of a domain have come. There is no index before the first search."""

    last: int
    state: str
    compacted_to: int
    begins_after: int
    seq: int | None
    epoch: int | None
    model: str | None
    analyser: str | None
    open: int | None
    is_emptied: bool
    """Whether it is made anew, and the rows that it had are deleted."""
    part: int
    """The number of transactions in which a part of the next event's rows was written."""
    failures: int
    """How many times in a row the next events were too much for Neo4j."""
    skipped: Sequence[int]
    """The numbers of the events that could not be indexed, not even alone."""
    waits: bool
    """Whether a passage waits for its vector."""
    word_rules_version: int
    """The version of the rules with which all rows were tokenized."""
    retokenized_to: str
    """The last owner whose rows were re-tokenized with the current rules."""

    @property
    def has_current_words(self) -> bool:
        """Whether all rows were tokenized with the current rules."""
        return self.seq is None or self.word_rules_version == WORD_RULES_VERSION


@dataclass(frozen=True, slots=True)
class Coverage:
    """Up to which event a search knows a domain, how many changes it lacks, and passages without vectors."""

    seq: int
    behind: int
    without_vectors: int
    model: str | None
    """The model of the vectors; None where there are none to compare with."""
    open: int
    analyser: LiteralString
    """By which of Neo4j's analysers the words are read."""
    reason: str | None = None
    """Why there are no vectors."""
    skipped: tuple[int, ...] = ()
    """The numbers of the events that could not be indexed."""
    problem: str | None = None
    """Why the index lacks the latest changes, if it failed."""

    @property
    def not_covered(self) -> int | None:
        """The number of changes that are not searched; None if there are none."""
        return (self.behind + len(self.skipped)) or None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why changes are not searched, and what helps."""
        failed = f"The latest {counted(self.behind)} not searched, because indexing failed: {self.problem}."
        skipped = (
            f"{counted(len(self.skipped))} not searched, because indexing failed: {format_event_numbers(self.skipped)}."
        )
        pair = (
            failed if self.behind and self.problem is not None else None,
            f"{skipped} `graph-memory reindex` tries again." if self.skipped else None,
        )
        return tuple(each for each in pair if each is not None)


POSITION = query("search/position", Position)
WAITING_COUNT = query("search/waiting_count", int)


def counted(changes: int) -> str:
    """Return a number of changes with its verb."""
    return "change is" if changes == 1 else f"{changes:,} changes are"


def format_event_numbers(events: Sequence[int]) -> str:
    """Return event numbers as text, at most five of them."""
    more = f" and {len(events) - MAX_NAMED_EVENTS:,} more" if len(events) > MAX_NAMED_EVENTS else ""
    return f"event {', '.join(str(number) for number in events[:MAX_NAMED_EVENTS])}{more}"


async def position_of(core: Core, domain: str) -> Position:
    """Return how far the log and the index of a domain have come. Raises ONTOLOGY_NOT_FOUND."""
    position = await core.store.one(POSITION, domain=domain)
    if position is None:
        raise no_ontology(domain)
    return position


async def count_unindexed(core: Core, domain: str) -> int:
    """Return how many changes of a domain are not indexed yet. Raises ONTOLOGY_NOT_FOUND."""
    return covered(await position_of(core, domain), 0).behind


async def lacks_a_handful(core: Core, domain: str) -> bool:
    """Say whether only a handful of changes is left to index."""
    return await count_unindexed(core, domain) <= HANDFUL


async def coverage(core: Core, domain: str, reason: str | None = None, problem: str | None = None) -> Coverage:
    """Return what the index of a domain covers. Raises ONTOLOGY_NOT_FOUND."""
    position = await position_of(core, domain)
    [waiting] = await core.store.read(WAITING_COUNT, domain=domain, limit=MANY)
    return covered(position, waiting, reason, problem)


def covered(position: Position, waiting: int, reason: str | None = None, problem: str | None = None) -> Coverage:
    """Return what an index covers that has come so far."""
    reached = position.seq if position.seq is not None else position.begins_after
    return Coverage(
        seq=reached,
        behind=position.last - reached,
        without_vectors=waiting,
        model=position.model,
        open=position.open or 0,
        analyser=labelled(position.analyser),
        reason=reason,
        skipped=tuple(position.skipped),
        problem=problem,
    )
