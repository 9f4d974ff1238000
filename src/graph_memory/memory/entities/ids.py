"""Ids of entities where a name is asked for. A name is one first: only what is none is an id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from graph_memory.memory.changes.context import in_parts
from graph_memory.memory.core import Core
from graph_memory.memory.entities.asked import NewObservations, NewRelation, Removal
from graph_memory.memory.entities.edits import EntityEdit, ObservationEdit
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

N = TypeVar("N", NewObservations, Removal, EntityEdit, ObservationEdit)
_ID = "mem_"
"""How ids of entities begin: only what begins so costs a look-up."""


@dataclass(frozen=True, slots=True)
class IdRow:
    """An entity that was given by its id."""

    id: str
    name: str


OF_IDS = query("entities/of_ids", IdRow)


async def names(core: Core, domain: str, given: Iterable[str]) -> list[str]:
    """Return names, each once, with that of an entity for its id."""
    every = list(given)
    by_id = await _names_of(core.store, domain, every)
    return list(dict.fromkeys(by_id.get(each, each) for each in every))


async def relations(core: Core, domain: str, given: Sequence[NewRelation]) -> Sequence[NewRelation]:
    """Return relations, each once, with the name of an entity for its id."""
    by_id = await _names_of(core.store, domain, (end for one in given for end in (one.from_name, one.to_name)))
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
    by_id = await _names_of(core.store, domain, (one.name for one in given))
    return [replace(one, name=by_id.get(one.name, one.name)) for one in given] if by_id else given


async def name_of_id(reader: Reader, domain: str, given: str) -> str | None:
    """Return the name of the entity of an id; None if it is none, or a name itself."""
    return (await _names_of(reader, domain, [given])).get(given)


async def _names_of(reader: Reader, domain: str, given: Iterable[str]) -> Mapping[str, str]:
    """Return the names of entities by their ids, for those that are given by one."""
    ids = list(dict.fromkeys(each for each in given if each.startswith(_ID)))
    rows = await in_parts(reader, OF_IDS, domain, ids=ids) if ids else []
    return {row.id: row.name for row in rows}
