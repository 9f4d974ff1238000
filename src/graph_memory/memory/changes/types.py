"""The types of an ontology after changes of some of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graph_memory.model.events import Draft, Op
from graph_memory.model.kinds import TYPES
from graph_memory.model.ontology.growth import TypeChange
from graph_memory.model.ontology.ontology import ANY, ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.types import subject_of_type
from graph_memory.model.projection import declared_by


def ontology_after(before: Ontology, changes: Iterable[Draft]) -> Ontology:
    """Return the ontology after changes, without connection types that would join what there is not.

    Raises INVALID_ONTOLOGY when there would be too many types.
    """
    types = [draft for draft in changes if draft.kind in TYPES]
    if not types:
        return before
    gone = {draft.subject for draft in types if draft.op is Op.DELETE}
    put = [declared_by(draft) for draft in types if draft.op is not Op.DELETE]
    nodes = {one.name: one for one in before.node_types if subject_of_type(one) not in gone}
    nodes |= {one.name: one for one in put if isinstance(one, NodeType)}
    links = {one.name: one for one in before.connection_types if subject_of_type(one) not in gone}
    links |= {one.name: one for one in put if isinstance(one, ConnectionType)}
    names = {ANY, *nodes}
    kept = [one for one in links.values() if names.issuperset(joined(one))]
    return replace(before, node_types=tuple(nodes.values()), connection_types=tuple(kept))


def type_changes(before: Ontology, changes: Iterable[Draft]) -> list[TypeChange]:
    """Return which types of an ontology become others by changes."""
    after = [declared_by(draft) for draft in changes if draft.kind in TYPES and draft.op is Op.UPDATE]
    known = {subject_of_type(one): one for one in (*before.node_types, *before.connection_types)}
    return [TypeChange(known[subject_of_type(one)], one) for one in after if subject_of_type(one) in known]


def joined(declared: ConnectionType) -> tuple[str, ...]:
    """Return the node types that a connection type names."""
    return (*declared.from_types, *declared.to_types)
