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

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.paging import Batch, TooManyEvents, is_busy_with_job
from graph_memory.memory.changes.rules import RulesBroken, check_rules, rule_check_row
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import POSITION, last_seq
from graph_memory.memory.history.results import RevertedChange, RevertResult
from graph_memory.memory.revert import conflicts, revert
from graph_memory.memory.revert.conflicts import choice_calls, describe_conflicts
from graph_memory.memory.revert.later_changes import REVERT
from graph_memory.memory.revert.plan import plan
from graph_memory.memory.revert.revert import SELECTED, Selection
from graph_memory.memory.revert.values import Conflict, OnConflict, Plan, RevertConflictError, revert_conflict_error
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
"""Maximum number of changes of live subjects and types in a revert, because one transaction writes them."""
MAX_REPORTED = 100
"""Maximum number of changes, and of skipped subjects, that a result lists."""
MAX_IDS = 50
"""Maximum number of event ids in a job's parameters. For more ids, the parameters contain their number and a hash."""


async def revert_selection(
    core: Core, domain: str, selection: Selection, *, on_conflict: str, dry_run: bool
) -> RevertResult:
    """Undo the selected events, in pages if they are too many for one transaction."""
    if dry_run:  # suggested calls are dry runs too
        dry_call = selection.call.model_copy(update={"arguments": {**selection.call.arguments, "dry_run": True}})
        selection = replace(selection, call=dry_call)
    try:
        return await _revert_in_any_size(core, domain, selection, on_conflict=on_conflict, dry_run=dry_run)
    except RevertConflictError as error:
        described = await describe_conflicts(core, domain, error.conflicts, selection.call)
        raise revert_conflict_error(described, choice_calls(described, selection.call)) from error


async def _revert_in_any_size(
    core: Core, domain: str, selection: Selection, *, on_conflict: str, dry_run: bool
) -> RevertResult:
    try:
        return await revert.revert(core, domain, selection, on_conflict=on_conflict, dry_run=dry_run)
    except TooManyEvents:
        pass
    except GraphError as error:
        if dry_run or not is_busy_with_job(error, REVERTING):
            raise
    choice = revert.choice_of(on_conflict)
    if dry_run:
        return await _preview_pages(core, domain, selection, choice)
    return await _revert_in_pages(core, domain, selection, choice)


async def _preview_pages(core: Core, domain: str, selection: Selection, choice: OnConflict) -> RevertResult:
    """Return the result that a revert in pages would have. Rules that only a write can check are not checked."""
    until = await last_seq(core.store, domain)
    planned, pages = await _plan_revert(core, domain, selection, choice, until)
    drafts = [draft for page in pages for draft in page if draft.kind is not Kind.ONTOLOGY]
    changes = [
        revert.reverted_change(draft.subject, draft.kind, draft.op, until + offset)
        for offset, draft in enumerate(drafts, start=1)
    ]
    result = _result(changes[:MAX_REPORTED], len(changes[MAX_REPORTED:]), planned.skipped, dry_run=True)
    return await revert.with_titles_and_calls(core, domain, result, planned, planned.skipped, selection)


async def _revert_in_pages(core: Core, domain: str, selection: Selection, choice: OnConflict) -> RevertResult:
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
        planned, pages = await _plan_revert(core, domain, selection, skipped_conflicts, until)
        await batch.check(planned.drafts)
        skipped = {conflict.subject: conflict for conflict in planned.skipped}
        for page in pages:
            await _write_page(batch, page, planned, skipped)
    except GraphError:
        await batch.abandon()
        raise
    await batch.end()
    skipped_conflicts = tuple(skipped.values())
    return await revert.with_titles_and_calls(
        core, domain, await _read_result(batch, skipped_conflicts), planned, skipped_conflicts, selection
    )


def _job_params(selection: Selection, choice: OnConflict) -> Mapping[str, str]:
    """Return the job parameters, which identify a repeated call as the same revert."""
    params = {"on_conflict": str(choice), "stretch": selection.range_text, "session": selection.session or ""}
    if selection.ids is not None:
        ids = " ".join(sorted(selection.ids))
        is_short = len(selection.ids) <= MAX_IDS
        params["events"] = ids if is_short else f"{len(selection.ids)}: {hashlib.sha256(ids.encode()).hexdigest()}"
    return {name: value for name, value in params.items() if value}


async def _plan_revert(
    core: Core, domain: str, selection: Selection, choice: OnConflict, until: int
) -> tuple[Plan, Sequence[Sequence[Draft]]]:
    """Return the plan and its pages.

    Raises INVALID_ARGUMENT or REVERT_CONFLICT if the plan cannot be written in pages, and the same errors as `plan`.
    """
    reader = core.store
    head = Head(domain, until, utc_now(), await core.log.require_ontology(domain))
    try:
        selected = await selection.read_events(reader, domain, revert.MAX_CHANGES)
        undos = await revert.reversals_of(core, reader, head, selected, maximum=revert.MAX_CHANGES, until=until)
        context = await revert.context_of(reader, head, undos, maximum=revert.MAX_CHANGES)
    except TooManyEvents as error:
        message = f"There are at least {error.least:,} changes, and one revert takes at most {revert.MAX_CHANGES:,}"
        raise invalid_argument(
            _argument_name(selection), message, f"Revert at most {revert.MAX_CHANGES:,} changes at once."
        ) from error
    planned = plan(undos, context, head.at, choice)
    if choice is OnConflict.STOP:
        _check_rules(planned, {undo.subject for undo in undos if undo.is_implied})
    return planned, list(pages_of(planned.drafts, _argument_name(selection)))


def _argument_name(selection: Selection) -> str:
    """Return the name of the caller's argument that selects the events, for error messages."""
    return "event_ids" if selection.ids is not None else "session" if selection.session is not None else "since"


def _check_rules(planned: Plan, implied_subjects: set[str]) -> None:
    """Raise REVERT_CONFLICT if a connection to restore has a type with rules, since pages would check them too late."""
    restored_drafts = [
        draft for draft in planned.drafts if draft.op is Op.CREATE and draft.subject not in implied_subjects
    ]
    drafts = [draft for draft in restored_drafts if rule_check_row(draft, planned.ontology)]
    if drafts:
        types = sorted({draft.type or "" for draft in drafts})
        message = f"{len(drafts):,} connections whose types have rules would be restored: {join_names(types)}"
        hint = Hint("Use {on_conflict} skip to restore them in pages, without connections that then break a rule.")
        raise GraphError(Code.REVERT_CONFLICT, message, {"conflicts": [], "hint": hint})


def pages_of(drafts: Sequence[Draft], argument: str) -> Iterator[Sequence[Draft]]:
    """Yield the pages of changes. Raises INVALID_ARGUMENT if too many changes must be in one page."""
    inseparable_drafts = [draft for draft in drafts if not _is_separable(draft)]
    if len(inseparable_drafts) > MAX_TOGETHER:
        message = f"{len(inseparable_drafts):,} changes to live subjects are too many for one write"
        raise invalid_argument(argument, message, f"Revert at most {MAX_TOGETHER:,} of them at once.")
    separable_drafts = [draft for draft in drafts if _is_separable(draft)]
    yield from _cut_into_pages([draft for draft in separable_drafts if draft.op is Op.DELETE])
    if inseparable_drafts:
        yield inseparable_drafts
    yield from _cut_into_pages([draft for draft in separable_drafts if draft.op is Op.CREATE])


def _is_separable(draft: Draft) -> bool:
    """Return whether a change may be written on its own page: it creates or deletes data, not types."""
    return draft.kind in DATA and draft.op in {Op.CREATE, Op.DELETE}


def _cut_into_pages(drafts: Sequence[Draft]) -> Iterator[Sequence[Draft]]:
    page, content_bytes = list[Draft](), 0
    for draft in drafts:
        size = draft.content.size if draft.content is not None else 0
        if page and (len(page) == paging.PAGE or content_bytes + size > paging.PAGE_BYTES):
            yield page
            page, content_bytes = [], 0
        page.append(draft)
        content_bytes += size
    if page:
        yield page


async def _write_page(batch: Batch, page: Sequence[Draft], planned: Plan, skipped: dict[str, Conflict]) -> None:
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
            middle = len(page) // 2
            pages += [page[middle:], page[:middle]]


async def _read_result(batch: Batch, skipped: Sequence[Conflict]) -> RevertResult:
    """Return the result of a finished revert, read from the log, where the events of a batch are consecutive."""
    count, store, domain = batch.job.progress.done, batch.core.store, batch.job.domain
    first_position = await store.first_row(POSITION, domain=domain, event=batch.id)
    if first_position is None or first_position.seq is None:
        return _result((), 0, skipped, dry_run=False)
    event_range = {
        "first": first_position.seq,
        "last": first_position.seq + count - 1,
        "session": None,
        "limit": MAX_REPORTED,
    }
    rows = await store.read(SELECTED, domain=domain, **event_range)
    changes = [
        revert.reverted_change(row.subject, Kind(row.kind), Op(row.op), row.seq)
        for row in rows
        if row.kind != Kind.ONTOLOGY
    ]
    result = _result(changes, count - len(rows), skipped, dry_run=False)
    return result.model_copy(update={"batch": batch.id, "resumed": batch.job.is_resumed or None})


def _result(
    changes: Sequence[RevertedChange], more: int, skipped: Sequence[Conflict], *, dry_run: bool
) -> RevertResult:
    return RevertResult(
        dry_run=dry_run,
        changes=tuple(changes),
        more_changes=more or None,
        skipped=tuple(map(conflicts.skipped_subject, skipped[:MAX_REPORTED])),
        more_skipped=len(skipped[MAX_REPORTED:]) or None,
    )
