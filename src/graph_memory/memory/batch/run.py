"""Runs a batch as one write: parses the operations, plans their changes together, and writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from graph_memory.memory.batch.batch_context import fetch_suggestions, read_stored_data, with_suggestions
from graph_memory.memory.batch.fold import Fold, StoredData, decide, fold_operations
from graph_memory.memory.batch.operations import ChangeByName, Deletion, Operation, OperationError, Options, ParsedBatch
from graph_memory.memory.batch.parsing import parse_operations
from graph_memory.memory.batch.references import References, check_key, request_of
from graph_memory.memory.batch.results import BatchFault, BatchItem, BatchResult, faults_from_json, faults_to_json
from graph_memory.memory.changes.context import owners_of, types_of_existing
from graph_memory.memory.changes.plan import Context, ends_of, unique_values_of
from graph_memory.memory.changes.rules import check_rules, retry_until_rules_hold, rule_check_row
from graph_memory.memory.changes.types import ontology_after
from graph_memory.memory.core import Core
from graph_memory.memory.entity_graph.domain import write_to_domain
from graph_memory.memory.entity_graph.values.request import EntityRemoval, NewEntity, NewRelation
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Event, Head, Op, Receipt, Request
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.values.content import Content
from graph_memory.storage.log.transaction import TransactionLog
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

MAX_LISTED = 100
"""Maximum number of operation errors in the details of BATCH_REFUSED."""
_MAX_SHOWN = 3
"""Maximum number of operation errors in the message of BATCH_REFUSED."""
_AT_ONCE = 200
"""Maximum number of operations whose changes are planned without a worker thread."""


async def execute_batch(core: Core, domain: str, operations: object, options: Options, key: str | None) -> BatchResult:
    """Apply operations, given as plain data, in one write. See `Memory.execute_batch`."""
    key = check_key(key)
    batch = await parse_operations(core.contents, operations, References(key))
    request = request_of(key, cast("Sequence[object]", operations))
    if options.dry_run or not any(
        isinstance(operation.change, NewEntity | NewRelation) for operation in batch.operations
    ):
        return await run(core, domain, batch, options, request)
    return await write_to_domain(core, domain, lambda: run(core, domain, batch, options, request))


async def run(core: Core, domain: str, batch: ParsedBatch, options: Options, request: Request | None) -> BatchResult:
    """Apply parsed operations in one write."""
    if options.atomic and batch.faults and not options.validate_before_commit and not options.dry_run:
        raise batch_refused_error(batch.faults[:1], batch.count)
    if not options.dry_run:
        await _prepare(core, domain, batch, options)

    async def attempt(broken: Mapping[str, BrokenRule], *, confirms: bool) -> BatchResult:
        batch_attempt = _Attempt(core, domain, batch, options, broken, confirms)
        try:
            return await write(batch_attempt)
        except _NeedsConfirmation:
            return await attempt(broken, confirms=True)

    async def write(batch_attempt: _Attempt) -> BatchResult:
        written = await core.log.write(
            "execute_batch",
            domain,
            core.origin,
            batch_attempt.read,
            batch_attempt.decide,
            after_write=batch_attempt.confirm if batch_attempt.confirms else None,
            request=request,
            dry_run=options.dry_run,
            in_thread=len(batch.operations) > _AT_ONCE,
        )
        return batch_attempt.result_of(written.receipt, written.report or _BatchReport(), has_key=request is not None)

    # an open transaction rejects writes with a confirmation: always request it, so that it rejects every batch
    return await retry_until_rules_hold(partial(attempt, confirms=isinstance(core.log, TransactionLog)))


class _NeedsConfirmation(GraphError):  # noqa: N818 - not an error: the write is repeated
    """Raised to end an attempt whose changes must be checked in the written graph before the commit.

    Most batches do not need this check, and are written in one statement.
    """

    def __init__(self) -> None:
        super().__init__(Code.INTERNAL, "The batch must be checked after it is written")


async def _prepare(core: Core, domain: str, batch: ParsedBatch, options: Options) -> None:
    """Store the batch's large contents as blobs before the transaction. An atomic batch with errors stores none."""
    if options.atomic and batch.faults:
        return
    contents = [cast("Content | None", getattr(operation.change, "content", None)) for operation in batch.operations]
    blobs = [content for content in contents if content is not None and not core.contents.is_inline(content.ref)]
    if blobs:
        await core.log.require_ontology(domain)
    for content in blobs:
        await core.contents.put(domain, content)


@dataclass(frozen=True, slots=True)
class _BatchContext:
    """The merged operations, and the stored data for every change that may result from them."""

    fold: Fold
    context: Context
    suggestions: Mapping[str, GraphError]
    """Errors with suggestions for unknown entity names, keyed by name."""


@dataclass(frozen=True, slots=True)
class _BatchReport:
    """The errors of operations, and the subject ids of operations by name."""

    faults: Sequence[OperationError] = ()
    subjects: Mapping[str, str] = field(default_factory=dict[str, str])
    stored: StoredData | None = None
    """The data on which the decision was based, or None if an earlier run wrote the batch."""

    def subject(self, operation: Operation, versions: Mapping[str, int]) -> str | None:
        """Return the id of the subject of an operation, or None for an operation by name that changed no subject."""
        if not isinstance(operation.change, ChangeByName):
            return self.subjects.get(operation.subject, operation.subject)
        return self.subjects.get(operation.subject, operation.subject if operation.subject in versions else None)

    def version(self, subject: str | None, versions: Mapping[str, int]) -> int | None:
        if subject is None:
            return None
        before = self.stored.last.get(subject) if self.stored else None
        return versions.get(subject, before.seq if before else None)

    def count_attached(self, node: str | None) -> int | None:
        """Return the number of subjects deleted with a node, or None if it is unknown."""
        return len(self.stored.attached.get(node, ())) if self.stored and node is not None else None


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An attempt to write a batch. It is repeated if the written graph breaks a rule."""

    core: Core
    domain: str
    parsed: ParsedBatch
    options: Options
    broken: Mapping[str, BrokenRule]
    confirms: bool
    """Whether `confirm` checks the graph before the commit."""

    def _fails(self, report: _BatchReport) -> bool:
        return bool(report.faults) and self.options.atomic and not self.options.dry_run

    async def read(self, reader: Reader, head: Head) -> _BatchContext:
        fold = fold_operations(await read_stored_data(self.core, reader, head, self.parsed), self.parsed.operations)
        context = await self._context(reader, fold)
        return _BatchContext(fold, context, await fetch_suggestions(reader, head.domain, fold.faults))

    async def _context(self, reader: Reader, fold: Fold) -> Context:
        """Read the data for all possible changes, whichever operations turn out to be invalid."""
        stored = fold.stored
        drafts = [draft for pairs in fold.requests.values() for _, draft in pairs if draft.op is not Op.DELETE]
        ontology = ontology_after(stored.head.ontology, fold.changes.values())
        new_ids = {operation.subject for operation in self.parsed.operations if not operation.is_named}
        ends = {end for draft in drafts if draft.op is Op.CREATE for end in ends_of(draft)} - new_ids
        values = {value for draft in drafts for value in unique_values_of(draft, ontology)}
        return Context(
            ontology=stored.head.ontology,
            existing_node_types=await types_of_existing(reader, self.domain, ends),
            attached=stored.attached,
            owners=await owners_of(reader, self.domain, values),
            broken_rules=self.broken,
        )

    def decide(self, head: Head, batch: _BatchContext) -> Decision[_BatchReport | None]:
        """Return the changes. Raises BATCH_REFUSED if there are errors, unless `confirm` may detect more errors."""
        folded = decide(batch.fold, self.parsed.operations, batch.context)
        faults = [*self.parsed.faults, *with_suggestions(folded.faults, batch.suggestions)]
        report = _BatchReport(faults, folded.subjects, batch.fold.stored)
        has_rules = any(rule_check_row(draft, head.ontology) for draft in folded.drafts)
        if self._fails(report) and not (has_rules and self.options.validate_before_commit):
            raise self._refused_error(report)
        if has_rules and not self.confirms:
            raise _NeedsConfirmation
        left_out = faults_to_json(map(_as_result, self._listed_faults(report))) if faults else None
        return Decision(folded.drafts, report, left_out)

    async def confirm(self, reader: Reader, events: Sequence[Event], report: _BatchReport | None) -> None:
        """Raise RulesBroken if the graph breaks a rule, and BATCH_REFUSED if operations have errors."""
        ontology = report.stored.head.ontology if report and report.stored else None
        await check_rules(reader, self.domain, events, ontology, in_turn=True)
        if report and self._fails(report):
            raise self._refused_error(report)

    def _refused_error(self, report: _BatchReport) -> GraphError:
        faults = report.faults
        return batch_refused_error(faults if self.options.validate_before_commit else faults[:1], self.parsed.count)

    def result_of(self, receipt: Receipt, report: _BatchReport, *, has_key: bool) -> BatchResult:
        dry_run, is_nothing = self.options.dry_run, self.options.atomic and bool(report.faults)
        faults = (
            faults_from_json(receipt.rejected_parts)
            if receipt.rejected_parts
            else tuple(map(_as_result, self._listed_faults(report)))
        )
        left_out = {fault.index for fault in (faults if receipt.rejected_parts else report.faults)}
        changes = () if is_nothing else receipt.changes
        counts = Counter(change.op for change in changes if change.kind in DATA)
        versions = {change.subject: change.seq for change in changes}
        is_written = bool(changes) and (not dry_run or receipt.repeated)
        return BatchResult(
            batch=receipt.batch if is_written else None,
            since=receipt.changes[0].seq if is_written else None,
            until=receipt.seq if is_written else None,
            dry_run=dry_run or None,
            repeated=receipt.repeated or None,
            created=counts[Op.CREATE],
            updated=counts[Op.UPDATE],
            deleted=counts[Op.DELETE],
            refused=len(left_out),
            results=tuple(self._result_items(report, versions, left_out, has_key=has_key)),
            faults=faults,
        )

    def _listed_faults(self, report: _BatchReport) -> list[OperationError]:
        faults = root_faults(report.faults) if self.options.atomic else report.faults
        return sorted(faults, key=lambda fault: fault.index)

    def _result_items(
        self, report: _BatchReport, versions: Mapping[str, int], left_out: Collection[int], *, has_key: bool
    ) -> list[BatchItem]:
        dry_run = self.options.dry_run
        items: list[BatchItem] = []
        for operation in self.parsed.operations:
            is_left_out = operation.index in left_out
            has_id = operation.is_named or (not is_left_out and (has_key or not dry_run))
            subject, change = report.subject(operation, versions), operation.change
            deletes_node = isinstance(change, EntityRemoval) or (
                isinstance(change, Deletion) and change.kind is Kind.NODE
            )
            items.append(
                BatchItem(
                    index=operation.index,
                    op=operation.verb,
                    id=subject if has_id else None,
                    ref=operation.ref,
                    version=None if dry_run or is_left_out else report.version(subject, versions),
                    connections=report.count_attached(subject) if deletes_node and not is_left_out else None,
                )
            )
        return items


def root_faults(faults: Sequence[OperationError]) -> list[OperationError]:
    """Return the errors that are not caused by other errors. If all errors are, return all of them."""
    return [fault for fault in faults if not fault.follows] or list(faults)


def batch_refused_error(faults: Sequence[OperationError], count: int) -> GraphError:
    """Return the error for a batch with errors."""
    listed_faults = sorted(root_faults(faults), key=lambda fault: fault.index)
    fault_lines = "; ".join(
        f"operations[{fault.index}] {fault.error.code}: {fault.error.message}" for fault in listed_faults[:_MAX_SHOWN]
    )
    more = f"; and {len(listed_faults) - _MAX_SHOWN} more" if len(listed_faults) > _MAX_SHOWN else ""
    count_text = (
        "1 operation is"
        if len(listed_faults) == 1
        else f"{len({fault.index for fault in listed_faults}):,} operations are"
    )
    details: dict[str, object] = {
        "faults": [_as_result(fault).model_dump(exclude_none=True) for fault in listed_faults[:MAX_LISTED]],
        "operations": count,
        "hint": "Nothing was changed. Correct the operations in details.faults, and send the whole batch again.",
    }
    if len(listed_faults) > MAX_LISTED:
        details["more_faults"] = len(listed_faults) - MAX_LISTED
    return GraphError(Code.BATCH_REFUSED, f"{count_text} invalid: {fault_lines}{more}", details)


def _as_result(fault: OperationError) -> BatchFault:
    return BatchFault(
        index=fault.index, op=fault.verb, code=str(fault.error.code), message=fault.error.message, hint=fault.error.hint
    )
