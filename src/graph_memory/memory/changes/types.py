"""Computes the types of an ontology after changes. Does no I/O."""

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
    """Return the ontology after changes, without connection types that refer to missing node types.

    Types whose inverses contradict each other have no inverse. Raises INVALID_ONTOLOGY if there are too many types.
    """
    types = [draft for draft in changes if draft.kind in TYPES]
    if not types:
        return before
    deleted = {draft.subject for draft in types if draft.op is Op.DELETE}
    definitions = [type_from_draft(draft) for draft in types if draft.op is not Op.DELETE]
    nodes = {node_type.name: node_type for node_type in before.node_types if subject_of_type(node_type) not in deleted}
    nodes |= {node_type.name: node_type for node_type in definitions if isinstance(node_type, NodeType)}
    names = {ANY, *nodes}
    connection_types = without_disagreeing_inverses(
        [
            connection_type
            for connection_type in connection_types_after(before, types)
            if names.issuperset(named_node_types(connection_type))
        ]
    )
    return replace(before, node_types=tuple(nodes.values()), connection_types=tuple(connection_types))


def connection_types_after(before: Ontology, changes: Iterable[Draft]) -> list[ConnectionType]:
    """Return the declared connection types of an ontology after changes, without checking them."""
    connection_types = {
        subject_of_type(connection_type): connection_type for connection_type in before.connection_types
    }
    for draft in changes:
        if draft.kind is Kind.CONNECTION_TYPE:
            connection_types.pop(draft.subject, None)
            if draft.op is not Op.DELETE:
                connection_types[draft.subject] = cast("ConnectionType", type_from_draft(draft))
    return list(connection_types.values())


def type_changes(before: Ontology, changes: Iterable[Draft]) -> list[TypeChange]:
    """Return the modifications of existing types, each with the type before and after. Omits new and deleted types."""
    new_types = [type_from_draft(draft) for draft in changes if draft.kind in TYPES and draft.op is Op.UPDATE]
    types_by_subject = {
        subject_of_type(new_type): new_type for new_type in (*before.node_types, *before.connection_types)
    }
    return [
        TypeChange(types_by_subject[subject_of_type(new_type)], new_type)
        for new_type in new_types
        if subject_of_type(new_type) in types_by_subject
    ]


def named_node_types(connection_type: ConnectionType) -> tuple[str, ...]:
    """Return the names of the node types that a connection type allows as endpoints."""
    return (*connection_type.from_types, *connection_type.to_types)
