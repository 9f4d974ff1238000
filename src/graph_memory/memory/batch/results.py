"""Results of a batch."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field, TypeAdapter

from graph_memory.model.results import Result, Text


class BatchFault(Result):
    """An error of one operation of a batch."""

    index: int = Field(description="Index of the operation, starting from 0")
    op: str = Field(description="Name of the operation")
    code: str
    message: Text
    hint: Text | None = Field(default=None, description="What to do about the error")


_STORED_FAULTS = TypeAdapter(tuple[tuple[int, str, str], ...])
_EARLIER_MESSAGE = "The operation was rejected when the batch was written."


def faults_to_json(faults: Iterable[BatchFault]) -> str:
    """Return errors as JSON for storage. Omits messages, because they may quote data that is erased later."""
    return _STORED_FAULTS.dump_json(tuple((fault.index, fault.op, fault.code) for fault in faults)).decode()


def faults_from_json(text: str) -> tuple[BatchFault, ...]:
    """Return the errors in JSON written by `faults_to_json`. Raises ValueError if the JSON is invalid."""
    entries = _STORED_FAULTS.validate_json(text)
    return tuple(BatchFault(index=index, op=op, code=code, message=_EARLIER_MESSAGE) for index, op, code in entries)


class BatchItem(Result):
    """The result of one operation. An operation with edges also has one item per edge."""

    index: int = Field(description="Index of the operation, starting from 0")
    op: str = Field(description="Name of the operation")
    id: str | None = Field(
        default=None, description="Id of the subject; absent if it does not exist, or if a dry run would create it"
    )
    ref: str | None = Field(default=None, description="The ref that the operation defined")
    version: int | None = Field(
        default=None,
        description="Version after the batch; absent if the operation was omitted or the subject does not exist",
    )
    connections: int | None = Field(
        default=None, description="Number of connections and observations deleted with a node"
    )


class BatchResult(Result):
    """The result of a batch, or of its dry run."""

    batch: str | None = Field(default=None, description="Id of the batch in the log, and of the batch's first event")
    since: int | None = Field(default=None, description="Log number of the batch's first event, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the batch's last event")
    dry_run: bool | None = Field(default=None, description="Whether this was only a preview, so nothing was written")
    repeated: bool | None = Field(
        default=None,
        description="Whether an earlier call with this idempotency key wrote it, so that this call changed nothing",
    )
    created: int = Field(description="Number of created subjects")
    updated: int = Field(description="Number of updated subjects")
    deleted: int = Field(description="Number of deleted subjects")
    refused: int = Field(description="Number of invalid operations that were omitted")
    results: tuple[BatchItem, ...] = Field(description="The results of the operations")
    faults: tuple[BatchFault, ...] = Field(default=(), description="The errors of the invalid operations")
