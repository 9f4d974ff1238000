"""Reads as much of the whole memory as fits, for a deep recall without a query."""

from __future__ import annotations

from dataclasses import replace

from graph_memory.memory.graph.queries import Page, query_nodes
from graph_memory.memory.history.past import Past
from graph_memory.memory.recall.recall_queries import strongest_connections_of
from graph_memory.memory.recall.rendering.spreading_activation import sort_by_value
from graph_memory.memory.recall.selection.fact_selection import Subgraph
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.memory.traversal.walks.edges import split_into_requests
from graph_memory.model.matching import FieldFilter
from graph_memory.model.results import NodeIds

TOKENS_OF_THE_SHORTEST = 8
"""Minimum number of tokens of an item."""


async def read_whole_domain(scope: Scope, subgraph: Subgraph, most: int) -> tuple[Subgraph, list[str]]:
    """Return a subgraph of up to `most` nodes with their connections, and a note if the domain has more nodes.

    Nodes of the given subgraph come first.
    """
    page = await _nodes(scope, most)
    values = {**dict.fromkeys(page.node_ids, 0.0), **subgraph.values}
    selected_ids = sort_by_value(values)[:most]
    ties, edges = dict(subgraph.connections), dict(subgraph.edges)
    weigher = await scope.load_weigher()
    for part in split_into_requests([node for node in selected_ids if node not in edges]):
        results, degrees = await strongest_connections_of(scope, weigher, part)
        ties |= {tie.id: tie for tie in results}
        edges |= dict.fromkeys(part, 0) | degrees
    more = f"Only {most:,} nodes were read, and there are more. Ask a question to find others."
    return replace(subgraph, connections=ties, edges=edges, values=values), [more] if page.next_cursor else []


def max_items_in_all(tokens: int) -> int:
    """Return the maximum number of items in a reply of `tokens` tokens."""
    return tokens // TOKENS_OF_THE_SHORTEST


async def _nodes(scope: Scope, limit: int) -> NodeIds:
    if scope.at is not None:
        return await Past(scope.core, scope.domain, scope.at).query_nodes(limit=limit)
    return await query_nodes(
        scope.core, scope.domain, Page("", limit), type_name=None, properties=None, fields=FieldFilter(), detail=False
    )
