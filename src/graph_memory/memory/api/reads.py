"""`ReadMethods`: queries of the current state of a domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.domains import listing
from graph_memory.memory.domains.multi_domain import requested_domains
from graph_memory.memory.graph import connection_info, connection_weights, describe, neighbours, nodes, queries
from graph_memory.memory.graph.fields import field_filter
from graph_memory.memory.graph.multi_domain_query import query_domains
from graph_memory.memory.graph.queries import Page
from graph_memory.memory.graph.substring import SubstringSearch
from graph_memory.memory.inference import contradictions
from graph_memory.memory.inference.results import Contradictions
from graph_memory.model import results
from graph_memory.model.domain_results import DomainInfo, Domains
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.rights import require
from graph_memory.model.values.arguments import check_domain
from graph_memory.model.values.strength import check_fraction


class ReadMethods:
    """The methods of `Memory` that read the current state of a domain. `Past` has methods for earlier states."""

    def __init__(self, core: Core, *, default_domain: str) -> None:
        self._core = core
        self._search = SubstringSearch(core)
        self._default_domain = check_domain(default_domain)

    def _domain(self, domain: str | None) -> str:
        return require(self._default_domain if domain is None else check_domain(domain))

    async def get_node(self, node_id: str, *, domain: str | None = None) -> results.NodeInfo:
        """Return a node without its content. Raises NODE_NOT_FOUND."""
        return await nodes.get_node(self._core, self._domain(domain), node_id)

    async def get_node_content(self, node_id: str, *, domain: str | None = None) -> results.NodeContent:
        """Return a node's content as it was stored. Raises NODE_NOT_FOUND and CONTENT_READ_FAILED."""
        return await nodes.get_node_content(self._core, self._domain(domain), node_id)

    async def get_connection(
        self, connection_id: str, *, include_content: bool = False, domain: str | None = None
    ) -> results.ConnectionInfo:
        """Return a connection, with its content if requested. Raises CONNECTION_NOT_FOUND and CONTENT_READ_FAILED."""
        return await connection_info.get_connection(
            self._core, self._domain(domain), connection_id, include_content=include_content
        )

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
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> results.NodeIds:
        """Return the ids of the nodes that have the given type (default: any type) and all the given property values.

        `true` does not match `1`, but `1` matches `1.0`. `valid_at` selects nodes that are valid in the world at that
        time, and `detail` adds type and title. By default, all nodes are returned; with `limit`, pass `next_cursor` to
        get the next page. `namespace` and `path_prefix` filter by node fields: `/house` also matches `/household`.
        `created_…` and `modified_…` filter by the times of creation and last change: `…_after` is inclusive, `…_before`
        exclusive. `domains` queries several domains in order, and `include_children` also their child domains; results
        then contain their domain. `order_by` sorts by a property, `descending` in reverse. It requires a `type` with an
        index on the filtered properties and then that property, such as `indexes: [[session, timestamp]]`; otherwise,
        the call raises INVALID_ARGUMENT. Raises INVALID_PROPERTY if a property filter is invalid.
        """
        fields = field_filter(namespace, path_prefix, created_after, created_before, modified_after, modified_before)

        async def query(name: str, limit: int | None, cursor: str | None, *, detail: bool = True) -> results.NodeIds:
            page = Page.of(limit, cursor, valid_at, order_by=order_by, descending=descending)
            return await queries.query_nodes(
                self._core, name, page, type_name=type, properties=properties, fields=fields, detail=detail
            )

        names = await requested_domains(self._core, self._domain, domain, domains, include_children=include_children)
        if names is None:
            return await query(self._domain(domain), limit, cursor, detail=detail)
        if order_by is not None:
            raise queries.order_conflict_error("several domains")
        return await query_domains(names, limit, cursor, query)

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
        domain: str | None = None,
    ) -> results.ConnectionIds:
        """Return the ids of the connections that match all conditions. See `query_nodes` for the arguments.

        `detail` adds the type of each connection, and the ids and titles of its start and end nodes. `min_strength` is
        a minimum weight, from 0 to 1. It cannot be combined with `order_by`.
        """
        name = self._domain(domain)
        page = Page.of(limit, cursor, valid_at, order_by=order_by, descending=descending)
        criteria = queries.connection_criteria(page, from_node_id, to_node_id, type, properties)
        if min_strength is not None:
            least = check_fraction("min_strength", min_strength)
            if order_by is not None:
                raise queries.order_conflict_error("min_strength")
            return await connection_weights.query_strong_connections(
                await connection_weights.create_weigher(self._core, name), page, criteria, least, detail=detail
            )
        return await queries.query_connections(self._core, name, page, criteria, detail=detail)

    async def get_connected_nodes(
        self,
        node_id: str,
        *,
        direction: results.Direction,
        connection_type: str | None = None,
        valid_at: datetime | str | None = None,
        min_strength: float | None = None,
        transitive: bool = False,
        max_depth: int | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.ConnectedNodes:
        """Return the neighbours of a node, each once.

        `out` follows outgoing connections, `in` incoming connections, and `both` all connections. A node connected to
        itself is its own neighbour. `valid_at` selects connections that are valid in the world at that time, and
        `min_strength` connections of at least that weight, from 0 to 1. `detail` adds the type and title of each node,
        and the connections to it. `transitive` follows chains of connections of a transitive type, up to `max_depth`
        (at most 100) and 10,000 nodes. The start node is then omitted. `transitive` cannot be combined with
        `min_strength`. Raises NODE_NOT_FOUND.
        """
        name = self._domain(domain)
        return await neighbours.get_connected_nodes(
            self._core,
            name,
            node_id,
            Page.of(limit, cursor, valid_at),
            direction=direction,
            connection_type=connection_type,
            detail=detail,
            transitive=transitive,
            max_depth=max_depth,
            read_links=await connection_weights.minimum_weight_reader(
                self._core, name, min_strength, transitive=transitive
            ),
        )

    async def get_most_connected_nodes(
        self, *, limit: int = 10, domain: str | None = None
    ) -> tuple[results.ConnectedCount, ...]:
        """Return the nodes with the most connections, in descending order. Nodes without connections are omitted.

        Raises INVALID_ARGUMENT if the limit is below 1, and ONTOLOGY_NOT_FOUND if the domain does not exist.
        """
        return await describe.most_connected(self._core, self._domain(domain), limit)

    async def get_strongest_connections(
        self,
        node_id: str,
        *,
        direction: results.Direction = "both",
        connection_type: str | None = None,
        limit: int = 10,
        domain: str | None = None,
    ) -> results.WeighedConnections:
        """Return the connections of a node with the highest weights, strongest first.

        A weight is a number from 0 to 1 that is computed from strength, importance and age (see
        `model/values/weight.py`). `limit` is at most 1,000. Raises NODE_NOT_FOUND.
        """
        weigher = await connection_weights.create_weigher(self._core, self._domain(domain))
        return await connection_weights.find_strongest(weigher, node_id, direction, connection_type, limit)

    async def get_weak_relations(
        self,
        *,
        below: float = connection_weights.WEAK,
        connection_type: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.WeighedConnections:
        """Return connections with a weight below `below`, as candidates for review or removal.

        Pages are ordered by id. Within a page, the weakest connection comes first.
        """
        page = Page.of(connection_weights.checked_limit(limit), cursor)
        weigher = await connection_weights.create_weigher(self._core, self._domain(domain))
        return await connection_weights.find_weak(weigher, page, check_fraction("below", below), connection_type)

    async def find_contradictions(
        self,
        *,
        valid_at: datetime | str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> Contradictions:
        """Return pairs of nodes that are connected by a valid `contradicts` connection, with their titles and ages."""
        reader = ReadMethods(self._core, default_domain=self._domain(domain))
        return await contradictions.find_contradictions(reader, valid_at, limit, cursor)

    async def search_content(
        self,
        query: str,
        *,
        node_type: str | None = None,
        detail: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
        domain: str | None = None,
    ) -> results.NodeIds:
        """Return the nodes whose text content contains `query`. Case is ignored, by Unicode case folding.

        `SS` therefore matches `ß`, but white space, line endings and composed characters must match exactly. New
        content is searched immediately. Binary content is not searched. `detail` adds the type and title of each node.
        """
        return await self._search.search_content(
            self._domain(domain), query, Page.of(limit, cursor), node_type=node_type, detail=detail
        )

    async def describe_nodes(
        self, node_ids: Sequence[str], *, domain: str | None = None
    ) -> tuple[results.NodeDescription, ...]:
        """Return the type, title, properties, fields and content size of each node, in the given order.

        Unknown ids are omitted.
        """
        return await describe.describe_nodes(self._core, self._domain(domain), node_ids)

    async def describe_connections(
        self, connection_ids: Sequence[str], *, domain: str | None = None
    ) -> tuple[results.ConnectionSummary, ...]:
        """Return each connection's type, endpoints and properties, in the given order. Unknown ids are omitted."""
        return await describe.describe_connections(self._core, self._domain(domain), connection_ids)

    async def get_connected_nodes_of(
        self,
        node_ids: Sequence[str],
        *,
        direction: results.Direction,
        connection_type: str | None = None,
        domain: str | None = None,
    ) -> dict[str, tuple[str, ...]]:
        """Return the ids of the neighbours of each node, keyed by node id. Unknown ids are omitted."""
        return await neighbours.read_neighbours(
            self._core, self._domain(domain), node_ids, direction=direction, connection_type=connection_type
        )

    async def validate_connection(
        self, connection_type: str, from_node_type: str, to_node_type: str, *, domain: str | None = None
    ) -> results.Validity:
        """Return whether the ontology allows a connection between nodes of these types.

        Unknown types are not allowed.
        """
        return await queries.validate_connection(
            self._core, self._domain(domain), connection_type, from_node_type, to_node_type
        )

    async def get_ontology(self, *, domain: str | None = None) -> Ontology:
        """Return the ontology with all its types, in declaration order."""
        return await self._core.log.require_ontology(self._domain(domain))

    async def list_domains(self, *, limit: int | None = None, cursor: str | None = None) -> Domains:
        """Return all domains, or a page of them, sorted by name, with the sizes of their logs and ontologies."""
        return await listing.list_domains(self._core, limit, cursor)

    async def domain_info(self, *, domain: str | None = None) -> DomainInfo:
        """Return a domain with its node and connection counts. Raises ONTOLOGY_NOT_FOUND."""
        return await listing.domain_info(self._core, self._domain(domain))
