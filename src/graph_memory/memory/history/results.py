"""What reading the past gives: lines of the log, sessions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Literal

from pydantic import Field

from graph_memory.model.results import Answered, ReadyCall, Result, Timestamp
from graph_memory.model.sessions import SessionSummary
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.text.wording import shown

Operation = Literal["create", "update", "delete"]
Source = Literal["agent", "user"]
Choice = Literal["stop", "skip", "force"]
"""What to do about a change that cannot simply be undone."""
Verdict = Literal["accept", "reject", "edit"]
"""What a person says of a change that they review."""
_FOLDED = 3
"""Minimum number of types defined in a row that one line tells, and the number that it names."""


class LogLine(Result):
    """One change in short."""

    seq: int = Field(description="Its number in the domain's log; also the version of its subject after it")
    at: Timestamp
    by: str = Field(description="The actor; where none is named, agent or user")
    summary: str = Field(description="The change in words")


class LogEntry(LogLine):
    """One change."""

    id: str
    operation: Operation
    kind: Kind
    subject: str = Field(description="Id of what was changed")
    type: str | None = None
    session: str | None = None
    source: str
    actor: str | None = None
    batch: str = Field(description="Changes of one call share it")
    before: dict[str, object] | None = None
    after: dict[str, object] | None = None


class LogLines(Answered):
    """Changes in short, newest first."""

    entries: tuple[LogLine, ...]
    next_cursor: str | None = Field(default=None, description="Pass as cursor for older changes; absent on the last")


class LogPage(LogLines):
    """Changes, newest first."""

    entries: tuple[LogEntry, ...]  # pyright: ignore[reportIncompatibleVariableOverride] - frozen

    @property
    def folded(self) -> tuple[LogEntry, ...]:
        """The same changes, with several types that one caller defined in a row as one entry."""
        folded: list[LogEntry] = []
        for defined, group in groupby(self.entries, _definer):
            entries = list(group)
            is_row = defined is not None and len(entries) >= _FOLDED
            folded += [_fold(entries)] if is_row else entries
        return tuple(folded)

    @property
    def lines(self) -> LogLines:
        """The same changes in short, their times to the second."""
        lines = (
            LogLine(seq=entry.seq, at=entry.at.replace(microsecond=0), by=entry.by, summary=entry.summary)
            for entry in self.folded
        )
        return LogLines(warnings=self.warnings, entries=tuple(lines), next_cursor=self.next_cursor)


def _definer(entry: LogEntry) -> tuple[str, str | None] | None:
    """Return who defined a type with an entry, or None for another change."""
    return (entry.by, entry.session) if entry.kind in TYPES and entry.operation == "create" else None


def _fold(entries: Sequence[LogEntry]) -> LogEntry:
    """Return entries that define types, newest first, as one."""
    names = [entry.subject.partition("/")[2] for entry in reversed(entries)]
    more = f" and {len(names) - _FOLDED} more" if len(names) > _FOLDED else ""
    numbers = f"{entries[-1].seq} to {entries[0].seq}"
    listed = ", ".join(map(shown, names[:_FOLDED]))
    return entries[0].model_copy(update={"summary": f"{len(names)} types defined ({numbers}): {listed}{more}"})


class Sessions(Result):
    """Sessions, latest first."""

    sessions: tuple[SessionSummary, ...]


class Named(Result):
    """A node or connection that somebody may mean by a text."""

    id: str
    kind: Kind
    type: str | None = Field(default=None, description="Absent when it was erased")
    title: str | None = Field(default=None, description="Title of a node, the last one of a deleted node")
    deleted: bool = Field(description="Deleted or erased")


class Reviewed(Result):
    """What people said of the changes of a domain when they reviewed them."""

    domain: str
    verdicts: dict[int, Verdict] = Field(description="By the number of the change")
    settled: int = Field(description="Every change up to this number was reviewed, or is not in this domain's own log")


class PastAnswer(Result):
    """The result of a read of a domain as it was."""

    as_of: int = Field(description="Number of the event after which it was so")
    result: dict[str, object]


class RevertedChange(Result):
    """What a revert wrote, or would write, about one subject."""

    subject: str
    kind: Kind
    operation: Operation = Field(description="create: brought back; delete: removed; update: set back")
    seq: int = Field(description="Number of the new event; also the subject's version")
    type: str | None = None
    title: str | None = Field(default=None, description="Of a node; of a connection, those of its ends")


class Skipped(Result):
    """A subject that was left as it is, and why."""

    subject: str
    title: str | None = None
    reason: str
    forcible: bool | None = Field(default=None, description="Whether force undoes its changes too")
    call: ReadyCall | None = Field(default=None, description="The call that restores the node that it needs")


class Reverted(Result):
    """What was undone, or with `dry_run` would be. It is one batch of the log, and can be reverted itself.

    Of one that is so large that it is written in pages, the first 100 changes and skipped subjects are told.
    """

    dry_run: bool
    batch: str | None = Field(default=None, description="Absent when nothing was written")
    changes: tuple[RevertedChange, ...]
    more_changes: int | None = Field(default=None, description="How many there are beyond those")
    skipped: tuple[Skipped, ...]
    more_skipped: int | None = None
    force: ReadyCall | None = Field(default=None, description="The call that undoes the forcible ones too")
    resumed: bool | None = Field(default=None, description="An interrupted revert was resumed")
