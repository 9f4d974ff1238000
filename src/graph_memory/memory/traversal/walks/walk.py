"""Walks over a graph that is read step by step: breadth first, depth first, or by weight.

On a tie, connections are ordered by id.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from graph_memory.memory.traversal.walks.edges import MAX_EDGES, Edge, EdgeRequest, Rank, Steps, split_into_requests

Strategy = Literal["breadth_first", "depth_first", "weighted", "bidirectional"]
Expansion = Literal["all_edges", "strongest_edges", "diverse_edge_types"]

MAX_STRONGEST = 5
"""Number of connections followed per node with `strongest_edges`."""
MAX_OF_TYPE = 2
"""Number of connections followed per node and type with `diverse_edge_types`."""
_SLACK = 50
"""Number of additional connections to read per node, because several may lead to the same node."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of a walk."""

    starts: tuple[str, ...]
    strategy: Strategy
    max_depth: int
    max_nodes: int
    expansion: Expansion
    rank: Rank
    ranks_all: bool = False
    """Whether the ranking order differs from the order of reading, so that many connections must be read."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A visited node with its parent, the connection from the parent, and its distance from the start."""

    id: str
    depth: int = 0
    via: Edge | None = None
    parent: str | None = None


@dataclass(slots=True)
class WalkResult:
    """A walk's visits in order, and the limits that it reached."""

    visits: dict[str, Visit] = field(default_factory=dict[str, Visit])
    joins: list[Edge] = field(default_factory=list[Edge])
    """Connections where walks from several starts met."""
    cut: set[str] = field(default_factory=set[str])
    """Nodes with more connections than were read."""
    is_full: bool = False
    """Whether the walk stopped because it reached the maximum number of nodes."""


class Walker:
    """The state shared by all strategies: the visits and the known connections."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.walk = WalkResult({start: Visit(start) for start in plan.starts})
        self.edges: dict[str, Sequence[Edge]] = {}

    def request_edges(self, nodes: Iterable[str]) -> Steps[None]:
        """Request the connections of nodes, and store the replies."""
        plan, room = self.plan, self.plan.max_nodes - len(self.walk.visits)
        for part in split_into_requests([*dict.fromkeys(nodes)]):
            if plan.expansion == "all_edges":
                maximum = MAX_EDGES if plan.ranks_all else min(MAX_EDGES, 2 * room + _SLACK)
                reply = yield EdgeRequest(part, maximum, known=tuple(self.walk.visits))
            else:
                reply = yield EdgeRequest(part, edges_to_read(plan))
            self.walk.cut |= reply.cut if can_miss_edges(plan) else reply.hubs
            self.edges.update((node, reply.edges.get(node, ())) for node in part)

    def edges_to_follow(self, node: str, depth: int) -> list[Edge]:
        """Return the connections to follow from a node at a depth, highest rank first."""
        return edges_to_follow(self.edges[node], self.plan, depth + 1)

    def visit(self, node: str, depth: int, via: Edge, parent: str) -> bool:
        """Visit a node, unless the maximum number of nodes is reached. Return whether it was visited."""
        if len(self.walk.visits) >= self.plan.max_nodes:
            self.walk.is_full = True
            return False
        self.walk.visits[node] = Visit(node, depth, via, parent)
        return True


def edges_to_read(plan: Plan) -> int:
    """Return the maximum number of connections to read per node."""
    return MAX_STRONGEST if plan.expansion == "strongest_edges" and not plan.ranks_all else MAX_EDGES


def can_miss_edges(plan: Plan) -> bool:
    """Return whether the walk might have followed connections that it did not read."""
    return plan.expansion != "strongest_edges" or plan.ranks_all


def edges_to_follow(edges: Sequence[Edge], plan: Plan, depth: int) -> list[Edge]:
    """Return the connections that lead to the nodes of the given depth, highest rank first."""
    ranked = sorted({edge.id: edge for edge in edges}.values(), key=lambda edge: (-plan.rank(edge, depth), edge.id))
    match plan.expansion:
        case "all_edges":
            return ranked
        case "strongest_edges":
            return ranked[:MAX_STRONGEST]
        case "diverse_edge_types":
            numbers: defaultdict[str, Iterator[int]] = defaultdict(count)
            numbered = [(next(numbers[edge.type]), edge) for edge in ranked]
            return [edge for place in range(MAX_OF_TYPE) for number, edge in numbered if number == place]


def breadth_first(plan: Plan) -> Steps[WalkResult]:
    """Visit all nodes at one depth before the next depth."""
    walker = Walker(plan)
    visits = walker.walk.visits
    frontier = list(plan.starts)
    for depth in range(plan.max_depth):
        new_nodes: list[str] = []
        for part in split_into_requests(frontier):
            yield from walker.request_edges(part)
            for node in part:
                for edge in walker.edges_to_follow(node, depth):
                    if (other := edge.other(node)) in visits:
                        continue
                    if not walker.visit(other, depth + 1, edge, node):
                        return walker.walk
                    new_nodes.append(other)
        frontier = new_nodes
    return walker.walk


@dataclass(slots=True)
class _Frame:
    """A node on the current path, and its connections."""

    node: str
    depth: int
    edges: list[Edge]
    place: int = 0
    """The index of the next connection to follow."""


def depth_first(plan: Plan) -> Steps[WalkResult]:
    """Visit the neighbours of each node before its siblings."""
    walker = Walker(plan)
    visits = walker.walk.visits
    for place, start in enumerate(plan.starts if plan.max_depth else ()):
        if start not in walker.edges:
            yield from walker.request_edges(plan.starts[place:][:MAX_REQUESTED_AHEAD])
        stack = [_Frame(start, 0, walker.edges_to_follow(start, 0))]
        while stack:
            frame = stack[-1]
            if frame.place == len(frame.edges):
                stack.pop()
                continue
            edge = frame.edges[frame.place]
            frame.place += 1
            if (other := edge.other(frame.node)) in visits:
                continue
            if not walker.visit(other, depth := frame.depth + 1, edge, frame.node):
                return walker.walk
            if depth == plan.max_depth:
                continue
            if other not in walker.edges:
                siblings = [
                    next_edge.other(ancestor.node)
                    for ancestor in reversed(stack)
                    for next_edge in ancestor.edges[ancestor.place :]
                ]
                ahead = [node_id for node_id in siblings if node_id not in visits and node_id not in walker.edges]
                yield from walker.request_edges([other, *ahead[: MAX_REQUESTED_AHEAD - 1]])
            stack.append(_Frame(other, depth, walker.edges_to_follow(other, depth)))
    return walker.walk


MAX_REQUESTED_AHEAD = 50
"""Maximum number of nodes whose connections are requested together, because they will be visited soon."""


def best_first(plan: Plan) -> Steps[WalkResult]:
    """In each step, follow the connection with the highest rank that leaves any visited node."""
    walker = Walker(plan)
    visits = walker.walk.visits
    numbers = count()
    heap: list[tuple[float, str, int, str, int, Edge, str]] = []

    def push(node: str, depth: int) -> None:
        for edge in walker.edges_to_follow(node, depth):
            other = edge.other(node)
            if other not in visits:
                rank = plan.rank(edge, depth + 1)
                heapq.heappush(heap, (-rank, edge.id, depth + 1, other, next(numbers), edge, node))

    if plan.max_depth:
        yield from walker.request_edges(plan.starts)
        for start in plan.starts:
            push(start, 0)
    while heap:
        _, _, depth, node, _, edge, parent = heapq.heappop(heap)
        if node in visits:
            continue
        if not walker.visit(node, depth, edge, parent):
            break
        if depth == plan.max_depth:
            continue
        if node not in walker.edges:
            next_nodes = (entry[3] for entry in heapq.nsmallest(MAX_REQUESTED_AHEAD, heap) if entry[2] < plan.max_depth)
            unread = [entry for entry in next_nodes if entry not in visits and entry not in walker.edges]
            yield from walker.request_edges([node, *unread])
        push(node, depth)
    return walker.walk
