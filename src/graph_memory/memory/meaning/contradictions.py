"""Pairs of nodes that connections say cannot both be true."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import describe_nodes
from graph_memory.memory.graph.queries import Page, query_connections
from graph_memory.memory.meaning.results import Contradiction, Contradictions, Side
from graph_memory.model.results import NodeSummary
from graph_memory.storage.log.writing import utc_now

TYPE = "contradicts"
"""The connection type that says so: the standard one, or one of that name."""


async def find_contradictions(core: Core, domain: str, page: Page) -> Contradictions:
    """Return the pairs that contradict each other, by default those that do now; in the order of their connections."""
    now = utc_now()
    found = await query_connections(
        core,
        domain,
        page if page.valid_at else replace(page, valid_at=now),
        from_node_id=None,
        to_node_id=None,
        type_name=TYPE,
        properties=None,
        detail=True,
    )
    briefs = found.connections or ()
    ends = sorted({end for one in briefs for end in (one.from_id, one.to_id)})
    nodes = {one.id: _side(one, now) for one in await describe_nodes(core, domain, ends)}
    pairs = tuple(
        Contradiction(connection_id=one.id, a=nodes[one.from_id], b=nodes[one.to_id])
        for one in briefs
        if one.from_id in nodes and one.to_id in nodes
    )
    return Contradictions(contradictions=pairs, next_cursor=found.next_cursor, warnings=found.warnings)


def _side(node: NodeSummary, now: datetime) -> Side:
    age = max((now - node.modified).days, 0)
    return Side(id=node.id, type=node.type, title=node.title, modified=node.modified, age_days=age)
