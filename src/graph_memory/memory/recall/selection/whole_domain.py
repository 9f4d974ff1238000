"""Reads as much of the whole memory as fits, for a deep recall without a query."""

from __future__ import annotations

from dataclasses import replace

from graph_memory.memory.graph.queries import Page, query_nodes
from graph_memory.memory.history.past import Past
from graph_memory.memory.recall.recall_queries import ties_of
from graph_memory.memory.recall.rendering.spreading_activation import in_order
from graph_memory.memory.recall.selection.fact_selection import Subgraph
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.traversal.walks.edges import chunks
from graph_memory.model.matching import FieldFilter
from graph_memory.model.results import NodeIds

TOKENS_OF_THE_SHORTEST = 8
"""Minimum number of tokens of an item."""


async def whole_domain(scope: Scope, subgraph: Subgraph, most: int) -> tuple[Subgraph, list[str]]:
    """Return a subgraph of up to `most` nodes with their connections, and notes.

    Nodes of the given subgraph come first.
    """
    page = await _nodes(scope, most)
    values = {**dict.fromkeys(page.node_ids, 0.0), **subgraph.values}
    chosen = in_order(values)[:most]
    ties, edges = dict(subgraph.ties), dict(subgraph.edges)
    scale = await scope.scale()
    for part in chunks([node for node in chosen if node not in edges]):
        results, degrees = await ties_of(scope, scale, part)
        ties |= {tie.id: tie for tie in results}
        edges |= dict.fromkeys(part, 0) | degrees
    more = f"Only {most:,} nodes were read, and there are more: ask a question."
    return replace(subgraph, ties=ties, edges=edges, values=values), [more] if page.next_cursor else []


def most_of_all(tokens: int) -> int:
    """Return the maximum number of items in a reply of `tokens` tokens."""
    return tokens // TOKENS_OF_THE_SHORTEST


async def _nodes(scope: Scope, limit: int) -> NodeIds:
    """Return up to `limit` nodes, in the current or the past state."""
    if scope.at is not None:
        return await Past(scope.core, scope.domain, scope.at).query_nodes(limit=limit)
    anything = FieldFilter()
    return await query_nodes(
        scope.core, scope.domain, Page("", limit), type_name=None, properties=None, fields=anything, detail=False
    )
