"""The base of a merge: the latest state that both domains include."""

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
class PlaceRow:
    """A revision of a domain: its event if the log has it, its latest possible time, and the domain's state.

    `is_exact` is false if the log was compacted beyond it: the domain's state may then be later.
    """

    event: str | None
    at: datetime
    domain_state: dict[str, object]
    is_exact: bool
    forked_from: str | None
    forked_at: int | None
    compacted_to: int


PLACE = query("branches/place", PlaceRow)


@dataclass(frozen=True, slots=True)
class UntraceableState:
    """An included state whose own included states are no longer known. `at` is its latest possible time.

    Every state that includes this one also includes `through`: the branch that was made from it, or the state that it
    was merged into.
    """

    place: Revision
    through: Revision
    compacted_to: int
    at: datetime


@dataclass(slots=True)
class IncludedStates:
    """The last included event of each domain's log, and the states that cannot be traced further."""

    places: dict[str, int] = field(default_factory=dict[str, int])
    untraceable: list[UntraceableState] = field(default_factory=list[UntraceableState])


@dataclass(frozen=True, slots=True)
class _PendingState:
    """An included state to trace. `at` is its latest possible time, and `event` is its event if known."""

    place: Revision
    through: Revision
    at: datetime | None = None
    event: str | None = None

    def as_untraceable(self, row: PlaceRow) -> UntraceableState:
        return UntraceableState(self.place, self.through, row.compacted_to, min(row.at, self.at or row.at))


@dataclass(frozen=True, slots=True)
class _SharedState:
    """A state that both domains include, and a revision with its contents, as its own log may have been compacted."""

    place: Revision
    kept: Revision | None
    at: datetime
    compacted_to: int

    def covers(self, untraceable: UntraceableState) -> bool:
        """Return whether this state is at least as late as any state that an untraceable state may include."""
        is_included = any(
            self.place.domain == revision.domain and self.place.seq >= revision.seq
            for revision in (untraceable.place, untraceable.through)
        )
        return is_included or (self.kept == self.place and self.at >= untraceable.at)


async def base_of(reader: Reader, source: Revision, target: Revision) -> Revision:
    """Return the latest state that both domains include. Raises INVALID_ARGUMENT if they share none.

    A domain includes its own states, the states of its source until the fork, the states merged into it, and all
    states that these include. The latest common state yields the fewest conflicts and includes all earlier decisions,
    so no earlier state can replace it. Raises HISTORY_COMPACTED if it was compacted, or may have been.
    """
    source_states, target_states = await find_included(reader, source), await find_included(reader, target)
    places = [
        Revision(name, min(source_states.places[name], target_states.places[name]))
        for name in source_states.places.keys() & target_states.places
    ]
    copies = {**await _copies(reader, source.domain), **await _copies(reader, target.domain)}
    shared_states = [state for place in places if (state := await _read_shared(reader, place, copies))]
    unincluded = await _drop_included(reader, shared_states)
    latest = max(unincluded, key=lambda shared: (shared.at, shared.place.seq, shared.place.domain), default=None)
    untraceable = next(
        (
            lost_state
            for lost_state in (*source_states.untraceable, *target_states.untraceable)
            if latest is None or not latest.covers(lost_state)
        ),
        None,
    )
    if untraceable is not None:
        raise _base_compacted(untraceable.place.domain, untraceable.compacted_to)
    if latest is None:
        message = f"Domains {source.domain} and {target.domain} share no history"
        hint = "Merge a branch with the domain it was made from, or two branches of one domain."
        raise invalid_argument("source", message, hint)
    if latest.kept is None:
        raise _base_compacted(latest.place.domain, latest.compacted_to)
    return latest.kept


async def check_is_kept(reader: Reader, base: Revision) -> None:
    """Raise HISTORY_COMPACTED or DOMAIN_BUSY if the base may have been compacted or deleted while it was read."""
    await check_past_is_kept(reader, base.domain)
    row = await _read_place(reader, base)
    if row is None or base.seq < row.compacted_to:
        raise _base_compacted(base.domain, row.compacted_to if row else base.seq)


async def find_included(reader: Reader, place: Revision) -> IncludedStates:
    """Return the states that the state of a domain at a revision includes."""
    included = IncludedStates()
    pending = [_PendingState(place, place)]
    while pending:
        state = pending.pop()
        row = await _read_place(reader, state.place)
        if row is None or included.places.get(state.place.domain, 0) >= state.place.seq:
            continue
        is_same_event = state.event in (None, row.event)
        if is_same_event:
            included.places[state.place.domain] = state.place.seq
            pending += _directly_included(state.place, row)
        if not row.is_exact if is_same_event else row.event is None:
            included.untraceable.append(state.as_untraceable(row))
    return included


def _directly_included(place: Revision, row: PlaceRow) -> Iterable[_PendingState]:
    """Yield the states of other domains that a state includes directly."""
    state = DomainState.from_state(row.domain_state)
    if row.forked_from is not None:
        fork = Revision(row.forked_from, row.forked_at or 0)
        yield _PendingState(fork, Revision(place.domain, state.begins_at or 0), state.created)
    for name, merge in merges_of(state).items() if row.is_exact else ():
        yield _PendingState(
            Revision(name, merge["source_seq"]), Revision(place.domain, merge["own_seq"]), row.at, merge["event"]
        )


async def _copies(reader: Reader, domain: str) -> dict[Revision, Revision]:
    """Return, for each fork in a domain's lineage, the branch's copy of the source's state."""
    line = await segments_of(reader, domain)
    return {
        Revision(older.domain, part.forked_at or 0): Revision(part.domain, part.begins_at)
        for part, older in pairwise(line)
        if part.begins_at >= part.compacted_to
    }


async def _drop_included(reader: Reader, states: Sequence[_SharedState]) -> Sequence[_SharedState]:
    """Return the states that no other given state includes. Inclusion decides which is earlier: clocks can be wrong."""
    if len(states) < 2:
        return states
    included = {state.place: (await find_included(reader, state.place)).places for state in states}
    return [
        shared_state
        for shared_state in states
        if not any(
            included[other.place].get(shared_state.place.domain, 0) >= shared_state.place.seq
            for other in states
            if other is not shared_state
        )
    ]


async def _read_shared(reader: Reader, place: Revision, copies: Mapping[Revision, Revision]) -> _SharedState | None:
    row = await _read_place(reader, place)
    if row is None or place.seq >= row.compacted_to:
        return row and _SharedState(place, place, row.at, row.compacted_to)
    copy = copies.get(place)
    copy_row = await _read_place(reader, copy) if copy and row.event is None else None
    return _SharedState(place, copy, min(row.at, copy_row.at) if copy_row else row.at, row.compacted_to)


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """The state of a target domain before a merge, and the number of the event with it."""

    state: DomainState
    state_seq: int
    source: Revision
    event: str | None
    """The id of the event in the source. It identifies the source even if another domain gets its name later."""

    def including_source(self, own_seq: int) -> DomainState:
        """Return the domain's state after the merge, which its log records in event `own_seq`."""
        merge = {"source_seq": self.source.seq, "own_seq": own_seq, "event": self.event}
        merges = json.dumps({**merges_of(self.state), self.source.domain: merge}, sort_keys=True, ensure_ascii=False)
        return replace(self.state, merges=merges)


async def merge_record(reader: Reader, source: Revision, target: Revision) -> MergeRecord:
    """Return the merge record of a target into which a source is merged."""
    source_row, target_row = await _read_place(reader, source), await _read_place(reader, target)
    domain_state = cast("PlaceRow", target_row).domain_state
    return MergeRecord(
        DomainState.from_state(domain_state),
        cast("int", domain_state["_seq"]),
        source,
        cast("PlaceRow", source_row).event,
    )


def merges_of(state: DomainState) -> Mapping[str, Any]:
    """Return the merges into a domain, by source: the last merged event, and the merge's number in the target's log."""
    return json.loads(state.merges) if state.merges else {}


async def _read_place(reader: Reader, place: Revision) -> PlaceRow | None:
    return await reader.first_row(PLACE, domain=place.domain, seq=place.seq)


def _base_compacted(domain: str, to: int) -> GraphError:
    """Return the error for a merge whose base was compacted."""
    message = f"The log of domain {domain} was compacted up to {to}, which removed the state that both come from"
    hint = "Compare the two with `diff` and make the changes yourself; branches made from now on can be merged."
    return GraphError(Code.HISTORY_COMPACTED, message, {"domain": domain, "compacted_to": to, "hint": hint})
