"""Inherited types: what a domain sees of those above it, and what its own log takes of them.

A domain may add types, and never defines one otherwise than those above it. Its log takes a type with the first thing
that is of it, so it tells by itself of all that is in it, whatever becomes of the domains above.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import MOST_TYPES, Inherited, Ontology
from graph_memory.model.ontology.types import AnyType, ConnectionType, NodeType, definition, subject_of_type
from graph_memory.model.subjects.kinds import TYPE_OF, Kind, type_subject
from graph_memory.model.text.wording import listed


def inheriting(own: Ontology, above: Sequence[tuple[str, Ontology]]) -> Ontology:
    """Return an ontology with what it lacks of those above it, the nearest first.

    What would contradict what is there, such as another inverse of one name, is left out: it is never an error, as no
    domain above asks those below it.
    """
    found: dict[str, Inherited] = {}
    for domain, ontology in above:
        for declared in (*ontology.node_types, *ontology.connection_types):
            found.setdefault(subject_of_type(declared), Inherited(declared, domain))
    mine = _subjects(own)
    whole = _with(own, [one.type for subject, one in found.items() if subject not in mine])
    return replace(whole, above=found, inherited=_subjects(whole) - mine)


def _subjects(ontology: Ontology) -> frozenset[str]:
    return frozenset(map(subject_of_type, (*ontology.node_types, *ontology.connection_types)))


def _with(own: Ontology, added: Sequence[AnyType]) -> Ontology:
    room = MOST_TYPES - len(own.node_types) - len(own.connection_types)
    nodes = [one for one in added if isinstance(one, NodeType)][:room]
    links = [one for one in added if isinstance(one, ConnectionType)][: room - len(nodes)]
    whole = own.with_types(nodes, [])
    try:
        return whole.with_types([], links)
    except GraphError:
        for link in links:
            whole = _with_link(whole, link)
        return whole


def _with_link(ontology: Ontology, link: ConnectionType) -> Ontology:
    try:
        return ontology.with_connection_type(link)
    except GraphError:
        return ontology


def is_begun(ontology: Ontology) -> bool:
    """Say whether a domain's own ontology has anything: one that `create_domain` made has not."""
    own = _subjects(ontology) - ontology.inherited
    return bool(own or ontology.open or ontology.description)


def new_to(ontology: Ontology, declared: Iterable[AnyType]) -> list[AnyType]:
    """Return those of some types that are not inherited just so."""
    return [one for one in declared if subject_of_type(one) not in ontology.inherited or _differs(ontology, one)]


def check_inherited(ontology: Ontology, declared: Iterable[AnyType]) -> None:
    """Raise TYPE_ALREADY_EXISTS for types that a domain above defines otherwise."""
    if wrong := [one for one in declared if _differs(ontology, one)]:
        first = ontology.above[subject_of_type(wrong[0])]
        titles = listed([one.title for one in wrong])
        message = f"Domain {first.domain} above this one defines {titles} otherwise"
        hint = f"Use the type as it is there, change it in domain {first.domain}, or choose another name."
        conflicts = [one.title for one in wrong]
        raise GraphError(
            Code.TYPE_ALREADY_EXISTS, message, {"conflicts": conflicts, "domain": first.domain, "hint": hint}
        )


def differing(ontology: Ontology) -> list[AnyType]:
    """Return the types of a domain that those above it define otherwise by now."""
    return [one for one in (*ontology.node_types, *ontology.connection_types) if _differs(ontology, one)]


def _differs(ontology: Ontology, declared: AnyType) -> bool:
    one = ontology.above.get(subject_of_type(declared))
    return one is not None and definition(one.type) != definition(declared)


def taken(ontology: Ontology, used: Iterable[tuple[Kind, str]], declared: Mapping[str, AnyType]) -> list[AnyType]:
    """Return the inherited types to copy into the domain's log: used types and their dependencies, node types first."""
    found: dict[str, AnyType] = {}
    asked = [type_subject(TYPE_OF[kind], name) for kind, name in used]
    asked += [subject for one in declared.values() for subject in _needed(one)]
    while asked:
        subject = asked.pop()
        if subject in ontology.inherited and subject not in found and subject not in declared:
            found[subject] = ontology.above[subject].type
            asked += _needed(found[subject])
    return sorted(found.values(), key=lambda one: (isinstance(one, ConnectionType), one.name))


def _needed(declared: AnyType) -> list[str]:
    """Return the subjects of what a type names: the ends and the inverse of a connection type."""
    if isinstance(declared, NodeType):
        return []
    ends = [type_subject(Kind.NODE_TYPE, name) for name in (*declared.from_types, *declared.to_types)]
    return [*ends, *([type_subject(Kind.CONNECTION_TYPE, declared.inverse)] if declared.inverse else [])]
