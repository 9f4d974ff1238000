"""Returns the graph in parts. A part contains as many entities as its limits allow, and the cursor of the next part."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.reads import (
    EntityFields,
    GraphRow,
    RelationRow,
    graph_of,
    read_relations,
    read_whole_graph,
)
from graph_memory.memory.entities.results import KnowledgeGraph
from graph_memory.memory.search.request import MIN_TOKENS, check_integer
from graph_memory.memory.search.token_budget import tokens_of_text
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import UNLIMITED, check_cursor, check_limit, cursor_after, invalid_cursor_error
from graph_memory.storage.queries import query

_FIRST_PAGE, _MAX_PAGE = 100, 5_000
"""Number of entities in the first page that is read, and in the largest page. Pages grow from one to the other."""
_READ_AT_ONCE_FROM = 200_000
"""Minimum token budget for reading the whole graph at once. Most graphs fit, and reading in pages takes longer."""


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """The position of an entity in the order of creation."""

    created: datetime
    place: int


@dataclass(frozen=True, slots=True)
class PageRow:
    """An entity, its position in the order of creation, and the relations that are returned with it."""

    id: str
    name: str
    type: str
    observations: list[str]
    created: datetime
    place: int
    relations: list[tuple[str, str, str]]

    @property
    def entity(self) -> EntityFields:
        """The fields of the entity without its position and relations."""
        return self.id, self.name, self.type, self.observations

    @property
    def position(self) -> Mapping[str, object]:
        """The position of the entity in the order of creation, as query parameters."""
        return {"created": self.created, "place": self.place, "id": self.id}


PAGE = query("entities/page", PageRow)
PLACE = query("entities/place", PlaceRow)
RELATIONS_OF_MENTIONS = query("entities/loose", RelationRow)
RelationFields = tuple[str, str, str]
"""A relation: from, to, type."""
_START: Mapping[str, object] = {"created": None, "place": 0, "id": ""}


@dataclass(frozen=True, slots=True)
class GraphPart:
    """The requested part of the graph: its limits, and the position of the entity before it."""

    limit: int
    max_tokens: int | None
    after: Mapping[str, object]


def part_from(max_tokens: int | None, limit: int | None, cursor: str | None) -> GraphPart | None:
    """Return the requested part, or None for the whole graph. Raises INVALID_ARGUMENT if an argument is invalid."""
    if max_tokens is None and limit is None and cursor is None:
        return None
    if max_tokens is not None:
        check_integer("max_tokens", max_tokens, MIN_TOKENS, None)
    return GraphPart(check_limit(limit), max_tokens, _START if cursor is None else _position_of(cursor))


def _cursor_of(row: PlaceRow | PageRow, subject: str) -> str:
    return cursor_after(f"{rfc3339(row.created)}/{row.place}/{subject}")


def _position_of(cursor: object) -> Mapping[str, object]:
    if not isinstance(cursor, str):
        raise invalid_cursor_error(str(cursor))
    parts = check_cursor(cursor).split("/", 2)
    try:
        created, place, subject = parts
        return {"created": datetime.fromisoformat(created), "place": int(place), "id": subject}
    except ValueError as error:
        raise invalid_cursor_error(cursor) from error


async def read_part(core: Core, domain: str, part: GraphPart) -> KnowledgeGraph:
    """Return a part of the graph. See `Entities.read_graph`."""
    if part.after is _START and part.limit == UNLIMITED and (part.max_tokens or 0) >= _READ_AT_ONCE_FROM:
        return await _read_whole(core, domain, part.max_tokens or 0)
    rows, has_more = await _read_fitting_rows(core, domain, part)
    entities = [row.entity for row in rows]
    relations = [relation for row in rows for relation in row.relations]
    if has_more:
        graph = graph_of([GraphRow(entities, relations)])
        return graph.model_copy(update={"next_cursor": _cursor_of(rows[-1], rows[-1].id)})
    if part.after is _START:  # the page contains everything, so relations are not grouped by entity
        return graph_of([GraphRow(entities, await read_relations(core, domain))])
    relations_of_mentions = await core.store.read(RELATIONS_OF_MENTIONS, domain=domain)
    relations += [(row.from_name, row.to_name, row.type) for row in relations_of_mentions]
    return graph_of([GraphRow(entities, relations)])


async def _read_whole(core: Core, domain: str, max_tokens: int) -> KnowledgeGraph:
    """Read the graph at once. Returns all of it, or the entities that fit into `max_tokens`, with the next cursor."""
    row = await read_whole_graph(core, domain)
    graph, count = await anyio.to_thread.run_sync(_fit_graph, row, max_tokens)
    if count == len(row.entities):
        return graph
    last_id = row.entities[count - 1][0]
    place = await core.store.first_row(PLACE, domain=domain, id=last_id)
    if place is None:  # the entity was deleted in the meantime
        return await _read_whole(core, domain, max_tokens)
    return _make_part(row, row.entities[:count]).model_copy(update={"next_cursor": _cursor_of(place, last_id)})


def _make_part(row: GraphRow, entities: Sequence[EntityFields]) -> KnowledgeGraph:
    """Return a part of the graph: the given entities, and the relations that are returned with them."""
    relations_by_name = _relations_by_entity(row)
    relations = [relation for entity in entities for relation in relations_by_name.get(entity[1], ())]
    return graph_of([GraphRow(entities, relations)])


def _fit_graph(row: GraphRow, max_tokens: int) -> tuple[KnowledgeGraph, int]:
    """Return the whole graph, and the number of its entities that fit into `max_tokens` (at least 1)."""
    graph = graph_of([row])
    if len(graph.model_dump_json().encode()) <= max_tokens:  # no token is shorter than a byte
        return graph, len(row.entities)
    tokens, relations_by_name = 0, _relations_by_entity(row)
    for count, entity in enumerate(row.entities):
        tokens += _tokens_in_reply(entity, relations_by_name.get(entity[1], ()))
        if tokens > max_tokens and count:
            return graph, count
    return graph, len(row.entities)


def _relations_by_entity(row: GraphRow) -> Mapping[str, Sequence[RelationFields]]:
    """Group relations by the entity with which they are returned: the source, or else the destination."""
    names = {entity[1] for entity in row.entities}
    relations_by_name: dict[str, list[RelationFields]] = {}
    for relation in row.relations:
        relations_by_name.setdefault(relation[0] if relation[0] in names else relation[1], []).append(relation)
    return relations_by_name


async def _read_fitting_rows(core: Core, domain: str, part: GraphPart) -> tuple[list[PageRow], bool]:
    """Return the entities that fit into a part (at least one), and whether more entities follow."""
    fitting_rows: list[PageRow] = []
    tokens = 0
    async for rows in _read_pages(core, domain, part.after):
        costs = await anyio.to_thread.run_sync(_token_costs, rows) if part.max_tokens is not None else [0] * len(rows)
        for row, cost in zip(rows, costs, strict=True):
            tokens += cost
            is_full = len(fitting_rows) == part.limit or (part.max_tokens is not None and tokens > part.max_tokens)
            if fitting_rows and is_full:
                return fitting_rows, True
            fitting_rows.append(row)
    return fitting_rows, False


async def _read_pages(core: Core, domain: str, after: Mapping[str, object]) -> AsyncIterator[Sequence[PageRow]]:
    limit = _FIRST_PAGE
    while rows := await core.store.read(PAGE, domain=domain, limit=limit, **cast("Mapping[str, str]", after)):
        yield rows
        if len(rows) < limit:
            return
        after, limit = rows[-1].position, min(limit * 4, _MAX_PAGE)


def _token_costs(rows: Sequence[PageRow]) -> list[int]:
    return [_tokens_in_reply(row.entity, row.relations) for row in rows]


def _tokens_in_reply(entity: EntityFields, relations: Sequence[RelationFields]) -> int:
    graph = graph_of([GraphRow([entity], relations)])
    return tokens_of_text(json.dumps(graph.to_dict(), ensure_ascii=False, indent=2))


def fit_part(graph_row: GraphRow, max_tokens: int | None, limit: int | None, cursor: str | None) -> KnowledgeGraph:
    """Return a part of a past graph. It starts at the cursor, or at the first entity if no cursor is given.

    Raises INVALID_ARGUMENT if a limit or the cursor is invalid.
    """
    part = part_from(max_tokens, limit, None)
    start = 0 if cursor is None else _offset_of(cursor)
    entities = graph_row.entities[start:][: part.limit if part else None]
    count = len(entities) if max_tokens is None else _fit_graph(GraphRow(entities, graph_row.relations), max_tokens)[1]
    if start == 0 and count == len(graph_row.entities):
        return graph_of([graph_row])
    graph = _make_part(graph_row, entities[:count])
    has_more = start + count < len(graph_row.entities)
    return graph.model_copy(update={"next_cursor": cursor_after(str(start + count))}) if has_more else graph


def _offset_of(cursor: str) -> int:
    position = check_cursor(cursor)
    if not position.isdecimal():
        raise invalid_cursor_error(cursor)
    return int(position)
