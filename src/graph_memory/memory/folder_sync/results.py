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

    path: str | None = Field(default=None, description="File of the note; absent if it has no file")
    name: str = Field(description="Name of the entity")
    fields: tuple[str, ...] = Field(description="The fields that both sides have changed")
    settled: bool = Field(description="Whether one side was preferred")


class FolderSyncResult(Result):
    """The result of a synchronisation or its dry run."""

    domain: str = Field(description="Name of the domain")
    dry_run: bool = Field(description="Whether nothing was written")
    seq: int = Field(description="Log number of the state that the folder has now")
    session: str | None = Field(
        default=None, description="Session of the changes in the log, by which they can be reverted"
    )
    folder: SyncCounts = Field(description="Files changed")
    memory: SyncCounts = Field(description="Entities changed")
    conflicts: tuple[SyncConflict, ...] = ()
    copies: str | None = Field(default=None, description="Folder with copies of replaced and deleted files")
    notes: tuple[str, ...] = Field(default=(), description="Files and entities that were not changed, and why")
