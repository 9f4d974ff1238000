"""Descriptions of revert conflicts: titles, and the call that resolves each conflict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import last_titles, with_titles
from graph_memory.memory.history.results import Skipped
from graph_memory.memory.revert.values import MOST_TOLD, Conflict
from graph_memory.model.events import Op
from graph_memory.model.results import ReadyCall
from graph_memory.storage.log.reads import last_events


async def named_conflicts(core: Core, domain: str, conflicts: Sequence[Conflict], asked: ReadyCall) -> list[Conflict]:
    """Return conflicts, of which the first have titles beside ids and the call that resolves them."""
    told = conflicts[:MOST_TOLD]
    subjects = {one.subject for one in told} | {one.needs for one in told if one.needs is not None}
    events = await last_events(core.store, domain, sorted(subjects))
    titles = await last_titles(core, domain, events)
    deleted = {event.draft.subject: event.seq for event in events if event.draft.op is Op.DELETE}
    reasons = await with_titles(core, domain, [one.reason for one in told])
    named = [
        replace(one, reason=reason, title=titles.get(one.subject), call=_resolving(one, asked, deleted))
        for one, reason in zip(told, reasons, strict=True)
    ]
    return [*named, *conflicts[MOST_TOLD:]]


def _resolving(conflict: Conflict, asked: ReadyCall, deleted: Mapping[str, int]) -> ReadyCall:
    """Return the call that resolves a conflict: restore the needed node, force the revert, or skip the subject."""
    if conflict.needs is not None and conflict.needs in deleted:
        kept = {key: value for key, value in asked.arguments.items() if key in ("domain", "dry_run")}
        return ReadyCall(tool="memory_revert", arguments={"event_ids": [str(deleted[conflict.needs])], **kept})
    choice = "force" if conflict.is_forcible else "skip"
    return asked.model_copy(update={"arguments": {**asked.arguments, "on_conflict": choice}})


def skipped(conflict: Conflict) -> Skipped:
    """Return what is told of a skipped subject; a call that skips it again is left out."""
    call = conflict.call if conflict.call and conflict.call.arguments.get("on_conflict") != "skip" else None
    return Skipped(subject=conflict.subject, title=conflict.title, reason=conflict.reason, call=call)
