"""Merging: what was changed in one domain since both were the same is written into another, as one batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import anyio.to_thread

from graph_memory.memory.branches.load import MergeScope, three_ways_of, with_context
from graph_memory.memory.branches.merge_base import base_of, check_is_kept, merge_record
from graph_memory.memory.branches.plan import Plan, plan
from graph_memory.memory.branches.report import MOST_CHANGES, MOST_CONFLICTS, refused, told_conflicts, unknown_subject
from graph_memory.memory.branches.results import Merged, MergedChange
from graph_memory.memory.branches.values import Choices, Conflict, ThreeWay
from graph_memory.memory.changes.keys import rekey
from graph_memory.memory.changes.rules import check_rules, until_rules_hold
from graph_memory.memory.changes.types import type_changes
from graph_memory.memory.core import Core, used_ids
from graph_memory.memory.domains.lineage import Revision
from graph_memory.memory.graph.describe import titles_of, with_titles
from graph_memory.memory.history.results import Operation
from graph_memory.model.events import Change, Draft, Event, Head, Op, Receipt
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.rules import BrokenLink
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import DomainState, content_ref
from graph_memory.model.values.arguments import fault
from graph_memory.storage.log.jobs import JOB, READY, busy
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader, Transaction


@dataclass(frozen=True, slots=True)
class Found:
    """What a merge comes to, and what is to be told of the target then."""

    between: MergeScope
    trios: Mapping[str, ThreeWay]
    plan: Plan
    domain: DomainState
    told_at: int
    before: Ontology

    @property
    def drafts(self) -> Sequence[Draft]:
        """The changes, and the event that tells of the merge once all conflicts are settled.

        When there was nothing to decide and there is nothing to write, there is no such event either.
        """
        if self.plan.conflicts or not (self.plan.drafts or self.plan.settled):
            return self.plan.drafts
        state = self.domain.state()
        note = Draft(op=Op.UPDATE, kind=Kind.DOMAIN, subject="domain", previous=self.told_at, state=state)
        return [*self.plan.drafts, note]


async def merge(core: Core, source: str, target: str, choices: Choices, *, preview: bool) -> Merged:
    """Merge one domain into another. `History.merge` tells the rest."""
    if source == target:
        raise fault("source", f"{source} cannot be merged into itself", "Name another domain to merge from.")

    async def attempt(broken: Mapping[str, BrokenLink]) -> Merged:
        merging = _Merging(core, source, choices, broken, preview=preview)
        written = await core.log.write(
            "merge",
            target,
            core.origin,
            merging.read,
            merging.decide,
            after_write=merging.confirm,
            before_projection=merging.ready,
            dry_run=preview,
        )
        return await merging.told(written.receipt)

    return await until_rules_hold(attempt)


class _Merging:
    """One attempt: what it found is kept for what is told afterwards."""

    def __init__(
        self, core: Core, source: str, choices: Choices, broken: Mapping[str, BrokenLink], *, preview: bool
    ) -> None:
        self._core = core
        self._source = source
        self._choices = choices
        self._broken = broken
        self._preview = preview
        self._found: Found | None = None

    async def read(self, reader: Reader, head: Head) -> Found:
        """Read both domains and plan the merge; contents that are kept outside Neo4j are there when it is written."""
        row = await reader.one(JOB, domain=self._source)  # with its lock: nothing is erased or compacted meanwhile
        if row is None:
            raise no_ontology(self._source)
        if row.state != READY:
            raise busy(self._source, row.state, row.job)
        source, target = Revision(self._source, row.seq), Revision(head.domain, head.seq)
        between = MergeScope(await base_of(reader, source, target), source, head.domain)
        trios = await three_ways_of(reader, between)
        trios, context = await with_context(self._core, reader, head, between, trios, self._choices)
        made = partial(plan, trios, replace(context, broken=self._broken), self._choices, head.at)
        planned = await anyio.to_thread.run_sync(made)
        planned = replace(planned, conflicts=await self._named(head.domain, planned.conflicts))
        await self._check_subjects(reader, head.domain, trios, planned)
        domain, told_at = await merge_record(reader, source, target, head.seq + len(planned.drafts) + 1)
        self._found = Found(between, {trio.subject: trio for trio in trios}, planned, domain, told_at, head.ontology)
        if not (self._preview or planned.conflicts):
            await self._keep_contents(head.domain, planned.drafts)
        return self._found

    async def _named(self, target: str, conflicts: Sequence[Conflict]) -> tuple[Conflict, ...]:
        """Return conflicts whose reasons have titles beside ids, as far as they are told."""
        told = conflicts[:MOST_CONFLICTS]
        reasons = await with_titles(self._core, target, [one.reason for one in told])
        named = (replace(one, reason=reason) for one, reason in zip(told, reasons, strict=True))
        return (*named, *conflicts[MOST_CONFLICTS:])

    async def _check_subjects(self, reader: Reader, target: str, trios: Sequence[ThreeWay], planned: Plan) -> None:
        """Raise INVALID_ARGUMENT for the resolution of an id that neither domain has ever known."""
        for subject in sorted(self._choices.resolutions.keys() - {trio.subject for trio in trios}):
            if not any([await used_ids(reader, domain, subject) for domain in (target, self._source)]):
                raise unknown_subject(subject, [*planned.conflicts, *planned.settled])

    async def _keep_contents(self, domain: str, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            ref = content_ref(draft.state or {})
            if draft.content is None or ref is None or self._core.contents.is_inline(ref):
                continue
            if draft.content.sha256 == ref.sha256:
                await self._core.contents.put(domain, draft.content)
            else:
                await self._core.contents.copy(self._source, domain, ref.sha256)

    def decide(self, _: Head, found: Found) -> Decision[None]:
        """Return the changes. Raises MERGE_CONFLICT where nothing else is left to be found out."""
        if found.plan.conflicts and not found.plan.drafts and not self._preview:
            raise refused(found.plan.conflicts, found.trios)
        return Decision(found.drafts, None)

    async def ready(self, transaction: Transaction, events: Sequence[Event], _: None) -> None:
        """Index what is stored as the merged types need it."""
        found = cast("Found", self._found)
        changes = type_changes(found.before, [event.draft for event in events])
        await rekey(transaction, found.between.target, changes)

    async def confirm(self, reader: Reader, events: Sequence[Event], _: None) -> None:
        """Raise RulesBroken where the merged graph breaks a rule, and MERGE_CONFLICT when conflicts are left.

        Raises DOMAIN_BUSY and HISTORY_COMPACTED where the state that both come from may not have been read whole.
        """
        found = cast("Found", self._found)
        await check_is_kept(reader, found.between.base)
        await check_rules(reader, found.between.target, events, found.plan.ontology, in_turn=False)
        if found.plan.conflicts and not self._preview:
            raise refused(found.plan.conflicts, found.trios)

    async def _changes(self, own: Sequence[Change]) -> tuple[MergedChange, ...]:
        """Return the first changes as they are told, with the titles that went where something went."""
        found = cast("Found", self._found)
        told = {change.subject: change for change in own[:MOST_CHANGES]}
        drafts = {draft.subject: draft for draft in found.drafts if draft.subject in told}
        before = min((change.seq for change in told.values()), default=1) - 1
        titles = await titles_of(self._core, found.between.target, list(drafts.values()), before)
        return tuple(
            MergedChange(
                subject=subject,
                kind=change.kind,
                operation=cast("Operation", str(change.op)),
                seq=change.seq,
                type=drafts[subject].type,
                title=titles.get(subject),
            )
            for subject, change in told.items()
        )

    async def told(self, receipt: Receipt) -> Merged:
        """Return what was done, or would be."""
        found = cast("Found", self._found)
        own = [change for change in receipt.changes if change.kind is not Kind.DOMAIN]
        counts = Counter(change.op for change in own)
        conflicts, more = told_conflicts(found.plan.conflicts, found.trios)
        is_written = bool(receipt.changes) and not self._preview
        return Merged(
            preview=self._preview,
            source=self._source,
            source_seq=found.between.source.seq,
            target=found.between.target,
            base=found.between.base.domain,
            base_seq=found.between.base.seq,
            batch=receipt.batch if is_written else None,
            seq=receipt.seq if is_written else None,
            created=counts[Op.CREATE],
            updated=counts[Op.UPDATE],
            deleted=counts[Op.DELETE],
            changes=await self._changes(own),
            settled=len(found.plan.settled),
            conflicts=conflicts,
            more_conflicts=more or None,
            unused=tuple(sorted(self._choices.resolutions.keys() - found.trios.keys())) or None,
        )
