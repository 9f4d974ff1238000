"""Changes of subjects that a revert leaves alone, without those that cancel each other out."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from graph_memory.memory.changes.context import in_parts
from graph_memory.model.events import Event
from graph_memory.model.subjects.kinds import DECLARED
from graph_memory.model.values.exact import same_state
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

STATES = query("revert/states", dict[str, object])
REVERTS = query("revert/reverts", str)
REVERT = hashlib.sha256(b"revert").hexdigest()
"""The request hash on the first event of a revert. The statement of `REVERTS` has it, too."""


@dataclass(frozen=True, slots=True)
class Run:
    """Successive changes of one subject by others, and the number of the change before them."""

    before: int
    seqs: tuple[int, ...]


def runs_of(seqs: Sequence[int], selected: Collection[int]) -> list[Run]:
    """Return the runs of changes that are not selected. The first change of the subject is selected."""
    groups = [(is_selected, tuple(group)) for is_selected, group in groupby(seqs, lambda seq: seq in selected)]
    return [Run(before[-1], run) for (_, before), (is_selected, run) in pairwise(groups) if not is_selected]


def cancels_out(run: Run, events: Mapping[int, Event], reverts: Collection[str]) -> bool:
    """Return whether a revert restored the state before the run. `reverts` has the ids of batches that are reverts.

    The same state that a caller wrote is a statement of its own.
    """
    last = events[run.seqs[-1]]
    return last.batch in reverts and has_same_state(events[run.before], last)


def has_same_state(one: Event, other: Event) -> bool:
    """Return whether a subject is the same after two of its events. Erased states are not known."""
    if one.draft.erased or other.draft.erased:
        return False
    first, last = one.draft.state, other.draft.state
    if first is None or last is None:
        return first is last
    return one.draft.type == other.draft.type and same_state(first, last, ("_modified", DECLARED))


async def later_changes(
    reader: Reader, domain: str, histories: Mapping[str, Sequence[int]], selected: Collection[int]
) -> dict[str, tuple[int, ...]]:
    """Return the numbers of each subject's changes by others that still have an effect.

    Changes that a revert undid have none: the subject's state after them is the state before them.
    """
    runs = {subject: results for subject, seqs in histories.items() if (results := runs_of(seqs, selected))}
    numbers = sorted({number for results in runs.values() for run in results for number in (run.before, run.seqs[-1])})
    rows = await in_parts(reader, STATES, domain, numbers=numbers)
    events = {event.seq: event for event in map(Event.from_row, rows)}
    lasts = (events[run.seqs[-1]] for results in runs.values() for run in results)
    reverts = {*await in_parts(reader, REVERTS, domain, batches=sorted({last.batch for last in lasts}))}
    return {
        subject: tuple(seq for run in results if not cancels_out(run, events, reverts) for seq in run.seqs)
        for subject, results in runs.items()
    }
