"""Undoing changes: which earlier states to write again, so that what is left is a graph that may be. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graph_memory.memory.changes.plan import Ask, Changeset, Context, Rule, entity_name
from graph_memory.memory.revert.values import Conflict, NotReverted, OnConflict, Plan, Reversal
from graph_memory.model.events import Draft, Op, in_its_place, new_id
from graph_memory.model.subjects.kinds import TYPES, Kind
from graph_memory.model.subjects.subjects import MENTIONED, State

Against = Callable[[Reversal], Conflict | None]
"""Returns what stands against undoing one subject's changes, if anything."""

_BEGUN = {Kind.DOMAIN: "a domain", Kind.ONTOLOGY: "an ontology"}


def plan(undos: Sequence[Reversal], around: Context, at: datetime, on_conflict: OnConflict) -> Plan:
    """Return what to write. Raises REVERT_CONFLICT when something stands against it and the choice is to stop."""
    left = {undo.subject: undo for undo in undos if not undo.changes_nothing}
    drafts = {subject: _draft(undo, at) for subject, undo in left.items()}
    context = replace(around, present=[undo.last.draft for undo in undos if undo.is_live])
    left, drafts = _without_names(left, Changeset(context, drafts))
    skipped: dict[str, Conflict] = {}
    while conflicts := _conflicts(
        left, (changes := Changeset(context, {one: drafts[one] for one in left})), on_conflict
    ):
        skipped |= {conflict.subject: conflict for conflict in conflicts}
        left = {subject: undo for subject, undo in left.items() if subject not in skipped}
    implied = {undo.subject for undo in undos if undo.is_implied}
    requests = [conflict for conflict in skipped.values() if conflict.subject not in implied]
    if requests and on_conflict is OnConflict.STOP:
        raise NotReverted(requests)
    drafts_in_order = tuple(_under_own_id(draft, left.get(draft.subject)) for draft in changes.ordered())
    return Plan(drafts_in_order, tuple(skipped.values()), changes.ontology)


def _without_names(left: Mapping[str, Reversal], changes: Changeset) -> tuple[dict[str, Reversal], Mapping[str, Draft]]:
    """Leave out what is only named as an end of relations: it stays as long as something else leads to it.

    Where there is an entity of its name now, what comes back leads to that.
    """
    stays = {undo.subject for undo in left.values() if _is_named(undo.last.draft.state) and _is_used(changes, undo)}
    returning = (draft for draft in changes.changes.values() if draft.op is Op.CREATE and _is_named(draft.state))
    names = ((draft.subject, entity_name(draft.state or {})) for draft in returning)
    stands_for = {subject: holder for subject, name in names if name and (holder := changes.holder(name))}
    drafts = {
        subject: replace(draft, from_id=_end(draft.from_id, stands_for), to_id=_end(draft.to_id, stands_for))
        for subject, draft in changes.changes.items()
    }
    return {subject: undo for subject, undo in left.items() if subject not in stays | stands_for.keys()}, drafts


def _under_own_id(draft: Draft, undo: Reversal | None) -> Draft:
    """Return what comes back between other nodes as something new: what has an id never changes its ends."""
    if undo is None or draft.op is not Op.CREATE:
        return draft
    ends = undo.last.draft.from_id, undo.last.draft.to_id
    if ends == (draft.from_id, draft.to_id):
        return draft
    return replace(draft, subject=new_id(draft.subject.partition("_")[0]), previous=None)


def _is_named(state: State | None) -> bool:
    return MENTIONED in (state or {})


def _is_used(changes: Changeset, undo: Reversal) -> bool:
    return changes.left_behind(changes.changes[undo.subject]) is not None


def _end(node: str | None, stands_for: Mapping[str, str]) -> str | None:
    return node and stands_for.get(node, node)


def _conflicts(left: Mapping[str, Reversal], changes: Changeset, on_conflict: OnConflict) -> list[Conflict]:
    """Return what stands against some of what is left to do; nothing that can be forced when that is the choice.

    Only one rule speaks at a time: what stands for another reason may not stand any more when these are left out.
    """
    requests = (changes.needed, changes.left_behind, *changes.rules)
    own: tuple[Against, ...] = (_beginning, _erased, _changed_since)
    rules = (*own, *(_told(changes, ask) for ask in requests))
    for rule in rules:
        against = [(undo, conflict) for undo in left.values() if (conflict := rule(undo))]
        if on_conflict is OnConflict.FORCE:
            against = [(undo, conflict) for undo, conflict in against if not conflict.is_forcible]
        if against:
            return [_firmest(undo, conflict, rules) for undo, conflict in against]
    return []


def _told(changes: Changeset, ask: Ask) -> Against:
    def rule(undo: Reversal) -> Conflict | None:
        violation = ask(changes.changes[undo.subject])
        if violation is None:
            return None
        needs = violation.others[0] if violation.rule is Rule.END else None
        return Conflict(undo.subject, violation.reason, is_forcible=violation.rule is Rule.ATTACHED, needs=needs)

    return rule


def _firmest(undo: Reversal, found: Conflict, rules: Sequence[Against]) -> Conflict:
    """Return a conflict that cannot be forced in place of one that can, where there is one too."""
    if not found.is_forcible:
        return found
    others = (conflict for rule in rules if (conflict := rule(undo)))
    return next((conflict for conflict in others if not conflict.is_forcible), found)


def _beginning(undo: Reversal) -> Conflict | None:
    if undo.kind in (Kind.DOMAIN, Kind.ONTOLOGY) and undo.target is None:
        return Conflict(undo.subject, f"the creation of {_BEGUN[undo.kind]} cannot be undone")
    if undo.kind is Kind.DOMAIN and _compacted_to(undo.target) != _compacted_to(undo.last.draft.state):
        return Conflict(undo.subject, "a compaction cannot be undone")
    return None


def _compacted_to(state: State | None) -> object:
    return (state or {}).get("_compacted_to")


def _erased(undo: Reversal) -> Conflict | None:
    return Conflict(undo.subject, "it was erased") if undo.last.draft.erased else None


def _changed_since(undo: Reversal) -> Conflict | None:
    if not undo.later or undo.last.draft.erased:
        return None
    numbers = ", ".join(map(str, undo.later[:5])) + (", …" if len(undo.later) > 5 else "")
    return Conflict(undo.subject, f"it has changed since, in {numbers}", is_forcible=True)


def _draft(undo: Reversal, at: datetime) -> Draft:
    draft = undo.as_it_was()
    if draft.kind in TYPES and draft.state is not None:
        return replace(draft, state=in_its_place(draft.state, undo.last))
    return draft if draft.state is None else replace(draft, state=_as_of_now(draft.state, at))


def _as_of_now(state: State, at: datetime) -> State:
    return {**state, "_modified": at} if "_modified" in state else state
