"""What a batch returns."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result


class BatchFault(Result):
    """What is wrong with one operation."""

    index: int = Field(description="Place of the operation, from 0")
    op: str
    code: str
    message: str
    hint: str | None = None


class BatchItem(Result):
    """What became of one operation; one with edges has an entry for each of them too."""

    index: int = Field(description="Place of the operation, from 0")
    op: str
    id: str | None = Field(default=None, description="Node or connection; absent for what a dry run would create")
    ref: str | None = None
    version: int | None = Field(default=None, description="Version afterwards; absent if it was left out or is gone")
    connections: int | None = Field(default=None, description="Connections and observations deleted with a node")


class BatchResult(Result):
    """What a batch did, or would do."""

    batch: str | None = Field(default=None, description="Id of the batch in the log, and of its first event")
    since: int | None = Field(default=None, description="Number of its first event, for memory_revert")
    until: int | None = Field(default=None, description="Number of its last event")
    dry_run: bool | None = None
    repeated: bool | None = Field(
        default=None, description="An earlier run with this idempotency key had made it; nothing was changed now"
    )
    created: int
    updated: int
    deleted: int
    refused: int = Field(description="Operations that are at fault and were left out")
    results: tuple[BatchItem, ...]
    faults: tuple[BatchFault, ...] = ()
