"""Small graphs of connections, what walks are told of them, and the same graphs for networkx."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import networkx as nx
from hypothesis import strategies as st

from graph_memory.memory.traversal.walks.edges import Edge, EdgeReply, EdgeRequest, Steps

R = TypeVar("R")

NODES = "abcdefgh"
WEIGHTS = (0.1, 0.25, 0.5, 0.5, 0.9)


@st.composite
def edges(draw: st.DrawFn, most: int = 16) -> list[Edge]:
    """Return connections among up to eight nodes: of two types, several between two nodes, loops too."""
    ends = st.tuples(st.sampled_from(NODES), st.sampled_from(NODES), st.sampled_from("XY"), st.sampled_from(WEIGHTS))
    values = draw(st.lists(ends, max_size=most))
    return [
        Edge(f"e{number:02}", kind, text, other, weight) for number, (text, other, kind, weight) in enumerate(values)
    ]


def leads(edge: Edge, node: str, direction: str) -> bool:
    """Return whether a connection may be followed from a node."""
    return (direction != "in" and edge.from_id == node) or (direction != "out" and edge.to_id == node)


def answer_edges(
    edges: Sequence[Edge],
    steps: Steps[R],
    direction: str = "both",
    log: list[EdgeRequest] | None = None,
    by: Callable[[Edge], float] = lambda edge: edge.weight,
    takes: Callable[[str], bool] = lambda _: True,
) -> R:
    """Return the result of a walk whose requests are answered as Neo4j does."""
    turned = {"in": "out", "out": "in", "both": "both"}

    def reply_to(request: EdgeRequest) -> EdgeReply:
        way = turned[direction] if request.backward else direction
        answer: dict[str, list[Edge]] = {}
        cut: set[str] = set()
        for node in request.nodes:
            fitting = [edge for edge in edges if leads(edge, node, way) and edge.other(node) not in request.known]
            fitting = [edge for edge in fitting if request.towards is None or edge.other(node) in request.towards]
            fitting = [edge for edge in fitting if takes(edge.other(node))]
            fitting.sort(key=lambda edge: (-by(edge), edge.id))
            if len(fitting) > request.most:
                cut.add(node)
            answer[node] = fitting[: request.most]
        return EdgeReply(answer, frozenset(cut))

    try:
        result = next(steps)
        while True:
            if log is not None:
                log.append(result)
            result = steps.send(reply_to(result))
    except StopIteration as ended:
        return ended.value


def digraph_of(edges: Sequence[Edge], direction: str) -> nx.DiGraph[str]:
    """Return the graph in which walks go, for networkx: from each node to the next ones, by the best connection."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(NODES)
    for edge in sorted(edges, key=lambda edge: (edge.weight, [-ord(text) for text in edge.id])):
        for name, other in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id)):
            if leads(edge, name, direction) and other == edge.other(name):
                graph.add_edge(name, other, edge=edge)
    return graph


def in_order(graph: nx.DiGraph[str], node: str) -> Callable[[Sequence[str]], list[str]]:
    """Return a function that sorts the neighbours of a node in the order of a walk."""

    def rank(other: str) -> tuple[float, str]:
        edge: Edge = graph.edges[node, other]["edge"]
        return -edge.weight, edge.id

    return lambda others: sorted(others, key=rank)
