"""Walks from several nodes towards each other: what stays is what lies on the ways where they meet."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.traversal.walks.edges import Asked, Edge, Steps, chunks
from graph_memory.memory.traversal.walks.walk import Plan, Visit, Walk, followed, looked_at, matters

EXPLORED = 5_000
"""Nodes that walks may reach before they meet."""


@dataclass(frozen=True, slots=True, order=True)
class _Meeting:
    """A connection by which two walks meet, and how long the way between their starts is."""

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

    def level(self, frontier: list[str], depth: int) -> Steps[list[str]]:
        """Go one step further from all nodes of a depth; return those that were reached."""
        reached: list[str] = []
        met: dict[frozenset[str], _Meeting] = {}
        for part in chunks(frontier):
            hit = yield Asked(part, looked_at(self.plan))
            edges = {node: list(hit.edges.get(node, ())) for node in part}
            self.cut |= hit.cut if matters(self.plan) else hit.hubs
            if hit.cut and self.plan.expansion == "all_edges":
                joining = yield Asked(tuple(sorted(hit.cut)), towards=tuple(self.visits))
                for node, more in joining.edges.items():
                    edges[node] += more
            for node in part:
                for edge in followed(edges[node], self.plan, depth + 1):
                    self._step(node, edge, depth, reached, met)
        for pair, meeting in met.items():
            self.meetings.setdefault(pair, meeting)
        return reached

    def _step(self, node: str, edge: Edge, depth: int, reached: list[str], met: dict[frozenset[str], _Meeting]) -> None:
        other = edge.other(node)
        if other not in self.owners:
            if len(self.owners) >= EXPLORED:
                self.is_full = True
                return
            self.owners[other] = self.owners[node]
            self.visits[other] = Visit(other, depth + 1, edge, node)
            reached.append(other)
        elif self.owners[other] != self.owners[node]:
            self.edges[edge.id] = edge
            meeting = _Meeting(depth + 1 + self.visits[other].depth, edge.id, node, other)
            pair = frozenset({self.owners[node], self.owners[other]})
            met[pair] = min(met.get(pair, meeting), meeting)

    def ways(self) -> Walk:
        """Return the starts and what lies on the ways between them, the shortest first, as far as there is room."""
        kept = dict.fromkeys(self.plan.starts)
        walk = Walk(cut=self.cut, is_full=self.is_full)
        for meeting in sorted(self.meetings.values()):
            way = dict.fromkeys([*self._back(meeting.near), *self._back(meeting.far)])
            if len(kept | way) > self.plan.max_nodes:
                walk.is_full = True
                continue
            kept |= way
            walk.joins.append(self.edges[meeting.edge])
        ordered = sorted(kept, key=lambda node: self.visits[node].depth)
        walk.visits = {node: self.visits[node] for node in ordered}
        return walk

    def _back(self, node: str) -> list[str]:
        """Return the nodes from one back to its start."""
        results = [node]
        while (parent := self.visits[results[-1]].parent) is not None:
            results.append(parent)
        return results


def bidirectional(plan: Plan) -> Steps[Walk]:
    """Walk from all starts at once, until each two of them have met or the depth is reached."""
    explorer = _Explorer(plan)
    frontier = list(plan.starts)
    pairs = len(plan.starts) * (len(plan.starts) - 1) // 2
    for depth in range(plan.max_depth):
        if not frontier or len(explorer.meetings) == pairs:
            break
        frontier = yield from explorer.level(frontier, depth)
    return explorer.ways()
