"""Merges domains: writes the changes of one domain since the common base into another domain, as one batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from graph_memory.memory.branches.load import MergeScope, items_of, load_context
from graph_memory.memory.branches.merge_base import MergeRecord, base_of, check_is_kept, merge_record
from graph_memory.memory.branches.plan import Plan, plan
from graph_memory.memory.branches.report import (
    MOST_CHANGES,
    MOST_CONFLICTS,
    merge_conflict_error,
    render_conflicts,
    unknown_subject_error,
)
from graph_memory.memory.branches.results import MergedChange, MergeResult
from graph_memory.memory.branches.values import Choices, Conflict, MergeItem
from graph_memory.memory.changes.keys import rekey
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import check_rules, retry_until_rules_hold
from graph_memory.memory.changes.types import type_changes
from graph_memory.memory.core import Core, used_ids
from graph_memory.memory.domains.lineage import Revision
from graph_memory.memory.domains.tree import domain_draft
from graph_memory.memory.graph.describe import titles_of, with_titles
from graph_memory.memory.history.results import Operation
from graph_memory.model.events import Change, Draft, Event, Head, Op, Receipt
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import content_ref
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.log.jobs import JOB, READY, busy_error
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader, Transaction


@dataclass(frozen=True, slots=True)
class _MergeInput:
    """The changes of both domains since the base, and the target's new merge record."""

    scope: MergeScope
    items: Sequence[MergeItem]
    context: Context
    record: MergeRecord
    unknown_subject_id: str | None
    """The first subject of a resolution that neither domain ever had, or None if there is none."""


@dataclass(frozen=True, slots=True)
class _MergeReport:
    scope: MergeScope
    items: Mapping[str, MergeItem]
    plan: Plan
    ontology_before: Ontology


class _UnresolvedConflicts(Exception):  # noqa: N818 - `merge` turns it into an error with titles
    """Raised to stop a merge that has unresolved conflicts."""

    def __init__(self, report: _MergeReport) -> None:
        super().__init__()
        self.report = report


async def merge(core: Core, source: str, target: str, choices: Choices, *, preview: bool) -> MergeResult:
    """Merge one domain into another. See `History.merge`."""
    if source == target:
        raise invalid_argument("source", f"{source} cannot be merged into itself", "Pass another domain as the source.")

    core.store.require_one_database(source, target)

    async def attempt(broken: Mapping[str, BrokenRule]) -> MergeResult:
        merging = _MergeAttempt(core, source, choices, broken, preview=preview)
        try:
            written = await core.log.write(
                "merge",
                target,
                core.origin,
                merging.read,
                merging.decide,
                after_write=merging.confirm,
                before_projection=merging.prepare_projection,
                dry_run=preview,
                in_thread=True,
            )
        except _UnresolvedConflicts as error:
            report = error.report
            raise merge_conflict_error(
                await _with_titled_reasons(core, target, report.plan.conflicts), report.items
            ) from error
        return await merging.result(written.receipt, written.report)

    return await retry_until_rules_hold(attempt)


async def _with_titled_reasons(core: Core, target: str, conflicts: Sequence[Conflict]) -> tuple[Conflict, ...]:
    """Return the conflicts. In the first `MOST_CONFLICTS`, the ids in the reasons get titles."""
    reported = conflicts[:MOST_CONFLICTS]
    reasons = await with_titles(core, target, [conflict.reason for conflict in reported])
    titled = (replace(conflict, reason=reason) for conflict, reason in zip(reported, reasons, strict=True))
    return (*titled, *conflicts[MOST_CONFLICTS:])


class _MergeAttempt:
    def __init__(
        self, core: Core, source: str, choices: Choices, broken: Mapping[str, BrokenRule], *, preview: bool
    ) -> None:
        self._core = core
        self._source = source
        self._choices = choices
        self._broken = broken
        self._preview = preview

    async def read(self, reader: Reader, head: Head) -> _MergeInput:
        row = await reader.first_row(JOB, domain=self._source)  # locks the source: no erasure or compaction can begin
        if row is None:
            raise no_ontology_error(self._source)
        if row.state != READY:
            raise busy_error(self._source, row.state, row.job)
        source, target = Revision(self._source, row.seq), Revision(head.domain, head.seq)
        scope = MergeScope(await base_of(reader, source, target), source, head.domain)
        items = await items_of(reader, scope)
        items, context = await load_context(self._core, reader, head, scope, items, self._choices)
        unknown_subject_id = await self._find_unknown_subject(reader, head.domain, items)
        record = await merge_record(reader, source, target)
        return _MergeInput(scope, items, replace(context, broken_rules=self._broken), record, unknown_subject_id)

    async def _find_unknown_subject(self, reader: Reader, target: str, items: Sequence[MergeItem]) -> str | None:
        for subject in sorted(self._choices.resolutions.keys() - {item.subject for item in items}):
            if not any([await used_ids(reader, domain, subject) for domain in (target, self._source)]):
                return subject
        return None

    def decide(self, head: Head, merge_input: _MergeInput) -> Decision[_MergeReport]:
        """Return the changes, and the event that records the merge.

        Omits that event if conflicts are unresolved, or if nothing changed and no conflict was resolved. Raises
        INVALID_ARGUMENT if a resolution has an unknown subject, and _UnresolvedConflicts if only conflicts are left.
        """
        merge_plan = plan(merge_input.items, merge_input.context, self._choices, head.at)
        if merge_input.unknown_subject_id is not None:
            raise unknown_subject_error(merge_input.unknown_subject_id, [*merge_plan.conflicts, *merge_plan.settled])
        report = _MergeReport(
            merge_input.scope, {item.subject: item for item in merge_input.items}, merge_plan, head.ontology
        )
        if merge_plan.conflicts and not merge_plan.drafts and not self._preview:
            raise _UnresolvedConflicts(report)
        if merge_plan.conflicts or not (merge_plan.drafts or merge_plan.settled):
            return Decision(merge_plan.drafts, report)
        state = merge_input.record.including_source(head.seq + len(merge_plan.drafts) + 1)
        merge_event = domain_draft(state, merge_input.record.state_seq)
        return Decision([*merge_plan.drafts, merge_event], report)

    async def _keep_contents(self, domain: str, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            ref = content_ref(draft.state or {})
            if draft.content is None or ref is None or self._core.contents.is_inline(ref):
                continue
            if draft.content.sha256 == ref.sha256:
                await self._core.contents.put(domain, draft.content)
            else:
                await self._core.contents.copy(self._source, domain, ref.sha256)

    async def prepare_projection(self, transaction: Transaction, events: Sequence[Event], report: _MergeReport) -> None:
        """Store large contents outside Neo4j, and update the index keys of stored subjects whose types change."""
        if not (self._preview or report.plan.conflicts):
            await self._keep_contents(report.scope.target, report.plan.drafts)
        changes = type_changes(report.ontology_before, [event.draft for event in events])
        await rekey(transaction, report.scope.target, changes)

    async def confirm(self, reader: Reader, events: Sequence[Event], report: _MergeReport) -> None:
        """Raise RulesBroken if the merged graph breaks a rule, and _UnresolvedConflicts if conflicts are left.

        Raises DOMAIN_BUSY or HISTORY_COMPACTED if the base may have changed while it was read.
        """
        await check_is_kept(reader, report.scope.base)
        await check_rules(reader, report.scope.target, events, report.plan.ontology, in_turn=False)
        if report.plan.conflicts and not self._preview:
            raise _UnresolvedConflicts(report)

    async def _reported_changes(self, all_changes: Sequence[Change], report: _MergeReport) -> tuple[MergedChange, ...]:
        """Return the changes to list in the result. Deleted subjects are listed with their last titles."""
        changes = {change.subject: change for change in all_changes[:MOST_CHANGES]}
        drafts = {draft.subject: draft for draft in report.plan.drafts if draft.subject in changes}
        before = min((change.seq for change in changes.values()), default=1) - 1
        titles = await titles_of(self._core, report.scope.target, list(drafts.values()), before)
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

    async def result(self, receipt: Receipt, report: _MergeReport) -> MergeResult:
        scope, merge_plan = report.scope, report.plan
        changes = [change for change in receipt.changes if change.kind is not Kind.DOMAIN]
        counts = Counter(change.op for change in changes)
        titled = await _with_titled_reasons(self._core, scope.target, merge_plan.conflicts)
        conflicts, more = render_conflicts(titled, report.items)
        is_written = bool(receipt.changes) and not self._preview
        return MergeResult(
            preview=self._preview,
            source=self._source,
            source_seq=scope.source.seq,
            target=scope.target,
            base=scope.base.domain,
            base_seq=scope.base.seq,
            batch=receipt.batch if is_written else None,
            seq=receipt.seq if is_written else None,
            created=counts[Op.CREATE],
            updated=counts[Op.UPDATE],
            deleted=counts[Op.DELETE],
            changes=await self._reported_changes(changes, report),
            settled=len(merge_plan.settled),
            conflicts=conflicts,
            more_conflicts=more or None,
            unused=tuple(sorted(self._choices.resolutions.keys() - report.items.keys())) or None,
        )
