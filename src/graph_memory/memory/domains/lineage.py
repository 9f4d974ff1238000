"""Finds the log that contains a point in a domain's past. The past of a branch is in the log of its source.

The event numbers of a branch continue the numbers of its source, so a number names one state in the whole lineage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import printable
from graph_memory.model.time.points import LogPosition, parse_log_position
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

END = 2**53
"""A number after the end of any log."""
BEFORE_ALL = "That point is before the first write of this domain: it was still empty."
"""The warning about the state after number 0."""
_PROBES = 32
"""Number of event times read at once."""


@dataclass(frozen=True, slots=True)
class ForkRow:
    """The source and fork of a domain, if it is a branch, and the event number up to which its log was compacted."""

    forked_from: str | None
    forked_at: int | None
    begins_at: int | None
    compacted_to: int | None


@dataclass(frozen=True, slots=True)
class LineRow:
    """A domain of a lineage: its fork, its compaction, and the event numbers at which recorded times go back."""

    name: str
    forked_from: str | None
    forked_at: int | None
    begins_at: int | None
    compacted_to: int | None
    turns: list[int]


@dataclass(frozen=True, slots=True)
class PositionRow:
    """The last number of a log, and the number of an event in it."""

    last: int
    seq: int | None


@dataclass(frozen=True, slots=True)
class TimedRow:
    """An event number, and the number and time of the first event with at least that number."""

    number: int
    seq: int
    at: datetime


FORK = query("domains/fork", ForkRow)
LINE = query("domains/line", LineRow)
POSITION = query("domains/position", PositionRow)
NEXT_EVENTS = query("domains/next_events", TimedRow)


@dataclass(frozen=True, slots=True)
class Revision:
    """A state of a domain: after event `seq` of its own log."""

    domain: str
    seq: int


@dataclass(frozen=True, slots=True)
class EventRange:
    """The events of one log after one number, up to and including another."""

    domain: str
    after: int
    until: int


@dataclass(frozen=True, slots=True)
class LogSegment:
    """One log of a lineage. Its own changes are the events after `begins_at`, up to `until`.

    A branch's log begins with a snapshot of its source, which ends with the event of the fork, at `begins_at`.
    `forked_at` is the number in the source's log, or None. Changes up to `compacted_to` were compacted.
    """

    domain: str
    until: int
    begins_at: int = 0
    forked_at: int | None = None
    compacted_to: int = 0
    turns: tuple[int, ...] = ()
    """Numbers of events with an earlier time than their predecessor, because a clock was wrong."""

    @property
    def shown_after(self) -> int:
        """The number after which this log has events of its own."""
        return self.begins_at if self.forked_at is None else self.begins_at - 1

    @property
    def kept_after(self) -> int:
        """The number after which the events of this log still exist."""
        return max(self.shown_after, self.compacted_to)

    def lacks(self, after: int, until: int) -> bool:
        """Return whether any changes of this log between two event numbers were compacted."""
        return max(after, self.begins_at) < min(until, self.until, self.compacted_to)


async def segments_of(reader: Reader, domain: str) -> list[LogSegment]:
    """Return the logs of a domain's past, its own first. Raises ONTOLOGY_NOT_FOUND."""
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


async def resolve_revision(reader: Reader, domain: str, argument: str, point: int | str) -> Revision:
    """Return the revision of a domain at a point in time. Raises the errors of `seq_at`."""
    parts = await segments_of(reader, domain)
    return _revision_in(parts, await _resolve_point(reader, parts, argument, point))


async def revision_of(reader: Reader, domain: str, seq: int) -> Revision:
    """Return the revision of a domain after event `seq`. Raises ONTOLOGY_NOT_FOUND and HISTORY_COMPACTED."""
    return _revision_in(await segments_of(reader, domain), seq)


def _revision_in(parts: Sequence[LogSegment], seq: int) -> Revision:
    """Return the revision of a lineage after event `seq`. The state at a fork is in both logs."""
    for part in parts:
        at = max(min(seq, part.until), part.begins_at)
        is_in_segment = part.forked_at is None or seq >= part.forked_at
        if is_in_segment and at >= part.compacted_to:
            return Revision(part.domain, at)
        if is_in_segment and (part.forked_at is None or at > part.begins_at):
            raise compacted_error(part.domain, part.compacted_to)
    raise _missing_source_error(parts[-1])


async def ranges_between(reader: Reader, domain: str, after: int, before: int) -> list[EventRange]:
    """Return the event ranges between two event numbers in a domain's lineage, newest first."""
    return ranges_within(await segments_of(reader, domain), after, before)


def ranges_within(parts: Sequence[LogSegment], after: int, before: int) -> list[EventRange]:
    """Return the event ranges between two event numbers in a lineage, newest first."""
    ranges = [EventRange(part.domain, max(after, part.kept_after), min(before - 1, part.until)) for part in parts]
    return [event_range for event_range in ranges if event_range.after < event_range.until]


def check_kept(parts: Sequence[LogSegment], after: int, until: int) -> None:
    """Raise HISTORY_COMPACTED if changes between two numbers of a lineage were compacted."""
    for part in parts:
        if part.lacks(after, until):
            raise compacted_error(part.domain, part.compacted_to)


async def changes_between(reader: Reader, revision: Revision, other: Revision) -> list[EventRange]:
    """Return the event ranges that contain all differences between two states.

    If the states share no past, these are all events of both. Raises HISTORY_COMPACTED if changes since the shared
    past were compacted.
    """
    first, second = await segments_of(reader, revision.domain), await segments_of(reader, other.domain)
    shared = next((part.domain for part in first if part.domain in {other.domain for other in second}), None)
    if shared is None:  # snapshots have all subjects of the earlier state
        return [EventRange(place.domain, 0, place.seq) for place in (revision, other) if place.seq]
    ways = [_path_to_shared(first, revision, shared), _path_to_shared(second, other, shared)]
    low, high = sorted(end for _, end in ways)
    ranges = [*(event_range for way, _ in ways for event_range in way), EventRange(shared, low, high)]
    for part in (*first, *second):
        for event_range in ranges:
            if part.domain == event_range.domain and part.lacks(event_range.after, event_range.until):
                raise compacted_error(part.domain, part.compacted_to)
    return [event_range for event_range in ranges if event_range.after < event_range.until]


def _path_to_shared(parts: Sequence[LogSegment], place: Revision, shared: str) -> tuple[list[EventRange], int]:
    """Return the event ranges from a state back to the shared domain, and the event number reached in that domain."""
    ranges: list[EventRange] = []
    seq = place.seq
    for part in parts:
        if part.domain == shared:
            break
        ranges.append(EventRange(part.domain, part.begins_at, seq))
        seq = part.forked_at or 0
    return ranges, seq


async def last_seq(reader: Reader, domain: str) -> int:
    """Return the number of the last event. Raises ONTOLOGY_NOT_FOUND."""
    position = await reader.first_row(POSITION, domain=domain, event=None)
    if position is None:
        raise no_ontology(domain)
    return position.last


async def seq_at(reader: Reader, domain: str, argument: str, point: int | str | None) -> int:
    """Return the number of the last event at or before a point (default now). It is 0 before the first event.

    Raises ONTOLOGY_NOT_FOUND, EVENT_NOT_FOUND, INVALID_ARGUMENT, and HISTORY_COMPACTED for a compacted point.
    """
    parts = await segments_of(reader, domain)
    seq = await _resolve_point(reader, parts, argument, END if point is None else point)
    _revision_in(parts, seq)
    return seq


async def bounds(reader: Reader, domain: str, since: int | str | None, until: int | str | None) -> tuple[int, int]:
    """Return the exclusive bounds of the events from `since` to `until`, both of which are included.

    Without `until`, the range ends at the current end of the log, since later commits may be partly hidden. Raises
    HISTORY_COMPACTED if events of the range, or the last one, were compacted.
    """
    parts = await segments_of(reader, domain)
    after, last = 0, END
    if since is not None:
        after = await _resolve_point(reader, parts, "since", since, strictly=True)
    if until is not None:
        last = await _resolve_point(reader, parts, "until", until)
    check_kept(parts, after if since is not None else last - 1, last)
    return after, (await last_seq(reader, domain) if until is None else last) + 1


async def _resolve_point(
    reader: Reader, parts: Sequence[LogSegment], argument: str, point: int | str, *, strictly: bool = False
) -> int:
    now = utc_now()
    return await _seq_at(reader, parts, parse_log_position(argument, point, now), now, strictly=strictly)


async def _seq_at(
    reader: Reader, parts: Sequence[LogSegment], point: LogPosition, now: datetime, *, strictly: bool
) -> int:
    """Return the number of the last event at or before a point, or strictly before it."""
    for part in parts:
        position = await reader.first_row(POSITION, domain=part.domain, event=point.event)
        if position is None:
            raise no_ontology(part.domain)
        last = min(position.last, part.until)
        if point.seq is not None:
            return point.seq - 1 if strictly else min(last, point.seq)
        if point.at is not None and point.at >= now:
            return last  # all logged events are in the past, whatever their clock said
        if point.at is not None:
            number = await _last_until(reader, part, point.at, last, strictly=strictly)
        else:
            number = None if position.seq is None or position.seq > last else position.seq - strictly
        if number is not None:
            return number
    if point.event is not None:
        raise unknown_event_error(parts, point.event)
    return 0


async def _last_until(reader: Reader, part: LogSegment, at: datetime, last: int, *, strictly: bool) -> int | None:
    """Return the number of the last event at or before a time, or None if that is before the log begins.

    Between the turns of a log, at which recorded times go back, times rise with the event number. So each range
    between turns is searched, newest first. With `strictly`, the event must be before the time.
    """
    ends = sorted(turn - 1 for turn in part.turns if part.shown_after < turn - 1 < last)
    for after, until in reversed([*pairwise([part.shown_after, *ends, last])]):
        if (number := await _last_in(reader, part.domain, after, until, at, strictly=strictly)) is not None:
            return number
    return None


async def _last_in(reader: Reader, domain: str, after: int, last: int, at: datetime, *, strictly: bool) -> int | None:
    """Return the number of the last event at or before a time, in a range of a log without turns."""
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


def unknown_event_error(parts: Sequence[LogSegment], event: str) -> GraphError:
    """Return the error for an event that is in no log of a lineage. The event may have been compacted."""
    domain = parts[0].domain
    for part in parts:
        if part.compacted_to:
            return compacted_error(part.domain, part.compacted_to)
    details = {
        "event": printable(event),
        "domain": domain,
        "hint": Hint(
            "{memory_log:full} shows the numbers and ids of the events.", " Check that you passed the right domain."
        ),
    }
    return GraphError(Code.EVENT_NOT_FOUND, f"Domain {domain} has no event {printable(event)}", details)


def _missing_source_error(part: LogSegment) -> GraphError:
    """Return the error for the past of a branch that was imported without its source."""
    first = max(part.forked_at or 0, part.compacted_to)
    hint = f"Use {first} or a later point. To read its whole history, import its source domain first, then the branch."
    message = f"Domain {part.domain} was imported without the domain that has its history before {first}"
    return GraphError(Code.HISTORY_COMPACTED, message, {"domain": part.domain, "compacted_to": first, "hint": hint})


def compacted_error(domain: str, to: int) -> GraphError:
    """Return the error for a compacted point of a log."""
    hint = f"Pass {to} or a later point; earlier events are in the archive of the compaction."
    message = f"The log of domain {domain} was compacted up to {to}"
    return GraphError(Code.HISTORY_COMPACTED, message, {"domain": domain, "compacted_to": to, "hint": hint})


def erased_error(domain: str, subject: str) -> GraphError:
    """Return the error for an erased subject."""
    hint = Hint("Nothing of it remains.", " {memory_log:subject} shows when it was erased.", subject=printable(subject))
    details = {"subject": subject, "domain": domain, "hint": hint}
    return GraphError(Code.SUBJECT_ERASED, f"{printable(subject)} was erased", details)
