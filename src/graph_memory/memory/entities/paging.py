"""Returns the whole graph in parts: as many entities as fit, and the cursor of the next part."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.reads import EntityFields, GraphRow, RelationRow, graph_of, read_whole_graph
from graph_memory.memory.entities.results import KnowledgeGraph
from graph_memory.memory.search.request import MIN_TOKENS, check_integer
from graph_memory.memory.search.token_budget import tokens_of_text
from graph_memory.model.time.clock import rfc3339
from graph_memory.model.values.arguments import UNLIMITED, check_cursor, check_limit, cursor_after, invalid_cursor
from graph_memory.storage.queries import query

_FIRST_PAGE, _MAX_PAGE = 100, 5_000
"""Number of entities in the first page that is read, and the maximum. Each page is larger than the one before."""


_READ_AT_ONCE_FROM = 200_000
"""Token budget from which the whole graph is read at once. Most graphs fit, and many pages take longer."""


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
        """The entity without position and relations."""
        return self.id, self.name, self.type, self.observations

    @property
    def key(self) -> Mapping[str, object]:
        """The position in the order of creation."""
        return {"created": self.created, "place": self.place, "id": self.id}


PAGE = query("entities/page", PageRow)
PLACE = query("entities/place", PlaceRow)
LOOSE = query("entities/loose", RelationRow)
RelationFields = tuple[str, str, str]
"""A relation: from, to, type."""
_START: Mapping[str, object] = {"created": None, "place": 0, "id": ""}


@dataclass(frozen=True, slots=True)
class Part:
    """The requested part of the graph."""

    limit: int
    max_tokens: int | None
    after: Mapping[str, object]


def part_from(max_tokens: int | None, limit: int | None, cursor: str | None) -> Part | None:
    """Return the requested part, or None for the whole graph. Raises INVALID_ARGUMENT."""
    if max_tokens is None and limit is None and cursor is None:
        return None
    if max_tokens is not None:
        check_integer("max_tokens", max_tokens, MIN_TOKENS, None)
    return Part(check_limit(limit), max_tokens, _START if cursor is None else _key_of(cursor))


def _cursor_of(row: PlaceRow | PageRow, subject: str) -> str:
    return cursor_after(f"{rfc3339(row.created)}/{row.place}/{subject}")


def _key_of(cursor: object) -> Mapping[str, object]:
    if not isinstance(cursor, str):
        raise invalid_cursor(str(cursor))
    parts = check_cursor(cursor).split("/", 2)
    try:
        created, place, subject = parts
        return {"created": datetime.fromisoformat(created), "place": int(place), "id": subject}
    except ValueError as error:
        raise invalid_cursor(cursor) from error


async def read_part(core: Core, domain: str, part: Part) -> KnowledgeGraph:
    """Return a part of the graph. See `Entities.read_graph`."""
    if part.after is _START and part.limit == UNLIMITED and (part.max_tokens or 0) >= _READ_AT_ONCE_FROM:
        return await _read_whole(core, domain, part.max_tokens or 0)
    rows, has_more = await _read_fitting(core, domain, part)
    entities = [row.entity for row in rows]
    relations = [relation for row in rows for relation in row.relations]
    if has_more:
        graph = graph_of([GraphRow(entities, relations)])
        return graph.model_copy(update={"next_cursor": _cursor_of(rows[-1], rows[-1].id)})
    loose = await core.store.read(LOOSE, domain=domain)
    relations += [(row.from_name, row.to_name, row.type) for row in loose]
    return graph_of([GraphRow(entities, relations)])


async def _read_whole(core: Core, domain: str, max_tokens: int) -> KnowledgeGraph:
    """Return the whole graph, or as much of it as fits."""
    row = await read_whole_graph(core, domain)
    graph, count = await anyio.to_thread.run_sync(_fit, row, max_tokens)
    if count == len(row.entities):
        return graph
    last = row.entities[count - 1]
    place = await core.store.first_row(PLACE, domain=domain, id=last[0])
    entities, relations_by_name = row.entities[:count], _relations_by_entity(row)
    graph = graph_of(
        [GraphRow(entities, [related for entity in entities for related in relations_by_name.get(entity[1], ())])]
    )
    cursor = _cursor_of(place, last[0]) if place else None  # an entity that was deleted in the meantime has none
    return graph.model_copy(update={"next_cursor": cursor}) if cursor else await _read_whole(core, domain, max_tokens)


def _fit(row: GraphRow, max_tokens: int) -> tuple[KnowledgeGraph, int]:
    """Return the whole graph, and how many entities fit: at least one, if there are any."""
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
    """Return the relations by the entity with which they are returned, as in `entities/page`."""
    names = {entity[1] for entity in row.entities}
    relations_by_name: dict[str, list[RelationFields]] = {}
    for relation in row.relations:
        relations_by_name.setdefault(relation[0] if relation[0] in names else relation[1], []).append(relation)
    return relations_by_name


async def _read_fitting(core: Core, domain: str, part: Part) -> tuple[list[PageRow], bool]:
    """Return the entities that fit, at least one if there are any, and whether there are more."""
    fitting: list[PageRow] = []
    tokens = 0
    async for rows in _pages(core, domain, part.after):
        costs = await anyio.to_thread.run_sync(_costs, rows) if part.max_tokens is not None else [0] * len(rows)
        for row, cost in zip(rows, costs, strict=True):
            tokens += cost
            is_full = len(fitting) == part.limit or (part.max_tokens is not None and tokens > part.max_tokens)
            if fitting and is_full:
                return fitting, True
            fitting.append(row)
    return fitting, False


async def _pages(core: Core, domain: str, after: Mapping[str, object]) -> AsyncIterator[Sequence[PageRow]]:
    limit = _FIRST_PAGE
    while rows := await core.store.read(PAGE, domain=domain, limit=limit, **cast("Mapping[str, str]", after)):
        yield rows
        if len(rows) < limit:
            return
        after, limit = rows[-1].key, min(limit * 4, _MAX_PAGE)


def _costs(rows: Sequence[PageRow]) -> list[int]:
    return [_tokens_in_reply(row.entity, row.relations) for row in rows]


def _tokens_in_reply(entity: EntityFields, relations: Sequence[RelationFields]) -> int:
    graph = graph_of([GraphRow([entity], relations)])
    return tokens_of_text(json.dumps(graph.to_dict(), ensure_ascii=False, indent=2))


def fit_part(graph_row: GraphRow, max_tokens: int | None, limit: int | None, cursor: str | None) -> KnowledgeGraph:
    """Return the part of a past graph that begins at a cursor. Raises INVALID_ARGUMENT."""
    part = part_from(max_tokens, limit, None)
    start = 0 if cursor is None else _position_of(cursor)
    rest = graph_row.entities[start:][: part.limit if part else None]
    count = len(rest) if max_tokens is None else _fit(GraphRow(rest, graph_row.relations), max_tokens)[1]
    if start == 0 and count == len(graph_row.entities):
        return graph_of([graph_row])
    entities, relations_by_name = rest[:count], _relations_by_entity(graph_row)
    graph = graph_of(
        [GraphRow(entities, [relation for entity in entities for relation in relations_by_name.get(entity[1], ())])]
    )
    has_more = start + count < len(graph_row.entities)
    return graph.model_copy(update={"next_cursor": cursor_after(str(start + count))}) if has_more else graph


def _position_of(cursor: str) -> int:
    position = check_cursor(cursor)
    if not position.isdecimal():
        raise invalid_cursor(cursor)
    return int(position)
