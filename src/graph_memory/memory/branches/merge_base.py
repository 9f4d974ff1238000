"""Where two domains come from in common: the latest state that both of them include."""

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
from graph_memory.model.values.arguments import fault
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A state of a domain: its event where that is kept, a time that it is not after, and what was told of the domain.

    `is_exact` is false where the log was compacted beyond: what is told may then be of later.
    """

    event: str | None
    at: datetime
    about: dict[str, object]
    is_exact: bool
    forked_from: str | None
    forked_at: int | None
    compacted_to: int


PLACE = query("branches/place", PlaceRow)


@dataclass(frozen=True, slots=True)
class Lost:
    """A state that is included, of which it is not known any more what it included; it is not after `at`.

    Whatever has it included has `through` included: what was made of it, or what it was merged into.
    """

    place: Revision
    through: Revision
    compacted_to: int
    at: datetime


@dataclass(slots=True)
class Included:
    """Until which number a state includes the log of each domain, and what of that cannot be followed."""

    places: dict[str, int] = field(default_factory=dict[str, int])
    lost: list[Lost] = field(default_factory=list[Lost])


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A state that is included, to be followed; it is not after `at`, and has that event if one is named."""

    place: Revision
    through: Revision
    at: datetime | None = None
    event: str | None = None

    def lost(self, row: PlaceRow) -> Lost:
        """Return that it cannot be followed."""
        return Lost(self.place, self.through, row.compacted_to, min(row.at, self.at or row.at))


@dataclass(frozen=True, slots=True)
class _Shared:
    """A state that both include, and where it can be read: its own log may have been compacted."""

    place: Revision
    kept: Revision | None
    at: datetime
    compacted_to: int

    def covers(self, lost: Lost) -> bool:
        """Say whether nothing that a lost state included can be later than this."""
        has_it = any(
            self.place.domain == revision.domain and self.place.seq >= revision.seq
            for revision in (lost.place, lost.through)
        )
        return has_it or (self.kept == self.place and self.at >= lost.at)


async def base_of(reader: Reader, source: Revision, target: Revision) -> Revision:
    """Return the latest state that both domains include. Raises INVALID_ARGUMENT when there is none.

    A domain includes its own states, those of the domain that it was made from until then, those of what was merged
    into it until that was, and what these included. A later one that both include takes less for changed on both
    sides, and knows what was decided by then: HISTORY_COMPACTED is raised where it was compacted, or may have been.
    """
    one, other = await included(reader, source), await included(reader, target)
    places = [Revision(name, min(one.places[name], other.places[name])) for name in one.places.keys() & other.places]
    copies = {**await _copies(reader, source.domain), **await _copies(reader, target.domain)}
    shared = [found for place in places if (found := await _shared(reader, place, copies))]
    ends = await _not_within_another(reader, shared)
    latest = max(ends, key=lambda shared: (shared.at, shared.place.seq, shared.place.domain), default=None)
    lost = next((lost for lost in (*one.lost, *other.lost) if latest is None or not latest.covers(lost)), None)
    if lost is not None:
        raise _base_gone(lost.place.domain, lost.compacted_to)
    if latest is None:
        message = f"Domains {source.domain} and {target.domain} share no history"
        hint = "Merge a branch with the domain it was made from, or two branches of one domain."
        raise fault("source", message, hint)
    if latest.kept is None:
        raise _base_gone(latest.place.domain, latest.compacted_to)
    return latest.kept


async def check_is_kept(reader: Reader, base: Revision) -> None:
    """Raise HISTORY_COMPACTED or DOMAIN_BUSY when a state that was read may have been gone, or going, meanwhile."""
    await check_past_is_kept(reader, base.domain)
    row = await _told(reader, base)
    if row is None or base.seq < row.compacted_to:
        raise _base_gone(base.domain, row.compacted_to if row else base.seq)


async def included(reader: Reader, place: Revision) -> Included:
    """Return what a state includes."""
    found = Included()
    waiting = [_Waiting(place, place)]
    while waiting:
        one = waiting.pop()
        row = await _told(reader, one.place)
        if row is None or found.places.get(one.place.domain, 0) >= one.place.seq:
            continue
        is_it = one.event in (None, row.event)
        if is_it:
            found.places[one.place.domain] = one.place.seq
            waiting += _made_of(one.place, row)
        if not row.is_exact if is_it else row.event is None:
            found.lost.append(one.lost(row))
    return found


def _made_of(place: Revision, row: PlaceRow) -> Iterable[_Waiting]:
    """Give what a state includes of other domains, as far as it is known."""
    state = DomainState.from_state(row.about)
    if row.forked_from is not None:
        fork = Revision(row.forked_from, row.forked_at or 0)
        yield _Waiting(fork, Revision(place.domain, state.begins_at or 0), state.created)
    for name, told in merges_of(state).items() if row.is_exact else ():
        yield _Waiting(
            Revision(name, told["source_seq"]), Revision(place.domain, told["own_seq"]), row.at, told["event"]
        )


async def _copies(reader: Reader, domain: str) -> dict[Revision, Revision]:
    """Return where else the states are kept from which the branches along a domain's line were made: in these."""
    line = await segments_of(reader, domain)
    return {
        Revision(older.domain, part.forked_at or 0): Revision(part.domain, part.begins_at)
        for part, older in pairwise(line)
        if part.begins_at >= part.compacted_to
    }


async def _not_within_another(reader: Reader, shared: Sequence[_Shared]) -> Sequence[_Shared]:
    """Leave out the states that another of them includes, which are earlier whatever the clocks said."""
    if len(shared) < 2:
        return shared
    within = {one.place: (await included(reader, one.place)).places for one in shared}
    return [
        one
        for one in shared
        if not any(within[two.place].get(one.place.domain, 0) >= one.place.seq for two in shared if two is not one)
    ]


async def _shared(reader: Reader, place: Revision, copies: Mapping[Revision, Revision]) -> _Shared | None:
    row = await _told(reader, place)
    if row is None or place.seq >= row.compacted_to:
        return row and _Shared(place, place, row.at, row.compacted_to)
    copy = copies.get(place)
    told = await _told(reader, copy) if copy and row.event is None else None
    return _Shared(place, copy, min(row.at, told.at) if told else row.at, row.compacted_to)


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """What is told of a domain that is to include a state of another, and the number of the event that told it last."""

    state: DomainState
    told_at: int
    source: Revision
    event: str | None
    """The id of the event in the source: another domain may get that name one day."""

    def after(self, own_seq: int) -> DomainState:
        """Return what is told of the domain once it includes that state, from a number of its own log on."""
        own = {"source_seq": self.source.seq, "own_seq": own_seq, "event": self.event}
        merges = json.dumps({**merges_of(self.state), self.source.domain: own}, sort_keys=True, ensure_ascii=False)
        return replace(self.state, merges=merges)


async def merge_record(reader: Reader, source: Revision, target: Revision) -> MergeRecord:
    """Return what is told of a target that is to include a state."""
    merged, into = await _told(reader, source), await _told(reader, target)
    about = cast("PlaceRow", into).about
    return MergeRecord(
        DomainState.from_state(about), cast("int", about["_seq"]), source, cast("PlaceRow", merged).event
    )


def merges_of(state: DomainState) -> Mapping[str, Any]:
    """Return what was merged into a domain: by its name, until which event, and where that is in the own log."""
    return json.loads(state.merges) if state.merges else {}


async def _told(reader: Reader, place: Revision) -> PlaceRow | None:
    return await reader.one(PLACE, domain=place.domain, seq=place.seq)


def _base_gone(domain: str, to: int) -> GraphError:
    """Return the error for a merge whose sides were last the same before a point up to which a log was compacted."""
    message = f"The log of domain {domain} was compacted up to {to}, which removed the state that both come from"
    hint = "Compare the two with `diff` and make the changes yourself; branches made from now on can be merged."
    return GraphError(Code.HISTORY_COMPACTED, message, {"domain": domain, "compacted_to": to, "hint": hint})
