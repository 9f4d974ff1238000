"""Does what is stored of a type fit what the type becomes? Pure.

What a change asks that was not asked before is looked at for everything that is stored, once, as it is read: what
breaks it by itself is noted with the reason, and of what only all of it together can break, as much as that takes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.ontology_diff import TypeChange
from graph_memory.model.ontology.types import AnyType, ConnectionType, check_rules, kind_of_type, subject_of_type
from graph_memory.model.rules import Claim, Ends, claimed, claims, find_cycle
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import listed, shown
from graph_memory.model.values.properties import PropertyValue


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A stored node or connection: its ends with their types, and its values of the properties that are looked at."""

    id: str
    values: Sequence[PropertyValue | None]
    ends: Ends | None = None
    end_types: Ends | None = None


def unfit_end(node: Draft, attached: Sequence[Draft], ontology: Ontology) -> GraphError | None:
    """Return the error for a node that has a connection whose type does not allow what the node is."""
    for draft in attached:
        declared = ontology.find_connection_type(draft.type or "")
        allowing = ((draft.from_id, declared.allows_source), (draft.to_id, declared.allows_target)) if declared else ()
        if any(end == node.subject and not allows(node.type or "") for end, allows in allowing):
            message = f"Connection {draft.subject} of type {shown(draft.type)} cannot join a {shown(node.type)}"
            hint = "Delete that connection first, or leave the type of the node as it is."
            return GraphError(Code.INVALID_TOPOLOGY, message, {"connection_id": draft.subject, "hint": hint})
    return None


@dataclass(frozen=True, slots=True)
class Misfit:
    """Something stored that does not fit what its type would become, and why."""

    id: str
    reason: str


@dataclass(slots=True)
class _Together:
    """What only all that is stored of a type can break: values that must differ, and connections beside each other."""

    declared: AnyType
    """The type, with only those rules that are new."""
    claims: dict[str, Sequence[Claim]] = field(default_factory=dict[str, Sequence[Claim]])
    edges: dict[str, Ends] = field(default_factory=dict[str, Ends])

    def note(self, subject: str, properties: Mapping[str, object], ends: Ends | None) -> None:
        """Take note of one, as far as the change asks something of all together."""
        if found := [*claims(self.declared, properties, ends)]:
            self.claims[subject] = found
        if ends is not None and isinstance(self.declared, ConnectionType) and self.declared.acyclic:
            self.edges[subject] = ends

    def without(self, left_out: Collection[str]) -> _Together:
        """Return the same without some."""
        found = {subject: claims for subject, claims in self.claims.items() if subject not in left_out}
        edges = {subject: ends for subject, ends in self.edges.items() if subject not in left_out}
        return _Together(self.declared, found, edges)

    def misfits(self) -> Iterator[Misfit]:
        """Give those that stand in the way of others, by the order of their ids."""
        owners: dict[Claim, str] = {}
        for subject in sorted(self.claims):
            for claim in self.claims[subject]:
                if (other := owners.setdefault(claim, subject)) != subject:
                    yield Misfit(subject, f"{other} has the same {claimed(claim)}")
        if nodes := find_cycle(self.edges.values()):
            first = min(one for one, ends in self.edges.items() if ends == (nodes[1], nodes[0]))
            yield Misfit(first, f"it is in a cycle of {listed(nodes[:-1])}")


@dataclass(slots=True)
class Stored:
    """What is stored of a type that is to change, as far as the change asks more of it."""

    change: TypeChange
    count: int = 0
    _misfits: dict[str, str] = field(default_factory=dict[str, str])
    _together: _Together = field(init=False)

    def __post_init__(self) -> None:
        self._together = _Together(self.change.new_rules)

    @property
    def subject(self) -> str:
        """The id of the type as a subject."""
        return subject_of_type(self.change.after)

    @property
    def kind(self) -> Kind:
        """What is of the type."""
        return kind_of_type(self.change.after)

    @property
    def names(self) -> list[str]:
        """The properties that are looked at."""
        return [rule.name for rule in self.change.after.properties]

    def look(self, row: StoredRow) -> None:
        """Take note of one that is stored."""
        self.count += 1
        values = {name: value for name, value in zip(self.names, row.values, strict=True) if value is not None}
        if reason := _against(self.change.after, values, row.end_types):
            self._misfits[row.id] = reason
        self._together.note(row.id, values, row.ends)

    def misfits(self, changes: Mapping[str, Draft] | None = None, gone: Collection[str] = ()) -> list[Misfit]:
        """Return what does not fit where changes are made too. What they change is itself checked as any change is."""
        changed = changes or {}
        left_out = {*changed, *gone}
        together = self._together.without(left_out) if left_out else self._together
        for draft in changed.values():
            if draft.op is not Op.DELETE and (draft.kind, draft.type) == (self.kind, self.change.after.name):
                ends = (draft.from_id, draft.to_id) if draft.from_id and draft.to_id else None
                together.note(draft.subject, draft.state or {}, ends)
        alone = [Misfit(one, why) for one, why in self._misfits.items() if one not in left_out]
        return [*alone, *together.misfits()]


def _against(after: AnyType, values: Mapping[str, PropertyValue], end_types: Ends | None) -> str | None:
    """Return why one stored node or connection violates the changed type, or None."""
    try:
        check_rules(after, values)
    except GraphError as error:
        return error.message
    if end_types is not None and isinstance(after, ConnectionType) and not after.allows(*end_types):
        return f"it connects {end_types[0]} to {end_types[1]}"
    return None
