"""Changes of one subject or many: whether the graph that they come to may be, and in which order they are made. Pure.

A change is a draft: what its subject becomes, or that it goes. The violations say what stands against one. Whoever asks
makes of them what fits: an error, a conflict, a refusal of that subject alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import cast

from graph_memory.memory.changes.stored_data_check import Stored, unfit_end
from graph_memory.memory.changes.types import joined, links_after, ontology_after
from graph_memory.memory.changes.values import Owners, UniqueValue, taken, way_of
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.ontology.indexes import unique_properties
from graph_memory.model.ontology.inverses import disagreement
from graph_memory.model.ontology.ontology import ANY, ConnectionType, Ontology
from graph_memory.model.ontology.types import subject_of_type
from graph_memory.model.projection import declared_by, declared_type
from graph_memory.model.rules import BrokenLink, check_subject
from graph_memory.model.subjects.kinds import DATA, TYPE_OF, TYPES, Kind, type_subject
from graph_memory.model.subjects.subjects import ENTITY
from graph_memory.model.text.wording import quoted, shown, with_title
from graph_memory.model.values.properties import PropertyValue, key_value

_ORDER = (*TYPES, *DATA)
"""What others need comes to be before them, and goes after them; what is told of the domain is told last."""
_ATTACHED = _ORDER.index(Kind.CONNECTION)
"""Connections and observations need each other in no order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What lives around the subjects of changes, as far as a decision looks at it."""

    ontology: Ontology
    living: Mapping[str, str] = field(default_factory=dict[str, str])
    """Nodes that are ends of the subjects, with their types."""
    attached: Mapping[str, Sequence[Draft]] = field(default_factory=dict[str, Sequence[Draft]])
    """For each node that would be deleted, or be of another type, the deletions of what is attached to it now."""
    owners: Owners = field(default_factory=dict[UniqueValue, Mapping[str, str | None]])
    """Who has values that must be unique and that subjects would get."""
    used: Collection[str] = ()
    """Ids of new subjects that something has or had already."""
    broken: Mapping[str, BrokenLink] = field(default_factory=dict[str, BrokenLink])
    """Connections that break a rule of their type in the graph that the changes come to, with that rule."""
    present: Sequence[Draft] = ()
    """What lives of the subjects now; given when types would go, as the two below."""
    users: Mapping[str, str] = field(default_factory=dict[str, str])
    """For types that would go, something of each that lives and is neither a subject nor attached to one."""
    stored: Mapping[str, Stored] = field(default_factory=dict[str, Stored])
    """For types that would change, and ask more then, what is stored of them."""
    most_rekeyed: int = 0
    """How much of a type may be indexed otherwise, as it would be in the transaction that makes the changes."""
    ontology_event: Event | None = None
    """The last event of the ontology itself."""


class Rule(StrEnum):
    """What is broken."""

    NEEDED = "needed"
    """Something that stays is of a type that goes, or names it, or does not fit what it becomes."""
    ATTACHED = "attached"
    """Something that is attached to a node that goes does not go with it by itself."""
    END = "end"
    """A node that it needs is not there."""
    TYPE = "type"
    """A type that it needs is not there."""
    NOT_ALLOWED = "not_allowed"
    """The ontology does not allow it."""
    LINK = "link"
    """A rule of its type about other connections."""
    USED = "used"
    """Something has or had its id."""
    UNIQUE = "unique"
    """Another subject has, or gets, the value of one of its unique properties."""


@dataclass(frozen=True, slots=True)
class Violation:
    """What stands against one change: the rule, the reason in words, and who else it is about."""

    draft: Draft
    rule: Rule
    reason: str
    others: tuple[str, ...] = ()
    property: str | None = None
    title: str | None = None
    """The title of the first of the others, where it is known."""
    error: GraphError | None = None

    def refusal(self, domain: str) -> GraphError:
        """Return the error with which a write of this change alone is refused."""
        draft = self.draft
        match self.rule:
            case Rule.END:
                return node_not_found(domain, self.others[0])
            case Rule.USED:
                return _exists(draft)
            case Rule.UNIQUE:
                return taken(draft, self.property or "", self.others[0], self.title)
            case _:
                return self.error or GraphError(Code.INVALID_ARGUMENT, f"{draft.subject}: {self.reason}")


Ask = Callable[[Draft], Violation | None]


class Changeset:
    """Changes by their subjects, in the order in which they were asked for, and what stands against each."""

    def __init__(self, context: Context, changes: Mapping[str, Draft], ontology: Ontology | None = None) -> None:
        self.context = context
        self.changes = changes
        self.ontology = ontology or ontology_after(context.ontology, changes.values())
        """The types that there are then."""

    @classmethod
    def of(cls, context: Context, drafts: Iterable[Draft]) -> Changeset:
        """Return the changes of these drafts."""
        return cls(context, {draft.subject: draft for draft in drafts})

    @property
    def rules(self) -> tuple[Ask, ...]:
        """What each change is asked, whoever makes it, in the order in which one that is broken is told."""
        return (self.without_an_end, self.not_allowed, self.breaking_a_link, self.used, self.unique)

    def checked(self, domain: str) -> list[Draft]:
        """Return the changes in order. Raises what stands against the first against which anything does."""
        for violation in self.violations():
            raise violation.refusal(domain)
        return self.ordered()

    def violations(self) -> Iterator[Violation]:
        """Give all that stands against the changes, each in turn."""
        for draft in self.changes.values():
            for rule in self.rules:
                if violation := rule(draft):
                    yield violation

    def goes(self, subject: str) -> bool:
        """Say whether a subject is deleted by these changes."""
        return subject in self.changes and self.changes[subject].op is Op.DELETE

    def type_of(self, node: str) -> str | None:
        """Return the type that a node has then, None when there is no such node."""
        change = self.changes.get(node)
        if change is None or change.kind is not Kind.NODE:
            return self.context.living.get(node)
        return None if change.op is Op.DELETE else change.type or ""

    def without_an_end(self, draft: Draft) -> Violation | None:
        """Return the violation of what would lack a node that it needs; what is updated had its nodes until now."""
        if draft.op is Op.DELETE:
            return None
        is_new = draft.op is Op.CREATE
        missing = [end for end in ends_of(draft) if (self.type_of(end) is None if is_new else self.goes(end))]
        if not missing:
            return None
        return Violation(draft, Rule.END, f"node {missing[0]}, which it needs, does not exist", tuple(missing))

    def not_allowed(self, draft: Draft) -> Violation | None:
        """Return the violation of what the ontology does not allow, or has no type for."""
        if draft.op is Op.DELETE:
            return None
        try:
            check_subject(draft, self.ontology, [self.type_of(end) for end in ends_of(draft)])
        except GraphError as error:
            if (lacking := self._lacking(draft)) is None:
                return Violation(
                    draft, Rule.NOT_ALLOWED, f"the ontology does not allow it: {error.message}", error=error
                )
            return Violation(draft, Rule.TYPE, lacking, error=error)
        if draft.kind is Kind.NODE:
            return self._unfit_end(draft)
        if draft.kind is not Kind.CONNECTION_TYPE:
            return None
        if lacking := self._lacking(draft):
            return Violation(draft, Rule.TYPE, lacking)
        error = disagreement(cast("ConnectionType", declared_by(draft)), self._link_types)
        return Violation(draft, Rule.TYPE, error.message, error=error) if error else None

    def _unfit_end(self, draft: Draft) -> Violation | None:
        attached = [one for one in self.context.attached.get(draft.subject, ()) if not self.goes(one.subject)]
        error = unfit_end(draft, attached, self.ontology)
        return Violation(draft, Rule.NOT_ALLOWED, error.message, error=error) if error else None

    @cached_property
    def _link_types(self) -> list[ConnectionType]:
        """The connection types that there are then, as each is declared."""
        return links_after(self.context.ontology, self.changes.values())

    def _lacking(self, draft: Draft) -> str | None:
        """Return which type there is not that a subject is of, or joins, in words."""
        kind, names = TYPE_OF.get(draft.kind), (draft.type or "",)
        if draft.kind is Kind.CONNECTION_TYPE:
            kind, names = Kind.NODE_TYPE, joined(cast("ConnectionType", declared_by(draft)))
        find = self.ontology.find_node_type if kind is Kind.NODE_TYPE else self.ontology.find_connection_type
        name = next((name for name in names if name != ANY and find(name) is None), None) if kind else None
        return None if name is None else f"{str(kind).replace('_', ' ')} {name}, which it needs, is not defined"

    def breaking_a_link(self, draft: Draft) -> Violation | None:
        """Return the violation of a connection that breaks a rule of its type about others."""
        broken = self.context.broken.get(draft.subject)
        return Violation(draft, Rule.LINK, broken.reason, error=broken.refusal(draft)) if broken else None

    def used(self, draft: Draft) -> Violation | None:
        """Return the violation of a new subject whose id something has or had."""
        if draft.op is not Op.CREATE or draft.subject not in self.context.used:
            return None
        return Violation(draft, Rule.USED, "it exists, or existed before")

    def unique(self, draft: Draft) -> Violation | None:
        """Return the violation of a value that another subject keeps, or that an earlier change of these gets."""
        for value in unique_of(draft, self.ontology):
            if holder := next((other for other in self._holders(value) if other != draft.subject), None):
                title = self.context.owners[value][holder]
                reason = f"{with_title(holder, title)} now has {value}"
                return Violation(draft, Rule.UNIQUE, reason, (holder,), value.property, title)
            first = self._takers.get(value, draft.subject)
            if first != draft.subject and draft.subject not in self.context.owners.get(value, {}):
                title = _title(self.changes[first])
                reason = f"{with_title(first, title)} would get back {value}"
                return Violation(draft, Rule.UNIQUE, reason, (first,), value.property, title)
        return None

    def holder(self, value: UniqueValue) -> str | None:
        """Return who has a unique value now and keeps it."""
        return next(self._holders(value), None)

    def _holders(self, value: UniqueValue) -> Iterator[str]:
        for owner in self.context.owners.get(value, {}):
            change = self.changes.get(owner)
            if change is None or value in unique_of(change, self.ontology):
                yield owner

    @cached_property
    def _takers(self) -> Mapping[UniqueValue, str]:
        """For each unique value the first subject that would have it."""
        drafts = reversed([*self.changes.values()])
        return {value: draft.subject for draft in drafts for value in unique_of(draft, self.ontology)}

    def left_behind(self, draft: Draft) -> Violation | None:
        """Return the violation of a node that goes without something that is attached to it."""
        if draft.op is not Op.DELETE or draft.kind is not Kind.NODE:
            return None
        more = [one.subject for one in self.context.attached.get(draft.subject, ()) if not self.goes(one.subject)]
        if not more:
            return None
        what = "1 connection or observation" if len(more) == 1 else f"{len(more)} connections or observations"
        return Violation(draft, Rule.ATTACHED, f"deleting it would delete {what} added since", tuple(more))

    def needed(self, draft: Draft) -> Violation | None:
        """Return the violation of a type that would go, or change, and that something needs as it is."""
        if draft.op is Op.DELETE and draft.subject in self._users:
            return Violation(draft, Rule.NEEDED, self._users[draft.subject])
        stored = self.context.stored.get(draft.subject) if draft.op is Op.UPDATE else None
        if stored and stored.change.changes_derived and stored.count > self.context.most_rekeyed:
            anew = "indexed" if stored.change.changes_keys else "materialized"
            reason = f"{stored.count:,} {stored.kind}s would be {anew} anew; apply the ontology that it should have"
            return Violation(draft, Rule.NEEDED, reason)
        misfits = stored.misfits(self.changes, self._attached_gone) if stored else []
        if not misfits:
            return None
        what = (
            f"{misfits[0].id} does not fit it"
            if len(misfits) == 1
            else f"{len(misfits):,} do not fit it, such as {misfits[0].id}"
        )
        return Violation(draft, Rule.NEEDED, f"{what}: {misfits[0].reason}", tuple(misfit.id for misfit in misfits))

    @cached_property
    def _attached_gone(self) -> frozenset[str]:
        """What goes with nodes that are deleted."""
        gone = (drafts for node, drafts in self.context.attached.items() if self.goes(node))
        return frozenset(draft.subject for drafts in gone for draft in drafts)

    @cached_property
    def _users(self) -> Mapping[str, str]:
        """For each type that something needs and that would go, what needs it, in words."""
        gone = {draft.subject for draft in self.changes.values() if draft.op is Op.DELETE}
        if not any(self.changes[subject].kind in TYPES for subject in gone):
            return {}
        context = self.context
        attached = [draft for drafts in context.attached.values() for draft in drafts]
        gone |= {draft.subject for node in context.attached.keys() & gone for draft in context.attached[node]}
        types = {subject_of_type(type_): type_ for type_ in context.ontology.own_connection_types}
        types |= {draft.subject: declared_by(draft) for draft in self.changes.values() if _is_link_type(draft)}
        named = {
            type_subject(Kind.NODE_TYPE, name): f"{declared.title} refers to it"
            for subject, declared in types.items()
            if subject not in gone and isinstance(declared, ConnectionType)
            for name in joined(declared)
        }
        of_it = {
            subject: f"{draft.kind} {draft.subject} has this type"
            for draft in (*context.present, *attached)
            if draft.subject not in gone and (subject := type_of(self.changes.get(draft.subject, draft))) is not None
        }
        return {**named, **of_it, **context.users}

    def ordered(self) -> list[Draft]:
        """Return the changes in an order in which each could be made by itself, with all that goes with nodes."""
        going: dict[str, Draft] = {}
        for draft in (draft for draft in self.changes.values() if draft.op is Op.DELETE):
            for one in (*self.context.attached.get(draft.subject, ()), draft):
                going.setdefault(one.subject, self.changes[one.subject] if self.goes(one.subject) else one)
        drafts = sorted(going.values(), key=lambda draft: -min(_turn(draft), _ATTACHED))
        back = sorted((draft for draft in self.changes.values() if draft.op is not Op.DELETE), key=_turn)
        note = [self.context.ontology_event] if any(draft.kind in TYPES for draft in drafts) else []
        told = [replace(last.draft, op=Op.UPDATE, previous=last.seq) for last in note if last]
        data_gone, types_gone = _split(drafts)
        data_back, types_back = _split(back)
        return [*data_gone, *types_back, *types_gone, *told, *data_back]


def ends_of(draft: Draft) -> tuple[str, ...]:
    """Return the nodes that a subject needs: the ends of a connection, the node of an observation."""
    return tuple(end for end in (draft.from_id, draft.to_id) if end is not None)


def type_of(draft: Draft) -> str | None:
    """Return the subject of the type that something is of, None for what has none."""
    kind = TYPE_OF.get(draft.kind)
    return type_subject(kind, draft.type) if kind is not None and draft.type is not None else None


def unique_of(draft: Draft, ontology: Ontology) -> list[UniqueValue]:
    """Return the values of a subject that no other of its type may have."""
    own = unique_values(draft.kind, draft.type or "", draft.state or {}, ontology)
    return own if draft.kind is not Kind.LINK else way_of(draft.from_id, draft.state or {})


def unique_values(kind: Kind, type_name: str, state: Mapping[str, object], ontology: Ontology) -> list[UniqueValue]:
    """Return the values of a state that must be unique in a type, as far as they can be values."""
    names = unique_properties(declared_type(kind, type_name, ontology))
    values = ((name, state[name]) for name in names if isinstance(state.get(name), (str, int, float)))
    results = [UniqueValue(kind, type_name, name, key_value(cast("PropertyValue", value))) for name, value in values]
    return [*results, *filter(None, [entity_name(state)])]


def entity_name(state: Mapping[str, object]) -> UniqueValue | None:
    """Return the name of an entity, None for what is none."""
    name = state.get("name")
    return name_of_entity(name) if ENTITY in state and isinstance(name, str) else None


def name_of_entity(name: str) -> UniqueValue:
    """Return the name of an entity as a value that only one node of a domain may have, whatever its type."""
    return UniqueValue(Kind.NODE, ANY, "name", name)


def _is_link_type(draft: Draft) -> bool:
    return draft.kind is Kind.CONNECTION_TYPE and draft.op is not Op.DELETE


def node_not_found(domain: str, node_id: str) -> GraphError:
    """Return the error for an id that the domain does not have."""
    hint = Hint("Find nodes with {query_nodes|search_content|search_memories}.", " Ids belong to one domain.")
    return GraphError(
        Code.NODE_NOT_FOUND,
        f"Node {shown(node_id) or quoted(node_id)} does not exist",
        {"node_id": shown(node_id), "domain": domain, "hint": hint},
    )


def _exists(draft: Draft) -> GraphError:
    hint = "Ids are never reused, even after a delete: choose another, or leave it out."
    code = Code.NODE_ALREADY_EXISTS if draft.kind is Kind.NODE else Code.CONNECTION_ALREADY_EXISTS
    message = f"{str(draft.kind).capitalize()} {draft.subject} exists, or existed before"
    return GraphError(code, message, {f"{draft.kind}_id": draft.subject, "hint": hint})


def _title(draft: Draft) -> str | None:
    title = (draft.state or {}).get("_title")
    return title if isinstance(title, str) else None


def _split(drafts: Iterable[Draft]) -> tuple[list[Draft], list[Draft]]:
    """Return the changes of data and those of types: what changes a type may let another go."""
    every = list(drafts)
    return [draft for draft in every if draft.kind not in TYPES], [draft for draft in every if draft.kind in TYPES]


def _turn(draft: Draft) -> int:
    return _ORDER.index(draft.kind) if draft.kind in _ORDER else len(_ORDER)
