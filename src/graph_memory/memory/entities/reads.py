"""Reads entities with their observations and relations: by name, by text, or all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.memory.core import Core
from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.entities.details import add_details
from graph_memory.memory.entities.indexing import MIN_WAITING, index_in_background
from graph_memory.memory.entities.results import Entity, KnowledgeGraph, relation
from graph_memory.memory.entities.word_search import dotted_forms, relevance_of, remove_dots, search_terms_of
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
    """The entities that match a text, and the number of texts that are not indexed yet."""

    aliases: Sequence[str | None]
    """The stored aliases of each entity, in the order of `entities`."""
    waiting: int


@dataclass(frozen=True, slots=True)
class OpenedRow(GraphRow):
    """Entities that were requested by name, with their properties and relations."""

    properties: Sequence[Sequence[tuple[str, PropertyValue]]]
    """The properties of each entity except its name, as key-value pairs."""

    @property
    def notes(self) -> list[str]:
        """Sentences that state the properties, because the official result schema has no field for them."""
        pairs = zip(self.entities, self.properties, strict=True)
        return [
            f"{quote(entity[1])} has {_render_properties(properties)}." for entity, properties in pairs if properties
        ]


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity with its observations and its stored aliases."""

    id: str
    name: str
    type: str
    observations: list[str]
    aliases: str | None


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A relation between two entities, by their names."""

    from_name: str
    to_name: str
    type: str


OPENED = query("entities/opened", OpenedRow)
MATCHING = query("entities/matching", SearchRow)
ALL = query("entities/all", EntityRow)
RELATIONS = query("entities/relations", RelationRow)


async def open_nodes(core: Core, domain: str, names: Sequence[str]) -> KnowledgeGraph:
    """Return the entities with these names. See `Entities.open_nodes`."""
    rows = await _read_opened(core, domain, names)
    notes = tuple(note for row in rows for note in row.notes)
    return _count_access(core, domain, rows).model_copy(update={"notes": notes or None})


def _render_properties(properties: Sequence[tuple[str, PropertyValue]]) -> str:
    pairs = sorted((key, ", ".join(listed_names(value)) if key == ALIASES else value) for key, value in properties)
    return ", ".join(f"{printable_name(key)} {quote(value)}" for key, value in pairs)


async def open_detailed(core: Core, domain: str, names: Sequence[str]) -> KnowledgeGraph:
    """Return the entities with these names, their details, and the start times of their relations."""
    rows = await _read_opened(core, domain, names)
    graph = _count_access(core, domain, rows)
    ids = [entity[0] for row in rows for entity in row.entities]
    since_by_relation = {
        tuple(relation_fields[:3]): relation_fields[3] for row in rows for relation_fields in row.relations
    }
    relations = [
        edge.model_copy(update={"since": since_by_relation[edge.from_name, edge.to_name, edge.relation_type]})
        for edge in graph.relations
    ]
    entities = await add_details(core, domain, list(zip(ids, graph.entities, strict=True)))
    return graph.model_copy(update={"entities": entities, "relations": tuple(relations)})


async def entities_by_name(core: Core, domain: str, names: Sequence[str]) -> KnowledgeGraph:
    """Return the entities with these names and their relations, without counting an access."""
    return graph_of(await _read_opened(core, domain, names))


async def _read_opened(core: Core, domain: str, names: Sequence[str]) -> Sequence[OpenedRow]:
    return await core.store.read(OPENED, domain=domain, names=names) if names else []


async def search_nodes(core: Core, domain: str, text: str) -> KnowledgeGraph:
    """Return the entities that contain a text. See `Entities.search_nodes`."""
    row = await _search(core, domain, [fold_entity_text(text)])
    if not row.entities and core.search_words and (terms := search_terms_of(text)):
        row = sort_by_relevance(await _search(core, domain, terms), terms)
    return _count_access(core, domain, [row])


def sort_by_relevance(row: GraphRow, terms: Sequence[str]) -> GraphRow:
    """Return the graph with its entities in order of relevance, most relevant first."""
    ranked = sorted(row.entities, key=lambda hit: relevance_of(terms, hit[1], texts_of(hit)), reverse=True)
    return GraphRow(ranked, row.relations)


async def _search(core: Core, domain: str, terms: Sequence[str]) -> GraphRow:
    """Return the entities that contain all search terms. Only the first term is looked up in the index."""
    first, *others = terms
    if len(first) >= _MIN_SEARCHABLE:
        arguments = {"forms": dotted_forms(first), "others": [dotted_forms(other) for other in others]}
        [row] = await core.store.read(MATCHING, domain=domain, **arguments, many=MIN_WAITING)
        if row.waiting >= MIN_WAITING:
            index_in_background(core, domain)
        matching = [
            hit
            for hit, names in zip(row.entities, row.aliases, strict=True)
            if contains_all(texts_of(hit, names), terms)
        ]
        return (
            row if len(matching) == len(row.entities) else GraphRow(matching, relations_around(matching, row.relations))
        )
    rows = await core.store.read(ALL, domain=domain)
    hits: list[EntityFields] = [
        entity
        for row in rows
        if contains_all(texts_of(entity := (row.id, row.name, row.type, row.observations), row.aliases), terms)
    ]
    return GraphRow(hits, relations_around(hits, await read_relations(core, domain)) if hits else [])


def relations_around(entities: Sequence[EntityFields], relations: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the relations that start or end at one of the entities."""
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
    return GraphRow(hits, await read_relations(core, domain))


async def read_relations(core: Core, domain: str) -> list[tuple[str, str, str]]:
    """Return all relations in order of creation, as source, destination and type."""
    rows = await core.store.read(RELATIONS, domain=domain)
    return [(row.from_name, row.to_name, row.type) for row in rows]


def contains_all(texts: Iterable[str], terms: Sequence[str]) -> bool:
    """Return whether each of the case-folded terms occurs in at least one of the texts."""
    lowered = [fold_entity_text(text) for text in texts]
    variants = [*lowered, *(remove_dots(text) for text in lowered)]
    return all(any(term in text for text in variants) for term in terms)


def texts_of(entity: EntityFields, aliases: str | None = None) -> list[str]:
    """Return the texts of an entity that a search covers: its name, type, aliases and observations."""
    _, name, kind, observations = entity
    return [name, kind, *aliases_of({ALIASES: aliases} if aliases else {}), *observations]


def _count_access(core: Core, domain: str, rows: Sequence[GraphRow]) -> KnowledgeGraph:
    core.accesses.record(domain, (entity[0] for row in rows for entity in row.entities))
    return graph_of(rows)


def graph_of(rows: Sequence[GraphRow]) -> KnowledgeGraph:
    """Convert rows to a graph. Observations and relations that a merge duplicated are included only once."""
    entities = [
        Entity(name=name, entityType=kind, observations=tuple(dict.fromkeys(observations)))
        for row in rows
        for _, name, kind, observations in row.entities
    ]
    relations = dict.fromkeys(tuple(relation_fields[:3]) for row in rows for relation_fields in row.relations)
    return KnowledgeGraph(
        entities=tuple(entities), relations=tuple(relation(start, end, kind) for start, end, kind in relations)
    )
