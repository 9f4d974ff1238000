"""`Past`: the state of a domain at a point in its log, read without a copy.

Unchanged subjects are read from the live graph, and changed subjects from the log. So the recent past is cheap to read,
and the cost of a single node or connection does not depend on the length of the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from graph_memory.memory.changes.plan import node_not_found_error
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import BEFORE_ALL, FORK, NEXT_EVENTS, compacted_error, erased_error
from graph_memory.memory.graph import connection_weights, describe, queries
from graph_memory.memory.graph.closure import check_depth, check_transitive
from graph_memory.memory.graph.connection_info import connection_info
from graph_memory.memory.graph.connections import connection_not_found_error
from graph_memory.memory.graph.consistent_read import ConcurrentChange, MarkedRows, read_id_page, read_marked
from graph_memory.memory.graph.fields import field_filter
from graph_memory.memory.graph.neighbours import (
    ConnectionSelector,
    ReadLinks,
    read_all_links,
    read_neighbour_page,
    read_reachable_nodes,
    states_of,
)
from graph_memory.memory.graph.nodes import node_info
from graph_memory.memory.graph.ontology import ontology_from_events, read_logged_types
from graph_memory.memory.graph.premises import lost_premises
from graph_memory.memory.graph.queries import (
    Ids,
    Order,
    Page,
    connection_page,
    id_query,
    node_page,
    statement_params,
    validity_of,
)
from graph_memory.memory.history.past_search import PastSearch
from graph_memory.memory.history.past_weights import PastWeightMethods
from graph_memory.memory.inference.contradictions import find_contradictions
from graph_memory.memory.inference.results import Contradictions
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Event, Op
from graph_memory.model.matching import Criteria
from graph_memory.model.ontology.indexes import IndexRange
from graph_memory.model.ontology.ontology import Ontology, TypeNames
from graph_memory.model.projection import live_state
from graph_memory.model.results import (
    ConnectedNodes,
    ConnectionIds,
    ConnectionInfo,
    ConnectionSummary,
    Direction,
    NodeContent,
    NodeDescription,
    NodeIds,
    NodeInfo,
    Validity,
)
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState, NodeState
from graph_memory.model.values.arguments import UNLIMITED
from graph_memory.model.values.content import Content, ContentRef
from graph_memory.model.values.properties import check_key
from graph_memory.model.values.strength import check_fraction
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import check_text


@dataclass(frozen=True, slots=True)
class StateRow:
    """The last event of a subject up to a log position, and the text that Neo4j stores for it."""

    event: Mapping[str, object] | None
    text: str | None


STATE = query("history/state", StateRow)
NODES = id_query("history/nodes")
CONNECTIONS = id_query("history/connections")
CONNECTED_NODES = id_query("history/connected_nodes")


async def weigher_at(core: Core, domain: str, seq: int) -> connection_weights.ConnectionWeigher:
    """Return a weigher for a domain's connections at a log position. It uses the time of the event at that position."""
    [row] = await core.store.read(NEXT_EVENTS, domain=domain, numbers=[seq])
    types = await read_logged_types(core.store, domain, seq)
    await check_kept(core, domain, seq)
    ontology = ontology_from_events(types) if types else None
    return connection_weights.ConnectionWeigher(
        core, domain, ontology, row.at, seq, partial(check_kept, core, domain, seq)
    )


async def check_kept(core: Core, domain: str, seq: int) -> None:
    """Raise HISTORY_COMPACTED if a log position was compacted, and ONTOLOGY_NOT_FOUND if the domain does not exist."""
    row = await core.store.first_row(FORK, domain=domain)
    if row is None:
        raise no_ontology_error(domain)
    if (row.compacted_to or 0) > seq:
        raise compacted_error(domain, row.compacted_to or 0)


class Past(PastWeightMethods):
    """The state of a domain after one event in its log. Get it from `History.as_of`.

    It has the reading methods of `Memory`, with the same arguments, results and errors. It contains subjects that were
    deleted later, with their content, but not subjects that were created later. Later writes do not change it. If the
    log is compacted beyond its event, all methods raise HISTORY_COMPACTED.
    """

    def __init__(self, core: Core, domain: str, seq: int) -> None:
        self._core = core
        self._domain = domain
        self._seq = seq

    @property
    def seq(self) -> int:
        """The log position whose state is read."""
        return self._seq

    async def get_node(self, node_id: str) -> NodeInfo:
        """Return a node without its content. Raises NODE_NOT_FOUND and SUBJECT_ERASED."""
        return node_info((await self._read_node(node_id))[0])

    async def get_node_content(self, node_id: str) -> NodeContent:
        """Return a node's content at the log position. Raises NODE_NOT_FOUND and CONTENT_READ_FAILED."""
        node, text = await self._read_node(node_id)
        content = await self._fetch_content(node.content, text)
        return NodeContent(content=content.encoded, encoding=content.encoding, format=content.format)

    async def get_connection(self, connection_id: str, *, include_content: bool = False) -> ConnectionInfo:
        """Return a connection, with its content if requested. Raises CONNECTION_NOT_FOUND and CONTENT_READ_FAILED."""
        event, text = await self._last_event(connection_id, Kind.CONNECTION)
        if event is None or event.draft.from_id is None or event.draft.to_id is None:
            raise self._reword_for_past(connection_not_found_error(self._domain, connection_id))
        state = ConnectionState.from_live(live_state(event), event.draft.from_id, event.draft.to_id)
        content: Content | None = None
        if include_content and state.content is not None:
            content = await self._fetch_content(state.content, text)
        definition = (await self.get_ontology()).find_connection_type(state.type)
        inverse, is_transitive = (definition.other_name, definition.transitive) if definition else ("", False)
        lost = await lost_premises(self._core, self._domain, [connection_id], self.seq)
        return connection_info(state, content, inverse, is_transitive=is_transitive, lost=lost.get(connection_id))

    async def query_nodes(
        self,
        *,
        type: str | None = None,  # noqa: A002
        properties: Mapping[str, object] | None = None,
        namespace: str | None = None,
        path_prefix: str | None = None,
        created_after: datetime | str | None = None,
        created_before: datetime | str | None = None,
        modified_after: datetime | str | None = None,
        modified_before: datetime | str | None = None,
        valid_at: datetime | str | None = None,
        order_by: str | None = None,
        descending: bool = False,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> NodeIds:
        """Return the ids of the nodes that match. With `order_by`, reads all matching nodes, so no index is needed."""
        page = Page.of(limit, cursor, valid_at, order_by=order_by, descending=descending)
        fields = field_filter(namespace, path_prefix, created_after, created_before, modified_after, modified_before)
        criteria = queries.node_criteria(page, type, properties, fields)
        return await self._read_node_page(page, criteria, await self._find_ids(NODES, page, criteria), detail=detail)

    async def query_connections(
        self,
        *,
        from_node_id: str | None = None,
        to_node_id: str | None = None,
        type: str | None = None,  # noqa: A002
        properties: Mapping[str, object] | None = None,
        valid_at: datetime | str | None = None,
        min_strength: float | None = None,
        order_by: str | None = None,
        descending: bool = False,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ConnectionIds:
        """Return the ids of the matching connections. Weights are computed as of the time of this state."""
        page = Page.of(limit, cursor, valid_at, order_by=order_by, descending=descending)
        criteria = queries.connection_criteria(page, from_node_id, to_node_id, type, properties)
        if min_strength is not None:
            if order_by is not None:
                raise queries.order_conflict_error("min_strength")
            minimum = check_fraction("min_strength", min_strength)
            return await connection_weights.query_strong_connections(
                await self._weigher(), page, criteria, minimum, detail=detail
            )
        criteria = replace(criteria, names=await self._names_of(type))
        results = await self._find_ids(CONNECTIONS, page, criteria)
        result = await connection_page(self._core, self._domain, page, criteria, results, detail=detail, at=self.seq)
        await self._check_kept()
        return result

    async def get_connected_nodes(
        self,
        node_id: str,
        *,
        direction: Direction,
        connection_type: str | None = None,
        valid_at: datetime | str | None = None,
        min_strength: float | None = None,
        transitive: bool = False,
        max_depth: int | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ConnectedNodes:
        """Return the neighbours of a node, each once. Raises NODE_NOT_FOUND."""
        page, depth = Page.of(limit, cursor, valid_at), check_depth(max_depth, transitive=transitive)
        selector = ConnectionSelector(direction, connection_type, page.valid_at, await self._names_of(connection_type))
        await self._read_node(node_id)
        connection_weights.check_min_strength(min_strength, transitive=transitive)
        if not transitive:
            read_links = None if min_strength is None else (await self._weigher()).minimum_weight_reader(min_strength)
            return await self._neighbour_page(node_id, page, selector, detail=detail, reader=read_links)
        check_transitive(await self.get_ontology(), connection_type)
        unpaged = Page("", UNLIMITED, page.valid_at)

        async def step(ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
            return {node: (await self._neighbour_page(node, unpaged, selector, detail=False)).node_ids for node in ids}

        return await read_reachable_nodes(
            self._core, self._domain, node_id, page, step, depth, detail=detail, at=self.seq
        )

    async def get_connected_nodes_of(
        self, node_ids: Sequence[str], *, direction: Direction, connection_type: str | None = None
    ) -> dict[str, tuple[str, ...]]:
        """Return the ids of the neighbours of several nodes, keyed by node id. Missing nodes are omitted."""
        names = await self._names_of(connection_type)
        selector, unpaged = ConnectionSelector(direction, connection_type, names=names), Page("", UNLIMITED)
        existing = [node.id for node in await self.describe_nodes(node_ids)]
        return {
            node_id: (await self._neighbour_page(node_id, unpaged, selector, detail=False)).node_ids
            for node_id in existing
        }

    async def find_contradictions(
        self, *, valid_at: datetime | str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> Contradictions:
        """Return the pairs of nodes that contradicted each other, as `Memory.find_contradictions` does."""
        return await find_contradictions(self, valid_at, limit, cursor)

    async def search_content(
        self,
        query: str,
        *,
        node_type: str | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> NodeIds:
        """Return the nodes whose text content contained `query`, as `Memory.search_content` does."""
        page = Page.of(limit, cursor)
        results = await PastSearch(self._core, self._domain, self.seq, self._check_kept).find_nodes(
            query, node_type, page
        )
        criteria = Criteria(kind=Kind.NODE, type=node_type, properties={}, text=query)
        return await self._read_node_page(page, criteria, results, detail=detail)

    async def describe_nodes(self, node_ids: Sequence[str]) -> tuple[NodeDescription, ...]:
        """Return the type, title and properties of each node, in the given order. Missing nodes are omitted."""
        nodes = await describe.describe_nodes(self._core, self._domain, node_ids, self.seq)
        await self._check_kept()
        return nodes

    async def describe_connections(self, connection_ids: Sequence[str]) -> tuple[ConnectionSummary, ...]:
        """Return the type, endpoints and properties of each connection, in the given order. Omits missing ones."""
        connections = await describe.describe_connections(self._core, self._domain, connection_ids, self.seq)
        await self._check_kept()
        return connections

    async def get_ontology(self) -> Ontology:
        """Return the ontology at that point. Raises ONTOLOGY_NOT_FOUND if the domain had none."""
        types = await read_logged_types(self._core.store, self._domain, self._seq)
        await self._check_kept()
        if not types:
            hint = Hint("Pass a later event or time.", " Use {memory_log} to see when the domain was created.")
            details = {"domain": self._domain, "at": self._seq, "hint": hint}
            message = f"Domain {self._domain} had no ontology at event {self._seq}"
            raise GraphError(Code.ONTOLOGY_NOT_FOUND, message, details)
        return ontology_from_events(types)

    async def validate_connection(self, connection_type: str, from_node_type: str, to_node_type: str) -> Validity:
        """Return whether the ontology of that time allowed the connection. See `Memory.validate_connection`."""
        return validity_of(await self.get_ontology(), connection_type, from_node_type, to_node_type)

    async def _names_of(self, type_name: str | None) -> TypeNames | None:
        if type_name is None:
            return None
        check_text({"type": type_name})
        return (await self.get_ontology()).names_of(type_name)

    async def _weigher(self) -> connection_weights.ConnectionWeigher:
        await self.get_ontology()
        return await weigher_at(self._core, self._domain, self.seq)

    async def _neighbour_page(
        self, node_id: str, page: Page, selector: ConnectionSelector, *, detail: bool, reader: ReadLinks | None = None
    ) -> ConnectedNodes:
        arguments = {"id": node_id, "at": self.seq, "after": page.after, "limit": page.size, **selector.params}
        marked_rows = await read_marked(self._core, CONNECTED_NODES, self._domain, **arguments)
        await self._check_kept()
        result = await read_neighbour_page(
            self._core,
            self._domain,
            node_id,
            page,
            selector,
            marked_rows,
            lambda: read_all_links(selector, node_id, partial(self._find_ids, CONNECTIONS), self._states),
            detail=detail,
            at=self.seq,
            read_links=reader,
        )
        await self._check_kept()
        return result

    async def _read_node_page(self, page: Page, criteria: Criteria, results: Sequence[str], *, detail: bool) -> NodeIds:
        result = await node_page(self._core, self._domain, page, criteria, results, detail=detail, at=self.seq)
        await self._check_kept()
        return result

    async def _find_ids(self, statement: Query[Ids], page: Page, criteria: Criteria) -> list[str]:
        """Return the ids of the matching subjects, including one id beyond the page to detect a next page."""
        if page.order is not None:
            return await self._find_sort_keys(statement, page, criteria, page.order)

        async def read(after: str, limit: int) -> MarkedRows[str | None]:
            arguments = {**statement_params(statement, criteria), "at": self.seq, "after": after, "limit": limit}
            return await read_marked(self._core, statement, self._domain, **arguments)

        async def matches(row: ConcurrentChange) -> bool:
            return criteria.matches(row.event)

        results = await read_id_page(self._core, self._domain, page.after, page.size, read, matches, at=self.seq)
        await self._check_kept()
        return results

    async def _find_sort_keys(self, statement: Query[Ids], page: Page, criteria: Criteria, order: Order) -> list[str]:
        queries.check_ordered(criteria)
        entries = IndexRange((*criteria.properties, check_key(order.by)), criteria.properties, order.descending)
        ids = await self._find_ids(statement, replace(page, after="", limit=UNLIMITED, order=None), criteria)
        keys = [entries.sort_key(state, str(state["_subject"])) for state in await self._states(ids)]
        return entries.between(filter(None, keys), entries.after(page.after))[: page.size]

    async def _states(self, subjects: Sequence[str]) -> list[Mapping[str, object]]:
        """Return the properties of each subject's last event up to the log position. Omits missing subjects."""
        results = await states_of(self._core, self._domain, subjects, self.seq)
        await self._check_kept()
        return results

    async def _fetch_content(self, ref: ContentRef, text: str | None) -> Content:
        try:
            return await self._core.contents.fetch(self._domain, ref, text)
        except GraphError:
            await self._check_kept()
            raise

    async def _check_kept(self) -> None:
        await check_kept(self._core, self._domain, self.seq)

    async def _read_node(self, node_id: str) -> tuple[NodeState, str | None]:
        event, text = await self._last_event(node_id, Kind.NODE)
        if event is None:
            raise self._reword_for_past(node_not_found_error(self._domain, node_id))
        return NodeState.from_live(live_state(event)), text

    async def _last_event(self, subject: str, kind: Kind) -> tuple[Event | None, str | None]:
        [row] = await self._core.store.read(STATE, domain=self._domain, at=self.seq, id=subject)
        await self._check_kept()
        event = Event.from_row(row.event) if row.event is not None else None
        if event is not None and event.draft.erased:
            raise erased_error(self._domain, subject)
        if event is None or event.draft.kind is not kind or event.draft.op is Op.DELETE:
            return None, None
        return event, row.text

    def _reword_for_past(self, error: GraphError) -> GraphError:
        message = error.message.replace("does not exist", f"did not exist at event {self.seq}")
        hint = Hint("Use {memory_log:subject=ID} to see when it was created and deleted.")
        if self.seq <= 0:
            hint = Hint("{before_all} Pass a later event or time.", " {hint}", before_all=BEFORE_ALL, hint=hint)
        return GraphError(error.code, message, {**error.details, "at": self.seq, "hint": hint})
