"""Undoes changes by writing earlier states as new events. The log itself is never edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.context import (
    read_attachments_of_retyped,
    read_context,
    read_in_parts,
    read_stored,
    types_of_existing,
)
from graph_memory.memory.changes.keys import rekey
from graph_memory.memory.changes.paging import check_amount
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.changes.rules import check_rules, retry_until_rules_hold
from graph_memory.memory.changes.types import type_changes
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import compacted_error, segments_of, unknown_event_error
from graph_memory.memory.entity_graph.entity_queries import find_only_ends
from graph_memory.memory.graph.describe import titles_of
from graph_memory.memory.history.results import Operation, RevertedChange, RevertResult
from graph_memory.memory.revert.conflicts import choice_calls, describe_conflicts, skipped_subject
from graph_memory.memory.revert.later_changes import REVERT, later_changes
from graph_memory.memory.revert.plan import plan
from graph_memory.memory.revert.type_users import users_of
from graph_memory.memory.revert.values import Conflict, OnConflict, Plan, Reversal
from graph_memory.model.errors import Hint
from graph_memory.model.events import Event, Head, Op, Receipt, Request, new_id
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.results import ReadyCall
from graph_memory.model.rules import BrokenRule
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.subjects.subjects import State, content_ref
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import Content
from graph_memory.model.values.properties import ANY
from graph_memory.storage.log.reads import LAST_EVENTS, last_event
from graph_memory.storage.log.work import CompletedWrite, Decision
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader, Transaction

MAX_CHANGES = 250_000
"""Maximum number of events that one call undoes. If they are too many for one transaction, they are undone in pages."""
EVENTS_AT_ONCE = 10_000
"""Maximum number of events that one statement returns. The driver needs 0.1 ms for each event."""


@dataclass(frozen=True, slots=True)
class EventToUndo:
    """An event to undo, with the subject that it changed."""

    seq: int
    id: str
    op: str
    kind: str
    subject: str
    batch: str

    @property
    def begins_domain(self) -> bool:
        """Whether the event created the domain or its ontology. A revert of a session does not undo this event."""
        return self.op == Op.CREATE and self.kind in (Kind.DOMAIN, Kind.ONTOLOGY)


@dataclass(frozen=True, slots=True)
class ChainRow:
    """A subject's event numbers from the first change to undo on, its last event, and the event before that change."""

    subject: str
    seqs: list[int]
    last: Mapping[str, object]
    previous: Mapping[str, object] | None
    text: str | None


SELECTED = query("revert/selected", EventToUndo)
EVENTS_BY_ID = query("revert/named", EventToUndo)
CASCADED = query("revert/cascaded", EventToUndo)
CHAINS = query("revert/chains", ChainRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The events to undo, given by ids or as a range of the log, optionally limited to one session."""

    ids: tuple[str, ...] | None = None
    first: int = 1
    last: int = 2**53
    session: str | None = None
    range_text: str = ""
    """The log range as the caller passed it, or an empty string if the caller passed none."""
    call: ReadyCall
    """The call that undoes these events."""

    async def read_events(self, reader: Reader, domain: str, limit: int) -> list[EventToUndo]:
        """Return the events in the order of the log.

        Raises EVENT_NOT_FOUND if an id is unknown, HISTORY_COMPACTED if an event was compacted, INVALID_ARGUMENT if the
        session changed nothing, and TooManyEvents if there are more events than `limit`.
        """
        if self.ids is None:
            events = await self._read_range(reader, domain, limit)
        else:
            events = await reader.read(EVENTS_BY_ID, domain=domain, ids=list(self.ids))
            if missing_ids := set(self.ids) - {event.id for event in events}:
                raise unknown_event_error((await segments_of(reader, domain))[:1], min(missing_ids))
            if snapshot_seqs := [event.seq for event in events if event.op == Op.SNAPSHOT]:
                raise compacted_error(domain, (await segments_of(reader, domain))[0].compacted_to or max(snapshot_seqs))
        if self.session is not None and not events:
            message = f"Session {printable(self.session)} changed nothing in domain {domain}"
            raise invalid_argument("session", message, Hint("Find the session of a change with {memory_log:full}."))
        if self.session is not None:
            events = [event for event in events if not event.begins_domain]
        check_amount(len(events), limit)
        return events

    async def _read_range(self, reader: Reader, domain: str, maximum: int) -> list[EventToUndo]:
        events: list[EventToUndo] = []
        first = self.first
        while len(events) <= maximum:
            event_range = {"first": first, "last": self.last, "session": self.session, "limit": EVENTS_AT_ONCE}
            rows = await reader.read(SELECTED, domain=domain, **event_range)
            events += rows
            if len(rows) < EVENTS_AT_ONCE:
                break
            first = rows[-1].seq + 1
        return events


@dataclass(frozen=True, slots=True)
class _RevertReport:
    plan: Plan
    before: Ontology


async def revert(core: Core, domain: str, selection: Selection, *, on_conflict: str, dry_run: bool) -> RevertResult:
    """Undo the selected events in one transaction. See `History.revert`. Raises TooManyEvents if there are too many."""
    choice = choice_of(on_conflict)

    async def attempt(broken: Mapping[str, BrokenRule]) -> RevertResult:
        write_result = await _attempt(core, domain, selection, choice, broken, dry_run=dry_run)
        revert_plan = write_result.report.plan
        reverted = _result(write_result.receipt, revert_plan, dry_run=dry_run)
        return await with_titles_and_calls(core, domain, reverted, revert_plan, revert_plan.skipped, selection)

    return await retry_until_rules_hold(attempt)


async def _attempt(
    core: Core,
    domain: str,
    selection: Selection,
    choice: OnConflict,
    broken: Mapping[str, BrokenRule],
    *,
    dry_run: bool,
) -> CompletedWrite[_RevertReport]:
    async def read(reader: Reader, head: Head) -> tuple[list[Reversal], Context]:
        selected = await selection.read_events(reader, domain, paging.AT_ONCE)
        undos = await reversals_of(core, reader, head, selected, maximum=paging.AT_ONCE)
        return undos, await context_of(reader, head, undos, maximum=paging.AT_ONCE)

    def decide(head: Head, undos_and_context: tuple[list[Reversal], Context]) -> Decision[_RevertReport]:
        undos, context = undos_and_context
        planned = plan(undos, replace(context, broken_rules=broken), head.at, choice)
        return Decision(planned.drafts, _RevertReport(planned, head.ontology))

    async def confirm(reader: Reader, events: Sequence[Event], report: _RevertReport) -> None:
        await check_rules(reader, domain, events, report.plan.ontology, in_turn=True)

    async def prepare_projection(transaction: Transaction, events: Sequence[Event], report: _RevertReport) -> None:
        await rekey(transaction, domain, type_changes(report.before, [event.draft for event in events]))

    return await core.log.write(
        *("revert", domain, core.origin),
        read,
        decide,
        after_write=confirm,
        before_projection=prepare_projection,
        request=Request(new_id("evt"), REVERT),
        dry_run=dry_run,
    )


async def reversals_of(
    core: Core, reader: Reader, head: Head, selected: Sequence[EventToUndo], *, maximum: int, until: int = 2**53
) -> list[Reversal]:
    """Return the reversals of the selected subjects, computed from the log up to event `until`.

    Raises TooManyEvents if there are more than `maximum`.
    """
    deleted_nodes = [
        {"node": event.subject, "batch": event.batch, "seq": event.seq}
        for event in selected
        if (event.kind, event.op) == (Kind.NODE, Op.DELETE)
    ]
    cascaded_events = await _read_cascaded(reader, head.domain, deleted_nodes, maximum)
    selected_subjects = {event.subject for event in selected}
    first: dict[str, int] = {}
    for event in sorted([*selected, *cascaded_events], key=lambda event: event.seq):
        first.setdefault(event.subject, event.seq)
    seqs = {event.seq for event in (*selected, *cascaded_events)}
    check_amount(len(seqs), maximum)
    rows = [{"subject": subject, "first": seq} for subject, seq in first.items()]
    chains = await read_in_parts(reader, CHAINS, head.domain, subjects=rows)
    histories = {row.subject: [seq for seq in row.seqs if seq <= until] for row in chains}
    later_seqs = await later_changes(reader, head.domain, histories, seqs)
    undos = [
        await _make_reversal(
            core, head, row, later_seqs.get(row.subject, ()), is_implied=row.subject not in selected_subjects
        )
        for row in chains
    ]
    return [*undos, *await _unused_mentions(reader, head.domain, undos)]


async def _unused_mentions(reader: Reader, domain: str, undos: Sequence[Reversal]) -> list[Reversal]:
    """Return the reversals that delete mentions, because the revert deletes all their relations."""
    connections = [undo for undo in undos if undo.kind is Kind.CONNECTION and undo.is_live]
    deletions = {undo.subject: undo.as_draft() for undo in connections if undo.target is None}
    rows = await find_only_ends(reader, domain, deletions.values(), {undo.subject for undo in undos})
    unused_ids = [row.id for row in rows if row.loses_all_relations(deletions.__contains__)]
    events = map(Event.from_row, await read_in_parts(reader, LAST_EVENTS, domain, subjects=unused_ids))
    return [Reversal(subject=event.draft.subject, last=event, target=None, is_implied=True) for event in events]


async def _read_cascaded(
    reader: Reader, domain: str, deleted_nodes: Sequence[Mapping[str, object]], maximum: int
) -> list[EventToUndo]:
    """Return the events of subjects that were deleted together with nodes, at most one page more than `maximum`."""
    events: dict[int, EventToUndo] = {}
    after = 0
    while deleted_nodes and len(events) <= maximum:
        rows = await reader.read(CASCADED, domain=domain, nodes=deleted_nodes, after=after, limit=EVENTS_AT_ONCE)
        events |= {row.seq: row for row in rows}
        if len(rows) < EVENTS_AT_ONCE:
            break
        after = rows[-1].seq
    return list(events.values())


async def _make_reversal(
    core: Core, head: Head, row: ChainRow, later: tuple[int, ...], *, is_implied: bool
) -> Reversal:
    last = Event.from_row(row.last)
    previous = Event.from_row(row.previous) if row.previous else None
    target = previous.draft.state if previous else None
    return Reversal(
        subject=row.subject,
        last=last,
        target=target,
        type=previous.draft.type if previous else None,
        later=later,
        is_implied=is_implied,
        content=await _content_to_restore(core, head.domain, target, last.draft.state, row.text),
    )


async def _content_to_restore(
    core: Core, domain: str, target: State | None, now: State | None, text: str | None
) -> Content | None:
    """Return the content to restore. Returns None if the target state has no content, or the content is unchanged."""
    ref, current = content_ref(target or {}), content_ref(now or {})
    if ref is None or ref.is_same(current):
        return None
    return await core.contents.fetch(domain, ref, text)


async def context_of(reader: Reader, head: Head, undos: Sequence[Reversal], *, maximum: int) -> Context:
    """Return the current data needed to plan the reversals.

    Raises TooManyEvents if more than `maximum` subjects are attached to deleted nodes.
    """
    drafts = [undo.as_draft() for undo in undos if undo.target is not None or undo.is_live]
    context = await read_context(reader, head, drafts, maximum=maximum)
    name_owners = [owner for value, owners in context.owners.items() if value.type == ANY for owner in owners]
    retyped_ids = [undo.subject for undo in undos if undo.changes_type]
    attached = await read_attachments_of_retyped(reader, head.domain, retyped_ids, head.ontology)
    types_by_node = await types_of_existing(reader, head.domain, name_owners)
    context = replace(
        context,
        existing_node_types={**context.existing_node_types, **types_by_node},
        attached={**attached, **context.attached},
    )
    changes = type_changes(head.ontology, drafts)
    if changes:
        stored = await read_stored(reader, head.domain, changes)
        context = replace(context, stored_types=stored, max_rekeyed=paging.AT_ONCE if maximum == paging.AT_ONCE else 0)
    removed_types = [undo for undo in undos if undo.kind in TYPES and undo.target is None and undo.is_live]
    if not removed_types:
        return context
    users = await users_of(reader, head.domain, removed_types, undos, context.attached)
    return replace(context, users=users, ontology_event=await last_event(reader, head.domain, "ontology"))


def reverted_change(subject: str, kind: Kind, op: Op, seq: int) -> RevertedChange:
    """Return the result entry for a change that a revert made or would make."""
    return RevertedChange(subject=subject, kind=kind, operation=cast("Operation", str(op)), seq=seq)


def _result(receipt: Receipt, planned: Plan, *, dry_run: bool) -> RevertResult:
    return RevertResult(
        dry_run=dry_run,
        batch=receipt.batch if receipt.changes and not dry_run else None,
        changes=tuple(
            reverted_change(change.subject, change.kind, change.op, change.seq)
            for change in receipt.changes
            if change.kind is not Kind.ONTOLOGY
        ),
        skipped=tuple(map(skipped_subject, planned.skipped)),
    )


async def with_titles_and_calls(
    core: Core, domain: str, reverted: RevertResult, planned: Plan, conflicts: Sequence[Conflict], selection: Selection
) -> RevertResult:
    """Return the result with types and titles of subjects, and with suggested calls.

    Deleted subjects get their earlier titles. A resumed revert plans only the remaining changes, so earlier changes
    have no titles.
    """
    described = await describe_conflicts(core, domain, conflicts[: len(reverted.skipped)], selection.call)
    force = choice_calls(described, selection.call).get(OnConflict.FORCE)
    reverted = reverted.model_copy(update={"skipped": tuple(map(skipped_subject, described)), "force": force})
    if not reverted.changes:
        return reverted
    subjects = {change.subject for change in reverted.changes}
    drafts = {draft.subject: draft for draft in planned.drafts if draft.subject in subjects}
    titles = await titles_of(core, domain, list(drafts.values()), min(change.seq for change in reverted.changes) - 1)
    changes = (
        change.model_copy(update={"type": drafts[change.subject].type, "title": titles.get(change.subject)})
        if change.subject in drafts
        else change
        for change in reverted.changes
    )
    return reverted.model_copy(update={"changes": tuple(changes)})


def choice_of(on_conflict: str) -> OnConflict:
    """Return the choice with the value `on_conflict`. Raises INVALID_ARGUMENT if there is none."""
    try:
        return OnConflict(on_conflict)
    except ValueError:
        message = f"{quote(on_conflict)} is not a value of on_conflict"
        raise invalid_argument("on_conflict", message, "Use stop, skip or force.") from None
