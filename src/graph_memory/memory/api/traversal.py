"""`Traversal`: traverses the graph, finds paths, and returns neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.traversal import path_queries, traverse
from graph_memory.memory.traversal.communities.results import Communities
from graph_memory.memory.traversal.request import (
    DEFAULT_PATHS,
    PathRequest,
    WalkRequest,
    edge_filter,
    edges_of,
    nodes_of,
    starts_of,
)
from graph_memory.memory.traversal.results import Deduplication, Neighbors, PathMode, Paths, ReturnMode, TraversalResult
from graph_memory.memory.traversal.walks.walk import Expansion, Strategy
from graph_memory.memory.traversal.walks.weighting import parse_weighting
from graph_memory.model.results import Direction


class Traversal(Facade):
    """The methods of `Recall` that follow connections."""

    async def traverse_memories(
        self,
        start: Sequence[str] | str,
        *,
        strategy: Strategy = "breadth_first",
        max_depth: int = 2,
        max_nodes: int = 50,
        edge_filter: Mapping[str, object] | None = None,
        node_filter: Mapping[str, object] | None = None,
        weight: str | None = None,
        expansion: Expansion = "all_edges",
        return_mode: ReturnMode = "summarized",
        deduplication: Deduplication = "none",
        include_metrics: bool = False,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        max_tokens: int | None = None,
        cross_domains: bool = False,
        domain: str | None = None,
    ) -> TraversalResult:
        """Return the nodes that can be reached from one or several start nodes, and the connections between them.

        `weighted` always follows the connection with the highest weight next. `bidirectional` searches from several
        start nodes towards each other, and returns the paths on which they meet. `max_depth` is at most 10, `max_nodes`
        at most 500. `edge_filter` has `types` (also inverse names), `direction` (`out`, `in`, `both`), `properties` and
        `min_strength`; `node_filter` has `types`, `tags` and `properties`. Paths end before nodes that do not match.
        `weight` is a property of connections, or arithmetic over `weight`, `strength`, `importance`, `age_days`,
        `depth` and `properties.NAME`. `expansion` follows all connections of a node, its 5 `strongest_edges`, or 2 of
        each type. `cross_domains` also follows links to other domains. `return_mode` returns contents in full,
        shortened, or `adaptive` (longer for near nodes). `deduplication` omits nodes with the same content or similar
        vectors. `left_out` is the number of nodes omitted by the limits. Raises NODE_NOT_FOUND, ONTOLOGY_NOT_FOUND
        and INVALID_ARGUMENT, and with `as_of` also EVENT_NOT_FOUND and HISTORY_COMPACTED.
        """
        request = WalkRequest(
            starts=starts_of(start),
            strategy=strategy,
            max_depth=max_depth,
            max_nodes=max_nodes,
            edges=edges_of(edge_filter, valid_at),
            nodes=nodes_of(node_filter),
            weighting=parse_weighting(weight),
            expansion=expansion,
            return_mode=return_mode,
            deduplication=deduplication,
            include_metrics=include_metrics,
            as_of=as_of,
            max_tokens=max_tokens,
            cross_domains=cross_domains,
        )
        return await traverse.traverse(self._core, self._domain(domain), request)

    async def find_path(
        self,
        from_id: str,
        to_id: str,
        *,
        mode: PathMode = "shortest",
        k: int | None = None,
        types: Sequence[str] | None = None,
        direction: Direction = "both",
        max_depth: int = 5,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        domain: str | None = None,
    ) -> Paths:
        """Return the paths between two nodes, each with its nodes and one connection for each step.

        `shortest` returns one path with the fewest connections, `k_shortest` the `k` shortest paths (default 3, at most
        20), and `weighted` the paths with the highest product of weights. No path visits a node twice. If there is no
        path, `tried` describes the search. `max_depth` is at most 10. Raises the errors of `traverse_memories`.
        """
        request = PathRequest(
            from_id=from_id,
            to_id=to_id,
            mode=mode,
            k=k if k is not None else DEFAULT_PATHS if mode == "k_shortest" else 1,
            max_depth=max_depth,
            edges=edge_filter(types, direction, valid_at),
            as_of=as_of,
        )
        return await path_queries.find_path(self._core, self._domain(domain), request)

    async def get_neighbors(
        self,
        node_id: str,
        *,
        types: Sequence[str] | None = None,
        direction: Direction = "both",
        limit: int = 100,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        domain: str | None = None,
    ) -> Neighbors:
        """Return a node, its connections with the highest weights in both directions, and its neighbours.

        `types` are connection types or inverse names, under which connections are then returned. `limit` is at most
        1,000 connections. Raises the errors of `traverse_memories`.
        """
        return await path_queries.get_neighbors(
            self._core,
            self._domain(domain),
            node_id,
            types=types,
            direction=direction,
            limit=limit,
            as_of=as_of,
            valid_at=valid_at,
        )

    async def get_communities(
        self,
        *,
        community_id: str | None = None,
        node_ids: Sequence[str] | None = None,
        limit: int = 50,
        max_wait: int = 2,
        domain: str | None = None,
    ) -> Communities:
        """Return groups of nodes that are more connected with each other than with other nodes, largest first.

        The groups are computed in the background and cached, so the result can be older than the domain: `at` is its
        log position, and `is_computing` shows whether a newer result is being computed. The first call waits for at
        most `max_wait` seconds (at most 60), and then returns no communities. In a transaction, nothing is computed.

        `community_id` selects the community with this id, or the community of the node with this id, with its 50 most
        connected nodes. `node_ids`, at most 2,000, selects these nodes' communities, and adds `members`. `limit` is at
        most 2,000. A domain has at most 2,000 communities: the smallest are merged into `:other`. Nodes without
        connections are in `:unconnected`. These two are last, and `limit` does not count them.

        Raises ONTOLOGY_NOT_FOUND, INVALID_ARGUMENT, CONTENT_TOO_LARGE for a domain of more than 2,000,000 nodes or
        connections, OVERLOADED if there are no communities and no computation can start now, and INTERNAL.
        """
        from graph_memory.memory.traversal.communities import query

        return await query.get_communities(
            self._core,
            self._domain(domain),
            community_id=community_id,
            node_ids=node_ids,
            limit=limit,
            max_wait=max_wait,
        )
