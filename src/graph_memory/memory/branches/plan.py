"""Merges all subjects into one graph. Finds the changes to write, and conflicts between subjects. Does no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from graph_memory.memory.branches.joining import (
    as_created_by_source,
    find_merged_entities,
    is_joined_without_choice,
    is_mention,
    join_entity,
    names_missing_in_target,
    redirect_ends,
    same_name_conflict,
    with_source_entity,
)
from graph_memory.memory.branches.subject import merge_subject
from graph_memory.memory.branches.values import (
    Choices,
    Conflict,
    ConflictKind,
    ConflictSide,
    MergeItem,
    Version,
    is_same_version,
)
from graph_memory.memory.changes.plan import Changeset, Context, ends_of, entity_name, type_of
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft, Op, keep_declaration_order
from graph_memory.model.ontology.ontology import ConnectionType, Ontology
from graph_memory.model.projection import type_from_draft, with_types
from graph_memory.model.subjects.kinds import ATTACHED, DATA, DECLARED, TYPES, Kind
from graph_memory.model.text.search_windows import windows
from graph_memory.model.text.wording import quote

_ONLY_OURS = frozenset({ConflictSide.OURS})


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes that a merge writes, the unresolved conflicts, and the conflicts that a choice resolved.

    If there are unresolved conflicts, `drafts` contains only the changes that do not depend on them.
    """

    drafts: tuple[Draft, ...]
    conflicts: tuple[Conflict, ...]
    settled: tuple[Conflict, ...]
    ontology: Ontology
    """The target's ontology after the merge."""


def plan(items: Iterable[MergeItem], context: Context, choices: Choices, at: datetime) -> Plan:
    """Return the plan, with the search windows of its texts. Raises INVALID_ARGUMENT if a resolution is invalid.

    `items` must include the endpoints of changed subjects that the target lacks, because a choice may restore them.
    """
    graph_merge = _GraphMerge({item.subject: item for item in items}, context, choices, at)
    graph_merge.merge_subjects()
    while conflicts := list(graph_merge.find_conflicts()):
        for conflict in conflicts:
            graph_merge.settle(conflict)
    return Plan(
        tuple(map(_with_windows, graph_merge.drafts())),
        tuple(graph_merge.conflicts),
        tuple(graph_merge.settled),
        graph_merge.ontology,
    )


class _GraphMerge:
    """Merges all subjects into a valid graph.

    Call `merge_subjects`. Then call `settle` for each conflict that `find_conflicts` yields, until it yields none.
    """

    def __init__(self, items: Mapping[str, MergeItem], context: Context, choices: Choices, at: datetime) -> None:
        self.target_ids = find_merged_entities(items, context.owners)
        """The id of the target's entity, keyed by the id of the source entity that is joined with it."""
        joined_items = {
            holder: with_source_entity(items[holder], items[subject]) for subject, holder in self.target_ids.items()
        }
        self.items = {
            subject: as_created_by_source(item)
            for subject, item in {**items, **joined_items}.items()
            if subject not in self.target_ids
        }
        self.context = context
        self.choices = choices
        self.at = at
        self.ontology = context.ontology
        self.after: dict[str, Draft] = {}
        self.conflicts: list[Conflict] = []
        self.settled: list[Conflict] = []
        self.unchanged: set[str] = set()
        """Subjects that keep the target's version, by choice or because they are in conflict."""
        self.in_conflict: set[str] = set()
        """Subjects with an unresolved conflict. They keep the target's version."""
        self.deleted_with_attached: set[str] = set()
        """Nodes that are deleted with all their attachments."""

    def merge_subjects(self) -> None:
        """Merge each subject separately. Attachments are merged after entities are joined."""
        attached_ids = [item.subject for item in self.items.values() if item.kind in ATTACHED]
        for subject in [subject for subject in self.items if self.items[subject].kind not in ATTACHED]:
            self._merge(self.items[subject])
        new_target_ids = {item.subject: holder for item in self.items.values() if (holder := self._join_entities(item))}
        all_target_ids = {**new_target_ids, **self.target_ids}
        for subject in attached_ids:
            item = self.items[subject]
            self.items[subject] = redirect_ends(item, self.target_ids if item.ours is None else all_target_ids)
            self._merge(self.items[subject])

    def _merge(self, item: MergeItem) -> None:
        merged = merge_subject(item, self.choices, self._property_names(item))
        self.settled += merged.settled
        if merged.conflicts:
            self.conflicts += merged.conflicts
            self.in_conflict.add(item.subject)
        elif not is_same_version(merged.after, item.ours):
            self.after[item.subject] = _draft(item, merged.after, self.at)

    def _join_entities(self, item: MergeItem) -> str | None:
        """Return the id of the target's entity with the same name, or None if there is no such entity.

        Joins both entities, unless they conflict and no choice resolves the conflict.
        """
        draft = self.after.get(item.subject)
        names = [entity_name(draft.state or {})] if draft and item.ours is None else names_missing_in_target(item)[-1:]
        holder = next((self.items.get(self._changes().holder(name) or "") for name in names if name), None)
        if holder is None or holder.ours is None:
            return None
        if item.subject in self.in_conflict:
            return holder.subject
        is_taken_over = is_mention(holder.ours)
        if not is_joined_without_choice(item, holder.ours):
            self.settle(conflict := same_name_conflict(item, holder.subject))
            take = self.choices.take(conflict)
            if take is None:
                return holder.subject
            is_taken_over = take is ConflictSide.THEIRS
        self.after.pop(item.subject, None)
        self.unchanged.add(item.subject)
        self.target_ids[item.subject] = holder.subject
        if is_taken_over and item.theirs is not None and not is_mention(item.theirs):
            self.items[holder.subject] = new_item = join_entity(holder, item)
            self.after[holder.subject] = _draft(new_item, new_item.theirs, self.at)
        return holder.subject

    def _property_names(self, item: MergeItem) -> list[str]:
        """Return the names of the properties that the target's ontology declares for the subject's type."""
        type_name = next(version.type for version in (item.theirs, item.ours, item.base) if version is not None) or ""
        find = self.ontology.find_connection_type if item.kind is Kind.CONNECTION else self.ontology.find_node_type
        type_definition = find(type_name)
        return [rule.name for rule in type_definition.properties] if type_definition else []

    def add_types(self) -> None:
        """Add the source's types to the target's ontology. Types that cannot be added become conflicts.

        If a type cannot be added alone, tries to add it together with its inverse types before and after the merge.
        """
        self.ontology = self.context.ontology
        rejected: list[tuple[Draft, GraphError]] = []
        for kind in TYPES:
            for draft in self._drafts_of_kind(kind):
                try:
                    self.ontology = with_types(self.ontology, [draft])
                except GraphError as error:
                    rejected.append((draft, error))
        for draft, error in rejected:
            try:
                self.ontology = with_types(
                    self.ontology, [other_draft for other_draft, _ in rejected if self._are_paired(draft, other_draft)]
                )
            except GraphError:
                self.settle(self._conflict(draft, ConflictKind.INVALID, error.message))

    def _are_paired(self, first_draft: Draft, second_draft: Draft) -> bool:
        """Return whether two changes are about one type, or about types that are or become inverses of each other."""
        names = [
            (type_from_draft(type_draft).name, self._inverses(type_draft)) for type_draft in (first_draft, second_draft)
        ]
        (first, own), (second, others) = names
        return first == second or second in own or first in others

    def _inverses(self, draft: Draft) -> set[str]:
        """Return the inverses of a type before and after the merge."""
        merged_type = type_from_draft(draft)
        type_before = self.context.ontology.find_connection_type(merged_type.name)
        return {
            inverse_type.inverse
            for inverse_type in (merged_type, type_before)
            if isinstance(inverse_type, ConnectionType)
        }

    def find_conflicts(self) -> Iterator[Conflict]:
        """Yield the conflicts of the merged graph, at most one for each subject and rule.

        If there are conflicts about types, only these are yielded.
        """
        self.add_types()
        changes = self._changes()
        if violations := [
            violation
            for kind in TYPES
            for draft in self._drafts_of_kind(kind)
            if (violation := changes.check_needed(draft))
        ]:
            for broken in violations:
                reason = f"the target does not allow it: {broken.reason}"
                yield self._conflict(broken.draft, ConflictKind.INVALID, reason)
            return
        for kind in DATA:
            for draft in self._drafts_of_kind(kind):
                if violation := self._find_subject_conflict(changes, draft):
                    yield violation
        for draft in self.after.values():
            violation = changes.check_attached(draft) if draft.subject not in self.deleted_with_attached else None
            if violation is not None:
                first, more = violation.others[0], len(violation.others) - 1
                attached = f"{first} and {more} more are" if more else f"{first} is"
                reason = f"the source deleted it, but {attached} attached to it in the target; theirs deletes that too"
                yield self._conflict(draft, ConflictKind.ATTACHED, reason, takes=frozenset(ConflictSide))
        for draft in (draft for kind in DATA for draft in self._drafts_of_kind(kind)):
            if (value_conflict := changes.check_unique(draft)) and draft.kind is Kind.LINK:
                reason = f"{value_conflict.others[0]} is already a link of this type between the same nodes"
                yield self._conflict(draft, ConflictKind.UNIQUE, reason)
            elif value_conflict:
                reason = f"{value_conflict.others[0]} already has its value of {quote(value_conflict.property)}"
                yield replace(self._conflict(draft, ConflictKind.UNIQUE, reason), name=value_conflict.property)

    def _find_subject_conflict(self, changes: Changeset, draft: Draft) -> Conflict | None:
        """Return the conflict about a subject's endpoints, type or rules. Ignores unique values and attachments."""
        if missing_ends := self._missing_ends(changes, draft):
            can_return = all(self._can_restore(end) for end in missing_ends)
            takes = frozenset(ConflictSide) if can_return else _ONLY_OURS
            remedy_text = "; theirs restores it" if can_return else ""
            reason = f"it needs node {missing_ends[0]}, which is not in the target{remedy_text}"
            return self._conflict(draft, ConflictKind.END, reason, takes=takes)
        if not self._is_undecided(draft) and (violation := changes.check_ontology(draft)) and violation.error:
            return self._conflict(
                draft, ConflictKind.INVALID, f"the target does not allow it: {violation.error.message}"
            )
        violation = changes.check_links(draft)
        return self._conflict(draft, ConflictKind.RULE, violation.reason) if violation else None

    def settle(self, conflict: Conflict) -> None:
        """Resolve a conflict as the choices require.

        If no choice resolves the conflict, records it as unresolved and leaves its subject unchanged.
        """
        take = self.choices.take(conflict)
        if (forced := self._forced_side(conflict)) is not None:
            take = forced
        else:
            (self.conflicts if take is None else self.settled).append(conflict)
        if take is ConflictSide.THEIRS:
            self._take_theirs(conflict)
            return
        self.after.pop(conflict.subject, None)
        self.unchanged.add(conflict.subject)
        if take is None:
            self.in_conflict.add(conflict.subject)

    def _forced_side(self, conflict: Conflict) -> ConflictSide | None:
        """Return the side that wins regardless of the choices, or None. A mention is kept if relations need it."""
        if conflict.clash is ConflictKind.ATTACHED and is_mention(self.items[conflict.subject].ours):
            return ConflictSide.OURS
        draft = self.after.get(conflict.subject) if conflict.clash is ConflictKind.END else None
        missing_ends = self._missing_ends(self._changes(), draft) if draft else []
        are_mentions = bool(missing_ends) and all(
            self._can_restore(node) and is_mention(self.items[node].theirs) for node in missing_ends
        )
        return ConflictSide.THEIRS if are_mentions else None

    def drafts(self) -> list[Draft]:
        """Return the changes, ordered so that each is valid after the preceding changes."""
        changes = self._changes()
        return [draft for draft in changes.in_order() if not self._waits_for_conflict(draft)]

    def _changes(self) -> Changeset:
        return Changeset(self.context, self.after, self.ontology)

    def _waits_for_conflict(self, draft: Draft) -> bool:
        """Return whether a change needs a type or node that will exist only after a conflict is resolved."""
        has_pending_ends = any(
            end in self.in_conflict and end not in self.context.existing_node_types for end in ends_of(draft)
        )
        return draft.op is not Op.DELETE and (has_pending_ends or type_of(draft) in self.in_conflict)

    def _drafts_of_kind(self, kind: Kind) -> list[Draft]:
        return [draft for draft in self.after.values() if draft.kind is kind and draft.op is not Op.DELETE]

    def _take_theirs(self, conflict: Conflict) -> None:
        if conflict.clash is ConflictKind.ATTACHED:
            self.deleted_with_attached.add(conflict.subject)
            return
        draft = self.after.get(conflict.subject)
        for end in self._missing_ends(self._changes(), draft) if draft else ():
            self.after[end] = _draft(self.items[end], self.items[end].theirs, self.at)

    def _missing_ends(self, changes: Changeset, draft: Draft) -> list[str]:
        """Return the endpoints of a subject that will not exist after the merge, regardless of the choices."""
        violation = changes.check_ends(draft)
        return [end for end in violation.others if end not in self.in_conflict] if violation else []

    def _can_restore(self, node: str) -> bool:
        item = self.items.get(node)
        return item is not None and item.theirs is not None and node not in self.unchanged and node not in self.after

    def _is_undecided(self, draft: Draft) -> bool:
        """Return whether a change can be checked only after conflicts about its type or endpoints are resolved."""
        return type_of(draft) in self.in_conflict or any(end in self.in_conflict for end in ends_of(draft))

    def _conflict(
        self, draft: Draft, clash: ConflictKind, reason: str, takes: frozenset[ConflictSide] = _ONLY_OURS
    ) -> Conflict:
        kind = self.items[draft.subject].kind
        return Conflict(subject=draft.subject, kind=kind, clash=clash, reason=reason, takes=takes)


def _draft(item: MergeItem, after: Version | None, at: datetime) -> Draft:
    version = after or cast("Version", item.ours)
    times = {"_modified": at} if version.kind in (Kind.NODE, Kind.CONNECTION) else {}
    state = None if after is None else {**after.state, **times}
    if state is not None and version.kind in TYPES:
        state = (
            keep_declaration_order(state, item.last) if item.last else {k: v for k, v in state.items() if k != DECLARED}
        )
    return Draft(
        op=Op.DELETE if after is None else Op.CREATE if item.ours is None else Op.UPDATE,
        kind=version.kind,
        subject=item.subject,
        type=version.type,
        from_id=version.from_id,
        to_id=version.to_id,
        previous=item.last.seq if item.last else None,
        state=state,
        content=after and after.content,
    )


def _with_windows(draft: Draft) -> Draft:
    if draft.kind is not Kind.NODE or draft.content is None:
        return draft
    return replace(draft, windows=tuple(windows(draft.content.text or "")))
