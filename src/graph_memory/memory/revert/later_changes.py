"""Finds later changes that a revert does not undo, except changes that cancel each other out."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.model.events import Event
from graph_memory.model.subjects.kinds import DECLARED
from graph_memory.model.values.exact import same_state
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

STATES = query("revert/states", dict[str, object])
REVERTS = query("revert/reverts", str)
REVERT = hashlib.sha256(b"revert").hexdigest()
"""The request hash on the first event of a revert. The query `REVERTS` also contains it."""


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive changes of one subject that are not selected for the revert.

    `before` is the number of the subject's event before the run.
    """

    before: int
    seqs: tuple[int, ...]


def unselected_runs(seqs: Sequence[int], selected: Collection[int]) -> list[Run]:
    """Return the runs of unselected changes in the event numbers of one subject. The first number must be selected."""
    groups = [(is_selected, tuple(group)) for is_selected, group in groupby(seqs, lambda seq: seq in selected)]
    return [Run(before[-1], run) for (_, before), (is_selected, run) in pairwise(groups) if not is_selected]


def cancels_out(run: Run, events: Mapping[int, Event], reverts: Collection[str]) -> bool:
    """Return whether a revert restored the state before the run. `reverts` has the ids of batches that are reverts.

    Returns False if a caller wrote the same state in another way, because that is a separate change.
    """
    last = events[run.seqs[-1]]
    return last.batch in reverts and has_same_state(events[run.before], last)


def has_same_state(event: Event, other: Event) -> bool:
    """Return whether a subject has the same state after two of its events. Returns False for erased states."""
    if event.draft.erased or other.draft.erased:
        return False
    state, other_state = event.draft.state, other.draft.state
    if state is None or other_state is None:
        return state is other_state
    return event.draft.type == other.draft.type and same_state(state, other_state, ("_modified", DECLARED))


async def later_changes(
    reader: Reader, domain: str, histories: Mapping[str, Sequence[int]], selected: Collection[int]
) -> dict[str, tuple[int, ...]]:
    """Return the event numbers of each subject's later changes that are not selected and still have an effect.

    Changes that a revert undid have no effect, since the subject's state after them is the state before them.
    """
    runs = {
        subject: subject_runs
        for subject, seqs in histories.items()
        if (subject_runs := unselected_runs(seqs, selected))
    }
    numbers = sorted(
        {number for subject_runs in runs.values() for run in subject_runs for number in (run.before, run.seqs[-1])}
    )
    rows = await read_in_parts(reader, STATES, domain, numbers=numbers)
    events = {event.seq: event for event in map(Event.from_row, rows)}
    last_events = (events[run.seqs[-1]] for subject_runs in runs.values() for run in subject_runs)
    reverts = {*await read_in_parts(reader, REVERTS, domain, batches=sorted({last.batch for last in last_events}))}
    return {
        subject: tuple(seq for run in subject_runs if not cancels_out(run, events, reverts) for seq in run.seqs)
        for subject, subject_runs in runs.items()
    }
