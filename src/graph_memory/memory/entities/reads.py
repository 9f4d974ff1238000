"""Reads entities with their observations and relations: by name, by text, or all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.memory.core import Core
from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.entities.details import add_details
from graph_memory.memory.entities.indexing import MIN_WAITING, index_in_background
from graph_memory.memory.entities.results import Entity, KnowledgeGraph, Relation, relation
from graph_memory.memory.entities.word_search import dotted_forms, needles_of, relevance_of, remove_dots
from graph_memory.model.subjects.subjects import fold_entity_text
from graph_memory.model.text.name_list import listed_names
from graph_memory.model.text.wording import printable_name, quote
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.queries import query

EntityFields = tuple[str, str, str, Sequence[str]]
"""An entity: id, name, type as written, observations."""
_MIN_SEARCHABLE = 3
"""Minimum number of characters that the text index can search for."""


@dataclass(frozen=True, slots=True)
class GraphRow:
    """Entities and relations as lists in one row, because many rows are slow in the driver."""

    entities: Sequence[EntityFields]
    relations: Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class SearchRow(GraphRow):
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
        """Notes on properties that the official result schema cannot represent."""
        pairs = zip(self.entities, self.properties, strict=True)
        return [f"{quote(entity[1])} has {_in_words(properties)}." for entity, properties in pairs if properties]


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
MATCHING = query("entities/matching", SearchRow)
ALL = query("entities/all", EntityRow)
RELATIONS = query("entities/relations", RelationRow)


async def open_nodes(core: Core, domain: str, names: Sequence[str]) -> KnowledgeGraph:
    """Return the entities with these names. See `Entities.open_nodes`."""
    rows = await _open(core, domain, names)
    notes = tuple(note for row in rows for note in row.notes)
    return _count_access(core, domain, rows).model_copy(update={"notes": notes or None})


def _in_words(properties: Sequence[tuple[str, PropertyValue]]) -> str:
    pairs = sorted((key, ", ".join(listed_names(value)) if key == ALIASES else value) for key, value in properties)
    return ", ".join(f"{printable_name(key)} {quote(value)}" for key, value in pairs)


async def open_detailed(core: Core, domain: str, names: Sequence[str]) -> KnowledgeGraph:
    """Return the entities with these names and their details."""
    rows = await _open(core, domain, names)
    graph = _count_access(core, domain, rows)
    ids = [entity[0] for row in rows for entity in row.entities]
    since = {tuple(relation_fields[:3]): relation_fields[3] for row in rows for relation_fields in row.relations}
    relations = [
        relation_fields.model_copy(
            update={"since": since[relation_fields.from_name, relation_fields.to_name, relation_fields.relation_type]}
        )
        for relation_fields in graph.relations
    ]
    entities = await add_details(core, domain, list(zip(ids, graph.entities, strict=True)))
    return graph.model_copy(update={"entities": entities, "relations": tuple(relations)})


async def entities_by_name(core: Core, domain: str, names: Sequence[str]) -> KnowledgeGraph:
    """Return the entities with these names without counting an access."""
    return graph_of(await _open(core, domain, names))


async def _open(core: Core, domain: str, names: Sequence[str]) -> Sequence[OpenedRow]:
    return await core.store.read(OPENED, domain=domain, names=names) if names else []


async def search_nodes(core: Core, domain: str, text: str) -> KnowledgeGraph:
    """Return the entities that contain a text. See `Entities.search_nodes`."""
    row = await _search(core, domain, [fold_entity_text(text)])
    if not row.entities and core.search_words and (needles := needles_of(text)):
        row = best_first(await _search(core, domain, needles), needles)
    return _count_access(core, domain, [row])


def best_first(row: GraphRow, needles: Sequence[str]) -> GraphRow:
    """Return a graph with its entities in order of relevance."""
    ranked = sorted(row.entities, key=lambda hit: relevance_of(needles, hit[1], texts_of(hit)), reverse=True)
    return GraphRow(ranked, row.relations)


async def _search(core: Core, domain: str, needles: Sequence[str]) -> GraphRow:
    """Return the entities that contain all needles. The first needle is the longest; an index finds it."""
    first, *others = needles
    if len(first) >= _MIN_SEARCHABLE:
        arguments = {"forms": dotted_forms(first), "others": [dotted_forms(other) for other in others]}
        [row] = await core.store.read(MATCHING, domain=domain, **arguments, many=MIN_WAITING)
        if row.waiting >= MIN_WAITING:
            index_in_background(core, domain)
        matching = [
            hit for hit, names in zip(row.entities, row.aliases, strict=True) if has_all(texts_of(hit, names), needles)
        ]
        return (
            row if len(matching) == len(row.entities) else GraphRow(matching, relations_around(matching, row.relations))
        )
    rows = await core.store.read(ALL, domain=domain)
    hits: list[EntityFields] = [
        entity
        for row in rows
        if has_all(texts_of(entity := (row.id, row.name, row.type, row.observations), row.aliases), needles)
    ]
    return GraphRow(hits, relations_around(hits, await _relations(core, domain)) if hits else [])


def relations_around(entities: Sequence[EntityFields], relations: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the relations from or to one of the entities."""
    names = {entity[1] for entity in entities}
    return [
        relation_fields for relation_fields in relations if relation_fields[0] in names or relation_fields[1] in names
    ]


async def read_graph(core: Core, domain: str) -> KnowledgeGraph:
    """Return all entities and relations. See `Entities.read_graph`."""
    return graph_of([await read_whole_graph(core, domain)])


async def read_whole_graph(core: Core, domain: str) -> GraphRow:
    """Return all entities and relations in order of creation."""
    rows = await core.store.read(ALL, domain=domain)
    hits: list[EntityFields] = [(row.id, row.name, row.type, row.observations) for row in rows]
    return GraphRow(hits, await _relations(core, domain))


async def _relations(core: Core, domain: str) -> list[tuple[str, str, str]]:
    rows = await core.store.read(RELATIONS, domain=domain)
    return [(row.from_name, row.to_name, row.type) for row in rows]


def has_all(texts: Iterable[str], needles: Sequence[str]) -> bool:
    """Return whether each of the lower-case needles is part of one of the texts."""
    lowered = [fold_entity_text(text) for text in texts]
    variants = [*lowered, *(remove_dots(text) for text in lowered)]
    return all(any(needle in text for text in variants) for needle in needles)


def texts_of(entity: EntityFields, aliases: str | None = None) -> list[str]:
    """Return the texts by which an entity is found: its name, type, aliases and observations."""
    _, name, kind, observations = entity
    return [name, kind, *aliases_of({ALIASES: aliases} if aliases else {}), *observations]


def _count_access(core: Core, domain: str, rows: Sequence[GraphRow]) -> KnowledgeGraph:
    """Count an access to each entity, and return the graph of the rows."""
    core.accesses.note(domain, (entity[0] for row in rows for entity in row.entities))
    return graph_of(rows)


def graph_of(rows: Sequence[GraphRow]) -> KnowledgeGraph:
    """Return the rows as a graph without duplicate entities, observations and relations, which a merge may leave."""
    entities = [
        Entity(name=name, entityType=kind, observations=tuple(dict.fromkeys(observations)))
        for row in rows
        for _, name, kind, observations in row.entities
    ]
    return KnowledgeGraph(
        entities=tuple(entities),
        relations=_without_duplicates(relation_fields for row in rows for relation_fields in row.relations),
    )


def _without_duplicates(relations: Iterable[Sequence[Any]]) -> tuple[Relation, ...]:
    distinct = dict.fromkeys(tuple(relation_fields[:3]) for relation_fields in relations)
    return tuple(relation(relation_fields[0], relation_fields[1], relation_fields[2]) for relation_fields in distinct)
