"""Walks over a graph that is asked for bit by bit: breadth first, depth first, by weight. What is equal goes by id."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from graph_memory.memory.traversal.walks.edges import MOST, Asked, Edge, Rank, Steps, chunks

Strategy = Literal["breadth_first", "depth_first", "weighted", "bidirectional"]
Expansion = Literal["all_edges", "strongest_edges", "diverse_edge_types"]

STRONGEST = 5
"""Connections of a node that `strongest_edges` follows."""
OF_TYPE = 2
"""Connections of each type of a node that `diverse_edge_types` follows."""
_SLACK = 50
"""Connections beyond one for each node that there is room for: several may lead to the same node."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a walk is to do."""

    starts: tuple[str, ...]
    strategy: Strategy
    max_depth: int
    max_nodes: int
    expansion: Expansion
    rank: Rank
    ranks_all: bool = False
    """Whether the rank is another than that by which connections are found, so that many must be looked at."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A node that was reached: from which node, by which connection, and how far from a start that was."""

    id: str
    depth: int = 0
    via: Edge | None = None
    parent: str | None = None


@dataclass(slots=True)
class Walk:
    """What a walk came to, in order."""

    visits: dict[str, Visit] = field(default_factory=dict[str, Visit])
    joins: list[Edge] = field(default_factory=list[Edge])
    """Connections where walks from several starts met."""
    cut: set[str] = field(default_factory=set[str])
    """Nodes with more connections than were looked at."""
    is_full: bool = False
    """Whether there was no room for a node that was reached."""


class Walker:
    """What all strategies share: where the walk has been, and the connections that it knows."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.walk = Walk({start: Visit(start) for start in plan.starts})
        self.edges: dict[str, Sequence[Edge]] = {}

    def ask(self, nodes: Iterable[str]) -> Steps[None]:
        """Ask for the connections of nodes."""
        plan, room = self.plan, self.plan.max_nodes - len(self.walk.visits)
        for part in chunks([*dict.fromkeys(nodes)]):
            if plan.expansion == "all_edges":
                most = MOST if plan.ranks_all else min(MOST, 2 * room + _SLACK)
                hit = yield Asked(part, most, known=tuple(self.walk.visits))
            else:
                hit = yield Asked(part, looked_at(plan))
            self.walk.cut |= hit.cut if matters(plan) else hit.hubs
            self.edges.update((node, hit.edges.get(node, ())) for node in part)

    def followed(self, node: str, depth: int) -> list[Edge]:
        """Return the connections of a node of a depth that are followed, in order."""
        return followed(self.edges[node], self.plan, depth + 1)

    def visit(self, node: str, depth: int, via: Edge, parent: str) -> bool:
        """Visit a node; say whether there was room."""
        if len(self.walk.visits) >= self.plan.max_nodes:
            self.walk.is_full = True
            return False
        self.walk.visits[node] = Visit(node, depth, via, parent)
        return True


def looked_at(plan: Plan) -> int:
    """Return how many connections of a node must be known to tell which of them are followed."""
    return STRONGEST if plan.expansion == "strongest_edges" and not plan.ranks_all else MOST


def matters(plan: Plan) -> bool:
    """Say whether something is missed where a node has more connections than are looked at."""
    return plan.expansion != "strongest_edges" or plan.ranks_all


def followed(edges: Sequence[Edge], plan: Plan, depth: int) -> list[Edge]:
    """Return the connections that lead to nodes of a depth and are followed, in order."""
    ranked = sorted({edge.id: edge for edge in edges}.values(), key=lambda edge: (-plan.rank(edge, depth), edge.id))
    match plan.expansion:
        case "all_edges":
            return ranked
        case "strongest_edges":
            return ranked[:STRONGEST]
        case "diverse_edge_types":
            seen: defaultdict[str, Iterator[int]] = defaultdict(count)
            placed = [(next(seen[edge.type]), edge) for edge in ranked]
            return [edge for place in range(OF_TYPE) for at, edge in placed if at == place]


def breadth_first(plan: Plan) -> Steps[Walk]:
    """Go to all nodes of a depth before those of the next."""
    walker = Walker(plan)
    visits = walker.walk.visits
    frontier = list(plan.starts)
    for depth in range(plan.max_depth):
        reached: list[str] = []
        for part in chunks(frontier):
            yield from walker.ask(part)
            for node in part:
                for edge in walker.followed(node, depth):
                    if (other := edge.other(node)) in visits:
                        continue
                    if not walker.visit(other, depth + 1, edge, node):
                        return walker.walk
                    reached.append(other)
        frontier = reached
    return walker.walk


@dataclass(slots=True)
class _Frame:
    """A node on the way back to the start, and its connections that are still to be followed."""

    node: str
    depth: int
    edges: list[Edge]
    place: int = 0

    @property
    def rest(self) -> Iterator[str]:
        return (edge.other(self.node) for edge in self.edges[self.place :])


def depth_first(plan: Plan) -> Steps[Walk]:
    """Go on from each node before the next one beside it."""
    walker = Walker(plan)
    visits = walker.walk.visits
    for place, start in enumerate(plan.starts if plan.max_depth else ()):
        if start not in walker.edges:
            yield from walker.ask(plan.starts[place:][:AHEAD])
        stack = [_Frame(start, 0, walker.followed(start, 0))]
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
                beside = [one for part in reversed(stack) for one in part.rest]
                ahead = [one for one in beside if one not in visits and one not in walker.edges]
                yield from walker.ask([other, *ahead[: AHEAD - 1]])
            stack.append(_Frame(other, depth, walker.followed(other, depth)))
    return walker.walk


AHEAD = 50
"""Nodes whose connections are asked for along with those of one, because it will soon be their turn."""


def weighted(plan: Plan) -> Steps[Walk]:
    """Follow the connection that counts most of all that leave the nodes where the walk has been."""
    walker = Walker(plan)
    visits = walker.walk.visits
    numbers = count()
    heap: list[tuple[float, str, int, str, int, Edge, str]] = []

    def push(node: str, depth: int) -> None:
        for edge in walker.followed(node, depth):
            other = edge.other(node)
            if other not in visits:
                rank = plan.rank(edge, depth + 1)
                heapq.heappush(heap, (-rank, edge.id, depth + 1, other, next(numbers), edge, node))

    if plan.max_depth:
        yield from walker.ask(plan.starts)
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
            soon = (one[3] for one in heapq.nsmallest(AHEAD, heap) if one[2] < plan.max_depth)
            ahead = [one for one in soon if one not in visits and one not in walker.edges]
            yield from walker.ask([node, *ahead])
        push(node, depth)
    return walker.walk
