"""Descriptions of revert conflicts: titles, and the calls that resolve the conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import last_titles, with_titles
from graph_memory.memory.history.results import Skipped
from graph_memory.memory.revert.values import MAX_REPORTED, Conflict, OnConflict
from graph_memory.model.events import Op
from graph_memory.model.results import ReadyCall
from graph_memory.storage.log.reads import last_events

MAX_REPEATED = 50
"""Maximum number of event ids that a suggested call repeats."""


async def describe_conflicts(core: Core, domain: str, conflicts: Sequence[Conflict], call: ReadyCall) -> list[Conflict]:
    """Return the conflicts. The first `MAX_REPORTED` get titles and, for a missing node, the call that restores it."""
    reported = conflicts[:MAX_REPORTED]
    subjects = {conflict.subject for conflict in reported} | {
        conflict.needs for conflict in reported if conflict.needs is not None
    }
    events = await last_events(core.store, domain, sorted(subjects))
    titles = await last_titles(core, domain, events)
    deleted = {event.draft.subject: event.seq for event in events if event.draft.op is Op.DELETE}
    reasons = await with_titles(core, domain, [conflict.reason for conflict in reported])
    described = [
        replace(
            conflict, reason=reason, title=titles.get(conflict.subject), call=_restore_call(conflict, call, deleted)
        )
        for conflict, reason in zip(reported, reasons, strict=True)
    ]
    return [*described, *conflicts[MAX_REPORTED:]]


def choice_calls(conflicts: Sequence[Conflict], call: ReadyCall) -> dict[str, ReadyCall]:
    """Return the calls that resolve all conflicts, by value of `on_conflict`. Calls with too many ids are omitted."""
    ids = call.arguments.get("event_ids")
    if not conflicts or (isinstance(ids, list) and len(cast("list[object]", ids)) > MAX_REPEATED):
        return {}
    is_forcible = any(conflict.is_forcible for conflict in conflicts)
    choices = (OnConflict.SKIP, OnConflict.FORCE) if is_forcible else (OnConflict.SKIP,)
    return {
        choice: call.model_copy(update={"arguments": {**call.arguments, "on_conflict": str(choice)}})
        for choice in choices
    }


def _restore_call(conflict: Conflict, call: ReadyCall, deleted: Mapping[str, int]) -> ReadyCall | None:
    """Return the call that restores the node that a conflict needs. Returns None if the node was not deleted."""
    if conflict.needs is None or conflict.needs not in deleted:
        return None
    arguments = {key: value for key, value in call.arguments.items() if key in ("domain", "dry_run")}
    return ReadyCall(tool="memory_revert", arguments={"event_ids": [str(deleted[conflict.needs])], **arguments})


def skipped_subject(conflict: Conflict) -> Skipped:
    """Return the description of a skipped subject."""
    return Skipped(
        subject=conflict.subject,
        title=conflict.title,
        reason=conflict.reason,
        forcible=conflict.is_forcible or None,
        call=conflict.call,
    )
