"""Results of a diff: counts, and the differences by subject."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graph_memory.model.results import Result, ResultWithWarnings
from graph_memory.model.subjects.kinds import Kind

Difference = Literal["added", "removed", "changed"]
Value = str | int | float | bool | tuple[str, ...]


class ValueChange(Result):
    """A value that differs between two states. `before` or `after` is absent if that state does not have the value."""

    name: str
    before: Value | None = None
    after: Value | None = None
    cut: bool | None = Field(default=None, description="Whether a long text was truncated")


class ContentChange(Result):
    """A difference of a subject's content. The size is absent for a state without content."""

    before_bytes: int | None = Field(default=None, description="Size in the earlier state, in bytes")
    after_bytes: int | None = Field(default=None, description="Size in the later state, in bytes")
    diff: str | None = Field(default=None, description="Unified diff of the texts, if requested")
    note: str | None = Field(default=None, description="Why there is no diff, or why it is incomplete")


class DiffEntry(Result):
    """The difference of one subject between two states."""

    subject: str
    kind: Kind
    type: str | None = None
    title: str | None = None
    operation: Difference
    summary: str = Field(description="Description of the difference")
    properties: tuple[ValueChange, ...] | None = Field(
        default=None, description="The properties that differ, if the subject changed"
    )
    attributes: tuple[ValueChange, ...] | None = Field(
        default=None,
        description="The title, tags, path, format and other attributes that differ, if the subject changed",
    )
    more: int | None = Field(default=None, description="Number of differing values that are not listed")
    content: ContentChange | None = None


class DiffCounts(Result):
    """The numbers of added, removed and changed subjects."""

    added: int = Field(default=0, description="Number of added subjects")
    removed: int = Field(default=0, description="Number of removed subjects")
    changed: int = Field(default=0, description="Number of changed subjects")


class DiffLines(DiffCounts, ResultWithWarnings):
    """The differences between two points of a domain's log, in a few words. The counts are complete."""

    since: int = Field(description="Log position of the earlier point")
    until: int = Field(description="Log position of the later point")
    against: str | None = Field(default=None, description="The other domain, if two were compared")
    changes: tuple[str, ...] = Field(
        default=(), description="One line per subject: + added, − removed or ended, old value → new value"
    )
    next_cursor: str | None = Field(
        default=None, description="Pass it as cursor to get the next page; the two points stay the same"
    )


class Diff(DiffLines):
    """The differences between two points of a domain's log, value by value. The entries are one page."""

    changes: tuple[str, ...] = Field(default=(), exclude=True)
    by_kind: dict[Kind, DiffCounts] = Field(description="Numbers of differences for each kind of subject")
    entries: tuple[DiffEntry, ...] = Field(description="The differences, sorted by the ids of the subjects")

    @property
    def lines(self) -> DiffLines:
        """The same page in short form."""
        return DiffLines(**{name: getattr(self, name) for name in DiffLines.model_fields})
