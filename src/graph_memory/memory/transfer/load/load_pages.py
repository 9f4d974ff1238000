"""Writes the pages of a load, each as one batch. Errors name the position in the source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from graph_memory.memory.batch.operations import Operation, Options, ParsedBatch
from graph_memory.memory.batch.results import BatchResult
from graph_memory.memory.batch.run import run
from graph_memory.memory.core import Core
from graph_memory.memory.graph.connections import ConnectionEdit, NewConnection
from graph_memory.memory.graph.nodes import NewNode, NodeEdit
from graph_memory.memory.graph.validity import ValidityEdit
from graph_memory.memory.transfer.load.sources import invalid_source_error
from graph_memory.memory.transfer.load.staged_record import LoadOutcome, Staged, StagedNode
from graph_memory.memory.transfer.load.staging import Staging
from graph_memory.memory.transfer.load.validate_graph import validate_record
from graph_memory.memory.transfer.results import LoadCounts
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Request
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import Validity
from graph_memory.progress import Progress

_KINDS = (Kind.NODE, Kind.CONNECTION)


@dataclass(slots=True)
class Pages:
    """Writes the staged records in pages, and counts their outcomes."""

    core: Core
    domain: str
    staging: Staging
    request: Callable[[Kind, int], Request | None]
    skip_invalid: bool
    counts: dict[Kind, LoadCounts] = field(default_factory=lambda: dict.fromkeys(_KINDS, LoadCounts()))
    seqs: list[int] = field(default_factory=list[int])
    """The numbers of the first and the last event of each page."""

    async def write(self, progress: Progress) -> None:
        """Write all nodes, then all connections. Raises INVALID_SOURCE if the domain rejects some of them."""
        for kind in _KINDS:
            spans = self.staging.spans(kind)
            for number, span in enumerate(spans):
                progress(f"Loading {kind}s", number / len(spans))
                await self._write_page(kind, number, self.staging.page(kind, span))
            progress(f"Loading {kind}s", 1.0)

    async def _write_page(self, kind: Kind, number: int, page: Sequence[Staged]) -> None:
        to_write = [staged for staged in page if staged.fate in (LoadOutcome.CREATED, LoadOutcome.UPDATED)]
        result = await self._run(kind, number, to_write) if to_write else None
        created, updated, refused = (result.created, result.updated, result.refused) if result else (0, 0, 0)
        counts_before = self.counts[kind]
        self.counts[kind] = LoadCounts(
            created=counts_before.created + created,
            updated=counts_before.updated + updated,
            unchanged=counts_before.unchanged + len(to_write) - created - updated - refused,
            skipped=counts_before.skipped + sum(staged.fate is LoadOutcome.SKIPPED for staged in page),
            loaded_before=counts_before.loaded_before + sum(staged.fate is LoadOutcome.WRITTEN for staged in page),
        )

    async def _run(self, kind: Kind, number: int, to_write: Sequence[Staged]) -> BatchResult:
        operations = [
            operation
            for index, staged in enumerate(to_write)
            for operation in await self._make_operations(index, staged)
        ]
        options = Options(atomic=not self.skip_invalid)
        try:
            parsed = ParsedBatch(operations, (), {}, len(operations))
            result = await run(self.core, self.domain, parsed, options, self.request(kind, number))
        except GraphError as error:
            if error.code is not Code.BATCH_REFUSED:
                raise
            faults = cast("Sequence[Mapping[str, object]]", error.details["faults"])
            raise self._interrupted_error(to_write, faults) from error
        self._reject(to_write, [fault.to_dict() for fault in result.faults])
        self.seqs += [seq for seq in (result.since, result.until) if seq is not None]
        return result

    def _reject(self, to_write: Sequence[Staged], faults: Sequence[Mapping[str, object]]) -> None:
        for fault in faults:
            details = {"hint": fault["hint"]} if fault.get("hint") else {}
            error = GraphError(Code(str(fault["code"])), str(fault["message"]), details)
            self.staging.reject(to_write[cast("int", fault["index"])], error)

    def _interrupted_error(self, to_write: Sequence[Staged], faults: Sequence[Mapping[str, object]]) -> GraphError:
        """Return the error for a load that stops because the domain rejects records.

        The error states how many records were written, and the command to undo them.
        """
        self._reject(to_write, faults)
        error = invalid_source_error(self.staging.findings)
        if not self.seqs:
            return error
        count = sum(count.created + count.updated for count in self.counts.values())
        message = f"{error.message}\nBefore that, {count:,} nodes and connections were loaded."
        undo = f"`graph-memory revert --since {self.seqs[0]} --until {self.seqs[-1]}`"
        hint = f"Undo them with {undo}, or correct the data and load again."
        return GraphError(error.code, message, {**error.details, "hint": hint})

    async def _make_operations(self, index: int, staged: Staged) -> list[Operation]:
        record = validate_record(staged)
        node = record.arguments
        if isinstance(node, NewNode):
            node = replace(node, windows=await self.core.contents.split_windows(node.content))
        kind = Kind.NODE if isinstance(node, NewNode) else Kind.CONNECTION
        is_new = staged.fate is LoadOutcome.CREATED
        arguments = node if is_new else _edit(staged, node)
        verb = f"{'create' if is_new else 'update'}_{kind}"
        operations = [Operation(index=index, verb=verb, subject=staged.id, change=arguments)]
        if record.validity != Validity():
            begin, end = record.validity.valid_from, record.validity.valid_to
            bounds = ValidityEdit(valid_from=begin, valid_to=end, expected_version=None)
            operations.append(Operation(index=index, verb="set_validity", subject=staged.id, change=bounds))
        return operations


def _edit(staged: Staged, node: NewNode | NewConnection) -> NodeEdit | ConnectionEdit:
    """Return the edit that makes an existing subject match the record. Values that the record lacks are kept."""
    content = None if staged.content is None else node.content
    if isinstance(node, NewConnection):
        return ConnectionEdit(
            properties=node.properties,
            content=content,
            strength=node.strength,
            importance=node.importance,
            expected_version=None,
        )
    return NodeEdit(
        properties=node.properties,
        content=content,
        format=cast("StagedNode", staged).format,
        tags=node.tags or None,
        fields=node.fields,
        expected_version=None,
        windows=node.windows,
    )
