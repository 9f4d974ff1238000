"""Plans a revert: selects the earlier states to restore so that the graph stays valid. Does no I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graph_memory.memory.changes.plan import Changeset, Check, Context, Rule, entity_name
from graph_memory.memory.revert.values import Conflict, OnConflict, Plan, Reversal, RevertConflictError
from graph_memory.model.events import Draft, Op, keep_declaration_order, new_id
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.subjects.subjects import MENTIONED, State

ConflictRule = Callable[[Reversal], Conflict | None]
"""Returns the conflict that prevents undoing one subject's changes, or None if there is none."""

_CREATED = {Kind.DOMAIN: "a domain", Kind.ONTOLOGY: "an ontology"}


def plan(undos: Sequence[Reversal], context: Context, at: datetime, on_conflict: OnConflict) -> Plan:
    """Return the changes to write and the skipped conflicts.

    Raises REVERT_CONFLICT if a selected change has a conflict and `on_conflict` is STOP.
    """
    remaining = {undo.subject: undo for undo in undos if not undo.has_no_effect}
    drafts = {subject: _draft(undo, at) for subject, undo in remaining.items()}
    context = replace(context, current_drafts=[undo.last.draft for undo in undos if undo.is_live])
    remaining, drafts = _without_mentions(remaining, Changeset(context, drafts))
    skipped: dict[str, Conflict] = {}
    while conflicts := _find_conflicts(
        remaining, (changes := Changeset(context, {subject: drafts[subject] for subject in remaining})), on_conflict
    ):
        skipped |= {conflict.subject: conflict for conflict in conflicts}
        remaining = {subject: undo for subject, undo in remaining.items() if subject not in skipped}
    implied_subjects = {undo.subject for undo in undos if undo.is_implied}
    requested_conflicts = [conflict for conflict in skipped.values() if conflict.subject not in implied_subjects]
    if requested_conflicts and on_conflict is OnConflict.STOP:
        raise RevertConflictError(requested_conflicts)
    drafts_in_order = tuple(_with_new_id(draft, remaining.get(draft.subject)) for draft in changes.in_order())
    return Plan(drafts_in_order, tuple(skipped.values()), changes.ontology)


def _without_mentions(
    undos: Mapping[str, Reversal], changes: Changeset
) -> tuple[dict[str, Reversal], Mapping[str, Draft]]:
    """Drop the deletions of mentions that another relation needs.

    If an entity now has the name of a deleted mention, restored relations lead to the entity.
    """
    kept_subjects = {
        undo.subject
        for undo in undos.values()
        if _is_mention(undo.last.draft.state) and changes.check_attached(changes.changes[undo.subject]) is not None
    }
    restored_mentions = (
        draft for draft in changes.changes.values() if draft.op is Op.CREATE and _is_mention(draft.state)
    )
    names = ((draft.subject, entity_name(draft.state or {})) for draft in restored_mentions)
    entity_ids = {subject: holder for subject, name in names if name and (holder := changes.holder(name))}
    drafts = {
        subject: replace(
            draft, from_id=_joined_end(draft.from_id, entity_ids), to_id=_joined_end(draft.to_id, entity_ids)
        )
        for subject, draft in changes.changes.items()
    }
    return {
        subject: undo for subject, undo in undos.items() if subject not in kept_subjects | entity_ids.keys()
    }, drafts


def _with_new_id(draft: Draft, undo: Reversal | None) -> Draft:
    """Give a restored subject a new id if its endpoints differ, because the endpoints of a subject never change."""
    if undo is None or draft.op is not Op.CREATE:
        return draft
    ends = undo.last.draft.from_id, undo.last.draft.to_id
    if ends == (draft.from_id, draft.to_id):
        return draft
    return replace(draft, subject=new_id(draft.subject.partition("_")[0]), previous=None)


def _is_mention(state: State | None) -> bool:
    return MENTIONED in (state or {})


def _joined_end(node: str | None, entity_ids: Mapping[str, str]) -> str | None:
    return node and entity_ids.get(node, node)


def _find_conflicts(undos: Mapping[str, Reversal], changes: Changeset, on_conflict: OnConflict) -> list[Conflict]:
    """Return the conflicts that the first violated rule reports. With FORCE, ignore conflicts that can be forced.

    Only one rule is applied at a time, since other conflicts may disappear once these subjects are omitted.
    """
    checks = (changes.check_needed, changes.check_attached, *changes.checks)
    own_rules: tuple[ConflictRule, ...] = (_find_creation_conflict, _find_erasure_conflict, _find_later_change)
    rules = (*own_rules, *(_rule_from(changes, check) for check in checks))
    for rule in rules:
        conflicts = [(undo, conflict) for undo in undos.values() if (conflict := rule(undo))]
        if on_conflict is OnConflict.FORCE:
            conflicts = [(undo, conflict) for undo, conflict in conflicts if not conflict.can_be_forced]
        if conflicts:
            return [_prefer_unavoidable_conflict(undo, conflict, rules) for undo, conflict in conflicts]
    return []


def _rule_from(changes: Changeset, check: Check) -> ConflictRule:
    def rule(undo: Reversal) -> Conflict | None:
        violation = check(changes.changes[undo.subject])
        if violation is None:
            return None
        needs = violation.others[0] if violation.rule is Rule.END else None
        return Conflict(undo.subject, violation.reason, can_be_forced=violation.rule is Rule.ATTACHED, needs=needs)

    return rule


def _prefer_unavoidable_conflict(
    undo: Reversal, forcible_conflict: Conflict, rules: Sequence[ConflictRule]
) -> Conflict:
    """Return a conflict of the same subject that cannot be forced, or the given conflict if there is none."""
    if not forcible_conflict.can_be_forced:
        return forcible_conflict
    other_conflicts = (conflict for rule in rules if (conflict := rule(undo)))
    return next((conflict for conflict in other_conflicts if not conflict.can_be_forced), forcible_conflict)


def _find_creation_conflict(undo: Reversal) -> Conflict | None:
    if undo.kind in (Kind.DOMAIN, Kind.ONTOLOGY) and undo.target is None:
        return Conflict(undo.subject, f"the creation of {_CREATED[undo.kind]} cannot be undone")
    if undo.kind is Kind.DOMAIN and _last_compacted(undo.target) != _last_compacted(undo.last.draft.state):
        return Conflict(undo.subject, "a compaction cannot be undone")
    return None


def _last_compacted(state: State | None) -> object:
    return (state or {}).get("_compacted_to")


def _find_erasure_conflict(undo: Reversal) -> Conflict | None:
    return Conflict(undo.subject, "it was erased") if undo.last.draft.erased else None


def _find_later_change(undo: Reversal) -> Conflict | None:
    if not undo.later or undo.last.draft.erased:
        return None
    numbers = ", ".join(map(str, undo.later[:5])) + (", …" if len(undo.later) > 5 else "")
    return Conflict(undo.subject, f"it was changed again in event {numbers}", can_be_forced=True)


def _draft(undo: Reversal, at: datetime) -> Draft:
    draft = undo.as_draft()
    if draft.state is None:
        return draft
    if draft.kind in TYPES:
        return replace(draft, state=keep_declaration_order(draft.state, undo.last))
    return replace(draft, state={**draft.state, "_modified": at}) if "_modified" in draft.state else draft
