"""What a batch returns."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field, TypeAdapter

from graph_memory.model.results import Result


class BatchFault(Result):
    """What is wrong with one operation."""

    index: int = Field(description="Place of the operation, from 0")
    op: str
    code: str
    message: str
    hint: str | None = None


_FAULTS = TypeAdapter(tuple[BatchFault, ...])
MOST_KEPT = 1_000
"""Faults of a batch that the log keeps with their words."""


def faults_text(faults: Iterable[BatchFault]) -> str:
    """Return faults as the log keeps them: beyond MOST_KEPT without their words."""
    brief = "It was refused when the batch was made."
    told = [
        each if place < MOST_KEPT else each.model_copy(update={"message": brief, "hint": None})
        for place, each in enumerate(faults)
    ]
    return _FAULTS.dump_json(tuple(told), exclude_none=True).decode()


def faults_from(text: str) -> tuple[BatchFault, ...]:
    """Return the faults that the log keeps of a batch. Raises ValueError for what is no list of them."""
    return _FAULTS.validate_json(text)


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
