"""Selects nodes by filters that the passage indexes do not support: paths, namespaces, properties, tags, connections.

If few nodes match, their passages are scored exactly. If many match, the indexes' hits are filtered. In both cases, the
log determines a node's state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from graph_memory.memory.graph import queries
from graph_memory.memory.graph.neighbours import states_of
from graph_memory.memory.graph.queries import Page
from graph_memory.memory.history.past import Past
from graph_memory.memory.search.index.index_filters import lexical_filter
from graph_memory.memory.search.request import Filters
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.search.text.lexical_query import quote
from graph_memory.model.matching import Criteria
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import UNLIMITED
from graph_memory.storage.queries import query

MAX_EXACT = 2_000
"""Maximum number of nodes, and of their passages, that are scored exactly."""


@dataclass(frozen=True, slots=True)
class DegreeRow:
    """A node's number of connections."""

    id: str
    edges: int


TAGGED = query("search/tagged", str)
ALL_TAGGED = query("search/all_tagged", str)
DEGREES = query("search/degrees", DegreeRow)
OWNERS_WITH_DEGREE = query("search/much_connected", str)


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """The nodes that match the filters.

    `connected` contains the nodes with enough connections, if all nodes' connections were counted first.
    """

    scope: Scope
    connected: frozenset[str] | None = None

    async def select(self, ids: Sequence[str]) -> list[str]:
        """Return the ids of nodes that match the filters, in the given order."""
        filters = self.scope.filters
        remaining = [subject_id for subject_id in ids if self.connected is None or subject_id in self.connected]
        if filters.min_edges is not None and self.connected is None:
            counts = await degrees(self.scope, remaining)
            remaining = [subject_id for subject_id in remaining if counts.get(subject_id, 0) >= filters.min_edges]
        if not (filters.tags or filters.properties or _has_fields(filters)):
            return remaining
        criteria, tags = filters.node_criteria, frozenset(filters.tags)
        states = await states_of(self.scope.core, self.scope.domain, remaining, self.scope.number)
        matching = {
            str(state["_subject"])
            for state in states
            if criteria.matches(state) and tags.issubset(cast("Sequence[str]", state.get("_tags") or ()))
        }
        return [subject_id for subject_id in remaining if subject_id in matching]

    async def select_few(self) -> list[str] | None:
        """Return all nodes that match the filters, or None if every single filter matches many nodes."""
        candidates = await self._preselect()
        return None if candidates is None else await self.select(candidates)

    async def _preselect(self) -> list[str] | None:
        """Return all nodes that pass one of the filters, or None if every single filter matches many nodes."""
        filters = self.scope.filters
        if self.connected is not None and len(self.connected) <= MAX_EXACT:
            return sorted(self.connected)
        preselections = (
            (filters.tags, self._preselect_by_tags),
            (filters.properties or _has_fields(filters), self._preselect_by_query),
            (filters.min_edges is not None and self.connected is None, self._preselect_by_degree),
        )
        for is_requested, preselect in preselections:
            if is_requested and (results := await preselect()) is not None:
                return results
        return None

    async def _preselect_by_degree(self) -> list[str] | None:
        arguments = {"least": self.scope.filters.min_edges, "limit": MAX_EXACT + 1}
        results = await self.scope.core.store.read(OWNERS_WITH_DEGREE, domain=self.scope.domain, **arguments)
        return results if len(results) <= MAX_EXACT else None

    async def _preselect_by_query(self) -> list[str] | None:
        scope, filters = self.scope, self.scope.filters
        page, criteria = Page("", MAX_EXACT, filters.valid_at), filters.node_criteria
        type_name = filters.types[0] if len(filters.types) == 1 else None
        if scope.at is None:
            nodes = await queries.query_nodes(
                scope.core,
                scope.domain,
                page,
                type_name=type_name,
                properties=criteria.properties,
                fields=criteria.fields,
                detail=False,
            )
        else:
            past, fields = Past(scope.core, scope.domain, scope.at), criteria.fields
            nodes = await past.query_nodes(
                type=type_name,
                properties=criteria.properties,
                namespace=fields.namespace,
                path_prefix=fields.path_prefix,
                created_after=fields.created_after,
                created_before=fields.created_before,
                valid_at=filters.valid_at,
                limit=MAX_EXACT,
            )
        return None if nodes.next_cursor else list(nodes.node_ids)

    async def _preselect_by_tags(self) -> list[str] | None:
        scope = self.scope
        tags_with_words = [tag for tag in scope.filters.tags if any(scope.analyser.terms(tag))]
        exact = list(scope.filters.tags) if scope.at is None else None
        arguments = {"domain": scope.domain, "at": scope.number, "tags": exact, "limit": MAX_EXACT + 1}
        if tags_with_words:
            words = " ".join(f"+_text:{quote(tag)}" for tag in tags_with_words)
            lucene_query = f"{lexical_filter(scope.domain, at=scope.at)} {words}"
            results = await scope.core.store.read(TAGGED, index=scope.index, lucene=lucene_query, **arguments)
        else:  # the index has no words of these tags
            results = await scope.core.store.read(ALL_TAGGED, **arguments)
        return results if len(results) <= MAX_EXACT else None


async def make_node_filter(scope: Scope) -> NodeFilter:
    """Return a search's node filter. If a filter requires it, all nodes' connections are counted first."""
    filters = scope.filters
    if (filters.min_edges is None and filters.min_strength is None) or _counts_all_connections(scope):
        return NodeFilter(scope)
    counts = await _count_weighed_edges(scope, filters.min_strength or 0.0)
    return NodeFilter(scope, frozenset(node for node, count in counts.items() if count >= (filters.min_edges or 1)))


async def degrees(scope: Scope, ids: Sequence[str]) -> Mapping[str, int]:
    """Return the number of connections of each node at the scope's point in time."""
    if not _counts_all_connections(scope):
        return await _count_weighed_edges(scope)
    rows = await scope.core.store.read(DEGREES, domain=scope.domain, ids=list(ids)) if ids else []
    return {row.id: row.edges for row in rows}


def _counts_all_connections(scope: Scope) -> bool:
    """Return whether all current connections count, so that the number stored by Neo4j can be used."""
    return scope.at is None and scope.filters.min_strength is None and scope.filters.valid_at is None


async def _count_weighed_edges(scope: Scope, minimum: float = 0.0) -> Counter[str]:
    """Count each node's connections with at least the minimum weight. Slow, because it reads all nodes."""
    weigher = await scope.load_weigher()
    page = Page("", UNLIMITED, scope.filters.valid_at)
    results, _ = await weigher.read_page(page, Criteria(kind=Kind.CONNECTION, properties={}), least=minimum)
    return Counter(end for weighed in results for end in {weighed.from_id, weighed.to_id})


def _has_fields(filters: Filters) -> bool:
    return filters.fields.namespace is not None or filters.fields.path_prefix is not None
