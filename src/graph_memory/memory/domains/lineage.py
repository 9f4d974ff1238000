"""Points in a log, and whose log holds them: the past of a branch is in the log of the domain it was made from.

The numbers of a branch go on from those of that domain, so a number names one state along the whole line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import shown
from graph_memory.model.time.points import LogPosition, moment
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

END = 2**53
"""A number that no log reaches."""
BEFORE_ALL = "That point is before the first write of this domain: it held nothing yet."
"""What is said of the state after number 0."""
_PROBES = 32
"""Numbers of a log whose times are read at once."""


@dataclass(frozen=True, slots=True)
class ForkRow:
    """Where a domain was forked from, if it was, and up to where it was compacted."""

    forked_from: str | None
    forked_at: int | None
    begins_at: int | None
    compacted_to: int | None


@dataclass(frozen=True, slots=True)
class LineRow:
    """A domain of a line, where it was forked from, up to where it was compacted, and where its times turn back."""

    name: str
    forked_from: str | None
    forked_at: int | None
    begins_at: int | None
    compacted_to: int | None
    turns: list[int]


@dataclass(frozen=True, slots=True)
class PositionRow:
    """Where the log ends, and where in it an event is."""

    last: int
    seq: int | None


@dataclass(frozen=True, slots=True)
class TimedRow:
    """A number, the number of the first event from it on, and the time of that."""

    number: int
    seq: int
    at: datetime


FORK = query("domains/fork", ForkRow)
LINE = query("domains/line", LineRow)
POSITION = query("domains/position", PositionRow)
NEXT_EVENTS = query("domains/next_events", TimedRow)


@dataclass(frozen=True, slots=True)
class Revision:
    """A state of a domain: after that number of its own log."""

    domain: str
    seq: int


@dataclass(frozen=True, slots=True)
class EventRange:
    """The events of one log after a number and up to another."""

    domain: str
    after: int
    until: int


@dataclass(frozen=True, slots=True)
class LogSegment:
    """One log of a line, the newest first: its changes come after `begins_at` and count up to `until`.

    A branch's log begins with a snapshot of what it was made from; the event that tells of the fork, at `begins_at`, is
    the last of that. `forked_at` is where the log before it was left, None where there is none. What came between that
    and `compacted_to` was compacted.
    """

    domain: str
    until: int
    begins_at: int = 0
    forked_at: int | None = None
    compacted_to: int = 0
    turns: tuple[int, ...] = ()
    """Numbers of events that have an earlier time than the one before: a clock had been wrong."""

    @property
    def shown_after(self) -> int:
        """The number after which there is something to tell of this log."""
        return self.begins_at if self.forked_at is None else self.begins_at - 1

    @property
    def kept_after(self) -> int:
        """The number after which that is there still."""
        return max(self.shown_after, self.compacted_to)

    def lacks(self, after: int, until: int) -> bool:
        """Say whether some of its changes between two numbers of the line were compacted."""
        return max(after, self.begins_at) < min(until, self.until, self.compacted_to)


async def segments_of(reader: Reader, domain: str) -> list[LogSegment]:
    """Return the logs that hold a domain's past, its own first. Raises ONTOLOGY_NOT_FOUND."""
    parts: list[LogSegment] = []
    name: str | None = domain
    until = END
    while name is not None:
        rows = await reader.read(LINE, domain=name)
        if not rows:
            raise no_ontology(name)
        for row in rows:
            begins_at, compacted_to = row.begins_at or 0, row.compacted_to or 0
            parts.append(LogSegment(row.name, until, begins_at, row.forked_at, compacted_to, tuple(row.turns)))
            name, until = row.forked_from, row.forked_at or 0
    return parts


async def place_at(reader: Reader, domain: str, argument: str, given: int | str) -> Revision:
    """Return whose log holds what a domain was at a point that somebody named. Raises what `seq_at` does."""
    parts = await segments_of(reader, domain)
    return _place_in(parts, await _found(reader, parts, argument, given))


async def place_of(reader: Reader, domain: str, seq: int) -> Revision:
    """Return whose log holds what a domain was after a number. Raises ONTOLOGY_NOT_FOUND and HISTORY_COMPACTED."""
    return _place_in(await segments_of(reader, domain), seq)


def _place_in(parts: Sequence[LogSegment], seq: int) -> Revision:
    """Return whose log of a line holds the state after a number; that at a fork is at both of its sides."""
    for part in parts:
        at = max(min(seq, part.until), part.begins_at)
        is_there = part.forked_at is None or seq >= part.forked_at
        if is_there and at >= part.compacted_to:
            return Revision(part.domain, at)
        if is_there and (part.forked_at is None or at > part.begins_at):
            raise compacted(part.domain, part.compacted_to)
    raise _without_source(parts[-1])


async def past_of(reader: Reader, domain: str, after: int, before: int) -> list[EventRange]:
    """Return the stretches of logs that lie between two numbers along a domain's line, the newest first."""
    return past_in(await segments_of(reader, domain), after, before)


def past_in(parts: Sequence[LogSegment], after: int, before: int) -> list[EventRange]:
    """Return the stretches of the logs of a line that lie between two numbers, the newest first."""
    stretches = [EventRange(part.domain, max(after, part.kept_after), min(before - 1, part.until)) for part in parts]
    return [stretch for stretch in stretches if stretch.after < stretch.until]


def check_kept(parts: Sequence[LogSegment], after: int, until: int) -> None:
    """Raise HISTORY_COMPACTED where some of the changes between two numbers of a line were."""
    for part in parts:
        if part.lacks(after, until):
            raise compacted(part.domain, part.compacted_to)


async def changes_between(reader: Reader, one: Revision, other: Revision) -> list[EventRange]:
    """Return the stretches of logs that lead from one state to another: whatever differs was changed in one of them.

    For states that share no past these are all that led to either. Raises HISTORY_COMPACTED where some of the changes
    since a past that is shared are no longer there.
    """
    first, second = await segments_of(reader, one.domain), await segments_of(reader, other.domain)
    shared = next((part.domain for part in first if part.domain in {other.domain for other in second}), None)
    if shared is None:  # what a log was compacted to, or begins with, tells of all that lived then
        return [EventRange(place.domain, 0, place.seq) for place in (one, other) if place.seq]
    ways = [_way(first, one, shared), _way(second, other, shared)]
    low, high = sorted(end for _, end in ways)
    stretches = [*(stretch for way, _ in ways for stretch in way), EventRange(shared, low, high)]
    for part in (*first, *second):
        for stretch in stretches:
            if part.domain == stretch.domain and part.lacks(stretch.after, stretch.until):
                raise compacted(part.domain, part.compacted_to)
    return [stretch for stretch in stretches if stretch.after < stretch.until]


def _way(parts: Sequence[LogSegment], place: Revision, shared: str) -> tuple[list[EventRange], int]:
    """Return the changes on the way back from a state to the domain that is shared, and the number reached there."""
    stretches: list[EventRange] = []
    seq = place.seq
    for part in parts:
        if part.domain == shared:
            break
        stretches.append(EventRange(part.domain, part.begins_at, seq))
        seq = part.forked_at or 0
    return stretches, seq


async def last_seq(reader: Reader, domain: str) -> int:
    """Return the number of the last event. Raises ONTOLOGY_NOT_FOUND."""
    position = await reader.one(POSITION, domain=domain, event=None)
    if position is None:
        raise no_ontology(domain)
    return position.last


async def seq_at(reader: Reader, domain: str, argument: str, given: int | str | None) -> int:
    """Return the number of the last event at or before a point, by default now; 0 before the first.

    Raises ONTOLOGY_NOT_FOUND, EVENT_NOT_FOUND, INVALID_ARGUMENT, and HISTORY_COMPACTED for a point whose state is gone.
    """
    parts = await segments_of(reader, domain)
    seq = await _found(reader, parts, argument, END if given is None else given)
    _place_in(parts, seq)
    return seq


async def bounds(reader: Reader, domain: str, since: int | str | None, until: int | str | None) -> tuple[int, int]:
    """Return the numbers between which the events are that were asked for; both points are within.

    Without an end it is where the log ends now: beyond that a reader could meet a commit of which it sees a part.
    Raises HISTORY_COMPACTED where some of them were, or the last of them was.
    """
    parts = await segments_of(reader, domain)
    after, last = 0, END
    if since is not None:
        after = await _found(reader, parts, "since", since, strictly=True)
    if until is not None:
        last = await _found(reader, parts, "until", until)
    check_kept(parts, after if since is not None else last - 1, last)
    return after, (await last_seq(reader, domain) if until is None else last) + 1


async def _found(
    reader: Reader, parts: Sequence[LogSegment], argument: str, given: int | str, *, strictly: bool = False
) -> int:
    now = utc_now()
    return await _seq_at(reader, parts, moment(argument, given, now), now, strictly=strictly)


async def _seq_at(
    reader: Reader, parts: Sequence[LogSegment], point: LogPosition, now: datetime, *, strictly: bool
) -> int:
    """Return the number of the last event at or before a point, or strictly before it."""
    for part in parts:
        position = await reader.one(POSITION, domain=part.domain, event=point.event)
        if position is None:
            raise no_ontology(part.domain)
        last = min(position.last, part.until)
        if point.seq is not None:
            return point.seq - 1 if strictly else min(last, point.seq)
        if point.at is not None and point.at >= now:
            return last  # whatever a log holds has happened, whatever time a clock gave it
        if point.at is not None:
            found = await _last_until(reader, part, point.at, last, strictly=strictly)
        else:
            found = None if position.seq is None or position.seq > last else position.seq - strictly
        if found is not None:
            return found
    if point.event is not None:
        raise no_event(parts, point.event)
    return 0


async def _last_until(reader: Reader, part: LogSegment, at: datetime, last: int, *, strictly: bool) -> int | None:
    """Return the number of the last event until a time, or before it; None when it is before the log begins.

    Times go back only at the turns of a log; what has a later number is later. So it is the last event of all that has
    a time until then, looked for in the stretches between the turns, the newest first.
    """
    ends = sorted(turn - 1 for turn in part.turns if part.shown_after < turn - 1 < last)
    for after, until in reversed([*pairwise([part.shown_after, *ends, last])]):
        if (found := await _last_in(reader, part.domain, after, until, at, strictly=strictly)) is not None:
            return found
    return None


async def _last_in(reader: Reader, domain: str, after: int, last: int, at: datetime, *, strictly: bool) -> int | None:
    """Return the number of the last event until a time in a stretch of a log along which times never go back."""
    low, high = after, last
    while low < high:
        numbers = list(range(low, high + 1, -(-(high - low) // _PROBES)))[1:]
        rows = await reader.read(NEXT_EVENTS, domain=domain, numbers=numbers)
        before = [row for row in rows if row.at < at or (row.at == at and not strictly)]
        if len(before) < len(numbers):
            high = numbers[len(before)] - 1
        if before:
            low = max(before[-1].number, min(before[-1].seq, high))
    return low if low > after else None


def no_event(parts: Sequence[LogSegment], event: str) -> GraphError:
    """Return the error for an event that no log of a line has; where one was compacted, it may have been in that."""
    domain = parts[0].domain
    for part in parts:
        if part.compacted_to:
            return compacted(part.domain, part.compacted_to)
    details = {
        "event": shown(event),
        "domain": domain,
        "hint": Hint("{memory_log:full} shows the numbers and ids of the events.", " Each belongs to one domain."),
    }
    return GraphError(Code.EVENT_NOT_FOUND, f"Domain {domain} has no event {shown(event)}", details)


def _without_source(part: LogSegment) -> GraphError:
    """Return the error for the past of a branch that was imported without the domain that it was made from."""
    first = max(part.forked_at or 0, part.compacted_to)
    hint = f"Give {first} or a later point. To have all of its past, import what it was made from, then the branch."
    message = f"Domain {part.domain} was imported without the domain that holds its past before {first}"
    return GraphError(Code.HISTORY_COMPACTED, message, {"domain": part.domain, "compacted_to": first, "hint": hint})


def compacted(domain: str, to: int) -> GraphError:
    """Return the error for a point of a log before that up to which it was compacted."""
    hint = f"Give {to} or a later point; what came before is in the archive written then."
    message = f"The log of domain {domain} was compacted up to {to}"
    return GraphError(Code.HISTORY_COMPACTED, message, {"domain": domain, "compacted_to": to, "hint": hint})


def erased(domain: str, subject: str) -> GraphError:
    """Return the error for a subject of which nothing is left."""
    hint = Hint("Nothing of it remains.", " {memory_log:subject} shows when it was erased.", subject=shown(subject))
    details = {"subject": subject, "domain": domain, "hint": hint}
    return GraphError(Code.SUBJECT_ERASED, f"{shown(subject)} was erased", details)
