"""The types that a domain inherits from its ancestors, and their copies in the domain's own log.

A domain can add types, but must not redefine inherited types. With the first node or connection of an inherited type,
the type is copied to the domain's log. The log is therefore complete even if the ancestors change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import MAX_TYPES, InheritedType, Ontology
from graph_memory.model.ontology.types import AnyType, ConnectionType, NodeType, definition, subject_of_type
from graph_memory.model.rights import can_read
from graph_memory.model.subjects.kinds import TYPE_OF, Kind, type_subject
from graph_memory.model.text.wording import join_names


def with_inherited_types(own_ontology: Ontology, ancestors: Sequence[tuple[str, Ontology]]) -> Ontology:
    """Return a domain's own ontology with the types inherited from `ancestors`, nearest domain first.

    Inherited types that contradict the ontology, for example because of an inverse with the same name, are omitted
    without an error. An ancestor can therefore change even if this contradicts its descendants.
    """
    above_types: dict[str, InheritedType] = {}
    for domain, ontology in ancestors:
        for declared_type in (*ontology.node_types, *ontology.connection_types):
            above_types.setdefault(subject_of_type(declared_type), InheritedType(declared_type, domain))
    own_subjects = _subjects(own_ontology)
    combined = _with_types(
        own_ontology, [inherited.type for subject, inherited in above_types.items() if subject not in own_subjects]
    )
    return replace(combined, above=above_types, inherited=_subjects(combined) - own_subjects)


def _subjects(ontology: Ontology) -> frozenset[str]:
    return frozenset(map(subject_of_type, (*ontology.node_types, *ontology.connection_types)))


def _with_types(own_ontology: Ontology, inherited_types: Sequence[AnyType]) -> Ontology:
    max_new_types = MAX_TYPES - len(own_ontology.node_types) - len(own_ontology.connection_types)
    node_types = [declared_type for declared_type in inherited_types if isinstance(declared_type, NodeType)][
        :max_new_types
    ]
    connection_types = [
        declared_type for declared_type in inherited_types if isinstance(declared_type, ConnectionType)
    ][: max_new_types - len(node_types)]
    combined = own_ontology.with_types(node_types, [])
    try:
        return combined.with_types([], connection_types)
    except GraphError:
        for connection_type in connection_types:
            with suppress(GraphError):
                combined = combined.with_connection_type(connection_type)
        return combined


def has_own_declarations(ontology: Ontology) -> bool:
    """Return whether a domain itself declares types or a description, or is open. New domains do not."""
    own_subjects = _subjects(ontology) - ontology.inherited
    return bool(own_subjects or ontology.open or ontology.description)


def types_not_inherited(ontology: Ontology, types: Iterable[AnyType]) -> list[AnyType]:
    """Return the types to declare in the domain's own log, because they are not inherited unchanged."""
    return [
        declared_type
        for declared_type in types
        if subject_of_type(declared_type) not in ontology.inherited or _differs(ontology, declared_type)
    ]


def check_inherited(ontology: Ontology, types: Iterable[AnyType]) -> None:
    """Raise TYPE_ALREADY_EXISTS if an ancestor defines one of the types differently."""
    if differing := [declared_type for declared_type in types if _differs(ontology, declared_type)]:
        first = ontology.above[subject_of_type(differing[0])]
        conflicts = [declared_type.title for declared_type in differing]
        is_named = can_read(first.domain, counts=False)
        name = f"domain {first.domain}" if is_named else "a domain that this key may not read"
        message = f"{name[0].upper()}{name[1:]} above this one defines {join_names(conflicts)} differently"
        hint = f"Use the definition of {name}, change it there, or choose another name."
        details = {"conflicts": conflicts, **({"domain": first.domain} if is_named else {}), "hint": hint}
        raise GraphError(Code.TYPE_ALREADY_EXISTS, message, details)


def redefined_types(ontology: Ontology) -> list[AnyType]:
    """Return the types in the ontology that an ancestor now defines differently, because the ancestor changed later."""
    return [
        declared_type
        for declared_type in (*ontology.node_types, *ontology.connection_types)
        if _differs(ontology, declared_type)
    ]


def _differs(ontology: Ontology, declared_type: AnyType) -> bool:
    inherited = ontology.above.get(subject_of_type(declared_type))
    return inherited is not None and definition(inherited.type) != definition(declared_type)


def types_to_copy(
    ontology: Ontology, used_types: Iterable[tuple[Kind, str]], declared_types: Mapping[str, AnyType]
) -> list[AnyType]:
    """Return the inherited types to copy to the domain's log: the used types and their dependencies.

    Node types come first. `declared_types` are the types that the same write declares, by subject id. Their
    dependencies are copied too.
    """
    copied: dict[str, AnyType] = {}
    subjects = [type_subject(TYPE_OF[kind], name) for kind, name in used_types]
    subjects += [subject for declared_type in declared_types.values() for subject in _dependencies(declared_type)]
    while subjects:
        subject = subjects.pop()
        if subject in ontology.inherited and subject not in copied and subject not in declared_types:
            copied[subject] = ontology.above[subject].type
            subjects += _dependencies(copied[subject])
    return sorted(
        copied.values(), key=lambda declared_type: (isinstance(declared_type, ConnectionType), declared_type.name)
    )


def _dependencies(declared_type: AnyType) -> list[str]:
    """Return the subject ids of the types that a type refers to: a connection type's endpoint types and its inverse."""
    if isinstance(declared_type, NodeType):
        return []
    ends = [type_subject(Kind.NODE_TYPE, name) for name in (*declared_type.from_types, *declared_type.to_types)]
    return [*ends, *([type_subject(Kind.CONNECTION_TYPE, declared_type.inverse)] if declared_type.inverse else [])]
