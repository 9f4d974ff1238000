"""Checks whether the stored subjects of a type fit a change of the type, without I/O.

All stored subjects are checked once, as they are read, against the new demands of the change. Violations by a single
subject are recorded with their reason. For rules about several subjects, the needed values are collected.
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
from graph_memory.model.text.wording import join_names, printable
from graph_memory.model.values.properties import PropertyValue


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A stored node or connection: the values of the checked properties, and its ends with their types."""

    id: str
    values: Sequence[PropertyValue | None]
    ends: Ends | None = None
    end_types: Ends | None = None


def unfit_end(node: Draft, attached: Sequence[Draft], ontology: Ontology) -> GraphError | None:
    """Return the error for a node whose new type is not allowed by one of its connections, or None."""
    for draft in attached:
        declared = ontology.find_connection_type(draft.type or "")
        allowing = ((draft.from_id, declared.allows_source), (draft.to_id, declared.allows_target)) if declared else ()
        if any(end == node.subject and not allows(node.type or "") for end, allows in allowing):
            message = f"Connection {draft.subject} of type {printable(draft.type)} cannot join a {printable(node.type)}"
            hint = "Delete that connection first, or keep the type of the node."
            return GraphError(Code.INVALID_TOPOLOGY, message, {"connection_id": draft.subject, "hint": hint})
    return None


@dataclass(frozen=True, slots=True)
class Misfit:
    """A stored subject that does not fit the change of its type, and the reason."""

    id: str
    reason: str


@dataclass(slots=True)
class _JointChecks:
    """The values and ends that are compared between subjects of a type: unique values, and rules of connections."""

    declared: AnyType
    """The type with only its new rules."""
    claims: dict[str, Sequence[Claim]] = field(default_factory=dict[str, Sequence[Claim]])
    edges: dict[str, Ends] = field(default_factory=dict[str, Ends])

    def add(self, subject: str, properties: Mapping[str, object], ends: Ends | None) -> None:
        """Add a subject's values and ends to which the new rules apply."""
        if subject_claims := [*claims(self.declared, properties, ends)]:
            self.claims[subject] = subject_claims
        if ends is not None and isinstance(self.declared, ConnectionType) and self.declared.acyclic:
            self.edges[subject] = ends

    def without(self, left_out: Collection[str]) -> _JointChecks:
        remaining = {subject: claims for subject, claims in self.claims.items() if subject not in left_out}
        edges = {subject: ends for subject, ends in self.edges.items() if subject not in left_out}
        return _JointChecks(self.declared, remaining, edges)

    def misfits(self) -> Iterator[Misfit]:
        """Yield the subjects that conflict with other subjects, by id."""
        owners: dict[Claim, str] = {}
        for subject in sorted(self.claims):
            for claim in self.claims[subject]:
                if (other := owners.setdefault(claim, subject)) != subject:
                    yield Misfit(subject, f"{other} has the same {describe_claim(claim)}")
        if nodes := find_cycle(self.edges.values()):
            first = min(edge_id for edge_id, ends in self.edges.items() if ends == (nodes[1], nodes[0]))
            yield Misfit(first, f"it is in a cycle of {join_names(nodes[:-1])}")


@dataclass(slots=True)
class StoredType:
    """The subjects read so far of a type whose change adds rules."""

    change: TypeChange
    count: int = 0
    _misfits: dict[str, str] = field(default_factory=dict[str, str])
    _joint: _JointChecks = field(init=False)

    def __post_init__(self) -> None:
        self._joint = _JointChecks(self.change.new_rules)

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

    def misfits(self, changes: Mapping[str, Draft] | None = None, deleted: Collection[str] = ()) -> list[Misfit]:
        """Return stored subjects that do not fit. Changed or deleted subjects are omitted: they are checked anyway."""
        modified = changes or {}
        left_out = {*modified, *deleted}
        together = self._joint.without(left_out) if left_out else self._joint
        for draft in modified.values():
            if draft.op is not Op.DELETE and (draft.kind, draft.type) == (self.kind, self.change.after.name):
                ends = (draft.from_id, draft.to_id) if draft.from_id and draft.to_id else None
                together.add(draft.subject, draft.state or {}, ends)
        single = [Misfit(subject, why) for subject, why in self._misfits.items() if subject not in left_out]
        return [*single, *together.misfits()]


def _violation_of(after: AnyType, values: Mapping[str, PropertyValue], end_types: Ends | None) -> str | None:
    """Return why a stored node or connection violates the changed type, or None."""
    try:
        check_rules(after, values)
    except GraphError as error:
        return error.message
    if end_types is not None and isinstance(after, ConnectionType) and not after.allows(*end_types):
        return f"it connects {end_types[0]} to {end_types[1]}"
    return None
