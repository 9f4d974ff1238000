"""Finds the log that contains a point in a domain's past. The past of a branch is in the log of its source.

The event numbers of a branch continue the numbers of its source, so a number identifies one state in the whole lineage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.text.wording import printable
from graph_memory.model.time.points import parse_log_position
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

END = 2**53
"""An event number that is higher than the last number of any log."""
BEFORE_ALL = "That point is before the first write to this domain, which was still empty."
"""The warning that the requested point is before the first event of a domain."""
_PROBES = 32
"""Number of event times that a search for a point in time reads at once."""


@dataclass(frozen=True, slots=True)
class ForkRow:
    """The source and the fork of a branch, and the event number up to which the domain's log was compacted."""

    forked_from: str | None
    forked_at: int | None
    begins_at: int | None
    compacted_to: int | None


@dataclass(frozen=True, slots=True)
class LineageRow:
    """A domain of a lineage: its fork, its compaction, and the numbers of events at which the clock was set back."""

    name: str
    forked_from: str | None
    forked_at: int | None
    begins_at: int | None
    compacted_to: int | None
    turns: list[int]


@dataclass(frozen=True, slots=True)
class PositionRow:
    """The number of a log's last event, and the number of the requested event if the log contains it."""

    last: int
    seq: int | None


@dataclass(frozen=True, slots=True)
class TimedRow:
    """A requested event number, and the number, time and id of the first event at or after it."""

    number: int
    seq: int
    at: datetime
    id: str


FORK = query("domains/fork", ForkRow)
LINEAGE = query("domains/line", LineageRow)
POSITION = query("domains/position", PositionRow)
NEXT_EVENTS = query("domains/next_events", TimedRow)


@dataclass(frozen=True, slots=True)
class Revision:
    """A state of a domain: after event `seq` of its own log."""

    domain: str
    seq: int


@dataclass(frozen=True, slots=True)
class EventRange:
    """A range of events in one log, from the event after number `after` to number `until`."""

    domain: str
    after: int
    until: int


@dataclass(frozen=True, slots=True)
class LogSegment:
    """One log of a lineage. Its own changes are the events after `begins_at`, up to `until`.

    A branch's log begins with a snapshot of its source, which ends with the event of the fork, at `begins_at`.
    `forked_at` is the fork's number in the source's log, or None. Changes up to `compacted_to` were compacted.
    """

    domain: str
    until: int
    begins_at: int = 0
    forked_at: int | None = None
    compacted_to: int = 0
    turns: tuple[int, ...] = ()
    """Numbers of events with an earlier time than their predecessor, because a clock was wrong."""

    @property
    def own_events_after(self) -> int:
        """The number of the event after which the log's own events begin."""
        return self.begins_at if self.forked_at is None else self.begins_at - 1

    @property
    def stored_events_after(self) -> int:
        """The number of the event after which the events of this log are still stored."""
        return max(self.own_events_after, self.compacted_to)

    def has_compacted_changes(self, after: int, until: int) -> bool:
        """Return whether any changes of this log between two event numbers were compacted."""
        return max(after, self.begins_at) < min(until, self.until, self.compacted_to)


async def segments_of(reader: Reader, domain: str) -> list[LogSegment]:
    """Return the log segments that contain a domain's past, its own first. Raises ONTOLOGY_NOT_FOUND."""
    segments: list[LogSegment] = []
    name: str | None = domain
    until = END
    while name is not None:
        rows = await reader.read(LINEAGE, domain=name)
        if not rows:
            raise no_ontology_error(name)
        for row in rows:
            begins_at, compacted_to = row.begins_at or 0, row.compacted_to or 0
            segments.append(LogSegment(row.name, until, begins_at, row.forked_at, compacted_to, tuple(row.turns)))
            name, until = row.forked_from, row.forked_at or 0
    return segments


async def resolve_revision(reader: Reader, domain: str, argument: str, point: int | str) -> Revision:
    """Return the revision of a domain at a point of its history. Raises the same errors as `seq_at`."""
    segments = await segments_of(reader, domain)
    return _revision_in(segments, await _resolve_point(reader, segments, argument, point))


async def revision_of(reader: Reader, domain: str, seq: int) -> Revision:
    """Return the revision of a domain after event `seq`. Raises ONTOLOGY_NOT_FOUND and HISTORY_COMPACTED."""
    return _revision_in(await segments_of(reader, domain), seq)


def _revision_in(segments: Sequence[LogSegment], seq: int) -> Revision:
    """Return the revision after event `seq` of a lineage. At a fork, both logs contain the state."""
    for segment in segments:
        nearest_seq = max(min(seq, segment.until), segment.begins_at)
        is_in_segment = segment.forked_at is None or seq >= segment.forked_at
        if is_in_segment and nearest_seq >= segment.compacted_to:
            return Revision(segment.domain, nearest_seq)
        if is_in_segment and (segment.forked_at is None or nearest_seq > segment.begins_at):
            raise compacted_error(segment.domain, segment.compacted_to)
    raise _missing_source_error(segments[-1])


async def ranges_between(reader: Reader, domain: str, after: int, before: int) -> list[EventRange]:
    """Return the event ranges between two event numbers in a domain's lineage, newest first."""
    return ranges_within(await segments_of(reader, domain), after, before)


def ranges_within(segments: Sequence[LogSegment], after: int, before: int) -> list[EventRange]:
    """Return the event ranges between two event numbers in a lineage, newest first."""
    ranges = [
        EventRange(segment.domain, max(after, segment.stored_events_after), min(before - 1, segment.until))
        for segment in segments
    ]
    return [event_range for event_range in ranges if event_range.after < event_range.until]


def check_kept(segments: Sequence[LogSegment], after: int, until: int) -> None:
    """Raise HISTORY_COMPACTED if changes between two numbers of a lineage were compacted."""
    for segment in segments:
        if segment.has_compacted_changes(after, until):
            raise compacted_error(segment.domain, segment.compacted_to)


async def changes_between(reader: Reader, revision: Revision, other: Revision) -> list[EventRange]:
    """Return the event ranges that contain all differences between two states.

    If the states have no common history, the ranges cover all events of both. Raises HISTORY_COMPACTED if changes since
    the common history were compacted.
    """
    first, second = await segments_of(reader, revision.domain), await segments_of(reader, other.domain)
    shared_domain = next(
        (segment.domain for segment in first if segment.domain in {other_segment.domain for other_segment in second}),
        None,
    )
    if shared_domain is None:  # snapshots have all subjects of the earlier state
        return [EventRange(state.domain, 0, state.seq) for state in (revision, other) if state.seq]
    paths = [_path_to_shared(first, revision, shared_domain), _path_to_shared(second, other, shared_domain)]
    low, high = sorted(end for _, end in paths)
    ranges = [*(event_range for path, _ in paths for event_range in path), EventRange(shared_domain, low, high)]
    for segment in (*first, *second):
        for event_range in ranges:
            if segment.domain == event_range.domain and segment.has_compacted_changes(
                event_range.after, event_range.until
            ):
                raise compacted_error(segment.domain, segment.compacted_to)
    return [event_range for event_range in ranges if event_range.after < event_range.until]


def _path_to_shared(
    segments: Sequence[LogSegment], revision: Revision, shared_domain: str
) -> tuple[list[EventRange], int]:
    """Return the event ranges from a state back to the shared domain, and the number of the event reached there."""
    ranges: list[EventRange] = []
    seq = revision.seq
    for segment in segments:
        if segment.domain == shared_domain:
            break
        ranges.append(EventRange(segment.domain, segment.begins_at, seq))
        seq = segment.forked_at or 0
    return ranges, seq


async def last_seq(reader: Reader, domain: str) -> int:
    """Return the number of the last event of a domain. Raises ONTOLOGY_NOT_FOUND."""
    position = await reader.first_row(POSITION, domain=domain, event=None)
    if position is None:
        raise no_ontology_error(domain)
    return position.last


async def seq_at(reader: Reader, domain: str, argument: str, point: int | str | None) -> int:
    """Return the number of the last event at or before a point (default: now), or 0 before the first event.

    Raises INVALID_ARGUMENT if the point is invalid, ONTOLOGY_NOT_FOUND or EVENT_NOT_FOUND if the domain or the event
    does not exist, and HISTORY_COMPACTED if the point was compacted.
    """
    segments = await segments_of(reader, domain)
    seq = await _resolve_point(reader, segments, argument, END if point is None else point)
    _revision_in(segments, seq)
    return seq


async def event_id_at(reader: Reader, revision: Revision) -> str:
    """Return the id of the event with the number of a revision, or an empty string if that event does not exist."""
    rows = await reader.read(NEXT_EVENTS, domain=revision.domain, numbers=[revision.seq])
    return rows[0].id if rows and rows[0].seq == revision.seq else ""


async def contains_event(reader: Reader, domain: str, seq: int, event: str) -> bool:
    """Return whether a domain's history has an event with this number and id.

    If the event was compacted, only the number is compared.
    """
    segments = await segments_of(reader, domain)
    if seq > await last_seq(reader, domain):
        return False
    try:
        return await event_id_at(reader, _revision_in(segments, seq)) in (event, "")
    except GraphError as error:
        if error.code is not Code.HISTORY_COMPACTED:
            raise
        return True


async def bounds(reader: Reader, domain: str, since: int | str | None, until: int | str | None) -> tuple[int, int]:
    """Return the event numbers just before `since` and just after `until`, so that the range includes both.

    If `until` is not given, the range ends at the current end of the log, since later commits may be only partly
    visible. Raises HISTORY_COMPACTED if events in the range were compacted. If `since` is not given, only the last
    event must exist.
    """
    segments = await segments_of(reader, domain)
    after, last = 0, END
    if since is not None:
        after = await _resolve_point(reader, segments, "since", since, strictly=True)
    if until is not None:
        last = await _resolve_point(reader, segments, "until", until)
    check_kept(segments, after if since is not None else last - 1, last)
    return after, (await last_seq(reader, domain) if until is None else last) + 1


async def _resolve_point(
    reader: Reader, segments: Sequence[LogSegment], argument: str, point: int | str, *, strictly: bool = False
) -> int:
    """Return the number of the last event at or before a point. With `strictly`, it must be before the point."""
    now = utc_now()
    parsed = parse_log_position(argument, point, now)
    for segment in segments:
        position = await reader.first_row(POSITION, domain=segment.domain, event=parsed.event)
        if position is None:
            raise no_ontology_error(segment.domain)
        last = min(position.last, segment.until)
        if parsed.seq is not None:
            return parsed.seq - 1 if strictly else min(last, parsed.seq)
        if parsed.at is not None and parsed.at >= now:
            return last  # every logged event has happened, even if its clock was ahead
        if parsed.at is not None:
            number = await _last_until(reader, segment, parsed.at, last, strictly=strictly)
        else:
            number = None if position.seq is None or position.seq > last else position.seq - strictly
        if number is not None:
            return number
    if parsed.event is not None:
        raise unknown_event_error(segments, parsed.event)
    return 0


async def _last_until(reader: Reader, segment: LogSegment, at: datetime, last: int, *, strictly: bool) -> int | None:
    """Return the number of the last event at or before a time, or None if the log begins after that time.

    Event times decrease only at a log's turns, where the clock was set back. Therefore each range between turns is
    searched separately, newest first. With `strictly`, the event must be before the time.
    """
    range_ends = sorted(turn - 1 for turn in segment.turns if segment.own_events_after < turn - 1 < last)
    for after, until in reversed([*pairwise([segment.own_events_after, *range_ends, last])]):
        if (number := await _last_in_range(reader, segment.domain, after, until, at, strictly=strictly)) is not None:
            return number
    return None


async def _last_in_range(
    reader: Reader, domain: str, after: int, last: int, at: datetime, *, strictly: bool
) -> int | None:
    """Return the number of the last event at or before a time, in a range without turns, or None if there is none."""
    low, high = after, last
    while low < high:
        numbers = list(range(low, high + 1, -(-(high - low) // _PROBES)))[1:]
        rows = await reader.read(NEXT_EVENTS, domain=domain, numbers=numbers)
        earlier_rows = [row for row in rows if row.at < at or (row.at == at and not strictly)]
        if len(earlier_rows) < len(numbers):
            high = numbers[len(earlier_rows)] - 1
        if earlier_rows:
            low = max(earlier_rows[-1].number, min(earlier_rows[-1].seq, high))
    return low if low > after else None


def unknown_event_error(segments: Sequence[LogSegment], event: str) -> GraphError:
    """Return the error for an event that is in no log of a lineage. The event may have been compacted."""
    domain = segments[0].domain
    for segment in segments:
        if segment.compacted_to:
            return compacted_error(segment.domain, segment.compacted_to)
    details = {
        "event": printable(event),
        "domain": domain,
        "hint": Hint(
            "Use {memory_log:full} to find the number or id of the event.", " Check the domain that you passed."
        ),
    }
    return GraphError(Code.EVENT_NOT_FOUND, f"Domain {domain} has no event {printable(event)}", details)


def _missing_source_error(segment: LogSegment) -> GraphError:
    """Return the error for the past of a branch whose source was not imported."""
    first_seq = max(segment.forked_at or 0, segment.compacted_to)
    hint = (
        f"Use {first_seq} or a later point. To read its whole history, import its source domain first, then the branch."
    )
    message = f"Domain {segment.domain} was imported without the domain that contains its history before {first_seq}"
    return GraphError(
        Code.HISTORY_COMPACTED, message, {"domain": segment.domain, "compacted_to": first_seq, "hint": hint}
    )


def compacted_error(domain: str, compacted_to: int) -> GraphError:
    """Return the error for a point of a log that was compacted."""
    hint = f"Pass {compacted_to} or a later point. For earlier events, read the archive of the compaction."
    message = f"The log of domain {domain} was compacted up to {compacted_to}"
    return GraphError(Code.HISTORY_COMPACTED, message, {"domain": domain, "compacted_to": compacted_to, "hint": hint})


def erased_error(domain: str, subject: str) -> GraphError:
    """Return the error for an erased subject."""
    hint = Hint(
        "Choose another subject.", " Use {memory_log:subject} to see when it was erased.", subject=printable(subject)
    )
    details = {"subject": subject, "domain": domain, "hint": hint}
    return GraphError(Code.SUBJECT_ERASED, f"{printable(subject)} was erased", details)
