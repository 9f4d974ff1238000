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
"""The treatment of a change that conflicts with later ones."""
Verdict = Literal["accept", "reject", "edit"]
"""The verdict of a person on a change."""
_FOLDED = 3
"""Minimum number of consecutive type definitions that are folded into one line. The line names as many of them."""


class LogLine(Result):
    """A short log entry."""

    seq: int = Field(description="Position in the domain's log; also the version of its subject afterwards")
    at: Timestamp
    by: str = Field(description="The actor, or if unknown, agent or user")
    summary: str = Field(description="The change in words")


class LogEntry(LogLine):
    """A log entry."""

    id: str
    operation: Operation
    kind: Kind
    subject: str = Field(description="Id of the changed subject")
    type: str | None = None
    session: str | None = None
    source: str
    actor: str | None = None
    batch: str = Field(description="Changes of one call share it")
    before: dict[str, object] | None = None
    after: dict[str, object] | None = None


class LogLines(ResultWithWarnings):
    """Short log entries, newest first."""

    entries: tuple[LogLine, ...]
    next_cursor: str | None = Field(default=None, description="Pass as cursor for older changes; absent on the last")


class LogPage(LogLines):
    """A page of log entries, newest first."""

    entries: tuple[LogEntry, ...]  # pyright: ignore[reportIncompatibleVariableOverride] - frozen

    @property
    def folded(self) -> tuple[LogEntry, ...]:
        """The entries, with consecutive type definitions by one caller folded into one entry."""
        folded: list[LogEntry] = []
        for definer, group in groupby(self.entries, _definer):
            entries = list(group)
            is_row = definer is not None and len(entries) >= _FOLDED
            folded += [_fold(entries)] if is_row else entries
        return tuple(folded)

    @property
    def lines(self) -> LogLines:
        """The short entries, with times in whole seconds."""
        lines = (
            LogLine(seq=entry.seq, at=entry.at.replace(microsecond=0), by=entry.by, summary=entry.summary)
            for entry in self.folded
        )
        return LogLines(warnings=self.warnings, entries=tuple(lines), next_cursor=self.next_cursor)


def _definer(entry: LogEntry) -> tuple[str, str | None] | None:
    """Return the actor and session that defined a type, or None for another change."""
    return (entry.by, entry.session) if entry.kind in TYPES and entry.operation == "create" else None


def _fold(entries: Sequence[LogEntry]) -> LogEntry:
    """Return one entry for several type definitions. `entries` are sorted, newest first."""
    names = [entry.subject.partition("/")[2] for entry in reversed(entries)]
    more = f" and {len(names) - _FOLDED} more" if len(names) > _FOLDED else ""
    numbers = f"{entries[-1].seq} to {entries[0].seq}"
    listed = ", ".join(map(printable, names[:_FOLDED]))
    return entries[0].model_copy(update={"summary": f"{len(names)} types defined ({numbers}): {listed}{more}"})


class Sessions(Result):
    """Sessions, latest first."""

    sessions: tuple[SessionSummary, ...]


class Named(Result):
    """A node or connection that a text may refer to."""

    id: str
    kind: Kind
    type: str | None = Field(default=None, description="Absent when it was erased")
    title: str | None = Field(default=None, description="Title of a node, the last one of a deleted node")
    deleted: bool = Field(description="Deleted or erased")


class Reviewed(Result):
    """The reviews of a domain's changes."""

    domain: str
    verdicts: dict[int, Verdict] = Field(description="Verdicts by log position")
    settled: int = Field(
        description="All changes up to this position were reviewed, or are not in this domain's own log"
    )


class PastAnswer(Result):
    """The result of a read of a past state."""

    as_of: int = Field(description="Log position of the state")
    result: dict[str, object]


class RevertedChange(Result):
    """A change of one subject that a revert wrote or would write."""

    subject: str
    kind: Kind
    operation: Operation = Field(description="create: restored; delete: removed; update: set back")
    seq: int = Field(description="Log position of the new event; also the subject's version")
    type: str | None = None
    title: str | None = Field(default=None, description="Title of a node; for a connection, the titles of its ends")


class Skipped(Result):
    """A subject that a revert did not change, and the reason."""

    subject: str
    title: str | None = None
    reason: str
    forcible: bool | None = Field(default=None, description="Whether force undoes its changes too")
    call: ReadyCall | None = Field(default=None, description="The call that restores the node that it needs")


class Reverted(Result):
    """The result of a revert or its dry run. A revert is one batch of the log, and can be reverted itself.

    If it is so large that it is written in pages, only the first 100 changes and skipped subjects are listed.
    """

    dry_run: bool
    batch: str | None = Field(default=None, description="Absent if nothing was written")
    changes: tuple[RevertedChange, ...]
    more_changes: int | None = Field(default=None, description="Number of further changes")
    skipped: tuple[Skipped, ...]
    more_skipped: int | None = None
    force: ReadyCall | None = Field(default=None, description="The call that undoes the forcible ones too")
    resumed: bool | None = Field(default=None, description="An interrupted revert was resumed")
