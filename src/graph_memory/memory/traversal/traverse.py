"""A walk from nodes, from the request to the reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.graph.describe import DescribedRow
from graph_memory.memory.graph.empty_result_warnings import unknown_properties
from graph_memory.memory.search.place import Place, place_of
from graph_memory.memory.search.token_budget import fit_whole, tokens_of
from graph_memory.memory.traversal.contents import STAGES, cut, duplicates_of, lengths, told_by
from graph_memory.memory.traversal.crossing import Crossing, parted, places
from graph_memory.memory.traversal.frontier import Frontier
from graph_memory.memory.traversal.request import WalkRequest
from graph_memory.memory.traversal.results import Followed, LeftOut, Metrics, ReachedNode, Walked
from graph_memory.memory.traversal.walks.edges import Asked, Edge, Steps, chunks
from graph_memory.memory.traversal.walks.meeting import bidirectional
from graph_memory.memory.traversal.walks.metrics import Shape, shape
from graph_memory.memory.traversal.walks.walk import Plan, Visit, Walk, breadth_first, depth_first, weighted
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import user_properties

CONNECTIONS = 5
"""Connections that are told for each node there may be."""
_STRATEGIES = {
    "breadth_first": breadth_first,
    "depth_first": depth_first,
    "weighted": weighted,
    "bidirectional": bidirectional,
}


@dataclass(frozen=True, slots=True)
class _Told:
    """What a walk came to, and what its nodes say."""

    request: WalkRequest
    visits: Sequence[Visit]
    rows: Mapping[str, DescribedRow]
    texts: Mapping[str, str]
    same: Mapping[str, str]
    edges: Sequence[Edge]
    ranks: Mapping[str, float]
    shape: Shape | None

    def shown(self, stage: int, count: int) -> Shown:
        """Return so many nodes at a stage of shortening, and the connections between them."""
        nodes = [self._node(visit, stage) for visit in self.visits[:count]]
        kept = {visit.id for visit in self.visits[:count]}
        return nodes, [followed(edge, self.ranks[edge.id]) for edge in self.edges if {edge.from_id, edge.to_id} <= kept]

    def _node(self, visit: Visit, stage: int) -> ReachedNode:
        row, mode = self.rows[visit.id], self.request.return_mode
        (domain, node), (above, parent) = parted("", visit.id), parted("", visit.parent or "")
        return ReachedNode(
            id=node,
            domain=domain or None,
            type=row.type,
            title=row.named.title,
            depth=visit.depth,
            via=parted("", visit.via.id)[1] if visit.via else None,
            parent=parent or None,
            parent_domain=above or None,
            content=cut(self.texts.get(visit.id, ""), lengths(mode, visit.depth)[stage]),
            properties=user_properties(row.event) or None if mode == "full_content" else None,
            duplicates=tuple(parted("", one)[1] for one, first in self.same.items() if first == visit.id) or None,
            degree=self.shape.degrees[visit.id] if self.shape else None,
            centrality=round(self.shape.centralities[visit.id], 4) if self.shape else None,
        )


async def traverse(core: Core, domain: str, request: WalkRequest) -> Walked:
    """Return what a walk reaches. `Recall.traverse_memories` tells the rest."""
    place = await place_of(core, domain, request.as_of)
    await place.require(request.starts)
    weighting = request.weighting
    asks = Crossing if request.cross_domains else Frontier
    frontier = asks(
        place,
        await place.scale(),
        request.edges,
        request.nodes,
        request.starts,
        weighting.property,
        more=weighting.is_expression,
    )
    plan = Plan(
        request.starts,
        request.strategy,
        request.max_depth,
        request.max_nodes,
        request.expansion,
        weighting.rank,
        ranks_all=weighting.is_expression,
    )
    walk = await frontier.answer(_STRATEGIES[request.strategy](plan))
    rows, texts, same, warnings = await _said(place, [*walk.visits], request)
    visits = [visit for visit in walk.visits.values() if visit.id in rows and visit.id not in same]
    edges = await frontier.answer(_between([visit.id for visit in visits]))
    ranks = {edge.id: round(weighting.rank(edge, _depth(edge, walk)), 4) for edge in edges.values()}
    ordered = sorted(edges.values(), key=lambda edge: (edge.id not in _taken(walk), -ranks[edge.id], edge.id))
    kept = ordered[: CONNECTIONS * request.max_nodes]
    pairs = [(edge.from_id, edge.to_id) for edge in ordered]
    measured = shape([visit.id for visit in visits], pairs) if request.include_metrics else None
    told = _Told(request, visits, rows, texts, same, kept, ranks, measured)
    if len(walk.visits) == len(request.starts):
        warnings += await _reasons(place, request)
    elif request.strategy == "bidirectional" and not walk.joins:
        warnings += ["The walks did not meet within max_depth."]
    warnings += await _of_weight(place, request, ranks)
    return await _reply(told, walk, len(ordered), tuple(warnings))


async def _said(
    place: Place, keys: Sequence[str], request: WalkRequest
) -> tuple[dict[str, DescribedRow], dict[str, str], dict[str, str], list[str]]:
    """Return what nodes are, what they say, which say what others of their domain do, and what was not compared."""
    rows, texts, same, warnings = dict[str, DescribedRow](), dict[str, str](), dict[str, str](), list[str]()
    for here, key in places(place, keys):
        found = await here.nodes([*key])
        starts = request.starts if here is place else ()
        doubled, lines = await duplicates_of(here, found, starts, request.deduplication)
        shown = {one: row for one, row in found.items() if one not in doubled}
        texts |= {key[one]: text for one, text in (await told_by(here, shown, request.return_mode)).items()}
        rows |= {key[one]: row for one, row in found.items()}
        same |= {key[one]: key[first] for one, first in doubled.items()}
        warnings += lines
    return rows, texts, same, warnings


async def _reasons(place: Place, request: WalkRequest) -> list[str]:
    """Return why a walk may have reached nothing."""
    return await place.unknown([*request.edges.types, *request.nodes.types])


async def _of_weight(place: Place, request: WalkRequest, ranks: Mapping[str, float]) -> list[str]:
    """Return why the weight that was asked for may say nothing."""
    named = request.weighting.properties
    lines = await unknown_properties(place.core, place.domain, Kind.CONNECTION, named)
    if ranks and not any(ranks.values()) and (named or request.weighting.is_expression):
        lines.append("weight came to 0 for every connection: what is no number, or cannot be computed, counts 0.")
    return lines


async def _reply(told: _Told, walk: Walk, connections: int, warnings: tuple[str, ...]) -> Walked:
    request, tokens = told.request, None
    nodes, shown = told.shown(0, len(told.visits))
    if request.max_tokens is not None:
        nodes, shown = await anyio.to_thread.run_sync(
            fit_whole, told.shown, STAGES, len(told.visits), request.max_tokens, _size
        )
        tokens = _size((nodes, shown))
        if told.visits and not nodes:
            least = _size(told.shown(STAGES - 1, 1))
            warnings = (*warnings, f"max_tokens leaves no room: the first node alone takes {least} tokens.")
    left = LeftOut(
        max_nodes=walk.is_full or None,
        max_depth=sum(visit.depth == request.max_depth for visit in told.visits) or None,
        max_tokens=len(told.visits) - len(nodes) or None,
        duplicates=len(told.same) or None,
        connections=connections - len(told.edges) or None,
        hubs=tuple(sorted(walk.cut)) or None,
    )
    metrics = None
    if told.shape is not None:
        metrics = Metrics(
            nodes=len(told.visits),
            connections=connections,
            depth=max(visit.depth for visit in told.visits),
            density=round(told.shape.density, 4),
            components=told.shape.components,
            largest_component=told.shape.largest,
        )
    return Walked(
        nodes=tuple(nodes),
        connections=tuple(shown),
        metrics=metrics,
        left_out=left if left.to_dict() else None,
        tokens=tokens,
        warnings=warnings or None,
    )


def _between(nodes: Sequence[str]) -> Steps[dict[str, Edge]]:
    """Ask for the connections between nodes."""
    found: dict[str, Edge] = {}
    for part in chunks(nodes):
        answer = yield Asked(part, towards=tuple(nodes))
        found |= {edge.id: edge for edges in answer.edges.values() for edge in edges}
    return found


def _depth(edge: Edge, walk: Walk) -> int:
    """Return the depth to which a connection leads: one more than that of the end nearer to a start."""
    return min(walk.visits[end].depth for end in (edge.from_id, edge.to_id)) + 1


def _taken(walk: Walk) -> set[str]:
    """Return the ids of the connections by which nodes were reached, and by which walks met."""
    return {visit.via.id for visit in walk.visits.values() if visit.via} | {edge.id for edge in walk.joins}


def followed(edge: Edge, counts: float) -> Followed:
    """Return a connection as it is told."""
    (begins, source), (ends, target) = parted("", edge.from_id), parted("", edge.to_id)
    return Followed(
        id=parted("", edge.id)[1],
        type=edge.type,
        from_id=source,
        to_id=target,
        from_domain=begins or None,
        to_domain=ends or None,
        weight=counts,
        since=edge.since,
        until=edge.until,
    )


Shown = tuple[list[ReachedNode], list[Followed]]


def _size(shown: Shown) -> int:
    return tokens_of([*shown[0], *shown[1]])
