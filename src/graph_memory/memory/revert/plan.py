"""Undoing changes: which earlier states to write again, so that what is left is a graph that may be. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graph_memory.memory.changes.values import UniqueValue
from graph_memory.memory.revert.types import Types
from graph_memory.memory.revert.values import Conflict, OnConflict, Plan, Surroundings, Undo, refused
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.kinds import Kind
from graph_memory.model.subjects import State

Rule = Callable[[Undo], Conflict | None]
"""Returns what stands against undoing one subject's changes, if anything."""

_ORDER = (Kind.NODE_TYPE, Kind.CONNECTION_TYPE, Kind.NODE)
_BEGUN = {Kind.DOMAIN: "a domain", Kind.ONTOLOGY: "an ontology"}


def plan(
    undos: Sequence[Undo],
    around: Surroundings,
    at: datetime,
    on_conflict: OnConflict,
    barred: Mapping[str, str] | None = None,
) -> Plan:
    """Return what to write. Raises REVERT_CONFLICT when something stands against it and the choice is to stop.

    `barred` are subjects that were found to be impossible, each with the reason.
    """
    left = {undo.subject: undo for undo in undos if not undo.changes_nothing}
    skipped = {subject: Conflict(subject, reason) for subject, reason in (barred or {}).items()}
    left = {subject: undo for subject, undo in left.items() if subject not in skipped}
    while found := _conflicts(left, (types := Types.after(undos, left, around)), around, on_conflict):
        skipped |= {conflict.subject: conflict for conflict in found}
        left = {subject: undo for subject, undo in left.items() if subject not in skipped}
    implied = {undo.subject for undo in undos if undo.is_implied}
    asked = [conflict for conflict in skipped.values() if conflict.subject not in implied]
    if asked and on_conflict is OnConflict.STOP:
        raise refused(asked)
    return Plan(tuple(_drafts(left.values(), around, at)), tuple(skipped.values()), types.ontology)


def _conflicts(left: Mapping[str, Undo], types: Types, around: Surroundings, on_conflict: OnConflict) -> list[Conflict]:
    """Return what stands against some of what is left to do; nothing that can be forced when that is the choice.

    Only one rule speaks at a time: what stands for another reason may not stand any more when these are left out.
    """
    takers = _takers(left)
    rules: tuple[Rule, ...] = (
        _beginning,
        _erased,
        _defined_anew,
        _changed_since,
        types.needed,
        lambda undo: _would_take_along(undo, left, around),
        lambda undo: _without_an_end(undo, left, around),
        types.without_a_type,
        types.not_allowed,
        lambda undo: _value_taken(undo, left, takers),
    )
    for rule in rules:
        against = [(undo, conflict) for undo in left.values() if (conflict := rule(undo))]
        if on_conflict is OnConflict.FORCE:
            against = [(undo, conflict) for undo, conflict in against if not conflict.is_forcible]
        if against:
            return [_firmest(undo, conflict, rules) for undo, conflict in against]
    return []


def _firmest(undo: Undo, found: Conflict, rules: Sequence[Rule]) -> Conflict:
    """Return a conflict that cannot be forced in place of one that can, where there is one too."""
    if not found.is_forcible:
        return found
    others = (conflict for rule in rules if (conflict := rule(undo)))
    return next((conflict for conflict in others if not conflict.is_forcible), found)


def _beginning(undo: Undo) -> Conflict | None:
    if undo.kind in (Kind.DOMAIN, Kind.ONTOLOGY) and undo.target is None:
        return Conflict(undo.subject, f"the creation of {_BEGUN[undo.kind]} cannot be undone")
    if undo.kind is Kind.DOMAIN and _compacted_to(undo.target) != _compacted_to(undo.last.draft.state):
        return Conflict(undo.subject, "a compaction cannot be undone")
    return None


def _compacted_to(state: State | None) -> object:
    return (state or {}).get("_compacted_to")


def _erased(undo: Undo) -> Conflict | None:
    return Conflict(undo.subject, "it was erased") if undo.last.draft.erased else None


def _defined_anew(undo: Undo) -> Conflict | None:
    if not undo.is_type or undo.target is None or not undo.is_live:
        return None
    return Conflict(undo.subject, f"it was redefined in {undo.last.seq}, and types cannot be changed")


def _changed_since(undo: Undo) -> Conflict | None:
    if not undo.later or undo.last.draft.erased:
        return None
    numbers = ", ".join(map(str, undo.later[:5])) + (", …" if len(undo.later) > 5 else "")
    return Conflict(undo.subject, f"it has changed since, in {numbers}", is_forcible=True)


def _would_take_along(undo: Undo, left: Mapping[str, Undo], around: Surroundings) -> Conflict | None:
    if undo.target is not None or undo.kind is not Kind.NODE:
        return None
    more = [draft for draft in around.attached.get(undo.subject, ()) if not _goes(draft.subject, left)]
    if not more:
        return None
    what = "1 connection or observation" if len(more) == 1 else f"{len(more)} connections or observations"
    return Conflict(undo.subject, f"deleting it would delete {what} added since", is_forcible=True)


def _without_an_end(undo: Undo, left: Mapping[str, Undo], around: Surroundings) -> Conflict | None:
    if undo.target is None:
        return None
    for end in undo.ends:
        returns = end in left and left[end].target is not None
        if not returns and (end not in around.living or _goes(end, left)):
            return Conflict(undo.subject, f"node {end}, which it needs, does not exist")
    return None


def _takers(left: Mapping[str, Undo]) -> Mapping[UniqueValue, str]:
    """Return for each unique value the first subject that would get it."""
    return {value: undo.subject for undo in reversed([*left.values()]) for value in undo.unique}


def _value_taken(undo: Undo, left: Mapping[str, Undo], takers: Mapping[UniqueValue, str]) -> Conflict | None:
    for owner in undo.owners:
        if not _goes(owner, left) and owner not in left:
            return Conflict(undo.subject, f"{owner} now has the value of one of its unique properties")
    if others := {takers[value] for value in undo.unique} - {undo.subject}:
        return Conflict(undo.subject, f"{min(others)} would get back the value of one of its unique properties")
    return None


def _goes(subject: str, left: Mapping[str, Undo]) -> bool:
    return subject in left and left[subject].target is None


def _drafts(undos: Collection[Undo], around: Surroundings, at: datetime) -> Iterable[Draft]:
    """Give the changes in an order in which each could be made by itself."""
    going: dict[str, Draft] = {}
    for undo in (undo for undo in undos if undo.target is None):
        attached = around.attached.get(undo.subject, ())
        going |= {draft.subject: draft for draft in (*attached, _draft(undo, at)) if draft.subject not in going}
    yield from sorted(going.values(), key=lambda draft: _rank(draft.kind), reverse=True)
    if around.ontology_event and any(draft.kind in _ORDER[:2] for draft in going.values()):
        yield _noted(around.ontology_event)
    back = [_draft(undo, at) for undo in undos if undo.target is not None]
    yield from sorted(back, key=lambda draft: _rank(draft.kind))


def _noted(last: Event) -> Draft:
    """Return the change of the ontology itself that says that types were taken back."""
    return replace(last.draft, op=Op.UPDATE, previous=last.seq)


def _rank(kind: Kind) -> int:
    """Return when a kind comes to be: what is needed before what needs it."""
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)


def _draft(undo: Undo, at: datetime) -> Draft:
    state = None if undo.target is None else _as_of_now(undo.target, at)
    op = Op.DELETE if state is None else Op.UPDATE if undo.is_live else Op.CREATE
    last = undo.last.draft
    return replace(last, op=op, previous=undo.last.seq, state=state, content=undo.content if state else None)


def _as_of_now(state: State, at: datetime) -> State:
    return {**state, "_modified": at} if "_modified" in state else state
