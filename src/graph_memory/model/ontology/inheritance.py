"""Types that a domain inherits from the domains above it, and the inherited types that its own log copies.

A domain may add types, but must not redefine inherited ones. Its log copies a type with the first node or connection
of the type, so that the log is complete even if the domains above change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import MAX_TYPES, InheritedType, Ontology
from graph_memory.model.ontology.types import AnyType, ConnectionType, NodeType, definition, subject_of_type
from graph_memory.model.rights import can_read
from graph_memory.model.subjects.kinds import TYPE_OF, Kind, type_subject
from graph_memory.model.text.wording import join_names


def with_inherited_types(own: Ontology, above: Sequence[tuple[str, Ontology]]) -> Ontology:
    """Return an ontology with the types of the domains above, nearest first.

    Inherited types that contradict it, for example by another inverse with the same name, are omitted without an error.
    So a domain above can change without regard to the domains below.
    """
    above_types: dict[str, InheritedType] = {}
    for domain, ontology in above:
        for declared in (*ontology.node_types, *ontology.connection_types):
            above_types.setdefault(subject_of_type(declared), InheritedType(declared, domain))
    own_subjects = _subjects(own)
    combined = _with_types(
        own, [inherited.type for subject, inherited in above_types.items() if subject not in own_subjects]
    )
    return replace(combined, above=above_types, inherited=_subjects(combined) - own_subjects)


def _subjects(ontology: Ontology) -> frozenset[str]:
    return frozenset(map(subject_of_type, (*ontology.node_types, *ontology.connection_types)))


def _with_types(own: Ontology, added: Sequence[AnyType]) -> Ontology:
    room = MAX_TYPES - len(own.node_types) - len(own.connection_types)
    node_types = [declared for declared in added if isinstance(declared, NodeType)][:room]
    connection_types = [declared for declared in added if isinstance(declared, ConnectionType)][
        : room - len(node_types)
    ]
    combined = own.with_types(node_types, [])
    try:
        return combined.with_types([], connection_types)
    except GraphError:
        for connection_type in connection_types:
            combined = _with_connection_type(combined, connection_type)
        return combined


def _with_connection_type(ontology: Ontology, connection_type: ConnectionType) -> Ontology:
    try:
        return ontology.with_connection_type(connection_type)
    except GraphError:
        return ontology


def has_own_declarations(ontology: Ontology) -> bool:
    """Return whether a domain's own ontology has declarations. The ontology of a new domain is empty."""
    own = _subjects(ontology) - ontology.inherited
    return bool(own or ontology.open or ontology.description)


def types_not_inherited(ontology: Ontology, types: Iterable[AnyType]) -> list[AnyType]:
    """Return the types that are not inherited with the same definition."""
    return [
        declared
        for declared in types
        if subject_of_type(declared) not in ontology.inherited or _differs(ontology, declared)
    ]


def check_inherited(ontology: Ontology, types: Iterable[AnyType]) -> None:
    """Raise TYPE_ALREADY_EXISTS for types that a domain above defines differently."""
    if differing := [declared for declared in types if _differs(ontology, declared)]:
        first = ontology.above[subject_of_type(differing[0])]
        titles = join_names([declared.title for declared in differing])
        is_named = can_read(first.domain, counts=False)
        name = f"domain {first.domain}" if is_named else "a domain that this key may not read"
        message = f"{name[0].upper()}{name[1:]} above this one defines {titles} differently"
        hint = f"Use the definition of {name}, change it there, or choose another name."
        conflicts = [declared.title for declared in differing]
        details = {"conflicts": conflicts, **({"domain": first.domain} if is_named else {}), "hint": hint}
        raise GraphError(Code.TYPE_ALREADY_EXISTS, message, details)


def redefined_types(ontology: Ontology) -> list[AnyType]:
    """Return the types of a domain that a domain above now defines differently."""
    return [declared for declared in (*ontology.node_types, *ontology.connection_types) if _differs(ontology, declared)]


def _differs(ontology: Ontology, declared: AnyType) -> bool:
    inherited = ontology.above.get(subject_of_type(declared))
    return inherited is not None and definition(inherited.type) != definition(declared)


def types_to_copy(
    ontology: Ontology, used: Iterable[tuple[Kind, str]], declared_types: Mapping[str, AnyType]
) -> list[AnyType]:
    """Return the inherited types to copy into the domain's log: used types and their dependencies, node types first."""
    copied: dict[str, AnyType] = {}
    subjects = [type_subject(TYPE_OF[kind], name) for kind, name in used]
    subjects += [subject for declared in declared_types.values() for subject in _dependencies(declared)]
    while subjects:
        subject = subjects.pop()
        if subject in ontology.inherited and subject not in copied and subject not in declared_types:
            copied[subject] = ontology.above[subject].type
            subjects += _dependencies(copied[subject])
    return sorted(copied.values(), key=lambda declared: (isinstance(declared, ConnectionType), declared.name))


def _dependencies(declared: AnyType) -> list[str]:
    """Return the subject ids of the types that a connection type names: its ends and its inverse."""
    if isinstance(declared, NodeType):
        return []
    ends = [type_subject(Kind.NODE_TYPE, name) for name in (*declared.from_types, *declared.to_types)]
    return [*ends, *([type_subject(Kind.CONNECTION_TYPE, declared.inverse)] if declared.inverse else [])]
