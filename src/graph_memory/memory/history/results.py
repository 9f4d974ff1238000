"""Results of history reads and reverts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Literal

from pydantic import Field

from graph_memory.model.results import ReadyCall, Result, ResultWithWarnings, Timestamp
from graph_memory.model.sessions import SessionSummary
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.text.wording import printable

Operation = Literal["create", "update", "delete"]
Source = Literal["agent", "user"]
Choice = Literal["stop", "skip", "force"]
"""How a revert treats a change that conflicts with later changes."""
Verdict = Literal["accept", "reject", "edit"]
"""The verdict of a person who reviewed a change."""
_MIN_FOLDED = 3
"""Minimum number of consecutive type definitions that are folded into one line. Also the number of names on that line.
"""


class LogLine(Result):
    """A log entry with only its position, time, actor and description."""

    seq: int = Field(description="Log position of the change. It is also the subject's version after the change")
    at: Timestamp = Field(description="Time of the change")
    by: str = Field(description="The actor or, if unknown, agent or user")
    summary: str = Field(description="The change in words")


class LogEntry(LogLine):
    """An event of a domain's log, with a description of the change."""

    id: str
    operation: Operation
    kind: Kind
    subject: str = Field(description="Id of the changed subject")
    type: str | None = None
    from_id: str | None = Field(default=None, description="Source node of a connection, or entity of an observation")
    to_id: str | None = Field(default=None, description="Target node of a connection")
    session: str | None = Field(default=None, description="Session in which the change was made")
    source: str = Field(description="Whether an agent or a user made the change")
    actor: str | None = None
    batch: str = Field(description="Id of the batch, which all changes made by one call share")
    before: dict[str, object] | None = Field(default=None, description="State before the change")
    after: dict[str, object] | None = Field(default=None, description="State after the change")


class LogLines(ResultWithWarnings):
    """Short log entries, newest first."""

    entries: tuple[LogLine, ...]
    next_cursor: str | None = Field(
        default=None, description="Pass it as cursor to get older changes; absent on the last page"
    )


class LogPage(LogLines):
    """A page of log entries, newest first."""

    entries: tuple[LogEntry, ...]  # pyright: ignore[reportIncompatibleVariableOverride] - frozen

    @property
    def folded(self) -> tuple[LogEntry, ...]:
        """The entries. Consecutive type definitions by the same actor and session are folded into one entry."""
        folded: list[LogEntry] = []
        for definer, group in groupby(self.entries, _definer):
            entries = list(group)
            is_foldable = definer is not None and len(entries) >= _MIN_FOLDED
            folded += [_fold(entries)] if is_foldable else entries
        return tuple(folded)

    @property
    def lines(self) -> LogLines:
        """The page with short entries, whose times are cut to whole seconds."""
        lines = (
            LogLine(seq=entry.seq, at=entry.at.replace(microsecond=0), by=entry.by, summary=entry.summary)
            for entry in self.folded
        )
        return LogLines(warnings=self.warnings, entries=tuple(lines), next_cursor=self.next_cursor)


def _definer(entry: LogEntry) -> tuple[str, str | None] | None:
    """Return the actor and session of an entry that defines a type, or None for other entries."""
    return (entry.by, entry.session) if entry.kind in TYPES and entry.operation == "create" else None


def _fold(entries: Sequence[LogEntry]) -> LogEntry:
    """Return one entry that summarises several type definitions. `entries` are sorted, newest first."""
    names = [entry.subject.partition("/")[2] for entry in reversed(entries)]
    more_text = f" and {len(names) - _MIN_FOLDED} more" if len(names) > _MIN_FOLDED else ""
    numbers = f"{entries[-1].seq} to {entries[0].seq}"
    name_list = ", ".join(map(printable, names[:_MIN_FOLDED]))
    return entries[0].model_copy(update={"summary": f"{len(names)} types defined ({numbers}): {name_list}{more_text}"})


class ChangeCount(Result):
    """The number of changes of one kind and operation in a period."""

    period: int = Field(description="Number of the period, starting from 0")
    kind: Kind
    operation: Operation
    changes: int = Field(description="Number of changes")


class Sessions(Result):
    """The sessions that changed a domain, latest first."""

    sessions: tuple[SessionSummary, ...]


class NamedSubject(Result):
    """A node or connection that a user's text may refer to."""

    id: str
    kind: Kind
    type: str | None = Field(default=None, description="Absent if the subject was erased")
    title: str | None = Field(default=None, description="Title of the node or, if it was deleted, its last title")
    deleted: bool = Field(description="Whether the subject was deleted or erased")


class ReviewList(Result):
    """The reviews of a domain's changes."""

    domain: str
    verdicts: dict[int, Verdict] = Field(description="Verdict on each requested change, by log position")
    reviewers: dict[int, str] | None = Field(
        default=None, description="Who gave each verdict, by log position, if known"
    )
    settled: int = Field(
        description="Log position up to which every change was reviewed or is not in this domain's own log"
    )


class PastAnswer(Result):
    """The result of reading a past state."""

    as_of: int = Field(description="Log position of the state that was read")
    result: dict[str, object] = Field(description="The tool's result")


class RevertedChange(Result):
    """A change of one subject that a revert wrote or would write."""

    subject: str
    kind: Kind
    operation: Operation = Field(description="create: restored; delete: removed; update: reset to its earlier state")
    seq: int = Field(description="Log position of the new event, which is also the subject's new version")
    type: str | None = None
    title: str | None = Field(default=None, description="Title of a node; for a connection, the titles of its ends")


class SkippedSubject(Result):
    """A subject that a revert did not change, and the reason."""

    subject: str
    title: str | None = None
    reason: str = Field(description="Why the subject was not reverted")
    forcible: bool | None = Field(default=None, description="Whether force would also undo its later changes")
    call: ReadyCall | None = Field(default=None, description="The call that restores a node which the subject needs")


class RevertResult(Result):
    """The result of a revert or its dry run. A revert is one batch of the log, and can be reverted itself.

    If a revert is written in pages, the result lists only the first 100 changes and skipped subjects.
    """

    dry_run: bool = Field(description="Whether this was only a preview, so nothing was written")
    batch: str | None = Field(default=None, description="Id of the batch in the log; absent if nothing was written")
    changes: tuple[RevertedChange, ...] = Field(description="The changes that the revert made or would make")
    more_changes: int | None = Field(default=None, description="Number of changes that are not listed")
    skipped: tuple[SkippedSubject, ...] = Field(description="Subjects that were not reverted, each with the reason")
    more_skipped: int | None = Field(default=None, description="Number of skipped subjects that are not listed")
    force: ReadyCall | None = Field(default=None, description="The call that also reverts the forcible subjects")
    resumed: bool | None = Field(default=None, description="Whether an interrupted revert was resumed")
