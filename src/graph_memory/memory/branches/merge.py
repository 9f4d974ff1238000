"""Merging: what was changed in one domain since both were the same is written into another, as one batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from graph_memory.memory.branches.load import MergeScope, three_ways_of, with_context
from graph_memory.memory.branches.merge_base import MergeRecord, base_of, check_is_kept, merge_record
from graph_memory.memory.branches.plan import Plan, plan
from graph_memory.memory.branches.report import MOST_CHANGES, MOST_CONFLICTS, refused, told_conflicts, unknown_subject
from graph_memory.memory.branches.results import Merged, MergedChange
from graph_memory.memory.branches.values import Choices, Conflict, ThreeWay
from graph_memory.memory.changes.keys import rekey
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.changes.types import type_changes
from graph_memory.memory.core import Core, used_ids
from graph_memory.memory.domains.lineage import Revision
from graph_memory.memory.domains.tree import domain_draft
from graph_memory.memory.graph.describe import titles_of, with_titles
from graph_memory.memory.history.results import Operation
from graph_memory.model.events import Change, Draft, Event, Head, Op, Receipt
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.rules import BrokenLink
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import content_ref
from graph_memory.model.values.arguments import fault
from graph_memory.storage.log.jobs import JOB, READY, busy
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader, Transaction


@dataclass(frozen=True, slots=True)
class _Found:
    """Both domains since they were the same, and what is told of the target."""

    between: MergeScope
    trios: Sequence[ThreeWay]
    context: Context
    record: MergeRecord
    unknown: str | None
    """A subject that a resolution names, and that neither domain has ever had."""


@dataclass(frozen=True, slots=True)
class _Report:
    """What a merge comes to."""

    between: MergeScope
    trios: Mapping[str, ThreeWay]
    plan: Plan
    before: Ontology


class _Refused(Exception):  # noqa: N818 - it is no error: the conflicts are told with titles
    """Ends a merge that is refused for its conflicts."""

    def __init__(self, report: _Report) -> None:
        super().__init__()
        self.report = report


async def merge(core: Core, source: str, target: str, choices: Choices, *, preview: bool) -> Merged:
    """Merge one domain into another. `History.merge` tells the rest."""
    if source == target:
        raise fault("source", f"{source} cannot be merged into itself", "Name another domain to merge from.")

    async def attempt(broken: Mapping[str, BrokenLink]) -> Merged:
        merging = _Merging(core, source, choices, broken, preview=preview)
        try:
            written = await core.log.write(
                "merge",
                target,
                core.origin,
                merging.read,
                merging.decide,
                after_write=merging.confirm,
                before_projection=merging.ready,
                dry_run=preview,
                in_thread=True,
            )
        except _Refused as ended:
            report = ended.report
            raise refused(await _named(core, target, report.plan.conflicts), report.trios) from ended
        return await merging.told(written.receipt, written.report)

    return await until_rules_hold(attempt)


async def _named(core: Core, target: str, conflicts: Sequence[Conflict]) -> tuple[Conflict, ...]:
    """Return conflicts whose reasons have titles beside ids, as far as they are told."""
    told = conflicts[:MOST_CONFLICTS]
    reasons = await with_titles(core, target, [conflict.reason for conflict in told])
    named = (replace(conflict, reason=reason) for conflict, reason in zip(told, reasons, strict=True))
    return (*named, *conflicts[MOST_CONFLICTS:])


class _Merging:
    """One attempt."""

    def __init__(
        self, core: Core, source: str, choices: Choices, broken: Mapping[str, BrokenLink], *, preview: bool
    ) -> None:
        self._core = core
        self._source = source
        self._choices = choices
        self._broken = broken
        self._preview = preview

    async def read(self, reader: Reader, head: Head) -> _Found:
        """Read both domains."""
        row = await reader.one(JOB, domain=self._source)  # with its lock: nothing is erased or compacted meanwhile
        if row is None:
            raise no_ontology(self._source)
        if row.state != READY:
            raise busy(self._source, row.state, row.job)
        source, target = Revision(self._source, row.seq), Revision(head.domain, head.seq)
        between = MergeScope(await base_of(reader, source, target), source, head.domain)
        trios = await three_ways_of(reader, between)
        trios, context = await with_context(self._core, reader, head, between, trios, self._choices)
        unknown = await self._unknown(reader, head.domain, trios)
        record = await merge_record(reader, source, target)
        return _Found(between, trios, replace(context, broken=self._broken), record, unknown)

    async def _unknown(self, reader: Reader, target: str, trios: Sequence[ThreeWay]) -> str | None:
        """Return the first subject that a resolution names and neither domain has ever known."""
        for subject in sorted(self._choices.resolutions.keys() - {trio.subject for trio in trios}):
            if not any([await used_ids(reader, domain, subject) for domain in (target, self._source)]):
                return subject
        return None

    def decide(self, head: Head, found: _Found) -> Decision[_Report]:
        """Return the changes, and the event that tells of the merge once all conflicts are settled.

        When there was nothing to decide and there is nothing to write, there is no such event either. Raises
        INVALID_ARGUMENT, and _Refused where nothing else is left to be found out.
        """
        planned = plan(found.trios, found.context, self._choices, head.at)
        if found.unknown is not None:
            raise unknown_subject(found.unknown, [*planned.conflicts, *planned.settled])
        report = _Report(found.between, {trio.subject: trio for trio in found.trios}, planned, head.ontology)
        if planned.conflicts and not planned.drafts and not self._preview:
            raise _Refused(report)
        if planned.conflicts or not (planned.drafts or planned.settled):
            return Decision(planned.drafts, report)
        state = found.record.after(head.seq + len(planned.drafts) + 1)
        note = domain_draft(state, found.record.told_at)
        return Decision([*planned.drafts, note], report)

    async def _keep_contents(self, domain: str, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            ref = content_ref(draft.state or {})
            if draft.content is None or ref is None or self._core.contents.is_inline(ref):
                continue
            if draft.content.sha256 == ref.sha256:
                await self._core.contents.put(domain, draft.content)
            else:
                await self._core.contents.copy(self._source, domain, ref.sha256)

    async def ready(self, transaction: Transaction, events: Sequence[Event], report: _Report) -> None:
        """Put contents that are kept outside Neo4j in place, and index what is stored as the merged types need it."""
        if not (self._preview or report.plan.conflicts):
            await self._keep_contents(report.between.target, report.plan.drafts)
        changes = type_changes(report.before, [event.draft for event in events])
        await rekey(transaction, report.between.target, changes)

    async def confirm(self, reader: Reader, events: Sequence[Event], report: _Report) -> None:
        """Raise RulesBroken where the merged graph breaks a rule, and _Refused when conflicts are left.

        Raises DOMAIN_BUSY and HISTORY_COMPACTED where the state that both come from may not have been read whole.
        """
        await check_is_kept(reader, report.between.base)
        await check_rules(reader, report.between.target, events, report.plan.ontology, in_turn=False)
        if report.plan.conflicts and not self._preview:
            raise _Refused(report)

    async def _changes(self, own: Sequence[Change], report: _Report) -> tuple[MergedChange, ...]:
        """Return the first changes as they are told, with the titles that went where something went."""
        changes = {change.subject: change for change in own[:MOST_CHANGES]}
        drafts = {draft.subject: draft for draft in report.plan.drafts if draft.subject in changes}
        before = min((change.seq for change in changes.values()), default=1) - 1
        titles = await titles_of(self._core, report.between.target, list(drafts.values()), before)
        return tuple(
            MergedChange(
                subject=subject,
                kind=change.kind,
                operation=cast("Operation", str(change.op)),
                seq=change.seq,
                type=drafts[subject].type,
                title=titles.get(subject),
            )
            for subject, change in changes.items()
        )

    async def told(self, receipt: Receipt, report: _Report) -> Merged:
        """Return what was done, or would be."""
        between, planned = report.between, report.plan
        own = [change for change in receipt.changes if change.kind is not Kind.DOMAIN]
        counts = Counter(change.op for change in own)
        named = await _named(self._core, between.target, planned.conflicts)
        conflicts, more = told_conflicts(named, report.trios)
        is_written = bool(receipt.changes) and not self._preview
        return Merged(
            preview=self._preview,
            source=self._source,
            source_seq=between.source.seq,
            target=between.target,
            base=between.base.domain,
            base_seq=between.base.seq,
            batch=receipt.batch if is_written else None,
            seq=receipt.seq if is_written else None,
            created=counts[Op.CREATE],
            updated=counts[Op.UPDATE],
            deleted=counts[Op.DELETE],
            changes=await self._changes(own, report),
            settled=len(planned.settled),
            conflicts=conflicts,
            more_conflicts=more or None,
            unused=tuple(sorted(self._choices.resolutions.keys() - report.trios.keys())) or None,
        )
