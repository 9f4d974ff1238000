"""The nodes that filters leave which no index of passages holds: paths, namespaces, properties, tags, connections.

Where they are few, their passages are scored exactly. Where they are many, what the indexes find is asked whether it is
one of them. Either way the log says what a node is, or was.
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
from graph_memory.memory.search.text.lexical_query import quoted
from graph_memory.model.matching import Wanted
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import UNLIMITED
from graph_memory.storage.queries import query

FEW = 2_000
"""Nodes, and passages of theirs, that are scored exactly."""


@dataclass(frozen=True, slots=True)
class DegreeRow:
    """How many connections a node has."""

    id: str
    edges: int


TAGGED = query("search/tagged", str)
ALL_TAGGED = query("search/all_tagged", str)
DEGREES = query("search/degrees", DegreeRow)
MUCH_CONNECTED = query("search/much_connected", str)


@dataclass(frozen=True, slots=True)
class Membership:
    """Says which nodes filters leave. `connected` has those with enough connections, where these are weighed first."""

    scope: Scope
    connected: frozenset[str] | None = None

    async def of(self, ids: Sequence[str]) -> list[str]:
        """Return those of the ids that the filters leave, in their order."""
        filters = self.scope.filters
        left = [id_ for id_ in ids if self.connected is None or id_ in self.connected]
        if filters.min_edges is not None and self.connected is None:
            counts = await degrees(self.scope, left)
            left = [each for each in left if counts.get(each, 0) >= filters.min_edges]
        if not (filters.tags or filters.properties or _has_fields(filters)):
            return left
        wanted = filters.wanted
        states = await states_of(self.scope.core, self.scope.domain, left, self.scope.number)
        taken = {str(state["_subject"]) for state in states if wanted.takes(state) and _has_tags(state, filters.tags)}
        return [each for each in left if each in taken]

    async def few(self) -> list[str] | None:
        """Return all nodes that the filters leave, None where each of them alone leaves many."""
        results = await self._first()
        return None if results is None else await self.of(results)

    async def _first(self) -> list[str] | None:
        """Return nodes among which all are that the filters leave, by the first of them that leaves few."""
        filters = self.scope.filters
        if self.connected is not None and len(self.connected) <= FEW:
            return sorted(self.connected)
        ways = (
            (filters.tags, self._tagged),
            (filters.properties or _has_fields(filters), self._queried),
            (filters.min_edges is not None and self.connected is None, self._much_connected),
        )
        for is_asked, way in ways:
            if is_asked and (results := await way()) is not None:
                return results
        return None

    async def _much_connected(self) -> list[str] | None:
        arguments = {"least": self.scope.filters.min_edges, "limit": FEW + 1}
        results = await self.scope.core.store.read(MUCH_CONNECTED, domain=self.scope.domain, **arguments)
        return results if len(results) <= FEW else None

    async def _queried(self) -> list[str] | None:
        scope, filters = self.scope, self.scope.filters
        page, wanted = Page("", FEW, filters.valid_at), filters.wanted
        type_name = filters.types[0] if len(filters.types) == 1 else None
        if scope.at is None:
            found = await queries.query_nodes(
                scope.core,
                scope.domain,
                page,
                type_name=type_name,
                properties=wanted.properties,
                fields=wanted.fields,
                detail=False,
            )
        else:
            past, fields = Past(scope.core, scope.domain, scope.at), wanted.fields
            found = await past.query_nodes(
                type=type_name,
                properties=wanted.properties,
                namespace=fields.namespace,
                path_prefix=fields.path_prefix,
                created_after=fields.created_after,
                created_before=fields.created_before,
                valid_at=filters.valid_at,
                limit=FEW,
            )
        return None if found.next_cursor else list(found.node_ids)

    async def _tagged(self) -> list[str] | None:
        scope = self.scope
        worded = [tag for tag in scope.filters.tags if any(scope.analyser.terms(tag))]
        exact = list(scope.filters.tags) if scope.at is None else None
        arguments = {"domain": scope.domain, "at": scope.number, "tags": exact, "limit": FEW + 1}
        if worded:
            words = " ".join(f"+_text:{quoted(tag)}" for tag in worded)
            asked = f"{lexical_filter(scope.domain, at=scope.at)} {words}"
            results = await scope.core.store.read(TAGGED, index=scope.index, asked=asked, **arguments)
        else:  # no word of them is in the index
            results = await scope.core.store.read(ALL_TAGGED, **arguments)
        return results if len(results) <= FEW else None


async def membership(scope: Scope) -> Membership:
    """Return what says which nodes the filters of a search leave."""
    filters = scope.filters
    if (filters.min_edges is None and filters.min_strength is None) or _are_plain(scope):
        return Membership(scope)
    counts = await _weighed_edges(scope, filters.min_strength or 0.0)
    return Membership(scope, frozenset(each for each, count in counts.items() if count >= (filters.min_edges or 1)))


async def degrees(scope: Scope, ids: Sequence[str]) -> Mapping[str, int]:
    """Return how many connections nodes have, or had."""
    if not _are_plain(scope):
        return await _weighed_edges(scope)
    rows = await scope.core.store.read(DEGREES, domain=scope.domain, ids=list(ids)) if ids else []
    return {row.id: row.edges for row in rows}


def _are_plain(scope: Scope) -> bool:
    """Say whether the connections that count are all that there are now, so that Neo4j knows how many."""
    return scope.at is None and scope.filters.min_strength is None and scope.filters.valid_at is None


async def _weighed_edges(scope: Scope, least: float = 0.0) -> Counter[str]:
    """Return how many connections of at least a weight each node has; of all nodes, so it takes its time."""
    weigher = await scope.scale()
    page = Page("", UNLIMITED, scope.filters.valid_at)
    results, _ = await weigher.page(page, Wanted(kind=Kind.CONNECTION, properties={}), least=least)
    return Counter(end for weighed in results for end in {weighed.from_id, weighed.to_id})


def _has_fields(filters: Filters) -> bool:
    return filters.fields.namespace is not None or filters.fields.path_prefix is not None


def _has_tags(state: Mapping[str, object], tags: Sequence[str]) -> bool:
    return frozenset(tags).issubset(cast("Sequence[str]", state.get("_tags") or ()))
