"""Resolves ids and aliases of entities where a name is expected. Names take precedence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from graph_memory.memory.core import Core
from graph_memory.memory.entities.edits import EntityEdit, ObservationEdit
from graph_memory.memory.entity_graph.entity_queries import names_of
from graph_memory.memory.entity_graph.other_names import names_by_alias, names_by_reference
from graph_memory.memory.entity_graph.values.request import NewObservations, NewRelation, Removal
from graph_memory.storage.store import Reader

N = TypeVar("N", NewObservations, Removal, EntityEdit, ObservationEdit)


async def resolve_all(core: Core, domain: str, references: Iterable[str]) -> list[str]:
    """Return the entity names for the references, without duplicates. An alias may refer to several entities."""
    references = list(references)
    by_id = await names_of(core.store, domain, references)
    by_alias = await names_by_alias(core.store, domain, (text for text in references if text not in by_id))
    names = (by_alias.get(text, [by_id.get(text, text)]) for text in references)
    return list(dict.fromkeys(chain.from_iterable(names)))


async def resolve_names(core: Core, domain: str, references: Iterable[str]) -> list[str]:
    """Return the names of the referenced entities without duplicates. Unknown references are returned unchanged.

    Raises INVALID_ARGUMENT if an alias is ambiguous.
    """
    references = list(references)
    resolved_names = await names_by_reference(core.store, domain, references, ends=True)
    return list(dict.fromkeys(resolved_names.get(reference, reference) for reference in references))


async def resolve_relations(core: Core, domain: str, requested: Sequence[NewRelation]) -> Sequence[NewRelation]:
    """Return the relations without duplicates, with names in place of the ids and aliases of their endpoints.

    Raises INVALID_ARGUMENT if an alias is ambiguous.
    """
    ends = (end for relation in requested for end in (relation.from_name, relation.to_name))
    resolved_names = await names_by_reference(core.store, domain, ends, ends=True)
    if not resolved_names:
        return requested
    relations_by_key: dict[tuple[str, str, str], NewRelation] = {}
    for relation in requested:
        start, end = (resolved_names.get(name, name) for name in (relation.from_name, relation.to_name))
        resolved = replace(relation, from_name=start, to_name=end)
        relations_by_key.setdefault(resolved.key, resolved)
    return list(relations_by_key.values())


async def resolve_requests(core: Core, domain: str, requests: Sequence[N]) -> Sequence[N]:
    """Return the requests with names in place of the ids and aliases of entities.

    Raises INVALID_ARGUMENT if an alias is ambiguous.
    """
    resolved_names = await names_by_reference(core.store, domain, (request.name for request in requests))
    if not resolved_names:
        return requests
    return [replace(request, name=resolved_names.get(request.name, request.name)) for request in requests]


async def name_of_id(reader: Reader, domain: str, text: str) -> str | None:
    """Return the name of the entity with the given id, or None if there is none or if the text is itself a name."""
    return (await names_of(reader, domain, [text])).get(text)
