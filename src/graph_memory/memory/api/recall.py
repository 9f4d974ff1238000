"""`Recall`: finding what a memory knows, by words and by meaning. The work is done in the modules beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.domains.multi_domain import requested_domains
from graph_memory.memory.recall import memory_query, recall, synthesis
from graph_memory.memory.recall.corrections import with_corrections
from graph_memory.memory.recall.multi_domain import memory_query_several, recall_several
from graph_memory.memory.recall.request import RecallRequest, recall_request
from graph_memory.memory.recall.results import Depth, Form, QueryResult, RecallResult
from graph_memory.memory.search import search
from graph_memory.memory.search.multi_domain import search_domains
from graph_memory.memory.search.request import Request, cursor_of, filters_of, types_of, vector_of, weights_of
from graph_memory.memory.search.results import SearchMode, SearchResult, Style, Syntax, Synthesis
from graph_memory.memory.traversal import path_queries, traverse
from graph_memory.memory.traversal.request import (
    DEFAULT_PATHS,
    PathRequest,
    WalkRequest,
    edge_filter,
    edges_of,
    nodes_of,
    starts_of,
)
from graph_memory.memory.traversal.results import Deduplication, Neighbors, PathMode, Paths, ReturnMode, Walked
from graph_memory.memory.traversal.walks.walk import Expansion, Strategy
from graph_memory.memory.traversal.walks.weighting import weighting
from graph_memory.model.results import Direction
from graph_memory.model.values.arguments import check_query


class Recall:
    """Search by words, by meaning, and by both. It is `Memory.recall`.

    A search first indexes what was written since the last one, for 2 seconds at most; `not_covered` says what is
    missing after that. Without vectors it goes on with words, and `warnings` says so. All methods raise
    ONTOLOGY_NOT_FOUND for a domain that does not exist, and INVALID_ARGUMENT.

    Where `domains` can be given, several domains are read, with `include_children` also all under them. Hits stand in
    one order then, each with its `domain`, without a next page. A recall has each domain in as much of the budget as it
    has of what is asked.
    """

    def __init__(self, core: Core, domain_of: Callable[[str | None], str]) -> None:
        self._core = core
        self._domain = domain_of

    async def _domains_of(
        self, domain: str | None, domains: Sequence[str] | None, *, include_children: bool
    ) -> tuple[str, ...] | None:
        return await requested_domains(self._core, self._domain, domain, domains, include_children=include_children)

    async def _search(
        self, request: Request, domain: str | None, domains: Sequence[str] | None, *, include_children: bool
    ) -> SearchResult:
        names = await self._domains_of(domain, domains, include_children=include_children)
        if names is not None:
            return await search_domains(self._core, names, request)
        return await search.search_and_count(self._core, self._domain(domain), request)

    async def _recall(
        self, request: RecallRequest, domain: str | None, domains: Sequence[str] | None, *, include_children: bool
    ) -> RecallResult:
        names = await self._domains_of(domain, domains, include_children=include_children)

        async def recall_one(request: RecallRequest) -> RecallResult:
            if names is not None:
                return await recall_several(self._core, names, request)
            return await recall.recall(self._core, self._domain(domain), request)

        return await with_corrections(self._core, request, recall_one)

    async def search_memories(
        self,
        query: str,
        *,
        search_mode: SearchMode = "hybrid",
        weightings: Mapping[str, float] | None = None,
        filters: Mapping[str, object] | None = None,
        traversal_depth: int = 0,
        include_relevance_scores: bool = True,
        include_relevance_explanation: bool = False,
        max_results: int = 10,
        max_tokens: int | None = None,
        cursor: str | None = None,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        syntax: Syntax = "plain",
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> SearchResult:
        """Return the nodes and connections that answer a question best, each with the passage that fits and why.

        `lexical` compares words, `semantic` meaning, `hybrid` both. A hit also gains where its name stands in the
        question, or in the text of one of the best hits. `weightings` are `title_weight`, `content_weight` and
        `tag_weight`, which multiply what a passage counts, 1 by default, and `edge_weight`, `recency_weight` and
        `use_weight`, 0 by default, for what is much connected, was changed lately, or is used often; also without
        `_weight`. `filters` are `created_after`, `created_before`, `tags` (all of them), `min_edge_count`,
        `node_types`, `path_prefix`, `namespace`, `min_strength` (of its strongest connection) and `properties`.
        `traversal_depth`, up to 3, adds the nodes that hits are connected to.

        `as_of` searches the domain as it was at a point of its log, `valid_at` only what holds at that time in the
        world. `max_results` is at most 100. `max_tokens` shortens passages, then leaves out hits; `next_cursor` leads
        to those. `syntax` `lucene` takes Lucene's query syntax, with the fields `_text` and `_head`. Raises
        EVENT_NOT_FOUND and HISTORY_COMPACTED for `as_of`.
        """
        request = Request(
            query=query,
            mode=search_mode,
            weights=weights_of(weightings),
            filters=filters_of(filters, valid_at),
            depth=traversal_depth,
            scores=include_relevance_scores,
            explanation=include_relevance_explanation,
            max_results=max_results,
            max_tokens=max_tokens,
            cursor=cursor_of(cursor),
            as_of=as_of,
            syntax=syntax,
        )
        return await self._search(request, domain, domains, include_children=include_children)

    async def search_semantic(
        self,
        query: str,
        *,
        limit: int = 10,
        types: Sequence[str] | None = None,
        type: str | None = None,  # noqa: A002
        domain: str | None = None,
    ) -> SearchResult:
        """Return the hits that are nearest to a text by meaning, each with `score` and `distance`.

        `types` are node or connection types; `type` is one. Without vectors it searches by words, and says so.
        """
        request = Request(query=query, mode="semantic", filters=types_of(types, type), max_results=limit)
        return await search.search_and_count(self._core, self._domain(domain), request)

    async def search_by_vector(
        self,
        vector: Sequence[float],
        *,
        limit: int = 10,
        types: Sequence[str] | None = None,
        domain: str | None = None,
    ) -> SearchResult:
        """Return the hits that are nearest to a vector by the domain's model, as `search_semantic` does for a text."""
        filters = types_of(types, None)
        request = Request(query="", mode="semantic", filters=filters, max_results=limit, vector=vector_of(vector))
        return await search.search_and_count(self._core, self._domain(domain), request)

    async def hybrid_search(
        self,
        query: str,
        *,
        weightings: Mapping[str, float] | None = None,
        filters: Mapping[str, object] | None = None,
        traversal_depth: int = 0,
        include_relevance_scores: bool = True,
        include_relevance_explanation: bool = False,
        max_results: int = 10,
        max_tokens: int | None = None,
        cursor: str | None = None,
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> SearchResult:
        """Return the hits for words and meaning together, as `search_memories` does."""
        return await self.search_memories(
            query,
            weightings=weightings,
            filters=filters,
            traversal_depth=traversal_depth,
            include_relevance_scores=include_relevance_scores,
            include_relevance_explanation=include_relevance_explanation,
            max_results=max_results,
            max_tokens=max_tokens,
            cursor=cursor,
            as_of=as_of,
            valid_at=valid_at,
            domain=domain,
            domains=domains,
            include_children=include_children,
        )

    async def recall(
        self,
        query: str | None = None,
        *,
        depth: Depth = "medium",
        focus: Sequence[str] | None = None,
        max_tokens: int | None = None,
        as_: Form = "prose",
        as_of: int | str | None = None,
        since: int | str | None = None,
        valid_at: datetime | str | None = None,
        limit: int | None = None,
        context: Mapping[str, object] | None = None,
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> RecallResult:
        """Return facts from the memory, as prose of at most `max_tokens`, or as an object (`as_` is `structured`).

        `shallow` tells what the memory holds: how much of what, what changed last, what is used most, what is open.
        `medium` tells what a search finds and what that is connected to, `deep` what is best connected to it, up to
        three connections away. `focus` names nodes to begin with, by name, title or id, or connections by id. Without a
        query and without focus, a recall begins with what changed last and what is used most, and `deep` goes on with
        the rest of the memory. `max_tokens`, by default 500, 2,000 and 5,000, is never exceeded. `limit` is the most
        hits of the search, at most 100.

        A time in the query ("last week", "since March", "before the move") narrows it; `period` tells how it was read.
        With `since`, a point of the log such as `"last session"`, a recall tells what changed from then on, in words:
        everything, or what changed about the things that a query or focus finds. "Since last time" in the query means
        the same. `context` has `text`, `types`, `tags`, `path` and `session` of what the caller is about: things like
        it come first. Corrections by users that fit the query come before all else. `as_of` recalls the domain as it
        was at a point of its log, `valid_at` only connections that hold then.
        Where nothing is remembered yet, the content is a short guide for the agent; nothing is stored for it. Raises
        NODE_NOT_FOUND where nothing that `focus` names is there, EVENT_NOT_FOUND and HISTORY_COMPACTED.
        """
        request = recall_request(depth, query, focus, max_tokens, as_, as_of, valid_at, limit, context)
        return await self._recall(replace(request, since=since), domain, domains, include_children=include_children)

    async def memory_context(
        self,
        depth: Depth,
        *,
        query: str | None = None,
        focus: Sequence[str] | None = None,
        max_tokens: int | None = None,
        as_: Form = "prose",
        as_of: int | str | None = None,
        valid_at: datetime | str | None = None,
        limit: int | None = None,
        context: Mapping[str, object] | None = None,
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> RecallResult:
        """Return the result of `recall`. It has the name and the argument order of the specification."""
        request = recall_request(depth, query, focus, max_tokens, as_, as_of, valid_at, limit, context)
        return await self._recall(request, domain, domains, include_children=include_children)

    async def memory_query(
        self,
        query: str,
        *,
        max_tokens: int | None = None,
        domain: str | None = None,
        domains: Sequence[str] | None = None,
        include_children: bool = False,
    ) -> QueryResult:
        """Return facts that answer a question, at the depth that it needs; `why` is the reason for that depth."""
        names = await self._domains_of(domain, domains, include_children=include_children)
        depth, _ = memory_query.depth_of(check_query(query))

        async def ask(request: RecallRequest) -> QueryResult:
            if names is not None:
                return await memory_query_several(self._core, names, request)
            return await memory_query.memory_query(self._core, self._domain(domain), request)

        request = recall_request(depth, query, None, max_tokens, "prose", None, None, None, None)
        return await with_corrections(self._core, request, ask)

    async def memory_synthesize(
        self,
        query: str,
        *,
        subgraph: Sequence[str] | None = None,
        style: Style = "summary",
        max_words: int = 200,
        domain: str | None = None,
    ) -> Synthesis:
        """Return a text by a language model about a question, based on search results or on `subgraph`.

        `subgraph` are the ids of up to 100 nodes and connections. `style` is `summary`, `analysis` or
        `recommendations`. The text cites ids in brackets: unknown ids are removed, and `warnings`
        reports that. GRAPH_MEMORY_MODEL sets the model, to which stored texts are sent. Raises NO_MODEL, with the
        material in `details`, if none is set or it does not answer, and NODE_NOT_FOUND.
        """
        return await synthesis.synthesize(
            self._core, self._domain(domain), query, subgraph=subgraph, style=style, max_words=max_words
        )

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
    ) -> Walked:
        """Return the nodes that connections lead to from one or several nodes, and the connections between them.

        `weighted` follows the connection that counts most wherever it leaves, `bidirectional` goes from several starts
        towards each other and keeps the ways on which they meet. `max_depth` is at most 10, `max_nodes` at most 500.
        `edge_filter` has `types` (also inverse names), `direction` (`out`, `in`, `both`), `properties` and
        `min_strength`; `node_filter` has `types`, `tags` and `properties`: what does not pass is not walked through.
        `weight` is what counts: a property of connections, or arithmetic over `weight`, `strength`, `importance`,
        `age_days`, `depth` and `properties.NAME`. `expansion` follows all connections of a node, the 5
        `strongest_edges`, or 2 of each type. `cross_domains` also follows links to other domains.
        `return_mode` gives contents whole, in short, or `adaptive`: more of what is near. `deduplication` leaves out
        nodes of the same content, or whose vectors are alike. `left_out` says what limits left out. Raises
        NODE_NOT_FOUND, ONTOLOGY_NOT_FOUND, INVALID_ARGUMENT; for `as_of` EVENT_NOT_FOUND and HISTORY_COMPACTED.
        """
        request = WalkRequest(
            starts=starts_of(start),
            strategy=strategy,
            max_depth=max_depth,
            max_nodes=max_nodes,
            edges=edges_of(edge_filter, valid_at),
            nodes=nodes_of(node_filter),
            weighting=weighting(weight),
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
        """Return the paths between two nodes, each with its nodes and one connection between each two.

        `shortest` gives one path of the fewest connections, `k_shortest` `k` of them, 3 by default, `weighted` those
        whose weights have the greatest product. No path passes a node twice. Without a path, `tried` describes
        the search. `max_depth` is at most 10, `k` at most 20. Raises what `traverse_memories` does.
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
        """Return a node, its heaviest outgoing and incoming connections, and its neighbours.

        `types` are connection types, also inverse names, under which connections are then seen. `limit` is at most
        1,000 connections. Raises what `traverse_memories` does.
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
