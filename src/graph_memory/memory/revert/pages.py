"""Undoing more than one transaction takes: one batch, written in pages, from a graph that may be to another.

What goes is deleted first, connections before nodes; then types and what lives on are as they were, in one
transaction; then what comes back is made, nodes before connections. So every page leaves a graph that may be. It is
planned once the domain is busy, before the first page; one that was cut off is planned anew, and comes to what is left.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from graph_memory.memory.changes import paging
from graph_memory.memory.changes.paging import Batch, TooMany, goes_on
from graph_memory.memory.changes.rules import RulesBroken, check_rules, ruled
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import POSITION, last_seq
from graph_memory.memory.history.results import Operation, Reverted, RevertedChange
from graph_memory.memory.revert import conflicts, revert
from graph_memory.memory.revert.conflicts import choice_calls, named_conflicts
from graph_memory.memory.revert.later_changes import REVERT
from graph_memory.memory.revert.plan import plan
from graph_memory.memory.revert.revert import SELECTED, Selection
from graph_memory.memory.revert.values import Conflict, NotReverted, OnConflict, Plan, refused
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.text.wording import listed
from graph_memory.model.values.arguments import fault
from graph_memory.storage.driver_errors import is_too_much
from graph_memory.storage.log.protection import Whole
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.schema import ensure_connection_type
from graph_memory.storage.store import Reader

REVERTING = "reverting"
MOST_TOGETHER = 10_000
"""Changes of what lives on, and of types, that go in one transaction."""
MOST_TOLD = 100
"""Changes, and skipped subjects, that the answer lists."""
MOST_KEPT = 50
"""Events that a job names when others are told what was asked; of more it keeps the number and a hash."""


async def revert_any(core: Core, domain: str, selection: Selection, *, on_conflict: str, dry_run: bool) -> Reverted:
    """Undo the events that are selected, in pages where one transaction does not take them."""
    if dry_run:  # what is suggested then is tried too, not done
        tried = selection.call.model_copy(update={"arguments": {**selection.call.arguments, "dry_run": True}})
        selection = replace(selection, call=tried)
    try:
        return await _revert_any(core, domain, selection, on_conflict=on_conflict, dry_run=dry_run)
    except NotReverted as error:
        named = await named_conflicts(core, domain, error.conflicts, selection.call)
        raise refused(named, choice_calls(named, selection.call)) from error


async def _revert_any(core: Core, domain: str, selection: Selection, *, on_conflict: str, dry_run: bool) -> Reverted:
    try:
        return await revert.revert(core, domain, selection, on_conflict=on_conflict, dry_run=dry_run)
    except TooMany:
        pass
    except GraphError as error:
        if dry_run or not goes_on(error, REVERTING):
            raise
    choice = revert.choice_of(on_conflict)
    if dry_run:
        return await _tried(core, domain, selection, choice)
    return await _revert(core, domain, selection, choice)


async def _tried(core: Core, domain: str, selection: Selection, choice: OnConflict) -> Reverted:
    """Return what would be undone, as far as that shows before it is written."""
    until = await last_seq(core.store, domain)
    planned, pages = await _plan(core, domain, selection, choice, until)
    order = [draft for page in pages for draft in page if draft.kind is not Kind.ONTOLOGY]
    changes = [
        _change(draft.subject, draft.kind, draft.op, until + place) for place, draft in enumerate(order, start=1)
    ]
    answer = _answer(changes[:MOST_TOLD], len(changes[MOST_TOLD:]), planned.skipped, dry_run=True)
    return await revert.titled(core, domain, answer, planned, planned.skipped, selection)


async def _revert(core: Core, domain: str, selection: Selection, choice: OnConflict) -> Reverted:
    """Undo in pages, or go on with it; what stands against it was found when it was begun."""
    counts = {"first": selection.first, "last": selection.last}
    batch = await Batch.begin(
        core, domain, REVERTING, _asked(selection, choice), counts, request=REVERT, reach=Whole.MEMORIES
    )
    begun = await core.store.one(POSITION, domain=domain, event=batch.id)
    has_begun = begun is not None and begun.seq is not None
    until = begun.seq - 1 if begun and begun.seq else await last_seq(core.store, domain)
    first, last = int(batch.job.given["first"]), min(int(batch.job.given["last"]), until)
    selection = replace(selection, first=first, last=last)
    left = OnConflict.SKIP if has_begun and choice is OnConflict.STOP else choice
    try:
        planned, pages = await _plan(core, domain, selection, left, until)
        await batch.check(planned.drafts)
        for name in revert.returning_types(planned):
            await ensure_connection_type(core.store, name)
        skipped = {conflict.subject: conflict for conflict in planned.skipped}
        for page in pages:
            await _write(batch, page, planned, skipped)
    except GraphError:
        await batch.give_up()
        raise
    await batch.end()
    left = tuple(skipped.values())
    return await revert.titled(core, domain, await _told(batch, left), planned, left, selection)


def _asked(selection: Selection, choice: OnConflict) -> Mapping[str, str]:
    """Return by what the same revert is known when it is asked for again."""
    asked = {"on_conflict": str(choice), "stretch": selection.asked, "session": selection.session or ""}
    if selection.ids is not None:
        ids = " ".join(sorted(selection.ids))
        is_short = len(selection.ids) <= MOST_KEPT
        asked["events"] = ids if is_short else f"{len(selection.ids)}: {hashlib.sha256(ids.encode()).hexdigest()}"
    return {name: value for name, value in asked.items() if value}


async def _plan(
    core: Core, domain: str, selection: Selection, choice: OnConflict, until: int
) -> tuple[Plan, Sequence[Sequence[Draft]]]:
    """Return what to write, and its pages.

    Raises what planning any revert does, and INVALID_ARGUMENT and REVERT_CONFLICT for what cannot be written in pages.
    """
    reader = core.store
    head = Head(domain, until, utc_now(), await core.log.require_ontology(domain))
    try:
        selected = await selection.events(reader, domain, revert.MOST)
        undos = await revert.reversals_of(core, reader, head, selected, most=revert.MOST, until=until)
        context = await revert.context_of(reader, head, undos, most=revert.MOST)
    except TooMany as many:
        message = f"There are at least {many.least:,} changes, and one revert takes at most {revert.MOST:,}"
        raise fault(_argument(selection), message, f"Revert at most {revert.MOST:,} changes at once.") from many
    planned = plan(undos, context, head.at, choice)
    if choice is OnConflict.STOP:
        _check_rules(planned, {undo.subject for undo in undos if undo.is_implied})
    return planned, list(pages_of(planned.drafts, _argument(selection)))


def _argument(selection: Selection) -> str:
    """Return the argument that says what to revert."""
    return "event_ids" if selection.ids is not None else "session" if selection.session is not None else "since"


def _check_rules(planned: Plan, implied: set[str]) -> None:
    """Raise REVERT_CONFLICT where a rule may stand against a connection that was asked for: that shows too late."""
    new = [draft for draft in planned.drafts if draft.op is Op.CREATE and draft.subject not in implied]
    drafts = [draft for draft in new if ruled(draft, planned.ontology)]
    if drafts:
        types = sorted({draft.type or "" for draft in drafts})
        message = f"{len(drafts):,} connections whose types have rules would come back: {listed(types)}"
        hint = Hint("{on_conflict} skip brings them back in pages, without those that then break a rule.")
        raise GraphError(Code.REVERT_CONFLICT, message, {"conflicts": [], "hint": hint})


def pages_of(drafts: Sequence[Draft], argument: str) -> Iterator[Sequence[Draft]]:
    """Give the pages in which changes are written. Raises INVALID_ARGUMENT for too many that must go together."""
    together = [draft for draft in drafts if not _is_apart(draft)]
    if len(together) > MOST_TOGETHER:
        message = f"{len(together):,} changes to live subjects are too many for one write"
        raise fault(argument, message, f"Revert at most {MOST_TOGETHER:,} of them at once.")
    apart = [draft for draft in drafts if _is_apart(draft)]
    yield from _cut([draft for draft in apart if draft.op is Op.DELETE])
    if together:
        yield together
    yield from _cut([draft for draft in apart if draft.op is Op.CREATE])


def _is_apart(draft: Draft) -> bool:
    """Say whether a change may be written without the others of its kind: what goes, and what comes back."""
    return draft.kind in DATA and draft.op in {Op.CREATE, Op.DELETE}


def _cut(drafts: Sequence[Draft]) -> Iterator[Sequence[Draft]]:
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
    """Write a page, without the connections that would break a rule of their type; in halves if it is too much."""

    async def look(reader: Reader, events: Sequence[Event]) -> None:
        await check_rules(reader, batch.job.domain, events, planned.ontology, in_turn=True)

    left = [page]
    while left:
        page = left.pop()
        try:
            await batch.page(page, look)
        except RulesBroken as broken:
            skipped.update((subject, Conflict(subject, reason)) for subject, reason in broken.reasons.items())
            kept = [draft for draft in page if draft.subject not in broken.reasons]
            left += [kept] if kept else []
        except GraphError as error:
            if not is_too_much(error) or len(page) < 2 or not _is_apart(page[0]):
                raise
            half = len(page) // 2
            left += [page[half:], page[:half]]


async def _told(batch: Batch, skipped: Sequence[Conflict]) -> Reverted:
    """Return what was done, as the log has it: the events of a batch stand next to each other."""
    count, store, domain = batch.job.progress.done, batch.core.store, batch.job.domain
    begin = await store.one(POSITION, domain=domain, event=batch.id)
    if begin is None or begin.seq is None:
        return _answer((), 0, skipped, dry_run=False)
    first = {"first": begin.seq, "last": begin.seq + count - 1, "session": None, "limit": MOST_TOLD}
    rows = await store.read(SELECTED, domain=domain, **first)
    changes = [_change(row.subject, Kind(row.kind), Op(row.op), row.seq) for row in rows if row.kind != Kind.ONTOLOGY]
    answer = _answer(changes, count - len(rows), skipped, dry_run=False)
    return answer.model_copy(update={"batch": batch.id, "resumed": batch.job.is_resumed or None})


def _answer(changes: Sequence[RevertedChange], more: int, skipped: Sequence[Conflict], *, dry_run: bool) -> Reverted:
    return Reverted(
        dry_run=dry_run,
        changes=tuple(changes),
        more_changes=more or None,
        skipped=tuple(map(conflicts.skipped, skipped[:MOST_TOLD])),
        more_skipped=len(skipped[MOST_TOLD:]) or None,
    )


def _change(subject: str, kind: Kind, op: Op, seq: int) -> RevertedChange:
    return RevertedChange(subject=subject, kind=kind, operation=cast("Operation", str(op)), seq=seq)
