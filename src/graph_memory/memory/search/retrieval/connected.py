"""What is connected to hits: nodes that contradict them, and nodes that follow them on request."""

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
from graph_memory.model.text.wording import shown
from graph_memory.storage.log.writing import utc_now

OF_ONE = 20
"""Nodes that follow one hit, or one node that does."""
OF_ALL = 50
"""Nodes that follow all hits of a page."""
_MOST_CONTRADICTING = 5


async def contradicting(scope: Scope, ids: Sequence[str]) -> dict[str, tuple[NodeBrief, ...]]:
    """Return for each node those that contradict it: at the time that was asked about, else now."""
    ontology = await scope.core.log.ontology(scope.domain)
    if ontology is None or ontology.find_connection_type(ontology.stored_as(TYPE)[0]) is None:
        return {}
    at = scope.filters.valid_at or utc_now()
    if scope.at is None:
        return await _contradicting_now(scope, ids, at)
    found = await _around(scope, ids, TYPE, at, _MOST_CONTRADICTING)
    return {
        node: tuple(NodeBrief(id=other.id, type=other.type, title=other.title) for other in others)
        for node, others in found.items()
        if others
    }


async def _contradicting_now(scope: Scope, ids: Sequence[str], at: datetime) -> dict[str, tuple[NodeBrief, ...]]:
    """Return for each node those that contradict it, found for all nodes at once."""
    found = await neighbours.neighbours(
        scope.core, scope.domain, ids, direction="both", connection_type=TYPE, valid_at=at
    )
    others = {node: several[:_MOST_CONTRADICTING] for node, several in found.items()}
    every = sorted({each for several in others.values() for each in several})
    briefs = {brief.id: brief for brief in await node_briefs(scope.core, scope.domain, every)} if every else {}
    rendered = {node: tuple(briefs[each] for each in several if each in briefs) for node, several in others.items()}
    return {node: several for node, several in rendered.items() if several}


async def connected_to(scope: Scope, titles: Mapping[str, str], depth: int) -> list[Hit]:
    """Return the nodes up to so many connections away from hits, each once, nearest first; a bounded number of them."""
    known = set(titles)
    hits: list[Hit] = []
    names = dict(titles)
    reached = list(titles)
    for step in range(depth):
        context = await _around(scope, reached, None, scope.filters.valid_at, OF_ONE)
        frontier: list[str] = []
        for node, others in context.items():
            for other in others:
                if other.id in known or len(hits) == OF_ALL:
                    continue
                known.add(other.id)
                frontier.append(other.id)
                names[other.id] = other.title
                hits.append(_following(other, names.get(node, node), step + 1))
        reached = frontier
    return hits


def _following(node: ConnectedNode, source: str, steps: int) -> Hit:
    types = ", ".join(dict.fromkeys(link.type for link in node.connections))
    away = "" if steps == 1 else f", {steps} steps away"
    why = f'connected to "{shown(source)}" by {types}{away}'
    return Hit(id=node.id, kind="node", type=node.type, title=node.title, why=why)


async def _around(
    scope: Scope, ids: Sequence[str], type_name: str | None, valid_at: datetime | None, most: int
) -> dict[str, Sequence[ConnectedNode]]:
    """Return the nodes at the other ends of the connections of each node; none of one that is gone."""
    found: dict[str, Sequence[ConnectedNode]] = {}

    async def look(node: str) -> None:
        page = Page("", most, valid_at)
        try:
            if scope.at is None:
                answer = await neighbours.get_connected_nodes(
                    scope.core, scope.domain, node, page, direction="both", connection_type=type_name, detail=True
                )
            else:
                answer = await Past(scope.core, scope.domain, scope.at).get_connected_nodes(
                    node, direction="both", connection_type=type_name, valid_at=valid_at, limit=most, detail=True
                )
        except GraphError as error:
            if error.code is not Code.NODE_NOT_FOUND:
                raise
            return
        found[node] = answer.nodes or ()

    async with task_group() as tasks:
        for id_ in ids:
            tasks.start_soon(look, id_)
    return {id_: found[id_] for id_ in ids if id_ in found}
