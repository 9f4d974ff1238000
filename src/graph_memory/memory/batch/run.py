"""A batch as one write: its operations are read, decided together, and written with one receipt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from graph_memory.memory.batch.batch_context import near_names, read_known, with_near_names
from graph_memory.memory.batch.fold import Fold, Known, decided, folded
from graph_memory.memory.batch.operations import ByName, Deletion, Fault, Operation, Options, Parsed
from graph_memory.memory.batch.parsing import parsed
from graph_memory.memory.batch.references import References, check_key, request_of
from graph_memory.memory.batch.results import BatchFault, BatchItem, BatchResult, faults_from, faults_text
from graph_memory.memory.changes.context import living_of, owners_of
from graph_memory.memory.changes.plan import Context, ends_of, unique_of
from graph_memory.memory.changes.rules import check_rules, ruled, until_rules_hold
from graph_memory.memory.changes.types import ontology_after
from graph_memory.memory.core import Core
from graph_memory.memory.entity_graph.domain import in_domain, make_constraints, make_type_constraints
from graph_memory.memory.entity_graph.values.request import EntityRemoval, NewEntity, NewRelation
from graph_memory.memory.graph.connections import NewConnection
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Event, Head, Op, Receipt, Request
from graph_memory.model.rules import BrokenLink
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.values.content import Content
from graph_memory.storage.log.transaction import LogWithin
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

MOST_TOLD = 100
"""Faults that an error lists."""
_SHOWN = 3
"""Faults that its message names."""
_AT_ONCE = 200
"""Operations that are decided without a thread of their own."""


async def execute_batch(core: Core, domain: str, given: object, options: Options, key: str | None) -> BatchResult:
    """Make operations given as plain data in one write. `Memory.execute_batch` tells the rest."""
    key = check_key(key)
    read = await parsed(core.contents, given, References(key))
    request = request_of(key, cast("Sequence[object]", given))
    if options.dry_run or not any(
        isinstance(operation.asked, NewEntity | NewRelation) for operation in read.operations
    ):
        return await run(core, domain, read, options, request)
    return await in_domain(core, domain, lambda: run(core, domain, read, options, request))


async def run(core: Core, domain: str, read: Parsed, options: Options, request: Request | None) -> BatchResult:
    """Make operations that were read in one write."""
    if options.atomic and read.faults and not options.validate_before_commit and not options.dry_run:
        raise refused(read.faults[:1], read.count)
    if not options.dry_run:
        await _prepare(core, domain, read, options)

    async def attempt(broken: Mapping[str, BrokenLink], *, confirms: bool) -> BatchResult:
        running = _Attempt(core, domain, read, options, broken, confirms)
        try:
            return await written(running)
        except _NeedsConfirmation:
            return await attempt(broken, confirms=True)

    async def written(running: _Attempt) -> BatchResult:
        written = await core.log.write(
            "execute_batch",
            domain,
            core.origin,
            running.read,
            running.decide,
            after_write=running.confirm if running.confirms else None,
            request=request,
            dry_run=options.dry_run,
            in_thread=len(read.operations) > _AT_ONCE,
        )
        return running.told(written.receipt, written.report or _Report(), has_key=request is not None)

    is_within = isinstance(core.log, LogWithin)  # an open transaction refuses all batches, because some need a check
    return await until_rules_hold(partial(attempt, confirms=is_within))


class _NeedsConfirmation(GraphError):  # noqa: N818 - it is no error: the write is made again
    """Ends an attempt whose changes must be checked against the graph that they come to, before they are committed.

    Most batches need no such check, and are then written in one statement.
    """

    def __init__(self) -> None:
        super().__init__(Code.INTERNAL, "The batch must be checked after it is written")


async def _prepare(core: Core, domain: str, read: Parsed, options: Options) -> None:
    """Make what has to be there before the write: blobs, and the constraints of ad-hoc types.

    Both do no harm where the write is refused; for a batch that is sure to be, they are not made.
    """
    if options.atomic and read.faults:
        return
    names = dict.fromkeys(
        operation.asked.type for operation in read.operations if isinstance(operation.asked, NewConnection)
    )
    await make_constraints(core, domain, list(names))
    await make_type_constraints(
        core, domain, [operation.asked for operation in read.operations if isinstance(operation.asked, NewRelation)]
    )
    contents = [cast("Content | None", getattr(operation.asked, "content", None)) for operation in read.operations]
    blobs = [content for content in contents if content is not None and not core.contents.is_inline(content.ref)]
    if blobs:
        await core.log.require_ontology(domain)
    for content in blobs:
        await core.contents.put(domain, content)


@dataclass(frozen=True, slots=True)
class _Found:
    """The operations made on paper beside what is known, and what lives around all that they could come to."""

    fold: Fold
    context: Context
    near: Mapping[str, GraphError]
    """What is said of names of which there is no entity."""


@dataclass(frozen=True, slots=True)
class _Report:
    """What operations come to: what is at fault, and what they are about."""

    faults: Sequence[Fault] = ()
    subjects: Mapping[str, str] = field(default_factory=dict[str, str])
    known: Known | None = None
    """What they were decided by; None of a batch that was written before."""

    def subject(self, one: Operation, versions: Mapping[str, int]) -> str | None:
        """Return the subject of an operation; None where one by name found nothing, or what it found is not known."""
        if not isinstance(one.asked, ByName):
            return self.subjects.get(one.subject, one.subject)
        return self.subjects.get(one.subject, one.subject if one.subject in versions else None)

    def version(self, subject: str | None, versions: Mapping[str, int]) -> int | None:
        """Return the version of a subject afterwards: that before where nothing changed it."""
        if subject is None:
            return None
        before = self.known.last.get(subject) if self.known else None
        return versions.get(subject, before.seq if before else None)

    def attached(self, node: str | None) -> int | None:
        """Return how much goes with a node, None where that is not known."""
        return len(self.known.attached.get(node, ())) if self.known and node is not None else None


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One attempt at the write."""

    core: Core
    domain: str
    parsed: Parsed
    options: Options
    broken: Mapping[str, BrokenLink]
    confirms: bool
    """Whether `confirm` looks at the graph before the commit."""

    def _fails(self, report: _Report) -> bool:
        """Say whether nothing is to be written, because something is at fault."""
        return bool(report.faults) and self.options.atomic and not self.options.dry_run

    async def read(self, reader: Reader, head: Head) -> _Found:
        """Read all that the operations touch."""
        fold = folded(await read_known(self.core, reader, head, self.parsed), self.parsed.operations)
        context = await self._context(reader, fold)
        return _Found(fold, context, await near_names(reader, head.domain, fold.faults))

    async def _context(self, reader: Reader, fold: Fold) -> Context:
        """Read what lives around all that the operations could come to, whichever of them are left out."""
        known = fold.known
        drafts = [draft for pairs in fold.asked.values() for _, draft in pairs if draft.op is not Op.DELETE]
        ontology = ontology_after(known.head.ontology, fold.changes.values())
        own = {operation.subject for operation in self.parsed.operations if not operation.is_named}
        ends = {end for draft in drafts if draft.op is Op.CREATE for end in ends_of(draft)} - own
        values = {value for draft in drafts for value in unique_of(draft, ontology)}
        return Context(
            ontology=known.head.ontology,
            living=await living_of(reader, self.domain, ends),
            attached=known.attached,
            owners=await owners_of(reader, self.domain, values),
            broken=self.broken,
        )

    def decide(self, head: Head, found: _Found) -> Decision[_Report | None]:
        """Return the changes. Raises BATCH_REFUSED where nothing else is left to be found out."""
        made = decided(found.fold, self.parsed.operations, found.context)
        faults = [*self.parsed.faults, *with_near_names(made.faults, found.near)]
        report = _Report(faults, made.subjects, found.fold.known)
        is_ruled = any(ruled(draft, head.ontology) for draft in made.drafts)
        if self._fails(report) and not (is_ruled and self.options.validate_before_commit):
            raise self._refused(report)
        if is_ruled and not self.confirms:
            raise _NeedsConfirmation
        left_out = faults_text(map(_told, self._told_faults(report))) if faults else None
        return Decision(made.drafts, report, left_out)

    async def confirm(self, reader: Reader, events: Sequence[Event], report: _Report | None) -> None:
        """Raise RulesBroken where the graph breaks a rule, and BATCH_REFUSED when operations are at fault."""
        ontology = report.known.head.ontology if report and report.known else None
        await check_rules(reader, self.domain, events, ontology, in_turn=True)
        if report and self._fails(report):
            raise self._refused(report)

    def _refused(self, report: _Report) -> GraphError:
        faults = report.faults
        return refused(faults if self.options.validate_before_commit else faults[:1], self.parsed.count)

    def told(self, receipt: Receipt, report: _Report, *, has_key: bool) -> BatchResult:
        """Return what was done, or would be."""
        dry_run, is_nothing = self.options.dry_run, self.options.atomic and bool(report.faults)
        faults = faults_from(receipt.refused) if receipt.refused else tuple(map(_told, self._told_faults(report)))
        left_out = {fault.index for fault in (faults if receipt.refused else report.faults)}
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
            results=tuple(self._items(report, versions, left_out, has_key=has_key)),
            faults=faults,
        )

    def _told_faults(self, report: _Report) -> list[Fault]:
        faults = causes(report.faults) if self.options.atomic else report.faults
        return sorted(faults, key=lambda fault: fault.index)

    def _items(
        self, report: _Report, versions: Mapping[str, int], left_out: Collection[int], *, has_key: bool
    ) -> list[BatchItem]:
        shows_versions = not self.options.dry_run
        items: list[BatchItem] = []
        for operation in self.parsed.operations:
            is_left_out, is_known = (
                operation.index in left_out,
                operation.is_named or has_key or not self.options.dry_run,
            )
            is_there = is_known and not (is_left_out and not operation.is_named)
            subject = report.subject(operation, versions)
            items.append(
                BatchItem(
                    index=operation.index,
                    op=operation.verb,
                    id=subject if is_there else None,
                    ref=operation.ref,
                    version=report.version(subject, versions) if shows_versions and not is_left_out else None,
                    connections=report.attached(subject) if _deletes_node(operation) and not is_left_out else None,
                )
            )
        return items


def _deletes_node(operation: Operation) -> bool:
    return isinstance(operation.asked, EntityRemoval) or (
        isinstance(operation.asked, Deletion) and operation.asked.kind is Kind.NODE
    )


def causes(faults: Sequence[Fault]) -> list[Fault]:
    """Return the faults that do not follow from others."""
    return [fault for fault in faults if not fault.follows] or list(faults)


def refused(faults: Sequence[Fault], count: int) -> GraphError:
    """Return the error for a batch of which something is at fault."""
    results = sorted(causes(faults), key=lambda fault: fault.index)
    text = "; ".join(
        f"operations[{fault.index}] {fault.error.code}: {fault.error.message}" for fault in results[:_SHOWN]
    )
    more = f"; and {len(results) - _SHOWN} more" if len(results) > _SHOWN else ""
    what = "1 operation is" if len(results) == 1 else f"{len({fault.index for fault in results}):,} operations are"
    details: dict[str, object] = {
        "faults": [_told(fault).model_dump(exclude_none=True) for fault in results[:MOST_TOLD]],
        "operations": count,
        "hint": "Nothing was changed. Correct what details.faults lists, and give the whole batch again.",
    }
    if len(results) > MOST_TOLD:
        details["more_faults"] = len(results) - MOST_TOLD
    return GraphError(Code.BATCH_REFUSED, f"{what} at fault: {text}{more}", details)


def _told(fault: Fault) -> BatchFault:
    return BatchFault(
        index=fault.index, op=fault.verb, code=str(fault.error.code), message=fault.error.message, hint=fault.error.hint
    )
