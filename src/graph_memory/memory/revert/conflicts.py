"""Descriptions of revert conflicts: titles of subjects, and the calls that resolve conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import last_titles, with_titles
from graph_memory.memory.history.results import SkippedSubject
from graph_memory.memory.revert.values import MAX_REPORTED, Conflict, OnConflict
from graph_memory.model.events import Op
from graph_memory.model.results import ReadyCall
from graph_memory.storage.log.reads import last_events

MAX_REPEATED = 50
"""Maximum number of event ids that a suggested call repeats."""


async def describe_conflicts(core: Core, domain: str, conflicts: Sequence[Conflict], call: ReadyCall) -> list[Conflict]:
    """Return the conflicts of the revert `call`. Add titles and suggested calls to the first `MAX_REPORTED` conflicts.

    A suggested call restores a missing node.
    """
    reported_conflicts = conflicts[:MAX_REPORTED]
    subjects = {conflict.subject for conflict in reported_conflicts} | {
        conflict.needs for conflict in reported_conflicts if conflict.needs is not None
    }
    events = await last_events(core.store, domain, sorted(subjects))
    titles = await last_titles(core, domain, events)
    deletion_seqs = {event.draft.subject: event.seq for event in events if event.draft.op is Op.DELETE}
    reasons = await with_titles(core, domain, [conflict.reason for conflict in reported_conflicts])
    described_conflicts = [
        replace(
            conflict,
            reason=reason,
            title=titles.get(conflict.subject),
            call=_restore_call(conflict, call, deletion_seqs),
        )
        for conflict, reason in zip(reported_conflicts, reasons, strict=True)
    ]
    return [*described_conflicts, *conflicts[MAX_REPORTED:]]


def choice_calls(conflicts: Sequence[Conflict], call: ReadyCall) -> dict[str, ReadyCall]:
    """Return the calls that resolve all conflicts, keyed by value of `on_conflict`.

    Returns no calls if there are no conflicts, or if a call would repeat too many ids.
    """
    ids = call.arguments.get("event_ids")
    if not conflicts or (isinstance(ids, list) and len(cast("list[object]", ids)) > MAX_REPEATED):
        return {}
    can_be_forced = any(conflict.can_be_forced for conflict in conflicts)
    choices = (OnConflict.SKIP, OnConflict.FORCE) if can_be_forced else (OnConflict.SKIP,)
    return {
        choice: call.model_copy(update={"arguments": {**call.arguments, "on_conflict": str(choice)}})
        for choice in choices
    }


def _restore_call(conflict: Conflict, call: ReadyCall, deletion_seqs: Mapping[str, int]) -> ReadyCall | None:
    """Return the call that restores the missing node of a conflict, or None if no deleted node is missing."""
    if conflict.needs is None or conflict.needs not in deletion_seqs:
        return None
    arguments = {key: value for key, value in call.arguments.items() if key in ("domain", "dry_run")}
    return ReadyCall(tool="memory_revert", arguments={"event_ids": [str(deletion_seqs[conflict.needs])], **arguments})


def skipped_subject(conflict: Conflict) -> SkippedSubject:
    """Return the result entry for a subject that a revert skips because of this conflict."""
    return SkippedSubject(
        subject=conflict.subject,
        title=conflict.title,
        reason=conflict.reason,
        forcible=conflict.can_be_forced or None,
        call=conflict.call,
    )
