"""Types in an undoing: which there are afterwards, what needs those that would go, what they do not allow. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from graph_memory.memory.revert.values import Conflict, Surroundings, Undo
from graph_memory.model.errors import GraphError
from graph_memory.model.events import Draft
from graph_memory.model.kinds import Kind, type_subject
from graph_memory.model.ontology.ontology import ANY, ConnectionType, Ontology, connection_type_from, node_type_from
from graph_memory.model.subjects import user_properties

_TYPE_OF = {Kind.NODE: Kind.NODE_TYPE, Kind.CONNECTION: Kind.CONNECTION_TYPE}


@dataclass(frozen=True, slots=True)
class Types:
    """The types once some changes are undone."""

    ontology: Ontology
    users: Mapping[str, str]
    """For each type that something needs and that would go, what needs it, in words."""
    nodes: Mapping[str, str]
    """Nodes that are ends, with their types."""

    @classmethod
    def after(cls, undos: Iterable[Undo], left: Mapping[str, Undo], around: Surroundings) -> Types:
        """Return the types once those that are left of the changes are undone."""
        going = {subject for subject, undo in left.items() if undo.target is None}
        going |= {draft.subject for node in around.attached.keys() & going for draft in around.attached[node]}
        takes_back = any(left[subject].is_type for subject in going & left.keys())
        back = {s: undo.last.draft.type or "" for s, undo in left.items() if undo.kind is Kind.NODE and s not in going}
        users = dict(_users(undos, going, around)) if takes_back else {}
        return cls(ontology_after(around.ontology, left.values()), users, {**around.living, **back})

    def needed(self, undo: Undo) -> Conflict | None:
        """Return the conflict of a type that would go and that something needs."""
        if not undo.is_type or undo.target is not None or undo.subject not in self.users:
            return None
        return Conflict(undo.subject, self.users[undo.subject])

    def without_a_type(self, undo: Undo) -> Conflict | None:
        """Return the conflict of what would be of a type, or would join nodes of one, that there is not."""
        for kind, name in _needs(undo) if undo.target is not None else ():
            find = self.ontology.find_node_type if kind is Kind.NODE_TYPE else self.ontology.find_connection_type
            if name != ANY and find(name) is None:
                what = str(kind).replace("_", " ")
                return Conflict(undo.subject, f"{what} {name}, which it needs, is not defined")
        return None

    def not_allowed(self, undo: Undo) -> Conflict | None:
        """Return the conflict of what would be as its type does not allow it."""
        try:
            self._check(undo)
        except GraphError as error:
            return Conflict(undo.subject, f"the ontology does not allow it: {error.message}")
        return None

    def _check(self, undo: Undo) -> None:
        if undo.target is None:
            return
        name, values = undo.last.draft.type or "", user_properties(undo.target)
        if undo.kind is Kind.NODE:
            self.ontology.check_node(name, values)
        elif undo.kind is Kind.CONNECTION:
            self.ontology.check_connection(name, values)
            from_type, to_type = (self.nodes.get(end, "") for end in undo.ends)
            self.ontology.check_topology(name, from_type, to_type)


def type_of(draft: Draft) -> str | None:
    """Return the subject of the type that something is of, None for what has none."""
    kind = _TYPE_OF.get(draft.kind)
    return type_subject(kind, draft.type) if kind is not None and draft.type is not None else None


def ontology_after(before: Ontology, undos: Iterable[Undo]) -> Ontology:
    """Return the ontology once these are undone, without connection types that would join what there is not.

    Raises INVALID_ONTOLOGY when there would be too many types.
    """
    types = [undo for undo in undos if undo.is_type]
    if not types:
        return before
    gone = {undo.subject for undo in types if undo.target is None}
    back = [undo for undo in types if undo.target is not None and not undo.is_live]
    nodes = [one for one in before.node_types if type_subject(Kind.NODE_TYPE, one.name) not in gone]
    nodes += [node_type_from(_declaration(undo)) for undo in back if undo.kind is Kind.NODE_TYPE]
    ties = [one for one in before.connection_types if type_subject(Kind.CONNECTION_TYPE, one.name) not in gone]
    ties += [connection_type_from(_declaration(undo)) for undo in back if undo.kind is Kind.CONNECTION_TYPE]
    names = {ANY, *(one.name for one in nodes)}
    return Ontology.create(nodes, [one for one in ties if names.issuperset(_joined(one))], open=before.open)


def _users(undos: Iterable[Undo], going: Collection[str], around: Surroundings) -> Iterator[tuple[str, str]]:
    """Give for types what needs them and stays, in words; of several for one type the last counts."""
    for declared in around.ontology.connection_types:
        if type_subject(Kind.CONNECTION_TYPE, declared.name) not in going:
            for name in _joined(declared):
                yield type_subject(Kind.NODE_TYPE, name), f"{declared.title} refers to it"
    attached = (draft for drafts in around.attached.values() for draft in drafts)
    for draft in (*(undo.last.draft for undo in undos if undo.is_live), *attached):
        subject = type_of(draft)
        if subject is not None and draft.subject not in going:
            yield subject, f"{draft.kind} {draft.subject} has this type"
    yield from around.users.items()


def _needs(undo: Undo) -> Iterator[tuple[Kind, str]]:
    """Give the types that a subject needs when its changes are undone."""
    if undo.kind is Kind.CONNECTION_TYPE:
        yield from ((Kind.NODE_TYPE, name) for name in _joined(connection_type_from(_declaration(undo))))
    elif undo.kind in _TYPE_OF:
        yield _TYPE_OF[undo.kind], undo.last.draft.type or ""


def _joined(declared: ConnectionType) -> tuple[str, ...]:
    return (*declared.from_types, *declared.to_types)


def _declaration(undo: Undo) -> dict[str, Any]:
    return json.loads(cast("str", (undo.target or {})["_definition"]))
