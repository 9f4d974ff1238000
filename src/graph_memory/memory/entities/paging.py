"""The whole graph in parts: each has as many entities as there is room for, and where the next one begins."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.reads import Found, GraphRow, RelationRow, graph_of
from graph_memory.memory.entities.results import KnowledgeGraph
from graph_memory.memory.recall.fitting import tokens_of_text
from graph_memory.memory.recall.request import FEWEST_TOKENS, whole
from graph_memory.model.arguments import check_cursor, check_limit, cursor_after, not_a_cursor
from graph_memory.model.results import rfc3339
from graph_memory.storage.queries import query

_FIRST, _MOST = 100, 5_000
"""Entities that are read together: more each time."""


@dataclass(frozen=True, slots=True)
class PageRow:
    """An entity, its place in the order of all, and the relations that are told with it."""

    id: str
    name: str
    type: str
    observations: list[str]
    created: datetime
    place: int
    relations: list[tuple[str, str, str]]

    @property
    def entity(self) -> Found:
        """The entity alone."""
        return self.id, self.name, self.type, self.observations

    @property
    def key(self) -> Mapping[str, object]:
        """What tells its place in the order of all."""
        return {"created": self.created, "place": self.place, "id": self.id}


PAGE = query("entities/page", PageRow)
LOOSE = query("entities/loose", RelationRow)
_START: Mapping[str, object] = {"created": None, "place": 0, "id": ""}


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of the graph was asked for."""

    limit: int
    max_tokens: int | None
    after: Mapping[str, object]


def part_from(max_tokens: int | None, limit: int | None, cursor: str | None) -> Part | None:
    """Return the part that was asked for, None for all. Raises INVALID_ARGUMENT."""
    if max_tokens is None and limit is None and cursor is None:
        return None
    if max_tokens is not None:
        whole("max_tokens", max_tokens, FEWEST_TOKENS, None)
    return Part(check_limit(limit), max_tokens, _START if cursor is None else _key_of(cursor))


def _cursor_of(row: PageRow) -> str:
    return cursor_after(f"{rfc3339(row.created)}/{row.place}/{row.id}")


def _key_of(cursor: object) -> Mapping[str, object]:
    if not isinstance(cursor, str):
        raise not_a_cursor(str(cursor))
    parts = check_cursor(cursor).split("/", 2)
    try:
        created, place, subject = parts
        return {"created": datetime.fromisoformat(created), "place": int(place), "id": subject}
    except ValueError as error:
        raise not_a_cursor(cursor) from error


async def read_part(core: Core, domain: str, part: Part) -> KnowledgeGraph:
    """Return a part of the graph. `Entities.read_graph` tells the rest."""
    kept, has_more = await _fitting(core, domain, part)
    entities = [row.entity for row in kept]
    relations = [one for row in kept for one in row.relations]
    if has_more:
        graph = graph_of([GraphRow(entities, relations)])
        return graph.model_copy(update={"next_cursor": _cursor_of(kept[-1])})
    loose = await core.store.read(LOOSE, domain=domain)
    relations += [(row.from_name, row.to_name, row.type) for row in loose]
    return graph_of([GraphRow(entities, relations)])


async def _fitting(core: Core, domain: str, part: Part) -> tuple[list[PageRow], bool]:
    """Return the entities that fit, at least one if there is any, and whether there are more."""
    kept: list[PageRow] = []
    tokens = 0
    async for rows in _pages(core, domain, part.after):
        costs = await anyio.to_thread.run_sync(_costs, rows) if part.max_tokens is not None else [0] * len(rows)
        for row, cost in zip(rows, costs, strict=True):
            tokens += cost
            is_full = len(kept) == part.limit or (part.max_tokens is not None and tokens > part.max_tokens)
            if kept and is_full:
                return kept, True
            kept.append(row)
    return kept, False


async def _pages(core: Core, domain: str, after: Mapping[str, object]) -> AsyncIterator[Sequence[PageRow]]:
    limit = _FIRST
    while rows := await core.store.read(PAGE, domain=domain, limit=limit, **cast("Mapping[str, str]", after)):
        yield rows
        if len(rows) < limit:
            return
        after, limit = rows[-1].key, min(limit * 4, _MOST)


def _costs(rows: Sequence[PageRow]) -> list[int]:
    return [_cost(row) for row in rows]


def _cost(row: PageRow) -> int:
    """Return how many tokens an entity and its relations take in an answer."""
    graph = graph_of([GraphRow([row.entity], row.relations)])
    return tokens_of_text(json.dumps(graph.to_dict(), ensure_ascii=False, indent=2))
