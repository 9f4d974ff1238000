"""Reads entities, observations and relations for many names at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from graph_memory.memory.changes.context import ROWS, read_in_parts
from graph_memory.memory.changes.plan import ends_of
from graph_memory.memory.entity_graph.values.request import NewRelation
from graph_memory.memory.entity_graph.values.rows import (
    EndRow,
    EntityObservationsRow,
    EqualRelationsRow,
    IdRow,
    NodeRow,
)
from graph_memory.model.events import Draft, Event
from graph_memory.model.projection import live_state
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import NodeState
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

NODES_BY_NAME = query("entity_graph/named", NodeRow)
OBSERVATIONS_BY_TEXT = query("entity_graph/observed", EntityObservationsRow)
EQUAL_RELATIONS = query("entity_graph/related", EqualRelationsRow)
ONLY_ENDS = query("entity_graph/only_ends", EndRow)
NAMES_BY_ID = query("entity_graph/of_ids", IdRow)
_ID_PREFIX = "mem_"
"""The prefix of entity ids. Only texts with this prefix are looked up as ids."""


async def names_of(reader: Reader, domain: str, texts: Iterable[str]) -> Mapping[str, str]:
    """Return the names of the entities whose ids are among the texts, keyed by id."""
    ids = list(dict.fromkeys(text for text in texts if text.startswith(_ID_PREFIX)))
    rows = await read_in_parts(reader, NAMES_BY_ID, domain, ids=ids) if ids else []
    return {row.id: row.name for row in rows}


async def states_of(reader: Reader, domain: str, ids: Sequence[str]) -> Mapping[str, NodeState]:
    """Return the current states of the nodes with these ids, keyed by node name."""
    return {str(state.properties["name"]): state for state in await nodes_of(reader, domain, ids)}


async def nodes_of(reader: Reader, domain: str, ids: Sequence[str]) -> list[NodeState]:
    """Return the current states of the nodes with these ids."""
    rows = await read_in_parts(reader, LAST_EVENTS, domain, subjects=ids)
    return [NodeState.from_live(live_state(Event.from_row(row))) for row in rows]


async def observations_by_text(
    reader: Reader, domain: str, texts_by_name: Iterable[tuple[str, Iterable[str]]]
) -> list[EntityObservationsRow]:
    """Return the entities with these names, with their observations whose text is one of the texts for the name."""
    texts: dict[str, dict[str, None]] = {}
    for name, texts_of_name in texts_by_name:
        texts.setdefault(name, {}).update(dict.fromkeys(texts_of_name))
    rows = [{"name": name, "texts": list(texts_of_name)} for name, texts_of_name in texts.items()]
    return await read_in_parts(reader, OBSERVATIONS_BY_TEXT, domain, rows=rows)


async def equal_relations(reader: Reader, domain: str, relations: Sequence[NewRelation]) -> list[EqualRelationsRow]:
    """Return each relation's endpoint nodes and the stored relations equal to it."""
    rows = [
        {"place": place, "from": relation.from_name, "to": relation.to_name, "type": relation.type}
        for place, relation in enumerate(relations)
    ]
    return sorted(await read_in_parts(reader, EQUAL_RELATIONS, domain, rows=rows), key=lambda row: row.place)


async def find_only_ends(
    reader: Reader, domain: str, deletions: Iterable[Draft], nodes: Collection[str], others: int = 0
) -> list[EndRow]:
    """Return the nodes that are only endpoints of relations to be deleted.

    The nodes in `nodes` are omitted, because they are deleted anyway. `others` is the number of further relations that
    may be deleted. A row contains at most one more relation than can be deleted in total, which is enough to decide
    whether the node loses all its relations.
    """
    drafts = {draft.subject: draft for draft in deletions if draft.kind is Kind.CONNECTION}
    end_ids = sorted({end for draft in drafts.values() for end in ends_of(draft)} - {*nodes})
    rows: list[EndRow] = []
    for start in range(0, len(end_ids), ROWS):
        page = end_ids[start : start + ROWS]
        rows += await reader.read(ONLY_ENDS, domain=domain, ids=page, most=len(drafts) + others + 1)
    return rows
