"""The coverage of a domain's index, and warnings about missing changes and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from graph_memory.memory.core import Core
from graph_memory.model.text.analysers import analyser_of
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.queries import query

MAX_COUNTED = 100_000
"""Maximum number of passages without vectors that are counted."""
HANDFUL = 50
"""Maximum number of changes for which a search waits longer, since its caller probably just wrote them."""
WORD_RULES_VERSION = 2
"""Version of the tokenization rules. An index with another version is re-tokenized in the background."""
MAX_NAMED_EVENTS = 5
"""Maximum number of skipped events that a warning names."""


@dataclass(frozen=True, slots=True)
class Position:
    """The positions of a domain's log and index. A domain has no index before the first search."""

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
    """Whether the index is being rebuilt and its old rows are deleted."""
    part: int
    """The number of transactions that have written parts of the rows of the next event."""
    failures: int
    """The number of consecutive failures with the next events."""
    skipped: Sequence[int]
    """The numbers of events that could not be indexed, even alone."""
    waits: bool
    """Whether a passage waits for its vector."""
    word_rules_version: int
    """The version of the rules by which all rows were tokenized."""
    retokenized_to: str
    """The last owner whose rows were re-tokenized with the current rules."""

    @property
    def has_current_words(self) -> bool:
        """Whether all rows were tokenized with the current rules."""
        return self.seq is None or self.word_rules_version == WORD_RULES_VERSION


@dataclass(frozen=True, slots=True)
class Coverage:
    """The last indexed event of a domain, the number of missing changes, and the passages without vectors."""

    seq: int
    behind: int
    without_vectors: int
    model: str | None
    """The model of the vectors; None if there are no vectors."""
    open: int
    analyser: LiteralString
    """The name of Neo4j's analyser for the texts."""
    reason: str | None = None
    """Why there are no vectors."""
    skipped: tuple[int, ...] = ()
    """The numbers of events that could not be indexed."""
    problem: str | None = None
    """Why the index lacks the latest changes, if indexing failed."""

    @property
    def not_covered(self) -> int | None:
        """The number of changes that are not searched; None if there are none."""
        return (self.behind + len(self.skipped)) or None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about changes that are not searched, with remedies."""
        failed = f"The latest {count_with_verb(self.behind)} not searched, because indexing failed: {self.problem}."
        numbers = format_event_numbers(self.skipped)
        skipped = f"{count_with_verb(len(self.skipped))} not searched, because indexing failed: {numbers}."
        warnings = (
            failed if self.behind and self.problem is not None else None,
            f"{skipped} `graph-memory reindex` tries again." if self.skipped else None,
        )
        return tuple(warning for warning in warnings if warning is not None)


POSITION = query("search/position", Position)
WAITING_COUNT = query("search/waiting_count", int)


def count_with_verb(changes: int) -> str:
    """Return the number of changes with the matching verb form, as text."""
    return "change is" if changes == 1 else f"{changes:,} changes are"


def format_event_numbers(events: Sequence[int]) -> str:
    """Return event numbers as text, at most five of them."""
    more = f" and {len(events) - MAX_NAMED_EVENTS:,} more" if len(events) > MAX_NAMED_EVENTS else ""
    return f"event {', '.join(str(number) for number in events[:MAX_NAMED_EVENTS])}{more}"


async def position_of(core: Core, domain: str) -> Position:
    """Return the positions of the log and the index of a domain. Raises ONTOLOGY_NOT_FOUND."""
    position = await core.store.first_row(POSITION, domain=domain)
    if position is None:
        raise no_ontology(domain)
    return position


async def count_unindexed(core: Core, domain: str) -> int:
    """Return the number of changes of a domain that are not indexed. Raises ONTOLOGY_NOT_FOUND."""
    return coverage_at(await position_of(core, domain), 0).behind


async def lacks_a_handful(core: Core, domain: str) -> bool:
    """Return whether only a handful of changes remains to be indexed."""
    return await count_unindexed(core, domain) <= HANDFUL


async def read_coverage(core: Core, domain: str, reason: str | None = None, problem: str | None = None) -> Coverage:
    """Return the coverage of a domain's index. Raises ONTOLOGY_NOT_FOUND."""
    position = await position_of(core, domain)
    [waiting] = await core.store.read(WAITING_COUNT, domain=domain, limit=MAX_COUNTED)
    return coverage_at(position, waiting, reason, problem)


def coverage_at(position: Position, waiting: int, reason: str | None = None, problem: str | None = None) -> Coverage:
    """Return the coverage of an index at a position."""
    reached = position.seq if position.seq is not None else position.begins_after
    return Coverage(
        seq=reached,
        behind=position.last - reached,
        without_vectors=waiting,
        model=position.model,
        open=position.open or 0,
        analyser=analyser_of(position.analyser),
        reason=reason,
        skipped=tuple(position.skipped),
        problem=problem,
    )
