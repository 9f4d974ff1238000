"""Results of a merge."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graph_memory.memory.history.diff_results import Value
from graph_memory.memory.history.results import Operation
from graph_memory.model.results import Result
from graph_memory.model.subjects.kinds import Kind

Side = Literal["ours", "theirs"]
StrategyName = Literal["manual", "ours", "theirs"]


class MergedChange(Result):
    """A change of one subject that a merge wrote, or would write."""

    subject: str
    kind: Kind
    operation: Operation
    seq: int = Field(description="Log number of the new event. It is also the subject's version")
    type: str | None = None
    title: str | None = Field(default=None, description="Title of a node; for a connection, the titles of its ends")


class LineConflict(Result):
    """Lines that both sides changed differently."""

    line: int = Field(description="Line number of the first of these lines in the target's text")
    base: str
    ours: str
    theirs: str


class MergeConflict(Result):
    """The reason why a subject or value cannot be merged. `ours` is the target's side, `theirs` the source's."""

    subject: str
    kind: Kind
    type: str | None = None
    title: str | None = None
    conflict: str = Field(
        description=(
            "Kind of conflict: property, content, deleted, changed, created, type, ontology, end, attached, unique, "
            "rule or invalid"
        )
    )
    reason: str = Field(description="Why it cannot be merged")
    property: str | None = Field(default=None, description="Name of the property in conflict; _content for the content")
    base: Value | None = Field(default=None, description="The common earlier value")
    ours: Value | None = Field(default=None, description="The target's value")
    theirs: Value | None = Field(default=None, description="The source's value")
    lines: tuple[LineConflict, ...] | None = Field(
        default=None, description="Lines of a text that both sides changed differently"
    )
    takes: tuple[Side, ...] = Field(description="The sides that a resolution can take")
    resolve: tuple[dict[str, str], ...] = Field(
        description="Resolutions to pass to memory_merge, each of which resolves the conflict"
    )


class MergeResult(Result):
    """The result of a merge or its preview. A merge is one batch in the target's log, and can be reverted as one."""

    preview: bool = Field(description="Whether this was only a preview, so nothing was written")
    source: str = Field(description="The domain from which changes were merged")
    source_seq: int = Field(description="Log number up to which the source was merged")
    target: str = Field(description="The domain that was changed")
    base: str = Field(description="The domain whose log contains the common state on which the merge is based")
    base_seq: int = Field(description="Log number of the common state in that log")
    batch: str | None = Field(default=None, description="Id of the batch in the log; absent if nothing was written")
    seq: int | None = Field(default=None, description="Log number of the event that records the merge")
    created: int = Field(description="Number of subjects that are new in the target")
    updated: int = Field(description="Number of updated subjects")
    deleted: int = Field(description="Number of deleted subjects")
    changes: tuple[MergedChange, ...] = Field(description="The first 100 changes")
    settled: int = Field(description="Number of conflicts that the strategy or a resolution resolved")
    conflicts: tuple[MergeConflict, ...] = Field(description="In a preview: the first 20 unresolved conflicts")
    more_conflicts: int | None = Field(default=None, description="Number of conflicts that are not listed")
    unused: tuple[str, ...] | None = Field(
        default=None, description="Subjects with a resolution that the merge did not need"
    )
