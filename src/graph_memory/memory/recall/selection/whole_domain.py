"""The whole of a memory, for a deep recall that asks for nothing: as much of it as could be told."""

from __future__ import annotations

from dataclasses import replace

from graph_memory.memory.graph.queries import Page, query_nodes
from graph_memory.memory.history.past import Past
from graph_memory.memory.recall.recall_queries import ties_of
from graph_memory.memory.recall.rendering.spreading_activation import in_order
from graph_memory.memory.recall.selection.fact_selection import Web
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.traversal.walks.edges import chunks
from graph_memory.model.matching import FieldFilter
from graph_memory.model.results import NodeIds

TOKENS_OF_THE_SHORTEST = 8
"""Tokens that nothing takes less than."""


async def whole(scope: Scope, web: Web, most: int) -> tuple[Web, list[str]]:
    """Return a web with so many nodes and their connections, what was reached first, and what is to be noted."""
    every = await _nodes(scope, most)
    values = {**dict.fromkeys(every.node_ids, 0.0), **web.values}
    chosen = in_order(values)[:most]
    ties, edges = dict(web.ties), dict(web.edges)
    scale = await scope.scale()
    for part in chunks([each for each in chosen if each not in edges]):
        found, degrees = await ties_of(scope, scale, part)
        ties |= {tie.id: tie for tie in found}
        edges |= dict.fromkeys(part, 0) | degrees
    more = f"There are more nodes than the {most:,} that were looked at: ask for something."
    return replace(web, ties=ties, edges=edges, values=values), [more] if every.next_cursor else []


def most_of_all(tokens: int) -> int:
    """Return how many things could at most be told in so many tokens."""
    return tokens // TOKENS_OF_THE_SHORTEST


async def _nodes(scope: Scope, limit: int) -> NodeIds:
    """Return so many nodes, as they are or as they were."""
    if scope.at is not None:
        return await Past(scope.core, scope.domain, scope.at).query_nodes(limit=limit)
    anything = FieldFilter()
    return await query_nodes(
        scope.core, scope.domain, Page("", limit), type_name=None, properties=None, fields=anything, detail=False
    )
