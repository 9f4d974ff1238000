"""What a batch returns."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field, TypeAdapter

from graph_memory.model.results import Result, Text


class BatchFault(Result):
    """What is wrong with one operation."""

    index: int = Field(description="Place of the operation, from 0")
    op: str
    code: str
    message: Text
    hint: Text | None = None


_KEPT = TypeAdapter(tuple[tuple[int, str, str], ...])
_TOLD_BEFORE = "It was refused when the batch was made."


def faults_text(faults: Iterable[BatchFault]) -> str:
    """Return faults as the log keeps them: without their words, which can name what somebody erases later."""
    return _KEPT.dump_json(tuple((fault.index, fault.op, fault.code) for fault in faults)).decode()


def faults_from(text: str) -> tuple[BatchFault, ...]:
    """Return the faults that the log keeps of a batch. Raises ValueError for what is no list of them."""
    kept = _KEPT.validate_json(text)
    return tuple(BatchFault(index=index, op=op, code=code, message=_TOLD_BEFORE) for index, op, code in kept)


class BatchItem(Result):
    """What became of one operation; one with edges has an entry for each of them too."""

    index: int = Field(description="Place of the operation, from 0")
    op: str
    id: str | None = Field(
        default=None, description="What it is about; absent for what a dry run would create, and for what is not there"
    )
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
