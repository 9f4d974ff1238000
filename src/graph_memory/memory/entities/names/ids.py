"""Resolves ids and aliases of entities where a name is expected. Names take precedence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from graph_memory.memory.core import Core
from graph_memory.memory.entities.edits import EntityEdit, ObservationEdit
from graph_memory.memory.entity_graph.entity_queries import names_of
from graph_memory.memory.entity_graph.other_names import meant_by, named_otherwise
from graph_memory.memory.entity_graph.values.request import NewObservations, NewRelation, Removal
from graph_memory.storage.store import Reader

N = TypeVar("N", NewObservations, Removal, EntityEdit, ObservationEdit)


async def opened(core: Core, domain: str, given: Iterable[str]) -> list[str]:
    """Return names without duplicates, with the names of all entities that an id or alias stands for."""
    every = list(given)
    by_id = await names_of(core.store, domain, every)
    by_alias = await named_otherwise(core.store, domain, [each for each in every if each not in by_id])
    return list(dict.fromkeys(name for each in every for name in by_alias.get(each, [by_id.get(each, each)])))


async def names(core: Core, domain: str, given: Iterable[str]) -> list[str]:
    """Return names without duplicates, with ids and aliases replaced by names. Raises INVALID_ARGUMENT."""
    every = list(given)
    meant = await meant_by(core.store, domain, every, ends=True)
    return list(dict.fromkeys(meant.get(each, each) for each in every))


async def relations(core: Core, domain: str, given: Sequence[NewRelation]) -> Sequence[NewRelation]:
    """Return relations without duplicates, with ids and aliases replaced by names. Raises INVALID_ARGUMENT."""
    ends = (end for relation in given for end in (relation.from_name, relation.to_name))
    meant = await meant_by(core.store, domain, ends, ends=True)
    if not meant:
        return given
    found: dict[tuple[str, str, str], NewRelation] = {}
    for one in given:
        start, end = meant.get(one.from_name, one.from_name), meant.get(one.to_name, one.to_name)
        named = replace(one, from_name=start, to_name=end)
        found.setdefault(named.key, named)
    return list(found.values())


async def named(core: Core, domain: str, given: Sequence[N]) -> Sequence[N]:
    """Return requests on entities, with ids and aliases replaced by names. Raises INVALID_ARGUMENT."""
    meant = await meant_by(core.store, domain, (one.name for one in given))
    return [replace(one, name=meant.get(one.name, one.name)) for one in given] if meant else given


async def name_of_id(reader: Reader, domain: str, given: str) -> str | None:
    """Return the name of the entity with an id; None if there is none or the text is itself a name."""
    return (await names_of(reader, domain, [given])).get(given)
