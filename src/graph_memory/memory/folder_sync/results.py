"""Results of synchronising a folder."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result


class SyncCounts(Result):
    """The numbers of notes created, updated and deleted on one side."""

    created: int = 0
    updated: int = 0
    deleted: int = 0


class SyncConflict(Result):
    """A note that changed both in the folder and in the memory. Until it is resolved, both sides stay unchanged."""

    path: str | None = Field(default=None, description="Path of the note's file; absent if it has none")
    name: str = Field(description="Name of the entity")
    fields: tuple[str, ...] = Field(description="The fields that were changed on both sides")
    settled: bool = Field(description="Whether the conflict was resolved in favour of one side")


class FolderSyncResult(Result):
    """The result of a synchronisation or its dry run."""

    domain: str = Field(description="Name of the domain")
    dry_run: bool = Field(description="Whether this was only a preview, so nothing was written")
    seq: int = Field(description="Log number of the state to which the folder now corresponds")
    session: str | None = Field(
        default=None, description="Session of the changes in the log, by which you can revert them"
    )
    folder: SyncCounts = Field(description="Numbers of changed files")
    memory: SyncCounts = Field(description="Numbers of changed entities")
    conflicts: tuple[SyncConflict, ...] = Field(default=(), description="Notes that changed on both sides")
    copies: str | None = Field(default=None, description="Folder with copies of the replaced and deleted files")
    notes: tuple[str, ...] = Field(
        default=(), description="Files and entities that were not changed, each with the reason"
    )
