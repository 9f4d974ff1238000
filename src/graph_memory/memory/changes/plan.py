"""Validation and order of a set of changes, without I/O.

A change is a draft of a subject's new state or of its deletion. A violation is the reason why a change is not allowed.
Callers turn it into an error, a conflict, or a refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import cast

from graph_memory.memory.changes.stored_data_check import StoredType, unfit_end
from graph_memory.memory.changes.types import joined_types, links_after, ontology_after
from graph_memory.memory.changes.values import Owners, UniqueValue, link_value, unique_value_taken
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.ontology.indexes import unique_properties
from graph_memory.model.ontology.inverses import disagreement
from graph_memory.model.ontology.ontology import ANY, ConnectionType, Ontology
from graph_memory.model.ontology.types import subject_of_type
from graph_memory.model.projection import declared_type, type_from_draft
from graph_memory.model.rules import BrokenRule, check_subject
from graph_memory.model.subjects.kinds import DATA, TYPE_OF, TYPES, Kind, type_subject
from graph_memory.model.subjects.subjects import ENTITY
from graph_memory.model.text.wording import printable, quote, with_title
from graph_memory.model.values.properties import PropertyValue, key_value

_ORDER = (*TYPES, *DATA)
"""Subjects are created before their dependents, and deleted after them. The event of the domain is last."""
_ATTACHED = _ORDER.index(Kind.CONNECTION)
"""Connections and observations do not depend on each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The stored data that is needed to plan changes."""

    ontology: Ontology
    living: Mapping[str, str] = field(default_factory=dict[str, str])
    """The types of the ends of the subjects, by node."""
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """The deletions of the attached subjects, for each node that would be deleted or change its type."""
    owners: Owners = field(default_factory=dict[UniqueValue, Mapping[str, str | None]])
    """The owners of unique values that subjects would get."""
    used: Collection[str] = ()
    """Ids of new subjects that exist or existed before."""
    broken: Mapping[str, BrokenRule] = field(default_factory=dict[str, BrokenRule])
    """Connections that violate a rule of their type in the resulting graph, with that rule."""
    present: Sequence[Draft] = ()
    """The present state of the subjects. Only set if types would be deleted, as are the next two fields."""
    users: Mapping[str, str] = field(default_factory=dict[str, str])
    """For each type that would be deleted, an example of its use by a subject that is not deleted."""
    stored: Mapping[str, StoredType] = field(default_factory=dict[str, StoredType])
    """The stored data of types whose change adds demands."""
    most_rekeyed: int = 0
    """Maximum number of subjects of a type that may be reindexed in the transaction of the changes."""
    ontology_event: Event | None = None
    """The last event of the ontology itself."""


class Rule(StrEnum):
    """A rule that a change can violate."""

    NEEDED = "needed"
    """A remaining subject uses a type that would be deleted, or does not fit the changed type."""
    ATTACHED = "attached"
    """A subject that is attached to a deleted node would remain."""
    END = "end"
    """A node that the subject needs does not exist."""
    TYPE = "type"
    """A type that the subject needs does not exist."""
    NOT_ALLOWED = "not_allowed"
    """The ontology does not allow the change."""
    LINK = "link"
    """The connection violates a rule of its type about other connections."""
    USED = "used"
    """The id of the new subject exists or existed before."""
    UNIQUE = "unique"
    """Another subject has, or gets, the same value of a unique property."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation by one change: the rule, the reason as a phrase, and the other subjects involved."""

    draft: Draft
    rule: Rule
    reason: str
    others: tuple[str, ...] = ()
    property: str | None = None
    title: str | None = None
    """The title of the first of the other subjects, if known."""
    error: GraphError | None = None

    def refusal(self, domain: str) -> GraphError:
        """Return the error with which a write of this change is rejected."""
        draft = self.draft
        match self.rule:
            case Rule.END:
                return node_not_found(domain, self.others[0])
            case Rule.USED:
                return _already_exists(draft)
            case Rule.UNIQUE:
                return unique_value_taken(draft, self.property or "", self.others[0], self.title)
            case _:
                return self.error or GraphError(Code.INVALID_ARGUMENT, f"{draft.subject}: {self.reason}")


Check = Callable[[Draft], Violation | None]


class Changeset:
    """Changes by subject, in the requested order, with their violations."""

    def __init__(self, context: Context, changes: Mapping[str, Draft], ontology: Ontology | None = None) -> None:
        self.context = context
        self.changes = changes
        self.ontology = ontology or ontology_after(context.ontology, changes.values())
        """The ontology after the changes."""

    @classmethod
    def of(cls, context: Context, drafts: Iterable[Draft]) -> Changeset:
        """Build a changeset from drafts."""
        return cls(context, {draft.subject: draft for draft in drafts})

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks of each change, in the order in which violations are reported."""
        return (self.check_ends, self.check_ontology, self.check_links, self.check_id, self.check_unique)

    def validate(self, domain: str) -> list[Draft]:
        """Return the changes in order. Raises the error of the first violation."""
        for violation in self.violations():
            raise violation.refusal(domain)
        return self.in_order()

    def violations(self) -> Iterator[Violation]:
        """Yield the violations of all changes."""
        for draft in self.changes.values():
            for check in self.checks:
                if violation := check(draft):
                    yield violation

    def deletes(self, subject: str) -> bool:
        """Return whether these changes delete a subject."""
        return subject in self.changes and self.changes[subject].op is Op.DELETE

    def type_of(self, node: str) -> str | None:
        """Return the type of a node after the changes, or None if it does not exist."""
        change = self.changes.get(node)
        if change is None or change.kind is not Kind.NODE:
            return self.context.living.get(node)
        return None if change.op is Op.DELETE else change.type or ""

    def check_ends(self, draft: Draft) -> Violation | None:
        """Return a violation if a node that the change needs does not exist."""
        if draft.op is Op.DELETE:
            return None
        is_new = draft.op is Op.CREATE
        missing = [end for end in ends_of(draft) if (self.type_of(end) is None if is_new else self.deletes(end))]
        if not missing:
            return None
        return Violation(draft, Rule.END, f"node {missing[0]}, which it needs, does not exist", tuple(missing))

    def check_ontology(self, draft: Draft) -> Violation | None:
        """Return a violation if the ontology does not allow the change, or lacks a type."""
        if draft.op is Op.DELETE:
            return None
        try:
            check_subject(draft, self.ontology, [self.type_of(end) for end in ends_of(draft)])
        except GraphError as error:
            if (missing := self._missing_type(draft)) is None:
                return Violation(
                    draft, Rule.NOT_ALLOWED, f"the ontology does not allow it: {error.message}", error=error
                )
            return Violation(draft, Rule.TYPE, missing, error=error)
        if draft.kind is Kind.NODE:
            return self._unfit_end(draft)
        if draft.kind is not Kind.CONNECTION_TYPE:
            return None
        if missing := self._missing_type(draft):
            return Violation(draft, Rule.TYPE, missing)
        error = disagreement(cast("ConnectionType", type_from_draft(draft)), self._link_types)
        return Violation(draft, Rule.TYPE, error.message, error=error) if error else None

    def _unfit_end(self, draft: Draft) -> Violation | None:
        attached = [
            deletion for deletion in self.context.attached.get(draft.subject, ()) if not self.deletes(deletion.subject)
        ]
        error = unfit_end(draft, attached, self.ontology)
        return Violation(draft, Rule.NOT_ALLOWED, error.message, error=error) if error else None

    @cached_property
    def _link_types(self) -> list[ConnectionType]:
        return links_after(self.context.ontology, self.changes.values())

    def _missing_type(self, draft: Draft) -> str | None:
        kind, names = TYPE_OF.get(draft.kind), (draft.type or "",)
        if draft.kind is Kind.CONNECTION_TYPE:
            kind, names = Kind.NODE_TYPE, joined_types(cast("ConnectionType", type_from_draft(draft)))
        find = self.ontology.find_node_type if kind is Kind.NODE_TYPE else self.ontology.find_connection_type
        name = next((name for name in names if name != ANY and find(name) is None), None) if kind else None
        return None if name is None else f"{str(kind).replace('_', ' ')} {name}, which it needs, is not defined"

    def check_links(self, draft: Draft) -> Violation | None:
        """Return a violation if a connection violates a rule of its type about other connections."""
        broken = self.context.broken.get(draft.subject)
        return Violation(draft, Rule.LINK, broken.reason, error=broken.refusal(draft)) if broken else None

    def check_id(self, draft: Draft) -> Violation | None:
        """Return a violation if the id of a new subject exists or existed before."""
        if draft.op is not Op.CREATE or draft.subject not in self.context.used:
            return None
        return Violation(draft, Rule.USED, "it exists, or existed before")

    def check_unique(self, draft: Draft) -> Violation | None:
        """Return a violation if another subject keeps a unique value of the draft, or an earlier change sets it."""
        for value in unique_of(draft, self.ontology):
            if holder := next((other for other in self._holders(value) if other != draft.subject), None):
                title = self.context.owners[value][holder]
                reason = f"{with_title(holder, title)} now has {value}"
                return Violation(draft, Rule.UNIQUE, reason, (holder,), value.property, title)
            first = self._first_owners.get(value, draft.subject)
            if first != draft.subject and draft.subject not in self.context.owners.get(value, {}):
                title = _title(self.changes[first])
                reason = f"{with_title(first, title)} would get back {value}"
                return Violation(draft, Rule.UNIQUE, reason, (first,), value.property, title)
        return None

    def holder(self, value: UniqueValue) -> str | None:
        """Return the subject that has and keeps a unique value, or None."""
        return next(self._holders(value), None)

    def _holders(self, value: UniqueValue) -> Iterator[str]:
        for owner in self.context.owners.get(value, {}):
            change = self.changes.get(owner)
            if change is None or value in unique_of(change, self.ontology):
                yield owner

    @cached_property
    def _first_owners(self) -> Mapping[UniqueValue, str]:
        """The first subject with each unique value, by value."""
        drafts = reversed([*self.changes.values()])
        return {value: draft.subject for draft in drafts for value in unique_of(draft, self.ontology)}

    def check_attached(self, draft: Draft) -> Violation | None:
        """Return a violation if a subject that is attached to a deleted node remains."""
        if draft.op is not Op.DELETE or draft.kind is not Kind.NODE:
            return None
        remaining = [
            deletion.subject
            for deletion in self.context.attached.get(draft.subject, ())
            if not self.deletes(deletion.subject)
        ]
        if not remaining:
            return None
        label = (
            "1 connection or observation" if len(remaining) == 1 else f"{len(remaining)} connections or observations"
        )
        return Violation(draft, Rule.ATTACHED, f"deleting it would delete {label} added since", tuple(remaining))

    def check_needed(self, draft: Draft) -> Violation | None:
        """Return a violation if a subject needs a type that is deleted or changed."""
        if draft.op is Op.DELETE and draft.subject in self._users:
            return Violation(draft, Rule.NEEDED, self._users[draft.subject])
        stored = self.context.stored.get(draft.subject) if draft.op is Op.UPDATE else None
        if stored and stored.change.changes_derived and stored.count > self.context.most_rekeyed:
            verb = "indexed" if stored.change.changes_keys else "materialized"
            reason = f"{stored.count:,} {stored.kind}s would have to be {verb}; apply the intended ontology instead"
            return Violation(draft, Rule.NEEDED, reason)
        misfits = stored.misfits(self.changes, self._deleted_attached) if stored else []
        if not misfits:
            return None
        label = (
            f"{misfits[0].id} does not fit it"
            if len(misfits) == 1
            else f"{len(misfits):,} do not fit it, such as {misfits[0].id}"
        )
        return Violation(draft, Rule.NEEDED, f"{label}: {misfits[0].reason}", tuple(misfit.id for misfit in misfits))

    @cached_property
    def _deleted_attached(self) -> frozenset[str]:
        attached = (drafts for node, drafts in self.context.attached.items() if self.deletes(node))
        return frozenset(draft.subject for drafts in attached for draft in drafts)

    @cached_property
    def _users(self) -> Mapping[str, str]:
        """For each deleted type, a phrase that names a subject which still needs it. By the type's subject id."""
        deleted = {draft.subject for draft in self.changes.values() if draft.op is Op.DELETE}
        if not any(self.changes[subject].kind in TYPES for subject in deleted):
            return {}
        context = self.context
        attached = [draft for drafts in context.attached.values() for draft in drafts]
        deleted |= {draft.subject for node in context.attached.keys() & deleted for draft in context.attached[node]}
        types = {subject_of_type(defined): defined for defined in context.ontology.own_connection_types}
        types |= {draft.subject: type_from_draft(draft) for draft in self.changes.values() if _is_link_type(draft)}
        named_types = {
            type_subject(Kind.NODE_TYPE, name): f"{declared.title} refers to it"
            for subject, declared in types.items()
            if subject not in deleted and isinstance(declared, ConnectionType)
            for name in joined_types(declared)
        }
        typed_subjects = {
            subject: f"{draft.kind} {draft.subject} has this type"
            for draft in (*context.present, *attached)
            if draft.subject not in deleted and (subject := type_of(self.changes.get(draft.subject, draft))) is not None
        }
        return {**named_types, **typed_subjects, **context.users}

    def in_order(self) -> list[Draft]:
        """Return the changes and the deletions of attached subjects, each valid after the ones before it."""
        deletions: dict[str, Draft] = {}
        for draft in (draft for draft in self.changes.values() if draft.op is Op.DELETE):
            for deletion in (*self.context.attached.get(draft.subject, ()), draft):
                deletions.setdefault(
                    deletion.subject, self.changes[deletion.subject] if self.deletes(deletion.subject) else deletion
                )
        drafts = sorted(deletions.values(), key=lambda draft: -min(_order_of(draft), _ATTACHED))
        updates = sorted((draft for draft in self.changes.values() if draft.op is not Op.DELETE), key=_order_of)
        ontology_events = [self.context.ontology_event] if any(draft.kind in TYPES for draft in drafts) else []
        ontology_updates = [replace(last.draft, op=Op.UPDATE, previous=last.seq) for last in ontology_events if last]
        deleted_data, deleted_types = _split(drafts)
        updated_data, updated_types = _split(updates)
        return [*deleted_data, *updated_types, *deleted_types, *ontology_updates, *updated_data]


def ends_of(draft: Draft) -> tuple[str, ...]:
    """Return the nodes that a subject needs: the ends of a connection, the node of an observation."""
    return tuple(end for end in (draft.from_id, draft.to_id) if end is not None)


def type_of(draft: Draft) -> str | None:
    """Return the subject id of the type that a change's subject has, or None if it has no type."""
    kind = TYPE_OF.get(draft.kind)
    return type_subject(kind, draft.type) if kind is not None and draft.type is not None else None


def unique_of(draft: Draft, ontology: Ontology) -> list[UniqueValue]:
    """Return the unique values of a subject."""
    values = unique_values(draft.kind, draft.type or "", draft.state or {}, ontology)
    return values if draft.kind is not Kind.LINK else link_value(draft.from_id, draft.state or {})


def unique_values(kind: Kind, type_name: str, state: Mapping[str, object], ontology: Ontology) -> list[UniqueValue]:
    """Return the values of a state that must be unique in its type. Invalid values are omitted."""
    names = unique_properties(declared_type(kind, type_name, ontology))
    values = ((name, state[name]) for name in names if isinstance(state.get(name), (str, int, float)))
    results = [UniqueValue(kind, type_name, name, key_value(cast("PropertyValue", value))) for name, value in values]
    return [*results, *filter(None, [entity_name(state)])]


def entity_name(state: Mapping[str, object]) -> UniqueValue | None:
    """Return the name of an entity as a unique value, or None for other subjects."""
    name = state.get("name")
    return name_of_entity(name) if ENTITY in state and isinstance(name, str) else None


def name_of_entity(name: str) -> UniqueValue:
    """Return an entity name as a unique value. It is unique in a domain, across all types."""
    return UniqueValue(Kind.NODE, ANY, "name", name)


def _is_link_type(draft: Draft) -> bool:
    return draft.kind is Kind.CONNECTION_TYPE and draft.op is not Op.DELETE


def node_not_found(domain: str, node_id: str) -> GraphError:
    """Return the error for a node id that the domain does not have."""
    hint = Hint("Find nodes with {query_nodes|search_content|search_memories}.", " Ids belong to one domain.")
    return GraphError(
        Code.NODE_NOT_FOUND,
        f"Node {printable(node_id) or quote(node_id)} does not exist",
        {"node_id": printable(node_id), "domain": domain, "hint": hint},
    )


def _already_exists(draft: Draft) -> GraphError:
    hint = "Ids are never reused, even after a deletion: choose another, or omit it."
    code = Code.NODE_ALREADY_EXISTS if draft.kind is Kind.NODE else Code.CONNECTION_ALREADY_EXISTS
    message = f"{str(draft.kind).capitalize()} {draft.subject} exists, or existed before"
    return GraphError(code, message, {f"{draft.kind}_id": draft.subject, "hint": hint})


def _title(draft: Draft) -> str | None:
    title = (draft.state or {}).get("_title")
    return title if isinstance(title, str) else None


def _split(drafts: Iterable[Draft]) -> tuple[list[Draft], list[Draft]]:
    all_drafts = list(drafts)
    return [draft for draft in all_drafts if draft.kind not in TYPES], [
        draft for draft in all_drafts if draft.kind in TYPES
    ]


def _order_of(draft: Draft) -> int:
    return _ORDER.index(draft.kind) if draft.kind in _ORDER else len(_ORDER)
