"""Reverts changes that are too many for one transaction.

The changes are one batch, which is written in pages. After each page, the graph is valid.

Subjects are deleted first, connections before nodes. Then one transaction updates types and live subjects. Then
deleted subjects are created again, nodes before connections. The plan is made while the domain is busy, before the
first page. An interrupted revert is planned again, which yields the remaining changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.paging import Batch, TooMany, reports_operation
from graph_memory.memory.changes.rules import RulesBroken, check_rules, rule_check_row
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import POSITION, last_seq
from graph_memory.memory.history.results import Operation, Reverted, RevertedChange
from graph_memory.memory.revert import conflicts, revert
from graph_memory.memory.revert.conflicts import choice_calls, describe_conflicts
from graph_memory.memory.revert.later_changes import REVERT
from graph_memory.memory.revert.plan import plan
from graph_memory.memory.revert.revert import SELECTED, Selection
from graph_memory.memory.revert.values import Conflict, NotReverted, OnConflict, Plan, revert_conflict_error
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.text.wording import join_names
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.driver_errors import exceeds_resources
from graph_memory.storage.log.protection import DomainScope
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.store import Reader

REVERTING = "reverting"
MAX_TOGETHER = 10_000
"""Maximum number of changes of live subjects and types, because they are written in one transaction."""
MAX_REPORTED = 100
"""Maximum number of changes, and of skipped subjects, in a result."""
MAX_IDS = 50
"""Maximum number of event ids in a job's parameters. For more ids, the parameters have their number and a hash."""


async def revert_any(core: Core, domain: str, selection: Selection, *, on_conflict: str, dry_run: bool) -> Reverted:
    """Undo the selected events, in pages if they are too many for one transaction."""
    if dry_run:  # suggested calls are dry runs too
        dry_call = selection.call.model_copy(update={"arguments": {**selection.call.arguments, "dry_run": True}})
        selection = replace(selection, call=dry_call)
    try:
        return await _revert_any(core, domain, selection, on_conflict=on_conflict, dry_run=dry_run)
    except NotReverted as error:
        described = await describe_conflicts(core, domain, error.conflicts, selection.call)
        raise revert_conflict_error(described, choice_calls(described, selection.call)) from error


async def _revert_any(core: Core, domain: str, selection: Selection, *, on_conflict: str, dry_run: bool) -> Reverted:
    try:
        return await revert.revert(core, domain, selection, on_conflict=on_conflict, dry_run=dry_run)
    except TooMany:
        pass
    except GraphError as error:
        if dry_run or not reports_operation(error, REVERTING):
            raise
    choice = revert.choice_of(on_conflict)
    if dry_run:
        return await _preview_pages(core, domain, selection, choice)
    return await _revert_in_pages(core, domain, selection, choice)


async def _preview_pages(core: Core, domain: str, selection: Selection, choice: OnConflict) -> Reverted:
    """Return the result of a revert in pages without writing. Rules that only a write can check are not checked."""
    until = await last_seq(core.store, domain)
    planned, pages = await _plan(core, domain, selection, choice, until)
    order = [draft for page in pages for draft in page if draft.kind is not Kind.ONTOLOGY]
    changes = [
        _change(draft.subject, draft.kind, draft.op, until + place) for place, draft in enumerate(order, start=1)
    ]
    result = _result(changes[:MAX_REPORTED], len(changes[MAX_REPORTED:]), planned.skipped, dry_run=True)
    return await revert.with_titles_and_calls(core, domain, result, planned, planned.skipped, selection)


async def _revert_in_pages(core: Core, domain: str, selection: Selection, choice: OnConflict) -> Reverted:
    """Begin or continue a revert in pages. Conflicts are checked only at its start."""
    counts = {"first": selection.first, "last": selection.last}
    batch = await Batch.begin(
        core, domain, REVERTING, _job_params(selection, choice), counts, request=REVERT, reach=DomainScope.MEMORIES
    )
    position = await core.store.first_row(POSITION, domain=domain, event=batch.id)
    has_begun = position is not None and position.seq is not None
    until = position.seq - 1 if position and position.seq else await last_seq(core.store, domain)
    first, last = int(batch.job.arguments["first"]), min(int(batch.job.arguments["last"]), until)
    selection = replace(selection, first=first, last=last)
    skipped_conflicts = OnConflict.SKIP if has_begun and choice is OnConflict.STOP else choice
    try:
        planned, pages = await _plan(core, domain, selection, skipped_conflicts, until)
        await batch.check(planned.drafts)
        skipped = {conflict.subject: conflict for conflict in planned.skipped}
        for page in pages:
            await _write(batch, page, planned, skipped)
    except GraphError:
        await batch.abandon()
        raise
    await batch.end()
    skipped_conflicts = tuple(skipped.values())
    return await revert.with_titles_and_calls(
        core, domain, await _read_result(batch, skipped_conflicts), planned, skipped_conflicts, selection
    )


def _job_params(selection: Selection, choice: OnConflict) -> Mapping[str, str]:
    """Return the job parameters. They identify the revert when it is called again."""
    params = {"on_conflict": str(choice), "stretch": selection.range_text, "session": selection.session or ""}
    if selection.ids is not None:
        ids = " ".join(sorted(selection.ids))
        is_short = len(selection.ids) <= MAX_IDS
        params["events"] = ids if is_short else f"{len(selection.ids)}: {hashlib.sha256(ids.encode()).hexdigest()}"
    return {name: value for name, value in params.items() if value}


async def _plan(
    core: Core, domain: str, selection: Selection, choice: OnConflict, until: int
) -> tuple[Plan, Sequence[Sequence[Draft]]]:
    """Return the plan and its pages.

    Raises INVALID_ARGUMENT or REVERT_CONFLICT if the plan cannot be written in pages, and the errors of `plan`.
    """
    reader = core.store
    head = Head(domain, until, utc_now(), await core.log.require_ontology(domain))
    try:
        selected = await selection.events(reader, domain, revert.MAX_CHANGES)
        undos = await revert.reversals_of(core, reader, head, selected, most=revert.MAX_CHANGES, until=until)
        context = await revert.context_of(reader, head, undos, most=revert.MAX_CHANGES)
    except TooMany as error:
        message = f"There are at least {error.least:,} changes, and one revert takes at most {revert.MAX_CHANGES:,}"
        raise invalid_argument(
            _argument_name(selection), message, f"Revert at most {revert.MAX_CHANGES:,} changes at once."
        ) from error
    planned = plan(undos, context, head.at, choice)
    if choice is OnConflict.STOP:
        _check_rules(planned, {undo.subject for undo in undos if undo.is_implied})
    return planned, list(pages_of(planned.drafts, _argument_name(selection)))


def _argument_name(selection: Selection) -> str:
    """Return the name of the argument that selected the events."""
    return "event_ids" if selection.ids is not None else "session" if selection.session is not None else "since"


def _check_rules(planned: Plan, implied: set[str]) -> None:
    """Raise REVERT_CONFLICT if the type of a selected connection has rules. Pages would check them too late."""
    new = [draft for draft in planned.drafts if draft.op is Op.CREATE and draft.subject not in implied]
    drafts = [draft for draft in new if rule_check_row(draft, planned.ontology)]
    if drafts:
        types = sorted({draft.type or "" for draft in drafts})
        message = f"{len(drafts):,} connections whose types have rules would be restored: {join_names(types)}"
        hint = Hint("{on_conflict} skip restores them in pages, and leaves out connections that then break a rule.")
        raise GraphError(Code.REVERT_CONFLICT, message, {"conflicts": [], "hint": hint})


def pages_of(drafts: Sequence[Draft], argument: str) -> Iterator[Sequence[Draft]]:
    """Yield the pages of changes. Raises INVALID_ARGUMENT if too many changes must be in one page."""
    together = [draft for draft in drafts if not _is_separable(draft)]
    if len(together) > MAX_TOGETHER:
        message = f"{len(together):,} changes to live subjects are too many for one write"
        raise invalid_argument(argument, message, f"Revert at most {MAX_TOGETHER:,} of them at once.")
    separable = [draft for draft in drafts if _is_separable(draft)]
    yield from _cut_into_pages([draft for draft in separable if draft.op is Op.DELETE])
    if together:
        yield together
    yield from _cut_into_pages([draft for draft in separable if draft.op is Op.CREATE])


def _is_separable(draft: Draft) -> bool:
    """Return whether a change can be on another page than similar changes: it deletes or creates data."""
    return draft.kind in DATA and draft.op in {Op.CREATE, Op.DELETE}


def _cut_into_pages(drafts: Sequence[Draft]) -> Iterator[Sequence[Draft]]:
    page, weight = list[Draft](), 0
    for draft in drafts:
        size = draft.content.size if draft.content is not None else 0
        if page and (len(page) == paging.PAGE or weight + size > paging.PAGE_BYTES):
            yield page
            page, weight = [], 0
        page.append(draft)
        weight += size
    if page:
        yield page


async def _write(batch: Batch, page: Sequence[Draft], planned: Plan, skipped: dict[str, Conflict]) -> None:
    """Write a page, or its halves if it is too large. Skips connections that would break a rule of their type."""

    async def confirm(reader: Reader, events: Sequence[Event]) -> None:
        await check_rules(reader, batch.job.domain, events, planned.ontology, in_turn=True)

    pages = [page]
    while pages:
        page = pages.pop()
        try:
            await batch.page(page, confirm)
        except RulesBroken as broken:
            skipped.update((subject, Conflict(subject, reason)) for subject, reason in broken.reasons.items())
            remaining = [draft for draft in page if draft.subject not in broken.reasons]
            pages += [remaining] if remaining else []
        except GraphError as error:
            if not exceeds_resources(error) or len(page) < 2 or not _is_separable(page[0]):
                raise
            half = len(page) // 2
            pages += [page[half:], page[:half]]


async def _read_result(batch: Batch, skipped: Sequence[Conflict]) -> Reverted:
    """Return the result of a finished revert. The log has the events of a batch in one piece."""
    count, store, domain = batch.job.progress.done, batch.core.store, batch.job.domain
    begin = await store.first_row(POSITION, domain=domain, event=batch.id)
    if begin is None or begin.seq is None:
        return _result((), 0, skipped, dry_run=False)
    event_range = {"first": begin.seq, "last": begin.seq + count - 1, "session": None, "limit": MAX_REPORTED}
    rows = await store.read(SELECTED, domain=domain, **event_range)
    changes = [_change(row.subject, Kind(row.kind), Op(row.op), row.seq) for row in rows if row.kind != Kind.ONTOLOGY]
    result = _result(changes, count - len(rows), skipped, dry_run=False)
    return result.model_copy(update={"batch": batch.id, "resumed": batch.job.is_resumed or None})


def _result(changes: Sequence[RevertedChange], more: int, skipped: Sequence[Conflict], *, dry_run: bool) -> Reverted:
    return Reverted(
        dry_run=dry_run,
        changes=tuple(changes),
        more_changes=more or None,
        skipped=tuple(map(conflicts.skipped_subject, skipped[:MAX_REPORTED])),
        more_skipped=len(skipped[MAX_REPORTED:]) or None,
    )


def _change(subject: str, kind: Kind, op: Op, seq: int) -> RevertedChange:
    return RevertedChange(subject=subject, kind=kind, operation=cast("Operation", str(op)), seq=seq)
