"""The pages of a load: each is written as a batch, and what the domain has against it is told with its place."""

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
from graph_memory.memory.transfer.load.sources import refusal
from graph_memory.memory.transfer.load.staged_record import Fate, Staged, StagedNode
from graph_memory.memory.transfer.load.staging import Staging
from graph_memory.memory.transfer.load.validate_graph import examined
from graph_memory.memory.transfer.results import LoadCounts
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Request
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import Validity
from graph_memory.model.values.strength import Strength
from graph_memory.progress import Progress

_NOTHING = LoadCounts()


@dataclass(slots=True)
class Pages:
    """Writes what is staged, and counts what became of it."""

    core: Core
    domain: str
    staging: Staging
    request: Callable[[Kind, int], Request | None]
    skip_invalid: bool
    counts: dict[Kind, LoadCounts] = field(default_factory=lambda: {Kind.NODE: _NOTHING, Kind.CONNECTION: _NOTHING})
    seqs: list[int] = field(default_factory=list[int])
    """The numbers of the first and the last event of each page."""

    async def write(self, tell: Progress) -> None:
        """Write all nodes, and then all connections. Raises INVALID_SOURCE for what the domain has against them."""
        for kind in (Kind.NODE, Kind.CONNECTION):
            spans = self.staging.spans(kind)
            for number, span in enumerate(spans):
                tell(f"Loading {kind}s", number / len(spans))
                await self._write_page(kind, number, self.staging.page(kind, span))
            tell(f"Loading {kind}s", 1.0)

    async def _write_page(self, kind: Kind, number: int, page: Sequence[Staged]) -> None:
        todo = [each for each in page if each.fate in (Fate.CREATED, Fate.UPDATED)]
        result = await self._run(kind, number, todo) if todo else None
        created, updated, refused = (result.created, result.updated, result.refused) if result else (0, 0, 0)
        before = self.counts[kind]
        self.counts[kind] = LoadCounts(
            created=before.created + created,
            updated=before.updated + updated,
            unchanged=before.unchanged + len(todo) - created - updated - refused,
            skipped=before.skipped + sum(each.fate is Fate.SKIPPED for each in page),
            loaded_before=before.loaded_before + sum(each.fate is Fate.WRITTEN for each in page),
        )

    async def _run(self, kind: Kind, number: int, todo: Sequence[Staged]) -> BatchResult:
        operations = [one for index, each in enumerate(todo) for one in await self._operations(index, each)]
        options = Options(atomic=not self.skip_invalid)
        try:
            parsed = ParsedBatch(operations, (), {}, len(operations))
            result = await run(self.core, self.domain, parsed, options, self.request(kind, number))
        except GraphError as error:
            if error.code is not Code.BATCH_REFUSED:
                raise
            faults = cast("Sequence[Mapping[str, object]]", error.details["faults"])
            raise self._cut(todo, faults) from error
        self._refuse(todo, [fault.to_dict() for fault in result.faults])
        self.seqs += [seq for seq in (result.since, result.until) if seq is not None]
        return result

    def _refuse(self, todo: Sequence[Staged], faults: Sequence[Mapping[str, object]]) -> None:
        for fault in faults:
            details = {"hint": fault["hint"]} if fault.get("hint") else {}
            error = GraphError(Code(str(fault["code"])), str(fault["message"]), details)
            self.staging.refuse(todo[cast("int", fault["index"])], error)

    def _cut(self, todo: Sequence[Staged], faults: Sequence[Mapping[str, object]]) -> GraphError:
        """Return the error for a load that ends here, with what of it is written, and how to go on or back."""
        self._refuse(todo, faults)
        found = refusal(self.staging.findings)
        if not self.seqs:
            return found
        count = sum(each.created + each.updated for each in self.counts.values())
        message = f"{found.message}\nBefore that, {count:,} nodes and connections were loaded."
        undo = f"`graph-memory revert --since {self.seqs[0]} --until {self.seqs[-1]}`"
        hint = f"Undo them with {undo}, or correct what is wrong and load again."
        return GraphError(found.code, message, {**found.details, "hint": hint})

    async def _operations(self, index: int, each: Staged) -> list[Operation]:
        found = examined(each)
        asked = found.asked
        if isinstance(asked, NewNode):
            asked = replace(asked, windows=await self.core.contents.windows(asked.content))
        kind = Kind.NODE if isinstance(asked, NewNode) else Kind.CONNECTION
        is_new = each.fate is Fate.CREATED
        wanted = asked if is_new else _edit(each, asked)
        verb = f"{'create' if is_new else 'update'}_{kind}"
        operations = [Operation(index=index, verb=verb, subject=each.id, change=wanted)]
        if found.validity != Validity():
            begin, end = found.validity.valid_from, found.validity.valid_to
            bounds = ValidityEdit(valid_from=begin, valid_to=end, expected_version=None)
            operations.append(Operation(index=index, verb="set_validity", subject=each.id, change=bounds))
        return operations


def _edit(staged: Staged, asked: NewNode | NewConnection) -> NodeEdit | ConnectionEdit:
    """Return what makes something that is there what the source says; what the source does not tell stays."""
    content = None if staged.content is None else asked.content
    if isinstance(asked, NewConnection) or not isinstance(staged, StagedNode):
        known = asked if isinstance(asked, NewConnection) else None
        return ConnectionEdit(
            properties=asked.properties,
            content=content,
            strength=known.strength if known else Strength(),
            importance=known.importance if known else None,
            expected_version=None,
        )
    return NodeEdit(
        properties=asked.properties,
        content=content,
        format=staged.format,
        tags=asked.tags or None,
        fields=asked.fields,
        expected_version=None,
        windows=asked.windows,
    )
