"""Validates and orders a set of changes. Does no I/O.

A change is a draft of a subject's new state or of its deletion. A violation is the reason why a change is not allowed.
Callers turn it into an error or a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import cast

from graph_memory.memory.changes.stored_data_check import StoredType, incompatible_end_error
from graph_memory.memory.changes.types import connection_types_after, named_node_types, ontology_after
from graph_memory.memory.changes.values import Owners, UniqueValue, link_value, unique_value_taken_error
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.ontology.indexes import unique_properties
from graph_memory.model.ontology.inverses import find_inverse_error
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
"""The position of connections, which all attachments share in deletions: they do not depend on each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The stored data that is needed to plan changes."""

    ontology: Ontology
    existing_node_types: Mapping[str, str] = field(default_factory=dict[str, str])
    """The types of the existing nodes that are endpoints of the subjects, keyed by node id."""
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """Drafts that delete the attachments of nodes that are deleted or change type, keyed by node id."""
    owners: Owners = field(default_factory=dict[UniqueValue, Mapping[str, str | None]])
    """The current owners of the unique values that the changes set."""
    used_ids: Collection[str] = ()
    """Ids of new subjects that exist or existed before."""
    broken_rules: Mapping[str, BrokenRule] = field(default_factory=dict[str, BrokenRule])
    """The rules that connections would violate in the resulting graph, keyed by connection id."""
    current_drafts: Sequence[Draft] = ()
    """The current states of the subjects to change. This and the next two fields are only set if types are deleted."""
    users: Mapping[str, str] = field(default_factory=dict[str, str])
    """A phrase about a remaining subject of each type that would be deleted, keyed by type id."""
    stored_types: Mapping[str, StoredType] = field(default_factory=dict[str, StoredType])
    """The checks of stored subjects, for types whose change adds rules."""
    max_rekeyed: int = 0
    """Maximum number of subjects of a type that may be reindexed in the transaction of the changes."""
    ontology_event: Event | None = None
    """The last event of the ontology itself."""


class Rule(StrEnum):
    """The rule that a change violates."""

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
    """A violation of a rule by one change, with the reason as a phrase, and the other subjects involved."""

    draft: Draft
    rule: Rule
    reason: str
    others: tuple[str, ...] = ()
    property: str | None = None
    title: str | None = None
    """The title of the first of the other subjects, if known."""
    error: GraphError | None = None

    def to_error(self, domain: str) -> GraphError:
        """Return the error with which a write of this change is rejected."""
        draft = self.draft
        match self.rule:
            case Rule.END:
                return node_not_found_error(domain, self.others[0])
            case Rule.USED:
                return _already_exists_error(draft)
            case Rule.UNIQUE:
                return unique_value_taken_error(draft, self.property or "", self.others[0], self.title)
            case _:
                return self.error or GraphError(Code.INVALID_ARGUMENT, f"{draft.subject}: {self.reason}")


Check = Callable[[Draft], Violation | None]


class Changeset:
    """Changes in the requested order, keyed by subject, with their violations."""

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
            raise violation.to_error(domain)
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
            return self.context.existing_node_types.get(node)
        return None if change.op is Op.DELETE else change.type or ""

    def check_ends(self, draft: Draft) -> Violation | None:
        """Return a violation if a node that the change needs does not exist."""
        if draft.op is Op.DELETE:
            return None
        is_new = draft.op is Op.CREATE
        missing_ids = [end for end in ends_of(draft) if (self.type_of(end) is None if is_new else self.deletes(end))]
        if not missing_ids:
            return None
        reason = f"it needs node {missing_ids[0]}, which does not exist"
        return Violation(draft, Rule.END, reason, tuple(missing_ids))

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
            return self._incompatible_end(draft)
        if draft.kind is not Kind.CONNECTION_TYPE:
            return None
        if missing := self._missing_type(draft):
            return Violation(draft, Rule.TYPE, missing)
        error = find_inverse_error(cast("ConnectionType", type_from_draft(draft)), self._link_types)
        return Violation(draft, Rule.TYPE, error.message, error=error) if error else None

    def _incompatible_end(self, draft: Draft) -> Violation | None:
        attached = [
            deletion for deletion in self.context.attached.get(draft.subject, ()) if not self.deletes(deletion.subject)
        ]
        error = incompatible_end_error(draft, attached, self.ontology)
        return Violation(draft, Rule.NOT_ALLOWED, error.message, error=error) if error else None

    @cached_property
    def _link_types(self) -> list[ConnectionType]:
        return connection_types_after(self.context.ontology, self.changes.values())

    def _missing_type(self, draft: Draft) -> str | None:
        kind, names = TYPE_OF.get(draft.kind), (draft.type or "",)
        if draft.kind is Kind.CONNECTION_TYPE:
            kind, names = Kind.NODE_TYPE, named_node_types(cast("ConnectionType", type_from_draft(draft)))
        find = self.ontology.find_node_type if kind is Kind.NODE_TYPE else self.ontology.find_connection_type
        name = next((name for name in names if name != ANY and find(name) is None), None) if kind else None
        return None if name is None else f"it needs {str(kind).replace('_', ' ')} {quote(name)}, which is not defined"

    def check_links(self, draft: Draft) -> Violation | None:
        """Return a violation if a connection violates a rule of its type about other connections."""
        broken = self.context.broken_rules.get(draft.subject)
        return Violation(draft, Rule.LINK, broken.reason, error=broken.to_error(draft)) if broken else None

    def check_id(self, draft: Draft) -> Violation | None:
        """Return a violation if the id of a new subject exists or existed before."""
        if draft.op is not Op.CREATE or draft.subject not in self.context.used_ids:
            return None
        return Violation(draft, Rule.USED, "it exists, or existed before")

    def check_unique(self, draft: Draft) -> Violation | None:
        """Return a violation if another subject keeps a unique value of the draft, or an earlier change sets it."""
        for value in unique_values_of(draft, self.ontology):
            if holder := next((other for other in self._holders(value) if other != draft.subject), None):
                title = self.context.owners[value][holder]
                reason = f"{with_title(holder, title)} now has {value}"
                return Violation(draft, Rule.UNIQUE, reason, (holder,), value.property, title)
            first_owner = self._first_owners.get(value, draft.subject)
            if first_owner != draft.subject and draft.subject not in self.context.owners.get(value, {}):
                title = _title_of(self.changes[first_owner])
                reason = f"{with_title(first_owner, title)} would get back {value}"
                return Violation(draft, Rule.UNIQUE, reason, (first_owner,), value.property, title)
        return None

    def holder(self, value: UniqueValue) -> str | None:
        """Return a subject that has a unique value and keeps it after the changes, or None."""
        return next(self._holders(value), None)

    def _holders(self, value: UniqueValue) -> Iterator[str]:
        for owner in self.context.owners.get(value, {}):
            change = self.changes.get(owner)
            if change is None or value in unique_values_of(change, self.ontology):
                yield owner

    @cached_property
    def _first_owners(self) -> Mapping[UniqueValue, str]:
        """The subject of the first change that sets each unique value, keyed by value."""
        drafts = reversed([*self.changes.values()])
        return {value: draft.subject for draft in drafts for value in unique_values_of(draft, self.ontology)}

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
        phrase = (
            "1 connection or observation" if len(remaining) == 1 else f"{len(remaining)} connections or observations"
        )
        return Violation(draft, Rule.ATTACHED, f"deleting it would delete {phrase} added since", tuple(remaining))

    def check_needed(self, draft: Draft) -> Violation | None:
        """Return a violation if a subject needs a type that is deleted or changed."""
        if draft.op is Op.DELETE and draft.subject in self._users:
            return Violation(draft, Rule.NEEDED, self._users[draft.subject])
        stored = self.context.stored_types.get(draft.subject) if draft.op is Op.UPDATE else None
        if stored and stored.change.changes_derived and stored.count > self.context.max_rekeyed:
            verb = "indexed" if stored.change.changes_keys else "materialized"
            reason = f"{stored.count:,} {stored.kind}s would have to be {verb}; apply the intended ontology instead"
            return Violation(draft, Rule.NEEDED, reason)
        misfits = stored.find_incompatible(self.changes, self._deleted_attached) if stored else []
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
        """A phrase about a type or subject that needs each type, keyed by the id of the needed type."""
        deleted = {draft.subject for draft in self.changes.values() if draft.op is Op.DELETE}
        if not any(self.changes[subject].kind in TYPES for subject in deleted):
            return {}
        context = self.context
        attached = [draft for drafts in context.attached.values() for draft in drafts]
        deleted |= {draft.subject for node in context.attached.keys() & deleted for draft in context.attached[node]}
        types = {subject_of_type(link_type): link_type for link_type in context.ontology.own_connection_types}
        types |= {
            draft.subject: type_from_draft(draft)
            for draft in self.changes.values()
            if draft.kind is Kind.CONNECTION_TYPE and draft.op is not Op.DELETE
        }
        type_users = {
            type_subject(Kind.NODE_TYPE, name): f"{link_type.title} refers to it"
            for subject, link_type in types.items()
            if subject not in deleted and isinstance(link_type, ConnectionType)
            for name in named_node_types(link_type)
        }
        subject_users = {
            subject: f"{draft.kind} {draft.subject} has this type"
            for draft in (*context.current_drafts, *attached)
            if draft.subject not in deleted and (subject := type_of(self.changes.get(draft.subject, draft))) is not None
        }
        return {**type_users, **subject_users, **context.users}

    def in_order(self) -> list[Draft]:
        """Return the changes and the deletions of attachments, each valid after the preceding changes."""
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
        deleted_data, deleted_types = _split_data_and_types(drafts)
        updated_data, updated_types = _split_data_and_types(updates)
        return [*deleted_data, *updated_types, *deleted_types, *ontology_updates, *updated_data]


def ends_of(draft: Draft) -> tuple[str, ...]:
    """Return the ids of the nodes that a subject needs: a connection's endpoints, or an observation's node."""
    return tuple(end for end in (draft.from_id, draft.to_id) if end is not None)


def type_of(draft: Draft) -> str | None:
    """Return the subject id of the type of the changed subject, or None if the subject has no type."""
    kind = TYPE_OF.get(draft.kind)
    return type_subject(kind, draft.type) if kind is not None and draft.type is not None else None


def unique_values_of(draft: Draft, ontology: Ontology) -> list[UniqueValue]:
    """Return the values of a subject that must be unique, including an entity's name and a link's endpoints."""
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


def node_not_found_error(domain: str, node_id: str) -> GraphError:
    """Return the error for a node that does not exist in the domain."""
    hint = Hint("Find nodes with {query_nodes|search_content|search_memories}.", " An id is valid only in its domain.")
    details = {"node_id": printable(node_id), "domain": domain, "hint": hint}
    return GraphError(Code.NODE_NOT_FOUND, f"Node {quote(node_id)} does not exist", details)


def _already_exists_error(draft: Draft) -> GraphError:
    hint = "Choose another id, or omit it to get a new one."
    code = Code.NODE_ALREADY_EXISTS if draft.kind is Kind.NODE else Code.CONNECTION_ALREADY_EXISTS
    message = f"The id {quote(draft.subject)} belongs to an existing or deleted {draft.kind}"
    return GraphError(code, message, {f"{draft.kind}_id": draft.subject, "hint": hint})


def _title_of(draft: Draft) -> str | None:
    title = (draft.state or {}).get("_title")
    return title if isinstance(title, str) else None


def _split_data_and_types(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Draft]]:
    data = [draft for draft in drafts if draft.kind not in TYPES]
    return data, [draft for draft in drafts if draft.kind in TYPES]


def _order_of(draft: Draft) -> int:
    return _ORDER.index(draft.kind) if draft.kind in _ORDER else len(_ORDER)
