"""Many subjects merged into one graph: what to write, and what only the whole shows to be in conflict. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from graph_memory.memory.branches.joining import (
    as_new,
    as_one,
    is_mention,
    is_one,
    names_lacking,
    paired,
    taken_over,
    two_of_a_name,
    with_ends,
)
from graph_memory.memory.branches.subject import merge_subject
from graph_memory.memory.branches.values import Choices, Conflict, ConflictKind, ConflictSide, ThreeWay, Version, same
from graph_memory.memory.changes.plan import Changeset, Context, ends_of, entity_name, type_of
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Op, in_its_place
from graph_memory.model.ontology.ontology import ConnectionType, Ontology
from graph_memory.model.projection import declared_by, with_types
from graph_memory.model.subjects.kinds import ATTACHED, DATA, DECLARED, TYPES, Kind
from graph_memory.model.text.search_windows import windows

_OURS = frozenset({ConflictSide.OURS})


@dataclass(frozen=True, slots=True)
class Plan:
    """What a merge comes to: changes to write, conflicts that nothing settled, and those that a choice did.

    Where there are conflicts left, the changes are those that they leave possible.
    """

    drafts: tuple[Draft, ...]
    conflicts: tuple[Conflict, ...]
    settled: tuple[Conflict, ...]
    ontology: Ontology
    """With the types that come along."""


def plan(trios: Iterable[ThreeWay], around: Context, choices: Choices, at: datetime) -> Plan:
    """Return what to write, with the search windows of its texts. Raises INVALID_ARGUMENT for an unfit resolution.

    A subject that is not there in the target, but is an end of what the source changed, is given too: a choice may
    bring it back.
    """
    whole = _GraphMerge({trio.subject: trio for trio in trios}, around, choices, at)
    whole.merge_each()
    while conflicts := list(whole.found()):
        for conflict in conflicts:
            whole.settle(conflict)
    return Plan(tuple(map(_with_windows, whole.drafts())), tuple(whole.conflicts), tuple(whole.settled), whole.ontology)


class _GraphMerge:
    """The merge of all subjects, from what each comes to by itself to a graph that may be."""

    def __init__(self, trios: Mapping[str, ThreeWay], context: Context, choices: Choices, at: datetime) -> None:
        self.joined = paired(trios, context.owners)
        """Entities of the source that are ones of the target, by their names."""
        ones = {holder: as_one(trios[holder], trios[subject]) for subject, holder in self.joined.items()}
        self.trios = {
            subject: as_new(trio) for subject, trio in {**trios, **ones}.items() if subject not in self.joined
        }
        self.around = context
        self.choices = choices
        self.at = at
        self.ontology = context.ontology
        self.after: dict[str, Draft] = {}
        self.conflicts: list[Conflict] = []
        self.settled: list[Conflict] = []
        self.left: set[str] = set()
        """Subjects that stay as they are, by choice or because they are in conflict."""
        self.open: set[str] = set()
        """Those of them that are in conflict."""
        self.taking_along: set[str] = set()
        """Nodes that are deleted with all that is attached to them."""

    def merge_each(self) -> None:
        """Merge each subject by itself; what is attached to nodes once it is known which of them are one."""
        attached = [trio.subject for trio in self.trios.values() if trio.kind in ATTACHED]
        for subject in [trio for trio in self.trios if self.trios[trio].kind not in ATTACHED]:
            self._merge(self.trios[subject])
        joining = {trio.subject: holder for trio in self.trios.values() if (holder := self._join(trio))}
        stands_for = {**joining, **self.joined}
        for subject in attached:
            trio = self.trios[subject]
            self.trios[subject] = with_ends(trio, self.joined if trio.ours is None else stands_for)
            self._merge(self.trios[subject])

    def _merge(self, trio: ThreeWay) -> None:
        merged = merge_subject(trio, self.choices, self._declared(trio))
        self.settled += merged.settled
        if merged.conflicts:
            self.conflicts += merged.conflicts
            self.open.add(trio.subject)
        elif not same(merged.after, trio.ours):
            self.after[trio.subject] = _draft(trio, merged.after, self.at)

    def _join(self, trio: ThreeWay) -> str | None:
        """Return the target's entity of the name of one of the source, which becomes it if that is settled."""
        draft = self.after.get(trio.subject)
        names = [entity_name(draft.state or {})] if draft and trio.ours is None else names_lacking(trio)[-1:]
        holder = next((self.trios.get(self._changes().holder(name) or "") for name in names if name), None)
        if holder is None or holder.ours is None:
            return None
        if trio.subject in self.open:
            return holder.subject
        is_taken_over = is_mention(holder.ours)
        if not is_one(trio, holder.ours):
            self.settle(conflict := two_of_a_name(trio, holder.subject))
            take = self.choices.take(conflict)
            if take is None:
                return holder.subject
            is_taken_over = take is ConflictSide.THEIRS
        self.after.pop(trio.subject, None)
        self.left.add(trio.subject)
        self.joined[trio.subject] = holder.subject
        if is_taken_over and trio.theirs is not None and not is_mention(trio.theirs):
            self.trios[holder.subject] = way = taken_over(holder, trio)
            self.after[holder.subject] = _draft(way, way.theirs, self.at)
        return holder.subject

    def _declared(self, trio: ThreeWay) -> list[str]:
        """Return the properties that the target's ontology declares for the type of a subject."""
        named = next(version.type for version in (trio.theirs, trio.ours, trio.base) if version is not None) or ""
        find = self.ontology.find_connection_type if trio.kind is Kind.CONNECTION else self.ontology.find_node_type
        declared = find(named)
        return [rule.name for rule in declared.properties] if declared else []

    def add_types(self) -> None:
        """Make the ontology that of the target with the types that come along; what cannot is in conflict.

        What cannot come alone may come with those with which it becomes, or ceases to be, a pair.
        """
        self.ontology = self.around.ontology
        alone: list[tuple[Draft, GraphError]] = []
        for kind in TYPES:
            for draft in self._puts(kind):
                try:
                    self.ontology = with_types(self.ontology, [draft])
                except GraphError as error:
                    alone.append((draft, error))
        for draft, error in alone:
            try:
                self.ontology = with_types(self.ontology, [one for one, _ in alone if self._are_paired(draft, one)])
            except GraphError:
                self.settle(self._conflict(draft, ConflictKind.INVALID, error.message))

    def _are_paired(self, one: Draft, other: Draft) -> bool:
        """Say whether two types are the same, or one was or will be the inverse of the other."""
        names = [(declared_by(draft).name, self._inverses(draft)) for draft in (one, other)]
        (first, own), (second, others) = names
        return first == second or second in own or first in others

    def _inverses(self, draft: Draft) -> set[str]:
        """Return what is, or was in the target, the inverse of a type."""
        declared = declared_by(draft)
        before = self.around.ontology.find_connection_type(declared.name)
        return {type_.inverse for type_ in (declared, before) if isinstance(type_, ConnectionType)}

    def found(self) -> Iterator[Conflict]:
        """Give the conflicts that the whole has now, at most one for each subject and rule; types alone come first."""
        self.add_types()
        changes = self._changes()
        if unfit := [violation for kind in TYPES for draft in self._puts(kind) if (violation := changes.needed(draft))]:
            for one in unfit:
                reason = f"the target does not allow it: {one.reason}"
                yield self._conflict(one.draft, ConflictKind.INVALID, reason)
            return
        for kind in DATA:
            for draft in self._puts(kind):
                if violation := self._by_itself(changes, draft):
                    yield violation
        for draft in self.after.values():
            violation = changes.left_behind(draft) if draft.subject not in self.taking_along else None
            if violation is not None:
                first, more = violation.others[0], len(violation.others) - 1
                what = f"{first} and {more} more are" if more else f"{first} is"
                reason = f"the source deleted it, but {what} attached to it in the target; theirs deletes that too"
                yield self._conflict(draft, ConflictKind.ATTACHED, reason, takes=frozenset(ConflictSide))
        for draft in (draft for kind in DATA for draft in self._puts(kind)):
            if (taken := changes.unique(draft)) and draft.kind is Kind.LINK:
                reason = f"{taken.others[0]} is a link of its type between the same nodes already"
                yield self._conflict(draft, ConflictKind.UNIQUE, reason)
            elif taken:
                reason = f"{taken.others[0]} already has its value of the unique property {taken.property}"
                yield replace(self._conflict(draft, ConflictKind.UNIQUE, reason), name=taken.property)

    def _by_itself(self, changes: Changeset, draft: Draft) -> Conflict | None:
        """Return what stands against a subject but for the values of others and what is attached to it."""
        if missing := self._missing(changes, draft):
            can_return = all(self._can_return(end) for end in missing)
            takes = frozenset(ConflictSide) if can_return else _OURS
            told = "; theirs restores it" if can_return else ""
            reason = f"node {missing[0]}, which it needs, is not in the target{told}"
            return self._conflict(draft, ConflictKind.END, reason, takes=takes)
        if not self._is_undecided(draft) and (violation := changes.not_allowed(draft)) and violation.error:
            return self._conflict(
                draft, ConflictKind.INVALID, f"the target does not allow it: {violation.error.message}"
            )
        broken = changes.breaking_a_link(draft)
        return self._conflict(draft, ConflictKind.RULE, broken.reason) if broken else None

    def settle(self, conflict: Conflict) -> None:
        """Do what is chosen about a conflict, or leave the subject as it is and keep the conflict."""
        take = self.choices.take(conflict)
        if (obvious := self._obvious(conflict)) is not None:
            take = obvious
        else:
            (self.conflicts if take is None else self.settled).append(conflict)
        if take is ConflictSide.THEIRS:
            self._take_theirs(conflict)
            return
        self.after.pop(conflict.subject, None)
        self.left.add(conflict.subject)
        if take is None:
            self.open.add(conflict.subject)

    def _obvious(self, conflict: Conflict) -> ConflictSide | None:
        """Return whose side is right whatever is chosen: what is only named stays as long as a relation leads to it."""
        if conflict.clash is ConflictKind.ATTACHED and is_mention(self.trios[conflict.subject].ours):
            return ConflictSide.OURS
        draft = self.after.get(conflict.subject) if conflict.clash is ConflictKind.END else None
        missing = self._missing(self._changes(), draft) if draft else []
        are_named = bool(missing) and all(
            self._can_return(one) and is_mention(self.trios[one].theirs) for one in missing
        )
        return ConflictSide.THEIRS if are_named else None

    def drafts(self) -> list[Draft]:
        """Return the changes in an order in which each could be made by itself."""
        changes = self._changes()
        return [draft for draft in changes.ordered() if not self._waits(draft)]

    def _changes(self) -> Changeset:
        return Changeset(self.around, self.after, self.ontology)

    def _waits(self, draft: Draft) -> bool:
        """Say whether its type, or a node that it needs, is not there before a conflict is settled."""
        ends = any(end in self.open and end not in self.around.living for end in ends_of(draft))
        return draft.op is not Op.DELETE and (ends or type_of(draft) in self.open)

    def _puts(self, kind: Kind) -> list[Draft]:
        return [draft for draft in self.after.values() if draft.kind is kind and draft.op is not Op.DELETE]

    def _take_theirs(self, conflict: Conflict) -> None:
        if conflict.clash is ConflictKind.ATTACHED:
            self.taking_along.add(conflict.subject)
            return
        draft = self.after.get(conflict.subject)
        for end in self._missing(self._changes(), draft) if draft else ():
            self.after[end] = _draft(self.trios[end], self.trios[end].theirs, self.at)

    def _missing(self, changes: Changeset, draft: Draft) -> list[str]:
        """Return the ends of a connection or observation that are not there after the merge, whatever is decided."""
        violation = changes.without_an_end(draft)
        return [end for end in violation.others if end not in self.open] if violation else []

    def _can_return(self, node: str) -> bool:
        trio = self.trios.get(node)
        return trio is not None and trio.theirs is not None and node not in self.left and node not in self.after

    def _is_undecided(self, draft: Draft) -> bool:
        """Say whether it cannot be checked before other conflicts are settled."""
        return type_of(draft) in self.open or any(end in self.open for end in ends_of(draft))

    def _conflict(
        self, draft: Draft, clash: ConflictKind, reason: str, takes: frozenset[ConflictSide] = _OURS
    ) -> Conflict:
        kind = self.trios[draft.subject].kind
        return Conflict(subject=draft.subject, kind=kind, clash=clash, reason=reason, takes=takes)


def _draft(trio: ThreeWay, after: Version | None, at: datetime) -> Draft:
    """Return the change that a merged subject is in the target."""
    version = after or cast("Version", trio.ours)
    times = {"_modified": at} if version.kind in (Kind.NODE, Kind.CONNECTION) else {}
    state = None if after is None else {**after.state, **times}
    if state is not None and version.kind in TYPES:
        state = in_its_place(state, trio.last) if trio.last else {k: v for k, v in state.items() if k != DECLARED}
    return Draft(
        op=Op.DELETE if after is None else Op.CREATE if trio.ours is None else Op.UPDATE,
        kind=version.kind,
        subject=trio.subject,
        type=version.type,
        from_id=version.from_id,
        to_id=version.to_id,
        previous=trio.last.seq if trio.last else None,
        state=state,
        content=after and after.content,
    )


def _with_windows(draft: Draft) -> Draft:
    """Return a draft with the search windows of the text that it writes; making them takes a while."""
    if draft.kind is not Kind.NODE or draft.content is None:
        return draft
    return replace(draft, windows=tuple(windows(draft.content.text or "")))
