"""The coverage of a domain's index, and warnings about missing changes and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from graph_memory.memory.core import Core
from graph_memory.model.text.analysers import analyser_of
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.queries import query

MAX_COUNTED = 100_000
"""Maximum number of counted passages without vectors."""
HANDFUL = 50
"""Maximum number of unindexed changes for which a search waits longer, because its caller probably just wrote them."""
WORD_RULES_VERSION = 2
"""The version of the tokenization rules. An index with another version is tokenized again in the background."""
MAX_NAMED_EVENTS = 5
"""Maximum number of skipped events that a warning lists."""


@dataclass(frozen=True, slots=True)
class Position:
    """The last event of a domain's log, and the state of its index.

    The fields of the index are empty before the domain's first search.
    """

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
    """Whether the old rows are being deleted for a rebuild of the index."""
    part: int
    """How many transactions have already written a part of the next page's rows."""
    failures: int
    """The number of consecutive failures to index the next events."""
    skipped: Sequence[int]
    """The sequence numbers of events that could not be indexed even separately."""
    waits: bool
    """Whether any passage of the domain still lacks a vector."""
    word_rules_version: int
    """The version of the tokenization rules used for all rows."""
    retokenized_to: str
    """The id of the last owner whose rows were tokenized with the current rules."""

    @property
    def has_current_words(self) -> bool:
        """Whether all rows were tokenized with the current rules."""
        return self.seq is None or self.word_rules_version == WORD_RULES_VERSION


@dataclass(frozen=True, slots=True)
class Coverage:
    """How complete a domain's index is: the last indexed event, missing changes, and passages without vectors."""

    seq: int
    behind: int
    without_vectors: int
    model: str | None
    """The embedding model of the vectors, or None if there are no vectors."""
    open: int
    analyser: LiteralString
    """The Neo4j analyser for the domain's texts."""
    reason: str | None = None
    """Why vectors could not be computed, or None."""
    skipped: tuple[int, ...] = ()
    """The sequence numbers of events that could not be indexed."""
    problem: str | None = None
    """The error that prevented the latest changes from being indexed, or None."""

    @property
    def not_covered(self) -> int | None:
        """The number of changes that are missing from the index, or None if the index is complete."""
        return (self.behind + len(self.skipped)) or None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about changes that searches do not include yet, with remedies."""
        failed = f"The latest {count_with_verb(self.behind)} not searched, because indexing failed: {self.problem}."
        numbers = format_event_numbers(self.skipped)
        skipped = f"{count_with_verb(len(self.skipped))} not searched, because indexing failed: {numbers}."
        warnings = (
            failed if self.behind and self.problem is not None else None,
            f"{skipped} Run `graph-memory reindex` to try again." if self.skipped else None,
        )
        return tuple(warning for warning in warnings if warning is not None)


POSITION = query("search/position", Position)
WAITING_COUNT = query("search/waiting_count", int)


def count_with_verb(changes: int) -> str:
    """Return the number of changes with a verb, such as `3 changes are`, to begin a sentence."""
    return "change is" if changes == 1 else f"{changes:,} changes are"


def format_event_numbers(events: Sequence[int]) -> str:
    """Return event numbers as text: the first five, and how many more there are."""
    more = f" and {len(events) - MAX_NAMED_EVENTS:,} more" if len(events) > MAX_NAMED_EVENTS else ""
    return f"event {', '.join(str(number) for number in events[:MAX_NAMED_EVENTS])}{more}"


async def position_of(core: Core, domain: str) -> Position:
    """Return the positions of a domain's log and index. Raises ONTOLOGY_NOT_FOUND if the domain does not exist."""
    position = await core.store.first_row(POSITION, domain=domain)
    if position is None:
        raise no_ontology_error(domain)
    return position


async def count_unindexed(core: Core, domain: str) -> int:
    """Return the number of changes that are not indexed. Raises ONTOLOGY_NOT_FOUND if the domain does not exist."""
    return coverage_at(await position_of(core, domain), 0).behind


async def has_small_backlog(core: Core, domain: str) -> bool:
    """Return whether at most `HANDFUL` changes are not indexed. Raises the same error as `position_of`."""
    return await count_unindexed(core, domain) <= HANDFUL


async def read_coverage(core: Core, domain: str, reason: str | None = None, problem: str | None = None) -> Coverage:
    """Return the coverage of a domain's index, with this reason and problem. Raises the same error as `position_of`."""
    position = await position_of(core, domain)
    [waiting] = await core.store.read(WAITING_COUNT, domain=domain, limit=MAX_COUNTED)
    return coverage_at(position, waiting, reason, problem)


def coverage_at(position: Position, waiting: int, reason: str | None = None, problem: str | None = None) -> Coverage:
    """Return the coverage of an index at a position. `waiting` is the number of passages without vectors."""
    last_indexed = position.seq if position.seq is not None else position.begins_after
    return Coverage(
        seq=last_indexed,
        behind=position.last - last_indexed,
        without_vectors=waiting,
        model=position.model,
        open=position.open or 0,
        analyser=analyser_of(position.analyser),
        reason=reason,
        skipped=tuple(position.skipped),
        problem=problem,
    )
