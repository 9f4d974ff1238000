"""Warnings that explain an empty result: unknown names, or a phrase that no text contains."""

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

NAMES = {
    Kind.NODE: query("graph/node_properties", str),
    Kind.CONNECTION: query("graph/connection_properties", str),
}
"""Queries that return names of properties in use: names in a call, and other names to suggest."""


async def warnings_of(core: Core, domain: str, wanted: Criteria) -> tuple[str, ...] | None:
    """Return possible reasons for an empty result, with suggestions, or None if there are none."""
    ontology = await core.log.ontology(domain)
    if ontology is None:
        return (await _unknown_domain(core, domain),)
    declared = _types_of(ontology, wanted.kind)
    names = wanted.stored_names.types if wanted.stored_names else ()
    types = [defined for defined in declared if wanted.type is None or defined.name in names]
    if wanted.type is not None and not types:
        return (_unknown_type(wanted.kind, wanted.type, [defined.name for defined in declared]),)
    rules = {rule.name: rule for defined in types for rule in defined.properties}
    lines = [refusal for name, value in wanted.properties.items() if (refusal := _refusal(types, rules, name, value))]
    lines += await _unknown_properties(core, domain, wanted, [defined.name for defined in types], rules)
    lines += _exact_phrase(wanted)
    return tuple(lines) or None


def _exact_phrase(wanted: Criteria) -> list[str]:
    """Return a warning if the query has several words, since only the exact phrase matches."""
    if wanted.text is None or len(wanted.text.split()) <= 1:
        return []
    owner = "No text has" if wanted.type is None else f"No {printable(wanted.type)} has a text with"
    return [f"{owner} exactly this phrase. Search for one of its words."]


async def unknown_types(core: Core, domain: str, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return a warning for each name that is not a node or connection type, or None if all are known."""
    ontology = await core.log.ontology(domain) if names else None
    if ontology is None:
        return None
    valid = [declared.name for declared in (*ontology.node_types, *ontology.connection_types)]
    unknown = [name for name in names or () if ontology.stored_type(name)[0] not in valid]
    return tuple(_unknown_type(None, name, valid) for name in unknown) or None


async def unknown_properties(core: Core, domain: str, kind: Kind, names: Sequence[str]) -> list[str]:
    """Return a warning for each property that no subject of the kind has and no type declares."""
    ontology = await core.log.ontology(domain) if names else None
    if ontology is None:
        return []
    types = _types_of(ontology, kind)
    rules = {rule.name: rule for declared in types for rule in declared.properties}
    wanted = Criteria(kind=kind, properties=dict.fromkeys(names, 0))
    return await _unknown_properties(core, domain, wanted, [declared.name for declared in types], rules)


def _types_of(ontology: Ontology, kind: Kind) -> Sequence[AnyType]:
    return ontology.node_types if kind is Kind.NODE else ontology.connection_types


async def _unknown_domain(core: Core, domain: str) -> str:
    names = [domain.name for domain in (await list_domains(core)).domains]
    advice = suggestion(domain, names, Hint("{create_ontology} creates it."))
    return Hint("Domain {domain} does not exist.", " {advice}", domain=domain, advice=advice)


def _unknown_type(kind: Kind | None, name: str, valid: Sequence[str]) -> str:
    advice = suggestion(name, valid, f"Valid types: {join_names(valid)}.")
    label = f"{kind} type".capitalize() if kind else "Type"
    return f"{label} {printable(name)} is not in the ontology. {advice}"


def _refusal(
    types: Sequence[AnyType], rules: Mapping[str, PropertyRule], name: str, value: PropertyValue
) -> str | None:
    """Return why no subject of the queried types can have this value, or None."""
    if len(types) == 1 and name in rules:
        try:
            rules[name].check(types[0].name, value)
        except GraphError as error:
            return f"{error.message}. {error.hint}"
    return None


async def _unknown_properties(
    core: Core, domain: str, wanted: Criteria, types: Sequence[str], rules: Mapping[str, PropertyRule]
) -> list[str]:
    names = [name for name in wanted.properties if name not in rules]
    if not names:
        return []
    used = set(await core.store.read(NAMES[wanted.kind], domain=domain, types=list(types), names=names))
    owner = printable(wanted.type) if wanted.type else wanted.kind
    known = sorted({*rules, *used})
    return [
        f"No {owner} has a property {quote(name)}. {suggestion(name, known, _list_known(known))}".rstrip()
        for name in names
        if name not in used
    ]


def _list_known(known: Sequence[str]) -> str:
    return f"Known properties: {join_names(known)}." if known else ""
