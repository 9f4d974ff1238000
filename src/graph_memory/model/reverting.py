"""Undoing changes: which earlier states to write again, and what stands against it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from graph_memory.model.content import Content
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.subjects import ONTOLOGY_KINDS, Kind, State

MOST_TOLD = 20
"""Conflicts that an error lists."""


class OnConflict(StrEnum):
    """What to do about a change that cannot simply be undone."""

    STOP = "stop"
    """Change nothing and say what stands against it."""
    SKIP = "skip"
    """Leave those subjects as they are."""
    FORCE = "force"
    """Undo later changes too, where that is possible."""


@dataclass(frozen=True, slots=True)
class UniqueValue:
    """A value that only one subject of a type may have."""

    kind: Kind
    type: str
    property: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """One subject whose changes are to be undone: its state before the first of them, and its last event."""

    subject: str
    last: Event
    target: State | None
    later: tuple[int, ...] = ()
    """Numbers of its changes since, that are not to be undone."""
    is_implied: bool = False
    """Whether it comes along with a node that is restored: then it is restored if it can be."""
    content: Content | None = None
    unique: frozenset[UniqueValue] = frozenset()
    """The values of unique properties that it would get."""
    owners: tuple[str, ...] = ()
    """Who else has one of them now."""

    @property
    def kind(self) -> Kind:
        """What it is."""
        return self.last.draft.kind

    @property
    def is_live(self) -> bool:
        """Whether it exists now."""
        return self.last.draft.op is not Op.DELETE

    @property
    def ends(self) -> tuple[str, ...]:
        """The nodes that it needs: the ends of a connection, the node of an observation."""
        return tuple(end for end in (self.last.draft.from_id, self.last.draft.to_id) if end is not None)

    @property
    def changes_nothing(self) -> bool:
        """Whether it is already as it was; of what was erased nobody knows."""
        if self.last.draft.erased:
            return False
        now = self.last.draft.state if self.is_live else None
        return _lasting(self.target) == _lasting(now)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why one subject's changes cannot simply be undone."""

    subject: str
    reason: str
    is_forcible: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What lives around the subjects: nodes that are ends, and what is attached to nodes that would go."""

    living: frozenset[str] = frozenset()
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """For each node that would be deleted, the deletions of what is attached to it now."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What undoing comes to: changes to write, and what is left as it is."""

    drafts: tuple[Draft, ...]
    skipped: tuple[Conflict, ...]


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
    while found := _conflicts(left, around, on_conflict):
        for conflict in found:
            skipped[conflict.subject] = conflict
        left = {subject: undo for subject, undo in left.items() if subject not in skipped}
    asked = [conflict for conflict in skipped.values() if not _implied(conflict, undos)]
    if asked and on_conflict is OnConflict.STOP:
        raise refused(asked)
    return Plan(tuple(_drafts(left.values(), around, at)), tuple(skipped.values()))


def refused(conflicts: Sequence[Conflict]) -> GraphError:
    """Return the error that names what stands against it."""
    first = conflicts[0]
    more = f", and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
    choices = "on_conflict skip leaves these as they are"
    force = "; force undoes the later changes too" if any(conflict.is_forcible for conflict in conflicts) else ""
    told = [
        {"subject": conflict.subject, "reason": conflict.reason, "forcible": conflict.is_forcible}
        for conflict in conflicts[:MOST_TOLD]
    ]
    message = f"{first.subject} cannot be reverted: {first.reason}{more}; nothing was changed"
    return GraphError(Code.REVERT_CONFLICT, message, {"conflicts": told, "hint": f"{choices}{force}."})


def _implied(conflict: Conflict, undos: Sequence[Undo]) -> bool:
    return any(undo.subject == conflict.subject and undo.is_implied for undo in undos)


def _conflicts(left: Mapping[str, Undo], around: Surroundings, on_conflict: OnConflict) -> list[Conflict]:
    """Return the conflicts among what is left to do; none that can be forced when that is the choice."""
    rules: tuple[Callable[[Undo], Conflict | None], ...] = (
        _of_ontology,
        _erased,
        _changed_since,
        lambda undo: _would_take_along(undo, left, around),
        lambda undo: _without_an_end(undo, left, around),
        lambda undo: _value_taken(undo, left),
    )
    found = [conflict for undo in left.values() for rule in rules if (conflict := rule(undo))]
    return [conflict for conflict in found if on_conflict is not OnConflict.FORCE or not conflict.is_forcible]


def _of_ontology(undo: Undo) -> Conflict | None:
    if undo.kind in ONTOLOGY_KINDS:
        return Conflict(undo.subject, "types are never taken back, because data written since may depend on them")
    if undo.kind is Kind.DOMAIN and undo.target is None:
        return Conflict(undo.subject, "the beginning of a domain is never taken back")
    if undo.kind is Kind.DOMAIN and _compacted_to(undo.target) != _compacted_to(undo.last.draft.state):
        return Conflict(undo.subject, "what a compaction has freed is gone")
    return None


def _compacted_to(state: State | None) -> object:
    return (state or {}).get("_compacted_to")


def _erased(undo: Undo) -> Conflict | None:
    return Conflict(undo.subject, "it was erased") if undo.last.draft.erased else None


def _changed_since(undo: Undo) -> Conflict | None:
    if not undo.later or undo.last.draft.erased:
        return None
    numbers = ", ".join(map(str, undo.later[:5])) + (", …" if len(undo.later) > 5 else "")
    return Conflict(undo.subject, f"it was changed since, in {numbers}", is_forcible=True)


def _would_take_along(undo: Undo, left: Mapping[str, Undo], around: Surroundings) -> Conflict | None:
    if undo.target is not None or undo.kind is not Kind.NODE:
        return None
    more = [draft for draft in around.attached.get(undo.subject, ()) if not _goes(draft.subject, left)]
    if not more:
        return None
    what = "1 connection or observation" if len(more) == 1 else f"{len(more)} connections or observations"
    return Conflict(undo.subject, f"deleting it would delete {what} that came since", is_forcible=True)


def _without_an_end(undo: Undo, left: Mapping[str, Undo], around: Surroundings) -> Conflict | None:
    if undo.target is None:
        return None
    for end in undo.ends:
        returns = end in left and left[end].target is not None
        if not returns and (end not in around.living or _goes(end, left)):
            return Conflict(undo.subject, f"node {end}, which it needs, does not exist")
    return None


def _value_taken(undo: Undo, left: Mapping[str, Undo]) -> Conflict | None:
    for owner in undo.owners:
        if not _goes(owner, left) and owner not in left:
            return Conflict(undo.subject, f"{owner} has the value of one of its unique properties now")
    for other in left.values():
        if other is undo:
            break
        if undo.unique & other.unique:
            return Conflict(undo.subject, f"{other.subject} gets the value of one of its unique properties back")
    return None


def _goes(subject: str, left: Mapping[str, Undo]) -> bool:
    return subject in left and left[subject].target is None


def _drafts(undos: Collection[Undo], around: Surroundings, at: datetime) -> Iterable[Draft]:
    """Give the changes in an order in which each could be made by itself."""
    gone = [undo for undo in undos if undo.target is None]
    back = [undo for undo in undos if undo.target is not None]
    going: dict[str, Draft] = {}
    for undo in sorted(gone, key=lambda undo: undo.kind is Kind.NODE):
        for draft in around.attached.get(undo.subject, ()):
            going.setdefault(draft.subject, draft)
        going.setdefault(undo.subject, _draft(undo, at))
    yield from sorted(going.values(), key=lambda draft: draft.kind is Kind.NODE)
    yield from (_draft(undo, at) for undo in sorted(back, key=lambda undo: undo.kind is not Kind.NODE))


def _draft(undo: Undo, at: datetime) -> Draft:
    state = None if undo.target is None else _as_of_now(undo.target, at)
    op = Op.DELETE if state is None else Op.UPDATE if undo.is_live else Op.CREATE
    last = undo.last.draft
    return replace(last, op=op, previous=undo.last.seq, state=state, content=undo.content if state else None)


def _as_of_now(state: State, at: datetime) -> State:
    return {**state, "_modified": at} if "_modified" in state else state


def _lasting(state: State | None) -> State | None:
    """Return a state without the time of its change."""
    return None if state is None else {key: value for key, value in state.items() if key != "_modified"}
