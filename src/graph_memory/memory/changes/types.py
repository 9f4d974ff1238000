"""The types of an ontology after changes, without I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from graph_memory.model.events import Draft, Op
from graph_memory.model.ontology.inverses import without_disagreeing_inverses
from graph_memory.model.ontology.ontology import ANY, ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.ontology_diff import TypeChange
from graph_memory.model.ontology.types import subject_of_type
from graph_memory.model.projection import type_from_draft
from graph_memory.model.subjects.kinds import TYPES, Kind


def ontology_after(before: Ontology, changes: Iterable[Draft]) -> Ontology:
    """Return the ontology after changes, without connection types that name missing node types.

    Types whose inverses contradict each other have no inverse. Raises INVALID_ONTOLOGY for too many types.
    """
    types = [draft for draft in changes if draft.kind in TYPES]
    if not types:
        return before
    deleted = {draft.subject for draft in types if draft.op is Op.DELETE}
    definitions = [type_from_draft(draft) for draft in types if draft.op is not Op.DELETE]
    nodes = {declared.name: declared for declared in before.node_types if subject_of_type(declared) not in deleted}
    nodes |= {declared.name: declared for declared in definitions if isinstance(declared, NodeType)}
    names = {ANY, *nodes}
    connection_types = without_disagreeing_inverses(
        [
            connection_type
            for connection_type in links_after(before, types)
            if names.issuperset(joined_types(connection_type))
        ]
    )
    return replace(before, node_types=tuple(nodes.values()), connection_types=tuple(connection_types))


def links_after(before: Ontology, changes: Iterable[Draft]) -> list[ConnectionType]:
    """Return the connection types after changes, as declared."""
    links = {subject_of_type(declared): declared for declared in before.connection_types}
    for draft in changes:
        if draft.kind is Kind.CONNECTION_TYPE:
            links.pop(draft.subject, None)
            if draft.op is not Op.DELETE:
                links[draft.subject] = cast("ConnectionType", type_from_draft(draft))
    return list(links.values())


def type_changes(before: Ontology, changes: Iterable[Draft]) -> list[TypeChange]:
    """Return the types of an ontology that changes modify."""
    after = [type_from_draft(draft) for draft in changes if draft.kind in TYPES and draft.op is Op.UPDATE]
    known = {subject_of_type(declared): declared for declared in (*before.node_types, *before.connection_types)}
    return [
        TypeChange(known[subject_of_type(declared)], declared)
        for declared in after
        if subject_of_type(declared) in known
    ]


def joined_types(declared: ConnectionType) -> tuple[str, ...]:
    """Return the node types that a connection type names."""
    return (*declared.from_types, *declared.to_types)
