"""`Recall`: searches by words and meaning, and recalls facts within a token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from graph_memory.memory.api.traversal import Traversal
from graph_memory.memory.domains.multi_domain import requested_domains
from graph_memory.memory.recall.request import RecallRequest, recall_request
from graph_memory.memory.recall.results import Depth, Form, QueryResult, RecallResult
from graph_memory.memory.search import access_store, search
from graph_memory.memory.search.multi_domain import search_domains
from graph_memory.memory.search.request import Request, cursor_of, filters_of, types_of, vector_of, weights_of
from graph_memory.memory.search.results import SearchMode, SearchResult, Style, Syntax, Synthesis
from graph_memory.model.results import NodeUses
from graph_memory.model.values.arguments import check_query


class Recall(Traversal):
    """Search by words, by meaning, or both. Use it as `Memory.recall`.

    A search first indexes new writes, for at most 2 seconds. `not_covered` is the number of writes that it could not
    index in this time. Without vectors, a search compares only words, and `warnings` contains a note about it. All
    methods raise ONTOLOGY_NOT_FOUND if a domain does not exist, and INVALID_ARGUMENT if an argument is invalid.

    `domains` searches several domains, and `include_children` also their child domains. Hits from several domains are
    ranked together. Each contains its `domain`, and there is no next page. A recall divides its budget between the
    domains according to how well they match the query.
    """

    async def _search(
        self, request: Request, domain: str | None, domains: Sequence[str] | None, *, include_children: bool
    ) -> SearchResult:
        names = await requested_domains(self._core, self._domain, domain, domains, include_children=include_children)
        if names is not None:
            return await search_domains(self._core, names, request)
        return await search.search_and_count(self._core, self._domain(domain), request)

    async def _recall(
        self, request: RecallRequest, domain: str | None, domains: Sequence[str] | None, *, include_children: bool
    ) -> RecallResult:
        from graph_memory.memory.recall import recall
        from graph_memory.memory.recall.corrections import with_corrections
        from graph_memory.memory.recall.multi_domain import recall_several

        names = await requested_domains(self._core, self._domain, domain, domains, include_children=include_children)

        async def recall_request_facts(request: RecallRequest) -> RecallResult:
            if names is not None:
                return await recall_several(self._core, names, request)
            return await recall.recall(self._core, self._domain(domain), request)

        return await with_corrections(self._core, request, recall_request_facts)

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
        """Return the nodes and connections that best answer a question, each with a matching passage and the reasons.

        `lexical` compares words, `semantic` meaning, and `hybrid` both. A hit ranks higher if the question, or one of
        the best hits, contains its name. `weightings` contains factors for the ranking: `title_weight`,
        `content_weight` and `tag_weight` (default 1) multiply the scores of passages from titles, content and tags;
        `edge_weight`, `recency_weight` and `use_weight` (default 0) raise hits with many connections, recent changes or
        frequent use. The suffix `_weight` is optional. `filters` are `created_after`, `created_before`, `tags` (all
        must match), `min_edge_count`, `node_types`, `path_prefix`, `namespace`, `min_strength` (of the strongest
        connection) and `properties`. `traversal_depth`, up to 3, adds nodes connected to hits.

        `as_of` searches the state of the domain at a point in its log. `valid_at` selects facts that hold in the world
        at that time. `max_results` is at most 100. To stay within `max_tokens`, passages are shortened first, and then
        hits are omitted; pass `next_cursor` to get them. If `syntax` is `lucene`, the query uses Lucene's syntax and
        the fields `_text` and `_head`. With `as_of`, raises EVENT_NOT_FOUND and HISTORY_COMPACTED.
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
        """Return the hits nearest to a text in meaning, each with `score` and `distance`.

        `types` are node or connection types. `type` is a single type. Without vectors, the search compares words, and
        returns a warning.
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
        """Return the hits nearest to a vector of the domain's embedding model. See `search_semantic`."""
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
        """Return the hits that match best by words and meaning combined. See `search_memories`."""
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
        """Return facts from the memory, as prose, or as an object if `as_` is `structured`.

        `shallow` describes the memory: nodes by type, latest changes, most used nodes, open questions. `medium` returns
        the hits of a search and their connections. `deep` also returns the nodes that are best connected to them, up to
        three connections away. `focus` contains the names, titles or ids of nodes to start from, or ids of connections.
        Without a query and a focus, recall starts from the latest changes and the most used nodes, and `deep` continues
        with the rest of the memory. The result never exceeds `max_tokens`, which is 500, 2,000 or 5,000 by default,
        depending on the depth. `limit` is the maximum number of search hits (up to 100).

        A time in the query ("last week", "since March", "before the move") restricts the results to that time; `period`
        in the result is the recognised time. If `since` is a point in the log, such as `"last session"`, the result
        describes the changes after that point: all changes, or if a query or focus is given, the changes of its hits.
        "Since last time" in the query has the same effect. `context` describes the caller's work by `text`, `types`,
        `tags`, `path` and `session`; facts that are similar to it come first. Corrections by users that match the query
        come before all other facts. `as_of` recalls the state of the domain at a point in its log, and `valid_at`
        selects connections that hold at that time. If the memory is empty, the content is a short guide for the agent,
        which is not stored. Raises NODE_NOT_FOUND if no name in `focus` exists, EVENT_NOT_FOUND and HISTORY_COMPACTED.
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
        """Return the result of `recall`, under the name and with the argument order of the tool specification."""
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
        """Return facts that answer a question.

        The question determines the search depth, and `why` explains the choice.
        """
        from graph_memory.memory.recall import memory_query
        from graph_memory.memory.recall.corrections import with_corrections
        from graph_memory.memory.recall.multi_domain import memory_query_several

        names = await requested_domains(self._core, self._domain, domain, domains, include_children=include_children)
        depth, _ = memory_query.choose_depth(check_query(query))

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
        """Return a language model's text about a question, based on search results or on `subgraph`.

        `subgraph` contains the ids of up to 100 nodes and connections. `style` is `summary`, `analysis` or
        `recommendations`. The text cites ids in brackets; unknown ids are removed, with an entry in `warnings`.
        GRAPH_MEMORY_MODEL selects the model, which receives stored texts. Raises NODE_NOT_FOUND if an id does not
        exist, and NO_MODEL, with the texts in `details`, if no model is configured or it does not answer.
        """
        from graph_memory.memory.recall import synthesis

        return await synthesis.synthesize(
            self._core, self._domain(domain), query, subgraph=subgraph, style=style, max_words=max_words
        )

    async def get_node_uses(self, node_ids: Sequence[str], *, domain: str | None = None) -> NodeUses:
        """Return the use counts of at most 2,000 nodes: how many replies contained each node.

        Replies to searches and recalls count, and so do reads of single nodes, for example by a card in the viewer.
        Counts are written every few seconds, so the latest replies may not be included.
        """
        return await access_store.uses_of(self._core, self._domain(domain), node_ids)
