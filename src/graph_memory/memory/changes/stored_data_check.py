"""Checks whether the stored subjects of a type fit a change of the type. Does no I/O.

All stored subjects are checked once, as they are read, against the constraints that the change adds. Violations by a
single subject are recorded with their reason. For rules about several subjects, the values to compare are collected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.ontology_diff import TypeChange
from graph_memory.model.ontology.types import AnyType, ConnectionType, check_rules, kind_of_type, subject_of_type
from graph_memory.model.rules import Claim, Ends, claims, describe_claim, find_cycle
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import join_names, quote
from graph_memory.model.values.properties import PropertyValue


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A stored node or connection: the values of the checked properties, and its endpoints with their types."""

    id: str
    values: Sequence[PropertyValue | None]
    ends: Ends | None = None
    end_types: Ends | None = None


def incompatible_end_error(node: Draft, attached: Sequence[Draft], ontology: Ontology) -> GraphError | None:
    """Return the error for a node whose new type is not allowed by one of its connections, or None."""
    for draft in attached:
        connection_type = ontology.find_connection_type(draft.type or "")
        end_checks = (
            ((draft.from_id, connection_type.allows_source), (draft.to_id, connection_type.allows_target))
            if connection_type
            else ()
        )
        if any(end == node.subject and not allows(node.type or "") for end, allows in end_checks):
            message = (
                f"Connection {draft.subject} of type {quote(draft.type)} cannot join a node of type {quote(node.type)}"
            )
            hint = "Delete that connection first, or keep the type of the node."
            return GraphError(Code.INVALID_TOPOLOGY, message, {"connection_id": draft.subject, "hint": hint})
    return None


@dataclass(frozen=True, slots=True)
class IncompatibleSubject:
    """A stored subject that does not fit the change of its type, and the reason."""

    id: str
    reason: str


@dataclass(slots=True)
class _CrossSubjectChecks:
    """Collects the unique values and the connection endpoints that must be compared between subjects."""

    checked_type: AnyType
    """The type with only its new rules."""
    claims: dict[str, Sequence[Claim]] = field(default_factory=dict[str, Sequence[Claim]])
    edges: dict[str, Ends] = field(default_factory=dict[str, Ends])

    def add(self, subject: str, properties: Mapping[str, object], ends: Ends | None) -> None:
        if subject_claims := [*claims(self.checked_type, properties, ends)]:
            self.claims[subject] = subject_claims
        if ends is not None and isinstance(self.checked_type, ConnectionType) and self.checked_type.acyclic:
            self.edges[subject] = ends

    def without(self, omitted_ids: Collection[str]) -> _CrossSubjectChecks:
        remaining = {subject: claims for subject, claims in self.claims.items() if subject not in omitted_ids}
        edges = {subject: ends for subject, ends in self.edges.items() if subject not in omitted_ids}
        return _CrossSubjectChecks(self.checked_type, remaining, edges)

    def find_incompatible(self) -> Iterator[IncompatibleSubject]:
        """Yield the subjects that conflict with other subjects, sorted by id, and then a connection of a cycle."""
        owners: dict[Claim, str] = {}
        for subject in sorted(self.claims):
            for claim in self.claims[subject]:
                if (other := owners.setdefault(claim, subject)) != subject:
                    yield IncompatibleSubject(subject, f"{other} already has the same {describe_claim(claim)}")
        if nodes := find_cycle(self.edges.values()):
            first = min(edge_id for edge_id, ends in self.edges.items() if ends == (nodes[1], nodes[0]))
            yield IncompatibleSubject(first, f"it is in a cycle of {join_names(nodes[:-1])}")


@dataclass(slots=True)
class StoredType:
    """The check of a type whose change adds rules. It covers the stored subjects that were added so far."""

    change: TypeChange
    count: int = 0
    _misfits: dict[str, str] = field(default_factory=dict[str, str])
    _joint: _CrossSubjectChecks = field(init=False)

    def __post_init__(self) -> None:
        self._joint = _CrossSubjectChecks(self.change.new_rules)

    @property
    def subject(self) -> str:
        """The id of the type as a subject."""
        return subject_of_type(self.change.after)

    @property
    def kind(self) -> Kind:
        """The kind of the type's subjects."""
        return kind_of_type(self.change.after)

    @property
    def names(self) -> list[str]:
        """The names of the properties to check."""
        return [rule.name for rule in self.change.after.properties]

    def add(self, row: StoredRow) -> None:
        """Check a stored subject."""
        self.count += 1
        values = {name: value for name, value in zip(self.names, row.values, strict=True) if value is not None}
        if reason := _violation_of(self.change.after, values, row.end_types):
            self._misfits[row.id] = reason
        self._joint.add(row.id, values, row.ends)

    def find_incompatible(
        self, changes: Mapping[str, Draft] | None = None, deleted: Collection[str] = ()
    ) -> list[IncompatibleSubject]:
        """Return the stored subjects that do not fit. Omits changed and deleted subjects."""
        modified = changes or {}
        omitted_ids = {*modified, *deleted}
        joint_checks = self._joint.without(omitted_ids) if omitted_ids else self._joint
        for draft in modified.values():
            if draft.op is not Op.DELETE and (draft.kind, draft.type) == (self.kind, self.change.after.name):
                ends = (draft.from_id, draft.to_id) if draft.from_id and draft.to_id else None
                joint_checks.add(draft.subject, draft.state or {}, ends)
        single_misfits = [
            IncompatibleSubject(subject, reason)
            for subject, reason in self._misfits.items()
            if subject not in omitted_ids
        ]
        return [*single_misfits, *joint_checks.find_incompatible()]


def _violation_of(after: AnyType, values: Mapping[str, PropertyValue], end_types: Ends | None) -> str | None:
    """Return the reason why a stored node or connection violates the changed type, or None."""
    try:
        check_rules(after, values)
    except GraphError as error:
        return error.message
    if end_types is not None and isinstance(after, ConnectionType) and not after.allows(*end_types):
        return f"it connects {end_types[0]} to {end_types[1]}"
    return None
