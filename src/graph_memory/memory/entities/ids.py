"""Ids of entities where a name is asked for. A name is one first: only what is none is an id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from graph_memory.memory.core import Core
from graph_memory.memory.entities.edits import EntityEdit, ObservationEdit
from graph_memory.memory.knowledge.asked import NewObservations, NewRelation, Removal
from graph_memory.memory.knowledge.reading import names_of
from graph_memory.storage.store import Reader

N = TypeVar("N", NewObservations, Removal, EntityEdit, ObservationEdit)


async def names(core: Core, domain: str, given: Iterable[str]) -> list[str]:
    """Return names, each once, with that of an entity for its id."""
    every = list(given)
    by_id = await names_of(core.store, domain, every)
    return list(dict.fromkeys(by_id.get(each, each) for each in every))


async def relations(core: Core, domain: str, given: Sequence[NewRelation]) -> Sequence[NewRelation]:
    """Return relations, each once, with the name of an entity for its id."""
    by_id = await names_of(core.store, domain, (end for one in given for end in (one.from_name, one.to_name)))
    if not by_id:
        return given
    found: dict[tuple[str, str, str], NewRelation] = {}
    for one in given:
        start, end = by_id.get(one.from_name, one.from_name), by_id.get(one.to_name, one.to_name)
        named = replace(one, from_name=start, to_name=end)
        found.setdefault(named.key, named)
    return list(found.values())


async def named(core: Core, domain: str, given: Sequence[N]) -> Sequence[N]:
    """Return what was asked for of entities, with the name of each for its id."""
    by_id = await names_of(core.store, domain, (one.name for one in given))
    return [replace(one, name=by_id.get(one.name, one.name)) for one in given] if by_id else given


async def name_of_id(reader: Reader, domain: str, given: str) -> str | None:
    """Return the name of the entity of an id; None if it is none, or a name itself."""
    return (await names_of(reader, domain, [given])).get(given)
