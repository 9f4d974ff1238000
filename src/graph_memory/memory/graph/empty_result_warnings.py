"""Warnings that explain an empty result, for example an unknown name or a phrase that no text contains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.memory.core import Core
from graph_memory.memory.domains.listing import list_domains
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.matching import Criteria
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.types import AnyType, PropertyRule
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import join_names, printable, quote, suggestion
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.queries import query

PROPERTY_NAMES = {
    Kind.NODE: query("graph/node_properties", str),
    Kind.CONNECTION: query("graph/connection_properties", str),
}
"""The query for property names, keyed by kind. It returns the given names that are in use, and names to suggest."""


async def warnings_of(core: Core, domain: str, criteria: Criteria) -> tuple[str, ...] | None:
    """Return possible reasons for an empty result, with suggestions, or None if no reason was found."""
    ontology = await core.log.ontology(domain)
    if ontology is None:
        names = [known_domain.name for known_domain in (await list_domains(core)).domains]
        advice = suggestion(domain, names, Hint("Create it with {create_ontology}."))
        return (Hint("Domain {domain} does not exist.", " {advice}", domain=domain, advice=advice),)
    declared_types = _types_of(ontology, criteria.kind)
    names = criteria.stored_names.types if criteria.stored_names else ()
    types = [declared_type for declared_type in declared_types if criteria.type is None or declared_type.name in names]
    if criteria.type is not None and not types:
        return (_unknown_type(criteria.kind, criteria.type, [declared_type.name for declared_type in declared_types]),)
    rules = {rule.name: rule for declared_type in types for rule in declared_type.properties}
    warnings = [
        reason
        for name, value in criteria.properties.items()
        if (reason := _explain_invalid_value(types, rules, name, value))
    ]
    warnings += await _unknown_properties(core, domain, criteria, types)
    warnings += _warn_of_phrase(criteria)
    return tuple(warnings) or None


def _warn_of_phrase(criteria: Criteria) -> list[str]:
    """Return a warning if the query consists of several words, since only texts with the exact phrase match."""
    if criteria.text is None or len(criteria.text.split()) <= 1:
        return []
    owner = "No text contains" if criteria.type is None else f"No {printable(criteria.type)} contains"
    return [f"{owner} exactly this phrase. Search for one of its words."]


async def unknown_types(core: Core, domain: str, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return a warning for each name that is not a node or connection type, or None if all names are types."""
    ontology = await core.log.ontology(domain) if names else None
    if ontology is None:
        return None
    type_names = [declared_type.name for declared_type in (*ontology.node_types, *ontology.connection_types)]
    unknown = [name for name in names or () if ontology.stored_type(name)[0] not in type_names]
    return tuple(_unknown_type(None, name, type_names) for name in unknown) or None


async def unknown_properties(core: Core, domain: str, kind: Kind, names: Sequence[str]) -> list[str]:
    """Return a warning for each property that no subject of this kind has and no type of this kind declares."""
    ontology = await core.log.ontology(domain) if names else None
    if ontology is None:
        return []
    criteria = Criteria(kind=kind, properties=dict.fromkeys(names, 0))
    return await _unknown_properties(core, domain, criteria, _types_of(ontology, kind))


def _types_of(ontology: Ontology, kind: Kind) -> Sequence[AnyType]:
    return ontology.node_types if kind is Kind.NODE else ontology.connection_types


def _unknown_type(kind: Kind | None, name: str, type_names: Sequence[str]) -> str:
    advice = suggestion(name, type_names, f"Valid types: {join_names(type_names)}.")
    label = f"{kind} type".capitalize() if kind else "Type"
    return f"{label} {quote(name)} is not in the ontology. {advice}"


def _explain_invalid_value(
    types: Sequence[AnyType], rules: Mapping[str, PropertyRule], name: str, value: PropertyValue
) -> str | None:
    """Return the reason why no subject of the queried types can have this property value, or None."""
    if len(types) == 1 and name in rules:
        try:
            rules[name].check(types[0].name, value)
        except GraphError as error:
            return f"{error.message}. {error.hint}"
    return None


async def _unknown_properties(core: Core, domain: str, criteria: Criteria, types: Sequence[AnyType]) -> list[str]:
    declared_names = {rule.name for declared_type in types for rule in declared_type.properties}
    names = [name for name in criteria.properties if name not in declared_names]
    if not names:
        return []
    params = {"types": [declared_type.name for declared_type in types], "names": names}
    used_names = set(await core.store.read(PROPERTY_NAMES[criteria.kind], domain=domain, **params))
    owner = printable(criteria.type) if criteria.type else criteria.kind
    known_names = sorted(declared_names | used_names)
    hint = f"Known properties: {join_names(known_names)}." if known_names else ""
    return [
        f"No {owner} has a property {quote(name)}. {suggestion(name, known_names, hint)}".rstrip()
        for name in names
        if name not in used_names
    ]
