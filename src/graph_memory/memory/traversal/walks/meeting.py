"""Walks from several nodes towards each other. The result contains the paths on which they meet."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.traversal.walks.edges import Edge, EdgeRequest, Steps, split_into_requests
from graph_memory.memory.traversal.walks.walk import (
    Plan,
    Visit,
    WalkResult,
    can_miss_edges,
    edges_to_follow,
    edges_to_read,
)

MAX_EXPLORED = 5_000
"""Maximum number of nodes that all walks together reach before they meet."""


@dataclass(frozen=True, slots=True, order=True)
class _Meeting:
    """A connection that joins two walks, and the length of the path between their starts."""

    length: int
    edge: str
    near: str
    far: str


class _Explorer:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.visits = {start: Visit(start) for start in plan.starts}
        self.owners = {start: start for start in plan.starts}
        self.meetings: dict[frozenset[str], _Meeting] = {}
        self.edges: dict[str, Edge] = {}
        self.cut: set[str] = set()
        self.is_full = False

    def expand_level(self, frontier: list[str], depth: int) -> Steps[list[str]]:
        """Follow the connections of all nodes at a depth. Return the nodes that are reached."""
        new_nodes: list[str] = []
        meetings: dict[frozenset[str], _Meeting] = {}
        for part in split_into_requests(frontier):
            reply = yield EdgeRequest(part, edges_to_read(self.plan))
            edges = {node: list(reply.edges.get(node, ())) for node in part}
            self.cut |= reply.cut if can_miss_edges(self.plan) else reply.hubs
            if reply.cut and self.plan.expansion == "all_edges":
                joining = yield EdgeRequest(tuple(sorted(reply.cut)), towards=tuple(self.visits))
                for node, joining_edges in joining.edges.items():
                    edges[node] += joining_edges
            for node in part:
                for edge in edges_to_follow(edges[node], self.plan, depth + 1):
                    self._step(node, edge, depth, new_nodes, meetings)
        for pair, meeting in meetings.items():
            self.meetings.setdefault(pair, meeting)
        return new_nodes

    def _step(
        self, node: str, edge: Edge, depth: int, new_nodes: list[str], meetings: dict[frozenset[str], _Meeting]
    ) -> None:
        other = edge.other(node)
        if other not in self.owners:
            if len(self.owners) >= MAX_EXPLORED:
                self.is_full = True
                return
            self.owners[other] = self.owners[node]
            self.visits[other] = Visit(other, depth + 1, edge, node)
            new_nodes.append(other)
        elif self.owners[other] != self.owners[node]:
            self.edges[edge.id] = edge
            meeting = _Meeting(depth + 1 + self.visits[other].depth, edge.id, node, other)
            pair = frozenset({self.owners[node], self.owners[other]})
            meetings[pair] = min(meetings.get(pair, meeting), meeting)

    def build_paths(self) -> WalkResult:
        """Return the starts and the paths between them, shortest first, within the maximum number of nodes."""
        node_ids = dict.fromkeys(self.plan.starts)
        walk = WalkResult(cut=self.cut, is_full=self.is_full)
        for meeting in sorted(self.meetings.values()):
            path = dict.fromkeys([*self._path_to_start(meeting.near), *self._path_to_start(meeting.far)])
            if len(node_ids | path) > self.plan.max_nodes:
                walk.is_full = True
                continue
            node_ids |= path
            walk.joins.append(self.edges[meeting.edge])
        ordered = sorted(node_ids, key=lambda node: self.visits[node].depth)
        walk.visits = {node: self.visits[node] for node in ordered}
        return walk

    def _path_to_start(self, node: str) -> list[str]:
        path = [node]
        while (parent := self.visits[path[-1]].parent) is not None:
            path.append(parent)
        return path


def bidirectional(plan: Plan) -> Steps[WalkResult]:
    """Walk from all starts at once, until the walks of each pair of starts have met or the maximum depth is reached."""
    explorer = _Explorer(plan)
    frontier = list(plan.starts)
    pairs = len(plan.starts) * (len(plan.starts) - 1) // 2
    for depth in range(plan.max_depth):
        if not frontier or len(explorer.meetings) == pairs:
            break
        frontier = yield from explorer.expand_level(frontier, depth)
    return explorer.build_paths()
