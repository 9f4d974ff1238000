"""Reads entities by name, by text, or all, with their observations and relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.memory.core import Core
from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.entities.details import detailed
from graph_memory.memory.entities.indexing import MANY, index_behind
from graph_memory.memory.entities.results import Entity, KnowledgeGraph, Relation, relation
from graph_memory.memory.entities.word_search import dotted_forms, likeness, needles_of, undotted
from graph_memory.model.subjects.subjects import folded
from graph_memory.model.text.name_list import listed_names
from graph_memory.model.text.wording import named, quoted
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.queries import query

Found = tuple[str, str, str, Sequence[str]]
"""An entity: id, name, type as written, observations."""
_INDEXED = 3
"""Minimum number of characters that the text index can search for."""


@dataclass(frozen=True, slots=True)
class GraphRow:
    """Entities and relations as lists, because a row costs the driver more than its fields."""

    entities: Sequence[Found]
    relations: Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class FoundRow(GraphRow):
    """The entities that match a text, and the number of texts that wait to be indexed."""

    aliases: Sequence[str | None]
    """The stored aliases of each entity."""
    waiting: int


@dataclass(frozen=True, slots=True)
class OpenedRow(GraphRow):
    """Entities that were requested by name."""

    properties: Sequence[Sequence[tuple[str, PropertyValue]]]
    """The properties of each entity except its name, as pairs of key and value."""

    @property
    def notes(self) -> list[str]:
        """Notes on properties that the official result schema cannot hold."""
        pairs = zip(self.entities, self.properties, strict=True)
        return [f"{quoted(entity[1])} has {_in_words(properties)}." for entity, properties in pairs if properties]


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity."""

    id: str
    name: str
    type: str
    observations: list[str]
    aliases: str | None


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A relation."""

    from_name: str
    to_name: str
    type: str


OPENED = query("entities/opened", OpenedRow)
FOUND = query("entities/found", FoundRow)
ALL = query("entities/all", EntityRow)
RELATIONS = query("entities/relations", RelationRow)


async def open_nodes(core: Core, domain: str, names: Sequence[str]) -> KnowledgeGraph:
    """Return the entities with these names. See `Entities.open_nodes`."""
    rows = await _opened(core, domain, names)
    notes = tuple(note for row in rows for note in row.notes)
    return _told(core, domain, rows).model_copy(update={"notes": notes or None})


def _in_words(properties: Sequence[tuple[str, PropertyValue]]) -> str:
    pairs = sorted((key, ", ".join(listed_names(value)) if key == ALIASES else value) for key, value in properties)
    return ", ".join(f"{named(key)} {quoted(value)}" for key, value in pairs)


async def open_detailed(core: Core, domain: str, names: Sequence[str]) -> KnowledgeGraph:
    """Return the entities with these names and their details."""
    rows = await _opened(core, domain, names)
    graph = _told(core, domain, rows)
    ids = [entity[0] for row in rows for entity in row.entities]
    since = {tuple(one[:3]): one[3] for row in rows for one in row.relations}
    relations = [
        one.model_copy(update={"since": since[one.from_name, one.to_name, one.relation_type]})
        for one in graph.relations
    ]
    entities = await detailed(core, domain, list(zip(ids, graph.entities, strict=True)))
    return graph.model_copy(update={"entities": entities, "relations": tuple(relations)})


async def compared(core: Core, domain: str, names: Sequence[str]) -> KnowledgeGraph:
    """Return the entities with these names without counting an access."""
    return graph_of(await _opened(core, domain, names))


async def _opened(core: Core, domain: str, names: Sequence[str]) -> Sequence[OpenedRow]:
    return await core.store.read(OPENED, domain=domain, names=names) if names else []


async def search_nodes(core: Core, domain: str, text: str) -> KnowledgeGraph:
    """Return the entities that contain a text. See `Entities.search_nodes`."""
    row = await _found(core, domain, [folded(text)])
    if not row.entities and core.search_words and (needles := needles_of(text)):
        row = best_first(await _found(core, domain, needles), needles)
    return _told(core, domain, [row])


def best_first(row: GraphRow, needles: Sequence[str]) -> GraphRow:
    """Return a graph with its entities in order of relevance."""
    ranked = sorted(row.entities, key=lambda hit: likeness(needles, hit[1], texts_of(hit)), reverse=True)
    return GraphRow(ranked, row.relations)


async def _found(core: Core, domain: str, wanted: Sequence[str]) -> GraphRow:
    """Return the entities that contain each of these texts. The first, longest text is looked up in an index."""
    first, *others = wanted
    if len(first) >= _INDEXED:
        arguments = {"forms": dotted_forms(first), "others": [dotted_forms(other) for other in others]}
        [row] = await core.store.read(FOUND, domain=domain, **arguments, many=MANY)
        if row.waiting >= MANY:
            index_behind(core, domain)
        kept = [
            hit for hit, names in zip(row.entities, row.aliases, strict=True) if has_all(texts_of(hit, names), wanted)
        ]
        return row if len(kept) == len(row.entities) else GraphRow(kept, relations_around(kept, row.relations))
    rows = await core.store.read(ALL, domain=domain)
    hits: list[Found] = [
        entity
        for row in rows
        if has_all(texts_of(entity := (row.id, row.name, row.type, row.observations), row.aliases), wanted)
    ]
    return GraphRow(hits, relations_around(hits, await _relations(core, domain)) if hits else [])


def relations_around(entities: Sequence[Found], relations: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the relations from or to one of the entities."""
    names = {entity[1] for entity in entities}
    return [one for one in relations if one[0] in names or one[1] in names]


async def read_graph(core: Core, domain: str) -> KnowledgeGraph:
    """Return all entities and relations. See `Entities.read_graph`."""
    return graph_of([await everything(core, domain)])


async def everything(core: Core, domain: str) -> GraphRow:
    """Return all entities and relations in order of creation."""
    rows = await core.store.read(ALL, domain=domain)
    hits: list[Found] = [(row.id, row.name, row.type, row.observations) for row in rows]
    return GraphRow(hits, await _relations(core, domain))


async def _relations(core: Core, domain: str) -> list[tuple[str, str, str]]:
    rows = await core.store.read(RELATIONS, domain=domain)
    return [(row.from_name, row.to_name, row.type) for row in rows]


def has_all(texts: Iterable[str], wanted: Sequence[str]) -> bool:
    """Return whether each of the lower-case needles is part of one of the texts."""
    small = [folded(text) for text in texts]
    every = [*small, *(undotted(text) for text in small)]
    return all(any(one in text for text in every) for one in wanted)


def texts_of(entity: Found, aliases: str | None = None) -> list[str]:
    """Return the texts by which an entity is found: its name, type, aliases and observations."""
    _, name, kind, observations = entity
    return [name, kind, *aliases_of({ALIASES: aliases} if aliases else {}), *observations]


def _told(core: Core, domain: str, rows: Sequence[GraphRow]) -> KnowledgeGraph:
    """Return the graph of rows, and count an access of its entities."""
    core.accesses.note(domain, (entity[0] for row in rows for entity in row.entities))
    return graph_of(rows)


def graph_of(rows: Sequence[GraphRow]) -> KnowledgeGraph:
    """Return a graph without duplicate entities, observations and relations, which a merge may leave."""
    entities = [
        Entity(name=name, entityType=kind, observations=tuple(dict.fromkeys(observations)))
        for row in rows
        for _, name, kind, observations in row.entities
    ]
    return KnowledgeGraph(entities=tuple(entities), relations=_once(one for row in rows for one in row.relations))


def _once(relations: Iterable[Sequence[Any]]) -> tuple[Relation, ...]:
    each = dict.fromkeys(tuple(one[:3]) for one in relations)
    return tuple(relation(one[0], one[1], one[2]) for one in each)
