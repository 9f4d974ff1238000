"""`PastMemory`: the entities and blocks of a domain as of an event of its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import anyio.to_thread

from graph_memory.memory.domains.lineage import NEXT_EVENTS
from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.entities.paging import fit_part
from graph_memory.memory.entities.reads import (
    EntityFields,
    GraphRow,
    OpenedRow,
    contains_all,
    graph_of,
    relations_around,
    sort_by_relevance,
    texts_of,
)
from graph_memory.memory.entities.results import KnowledgeGraph
from graph_memory.memory.entities.word_search import search_terms_of
from graph_memory.memory.entity_graph.values import request as asked
from graph_memory.memory.history.past import Past
from graph_memory.memory.sessions.blocks import BLOCK, block_of, blocks_with
from graph_memory.memory.sessions.notes import Note
from graph_memory.memory.sessions.results import Blocks
from graph_memory.model.errors import Hint
from graph_memory.model.events import Draft, Event
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import (
    ENTITY,
    MENTIONED,
    PLACE,
    RELATION,
    TEXT,
    fold_entity_text,
    user_properties,
)
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

_MAX_BLOCKS = 1_000


@dataclass(frozen=True, slots=True)
class EventRow:
    """The last event of a subject."""

    event: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PastGraph:
    """The entities and relations as of an event, and each entity's properties except its name, keyed by id."""

    rows: GraphRow
    properties: Mapping[str, Mapping[str, PropertyValue]]

    def _aliases(self, entity: EntityFields) -> str | None:
        stored = self.properties[entity[0]].get(ALIASES)
        return stored if isinstance(stored, str) else None

    def find_matching(self, terms: Sequence[str]) -> GraphRow:
        """Return the entities that contain all of these case-folded texts."""
        texts = {entity[0]: texts_of(entity, self._aliases(entity)) for entity in self.rows.entities}
        entities = [entity for entity in self.rows.entities if contains_all(texts[entity[0]], terms)]
        return GraphRow(entities, relations_around(entities, self.rows.relations))

    def names(self, entity: EntityFields) -> set[str]:
        """Return the name and the aliases of an entity."""
        stored = self._aliases(entity)
        return {entity[1], *(aliases_of({ALIASES: stored}) if stored else ())}


PAST = query("sessions/past", EventRow)


class PastMemory(Past):
    """A domain as of an event of its log. Get one from `History.as_of`.

    Its methods are the reading methods of `Memory` and `Memory.entities`, with the same arguments, results and errors.
    It contains records that were deleted later, with their content, but no records that were created later. Later
    writes do not change it. If the log is compacted beyond the event, all methods raise HISTORY_COMPACTED.
    """

    @property
    def read_graph_tokens(self) -> int:
        """Default maximum number of tokens of `read_graph` over MCP."""
        return self._core.read_graph_tokens

    async def open_nodes(self, names: Sequence[str], *, detail: bool = False) -> KnowledgeGraph:
        """Return the entities with these names or aliases, and the relations of each.

        Raises INVALID_ARGUMENT if a name is invalid or `detail` is true.
        """
        if detail:
            hint = Hint("Omit detail.", " Use {memory_log} to get ids and times.")
            raise invalid_argument("detail", "detail is true, which past states do not support", hint)
        requested_names = frozenset(asked.names_from(names))
        graph = await self._graph()
        entities = [entity for entity in graph.rows.entities if not requested_names.isdisjoint(graph.names(entity))]
        relations = relations_around(entities, graph.rows.relations)
        properties = [list(graph.properties[entity[0]].items()) for entity in entities]
        opened = OpenedRow(entities, relations, properties)
        return graph_of([opened]).model_copy(update={"notes": tuple(opened.notes) or None})

    async def search_nodes(self, query: str) -> KnowledgeGraph:
        """Return the entities whose name, aliases, type or observations contain a text. See `Entities.search_nodes`."""
        text = asked.text_from(query, "query")
        graph = await self._graph()
        row = graph.find_matching([fold_entity_text(text)])
        if not row.entities and self._core.search_words and (terms := search_terms_of(text)):
            row = sort_by_relevance(graph.find_matching(terms), terms)
        return graph_of([row])

    async def read_graph(
        self, *, max_tokens: int | None = None, limit: int | None = None, cursor: str | None = None
    ) -> KnowledgeGraph:
        """Return all entities and relations, or a part of them. See `Entities.read_graph`."""
        graph = await self._graph()
        return await anyio.to_thread.run_sync(fit_part, graph.rows, max_tokens, limit, cursor)

    async def get_block(self, label: str | None = None) -> Blocks:
        """Return the block with the given label, or all blocks. See `Entities.get_block`."""
        page = await self.query_nodes(type=BLOCK.type, limit=_MAX_BLOCKS)
        nodes = [(await self._read_node(node_id))[0] for node_id in page.node_ids]
        texts = [str((await self.get_node_content(node.id)).content) for node in nodes]
        blocks = [block_of(Note(node, text)) for node, text in zip(nodes, texts, strict=True)]
        return blocks_with(blocks, label)

    async def _graph(self) -> PastGraph:
        rows = await self._core.store.read(PAST, domain=self._domain, at=self.seq)
        [next_event] = await self._core.store.read(NEXT_EVENTS, domain=self._domain, numbers=[self.seq])
        await self._check_kept()
        return await anyio.to_thread.run_sync(past_graph, [row.event for row in rows], next_event.at or utc_now())


def past_graph(events: Sequence[Mapping[str, object]], then: datetime) -> PastGraph:
    """Return the entities and relations as the last event of each subject describes them.

    Observations and relations that had ended by `then` are omitted.
    """
    drafts = sorted((Event.from_row(event).draft for event in events), key=_creation_order)
    current = [draft for draft in drafts if not draft.erased and not _has_ended(draft, then)]
    nodes = {draft.subject: draft for draft in drafts if draft.kind is Kind.NODE and not draft.erased}
    observations: dict[str, list[str]] = {}
    for draft in current:
        if draft.kind is Kind.OBSERVATION:
            observations.setdefault(draft.from_id or "", []).append(_text(draft, TEXT))
    entities: list[EntityFields] = [
        (subject, _text(node, "name"), _text(node, ENTITY), observations.get(subject, []))
        for subject, node in nodes.items()
        if MENTIONED not in (node.state or {})
    ]
    relations = [
        (_text(nodes[draft.from_id], "name"), _text(nodes[draft.to_id], "name"), _text(draft, RELATION) or draft.type)
        for draft in current
        if draft.kind is Kind.CONNECTION and draft.from_id in nodes and draft.to_id in nodes
    ]
    properties = {subject: user_properties(node.state or {}) for subject, node in nodes.items()}
    for properties_of_entity in properties.values():
        properties_of_entity.pop("name", None)
    return PastGraph(GraphRow(entities, relations), properties)


def _text(draft: Draft, key: str) -> str:
    value = (draft.state or {}).get(key)
    return value if isinstance(value, str) else ""


def _has_ended(draft: Draft, then: datetime) -> bool:
    end = (draft.state or {}).get("_valid_to")
    return isinstance(end, datetime) and end <= then


def _creation_order(draft: Draft) -> tuple[str, int, str]:
    state = draft.state or {}
    created, place = state.get("_created"), state.get(PLACE)
    return str(created), place if isinstance(place, int) else 0, draft.subject
