"""Finds the base of a merge: the latest state that both domains include."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import Any, cast

from graph_memory.memory.domains.lineage import Revision, segments_of
from graph_memory.memory.domains.relatives import check_past_is_kept
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.subjects.subjects import DomainState
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A revision of a domain: its event if the log still has it, its latest possible time, and the domain's state.

    `is_exact` is false if the log was compacted beyond the revision, because the domain's state may then be later.
    """

    event: str | None
    at: datetime
    domain_state: dict[str, object]
    is_exact: bool
    forked_from: str | None
    forked_at: int | None
    compacted_to: int


REVISION = query("branches/place", RevisionRow)


@dataclass(frozen=True, slots=True)
class UntraceableState:
    """An included state whose own included states are no longer known. `at` is its latest possible time.

    Every state that includes this state also includes `through`: the branch created from it, or the state into which it
    was merged.
    """

    revision: Revision
    through: Revision
    compacted_to: int
    at: datetime


@dataclass(slots=True)
class IncludedStates:
    """The states that a state includes. `last_seqs` has the number of the last included event of each domain's log.

    `untraceable` has the states that cannot be traced further.
    """

    last_seqs: dict[str, int] = field(default_factory=dict[str, int])
    untraceable: list[UntraceableState] = field(default_factory=list[UntraceableState])


@dataclass(frozen=True, slots=True)
class _PendingState:
    """An included state that is not traced yet. `at` is its latest possible time, and `event` its event, if known."""

    revision: Revision
    through: Revision
    at: datetime | None = None
    event: str | None = None

    def as_untraceable(self, row: RevisionRow) -> UntraceableState:
        return UntraceableState(self.revision, self.through, row.compacted_to, min(row.at, self.at or row.at))


@dataclass(frozen=True, slots=True)
class _SharedState:
    """A state that both domains include.

    `revision` may be in a compacted part of the log. `kept` is a readable revision with the same contents, if any.
    """

    revision: Revision
    kept: Revision | None
    at: datetime
    compacted_to: int

    def covers(self, untraceable: UntraceableState) -> bool:
        """Return whether this state is at least as late as every state that the untraceable state may include."""
        is_included = any(
            self.revision.domain == revision.domain and self.revision.seq >= revision.seq
            for revision in (untraceable.revision, untraceable.through)
        )
        return is_included or (self.kept == self.revision and self.at >= untraceable.at)


async def base_of(reader: Reader, source: Revision, target: Revision) -> Revision:
    """Return the latest state that both domains include. Raises INVALID_ARGUMENT if they share none.

    A domain includes its own states, the states of its source until the fork, the states merged into it, and all
    states that these include. The latest common state yields the fewest conflicts and includes all earlier decisions,
    so no earlier state can replace it. Raises HISTORY_COMPACTED if the common state was compacted, or may have been.
    """
    source_states, target_states = await find_included(reader, source), await find_included(reader, target)
    shared_revisions = [
        Revision(name, min(source_states.last_seqs[name], target_states.last_seqs[name]))
        for name in source_states.last_seqs.keys() & target_states.last_seqs
    ]
    copies = {**await _copies_of_forks(reader, source.domain), **await _copies_of_forks(reader, target.domain)}
    shared_states = [state for revision in shared_revisions if (state := await _read_shared(reader, revision, copies))]
    latest_states = await _drop_included_states(reader, shared_states)
    latest = max(
        latest_states, key=lambda shared: (shared.at, shared.revision.seq, shared.revision.domain), default=None
    )
    untraceable = next(
        (
            untraceable_state
            for untraceable_state in (*source_states.untraceable, *target_states.untraceable)
            if latest is None or not latest.covers(untraceable_state)
        ),
        None,
    )
    if untraceable is not None:
        raise _base_compacted_error(untraceable.revision.domain, untraceable.compacted_to)
    if latest is None:
        message = f"Domains {source.domain} and {target.domain} share no history"
        hint = "Merge a branch with the domain from which it was created, or two branches of one domain."
        raise invalid_argument("source", message, hint)
    if latest.kept is None:
        raise _base_compacted_error(latest.revision.domain, latest.compacted_to)
    return latest.kept


async def check_is_kept(reader: Reader, base: Revision) -> None:
    """Raise HISTORY_COMPACTED or DOMAIN_BUSY if the base was, or may have been, removed while it was read."""
    await check_past_is_kept(reader, base.domain)
    row = await _read_revision(reader, base)
    if row is None or base.seq < row.compacted_to:
        raise _base_compacted_error(base.domain, row.compacted_to if row else base.seq)


async def find_included(reader: Reader, revision: Revision) -> IncludedStates:
    """Return the states that the state of a domain at a revision includes."""
    included = IncludedStates()
    pending = [_PendingState(revision, revision)]
    while pending:
        state = pending.pop()
        row = await _read_revision(reader, state.revision)
        if row is None or included.last_seqs.get(state.revision.domain, 0) >= state.revision.seq:
            continue
        is_same_event = state.event in (None, row.event)
        if is_same_event:
            included.last_seqs[state.revision.domain] = state.revision.seq
            pending += _next_included(state.revision, row)
        if not row.is_exact if is_same_event else row.event is None:
            included.untraceable.append(state.as_untraceable(row))
    return included


def _next_included(revision: Revision, row: RevisionRow) -> Iterable[_PendingState]:
    """Yield the states of other domains that a state includes directly."""
    state = DomainState.from_state(row.domain_state)
    if row.forked_from is not None:
        fork = Revision(row.forked_from, row.forked_at or 0)
        yield _PendingState(fork, Revision(revision.domain, state.begins_at or 0), state.created)
    for name, merge in merges_of(state).items() if row.is_exact else ():
        yield _PendingState(
            Revision(name, merge["source_seq"]), Revision(revision.domain, merge["own_seq"]), row.at, merge["event"]
        )


async def _copies_of_forks(reader: Reader, domain: str) -> dict[Revision, Revision]:
    """Map the source revision of each fork in a domain's lineage to the branch revision that copies its state."""
    segments = await segments_of(reader, domain)
    return {
        Revision(older_segment.domain, segment.forked_at or 0): Revision(segment.domain, segment.begins_at)
        for segment, older_segment in pairwise(segments)
        if segment.begins_at >= segment.compacted_to
    }


async def _drop_included_states(reader: Reader, states: Sequence[_SharedState]) -> Sequence[_SharedState]:
    """Return the states that no other of these states includes. Ignores their times, because clocks can be wrong."""
    if len(states) < 2:
        return states
    included = {state.revision: (await find_included(reader, state.revision)).last_seqs for state in states}
    return [
        shared_state
        for shared_state in states
        if not any(
            included[other.revision].get(shared_state.revision.domain, 0) >= shared_state.revision.seq
            for other in states
            if other is not shared_state
        )
    ]


async def _read_shared(reader: Reader, revision: Revision, copies: Mapping[Revision, Revision]) -> _SharedState | None:
    row = await _read_revision(reader, revision)
    if row is None or revision.seq >= row.compacted_to:
        return row and _SharedState(revision, revision, row.at, row.compacted_to)
    copy = copies.get(revision)
    copy_row = await _read_revision(reader, copy) if copy and row.event is None else None
    return _SharedState(revision, copy, min(row.at, copy_row.at) if copy_row else row.at, row.compacted_to)


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """The data that a merge records: the target's state before it, its event number, and the merged revision."""

    state: DomainState
    state_seq: int
    source: Revision
    event: str | None
    """The id of the merged revision's event. It identifies the source even if another domain gets its name later."""

    def including_source(self, own_seq: int) -> DomainState:
        """Return the domain's state after the merge, which its log records in event `own_seq`."""
        merge = {"source_seq": self.source.seq, "own_seq": own_seq, "event": self.event}
        merges = json.dumps({**merges_of(self.state), self.source.domain: merge}, sort_keys=True, ensure_ascii=False)
        return replace(self.state, merges=merges)


async def merge_record(reader: Reader, source: Revision, target: Revision) -> MergeRecord:
    """Return the merge record of a target into which a source is merged."""
    source_row, target_row = await _read_revision(reader, source), await _read_revision(reader, target)
    domain_state = cast("RevisionRow", target_row).domain_state
    return MergeRecord(
        DomainState.from_state(domain_state),
        cast("int", domain_state["_seq"]),
        source,
        cast("RevisionRow", source_row).event,
    )


def merges_of(state: DomainState) -> Mapping[str, Any]:
    """Return each source's last merge into a domain: its last merged event, and the event number of the merge."""
    return json.loads(state.merges) if state.merges else {}


async def _read_revision(reader: Reader, revision: Revision) -> RevisionRow | None:
    return await reader.first_row(REVISION, domain=revision.domain, seq=revision.seq)


def _base_compacted_error(domain: str, compacted_to: int) -> GraphError:
    message = f"The log of domain {domain} was compacted up to {compacted_to}, which removed the last shared state"
    hint = "Compare the domains with `diff` and make the changes yourself. For later merges, create a new branch."
    return GraphError(Code.HISTORY_COMPACTED, message, {"domain": domain, "compacted_to": compacted_to, "hint": hint})
