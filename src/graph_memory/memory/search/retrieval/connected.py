"""Reads the nodes connected to hits: nodes that contradict them, and other neighbours on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from graph_memory.memory.background import task_group
from graph_memory.memory.graph import neighbours
from graph_memory.memory.graph.describe import node_briefs
from graph_memory.memory.graph.queries import Page
from graph_memory.memory.history.past import Past
from graph_memory.memory.inference.contradictions import TYPE
from graph_memory.memory.search.results import Hit
from graph_memory.memory.search.retrieval.retrieval import Scope
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import ConnectedNode, NodeBrief
from graph_memory.model.text.wording import printable
from graph_memory.storage.log.writing import utc_now

MAX_PER_NODE = 20
"""Maximum number of connected nodes listed after one hit or node."""
MAX_PER_PAGE = 50
"""Maximum number of connected nodes listed after all hits of a page."""
_MAX_CONTRADICTING = 5


async def contradictions_of(scope: Scope, ids: Sequence[str]) -> dict[str, tuple[NodeBrief, ...]]:
    """Return the nodes that contradict each node at the requested time (default now), by node id."""
    ontology = await scope.core.log.ontology(scope.domain)
    if ontology is None or ontology.find_connection_type(ontology.stored_type(TYPE)[0]) is None:
        return {}
    at = scope.filters.valid_at or utc_now()
    if scope.at is None:
        return await _current_contradictions(scope, ids, at)
    connected = await _read_connected(scope, ids, TYPE, at, _MAX_CONTRADICTING)
    return {
        node: tuple(NodeBrief(id=other.id, type=other.type, title=other.title) for other in others)
        for node, others in connected.items()
        if others
    }


async def _current_contradictions(scope: Scope, ids: Sequence[str], at: datetime) -> dict[str, tuple[NodeBrief, ...]]:
    """Return the nodes that currently contradict each node, read with one query."""
    connected = await neighbours.read_neighbours(
        scope.core, scope.domain, ids, direction="both", connection_type=TYPE, valid_at=at
    )
    others = {node: other_ids[:_MAX_CONTRADICTING] for node, other_ids in connected.items()}
    all_ids = sorted({other_id for other_ids in others.values() for other_id in other_ids})
    briefs = {brief.id: brief for brief in await node_briefs(scope.core, scope.domain, all_ids)} if all_ids else {}
    briefs_by_node = {
        node: tuple(briefs[other_id] for other_id in other_ids if other_id in briefs)
        for node, other_ids in others.items()
    }
    return {node: other_ids for node, other_ids in briefs_by_node.items() if other_ids}


async def nodes_connected_to(scope: Scope, titles: Mapping[str, str], depth: int) -> list[Hit]:
    """Return up to `MAX_PER_PAGE` nodes at most `depth` connections away from the hits, nearest first, each once."""
    seen_ids = set(titles)
    hits: list[Hit] = []
    title_by_id = dict(titles)
    start_ids = list(titles)
    for step in range(depth):
        connected = await _read_connected(scope, start_ids, None, scope.filters.valid_at, MAX_PER_NODE)
        frontier: list[str] = []
        for node, others in connected.items():
            for other in others:
                if other.id in seen_ids or len(hits) == MAX_PER_PAGE:
                    continue
                seen_ids.add(other.id)
                frontier.append(other.id)
                title_by_id[other.id] = other.title
                hits.append(_make_hit(other, title_by_id.get(node, node), step + 1))
        start_ids = frontier
    return hits


def _make_hit(node: ConnectedNode, source: str, steps: int) -> Hit:
    types = ", ".join(dict.fromkeys(link.type for link in node.connections))
    away = "" if steps == 1 else f", {steps} steps away"
    why = f'connected to "{printable(source)}" by {types}{away}'
    return Hit(id=node.id, kind="node", type=node.type, title=node.title, why=why)


async def _read_connected(
    scope: Scope, ids: Sequence[str], type_name: str | None, valid_at: datetime | None, limit: int
) -> dict[str, Sequence[ConnectedNode]]:
    """Return up to `limit` connected nodes of each node, by node id. Missing nodes are omitted."""
    connected: dict[str, Sequence[ConnectedNode]] = {}

    async def read_node(node: str) -> None:
        page = Page("", limit, valid_at)
        try:
            if scope.at is None:
                neighbour_page = await neighbours.get_connected_nodes(
                    scope.core, scope.domain, node, page, direction="both", connection_type=type_name, detail=True
                )
            else:
                neighbour_page = await Past(scope.core, scope.domain, scope.at).get_connected_nodes(
                    node, direction="both", connection_type=type_name, valid_at=valid_at, limit=limit, detail=True
                )
        except GraphError as error:
            if error.code is not Code.NODE_NOT_FOUND:
                raise
            return
        connected[node] = neighbour_page.nodes or ()

    async with task_group() as tasks:
        for subject_id in ids:
            tasks.start_soon(read_node, subject_id)
    return {subject_id: connected[subject_id] for subject_id in ids if subject_id in connected}
