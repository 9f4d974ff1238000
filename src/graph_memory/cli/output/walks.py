"""Prints traversal results for people: walks as trees, paths step by step, and neighbors as a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from graph_memory.cli.output.printing import escape_line, format_count, note
from graph_memory.cli.output.tables import print_table, print_tinted

if TYPE_CHECKING:
    from graph_memory.memory.traversal.results import (
        AdjacentConnection,
        FollowedConnection,
        Neighbors,
        OmittedCounts,
        Paths,
        ReachedNode,
        TraversalResult,
    )

_INDENT = "  "


def show_walk(walk: TraversalResult) -> None:
    """Print the visited nodes, each under the node from which it was reached. Print omissions to stderr."""
    edges = {edge.id: edge for edge in walk.connections}
    shown_nodes = {(node.domain, node.id) for node in walk.nodes}
    children: defaultdict[tuple[str | None, str] | None, list[ReachedNode]] = defaultdict(list)
    for node in walk.nodes:
        parent = (node.parent_domain, node.parent or "")
        children[parent if parent in shown_nodes else None].append(node)
    stack = [(node, 0) for node in reversed(children[None])]
    while stack:
        node, level = stack.pop()
        _show_node(node, level, edges)
        stack += [(child, level + 1) for child in reversed(children[node.domain, node.id])]
    if (metrics := walk.metrics) is not None:
        largest = format_count(metrics.largest_component, "node")
        parts = f"{format_count(metrics.components, 'part')}, the largest of {largest}"
        typer.echo(f"Density {metrics.density:.2f}, {parts}, depth {metrics.depth}.")
    counts = f"{format_count(len(walk.nodes), 'node')}, {format_count(len(walk.connections), 'connection')}."
    note(" ".join([counts, *_omissions(walk.left_out)]))


def _show_node(node: ReachedNode, level: int, edges: Mapping[str, FollowedConnection]) -> None:
    edge = edges.get(node.via or "")
    step = f"{_arrow(edge, node.id, node.domain)} {_connection(edge)}  " if edge else ""
    metrics = "" if node.degree is None else f"  degree {node.degree}, centrality {node.centrality:.2f}"
    duplicates = f"  and {format_count(len(node.duplicates), 'duplicate')}" if node.duplicates else ""
    print_tinted(
        (f"{_INDENT * level}{step}{escape_line(node.title)}", "bold"),
        (f"{node.type}{metrics}{duplicates}", "dim"),
        (f"{node.domain}:{node.id}" if node.domain else node.id, "dim"),
    )
    if node.content:
        typer.echo(f"{_INDENT * (level + 2)}{escape_line(node.content)}")


def _arrow(edge: FollowedConnection, reached: str, domain: str | None = None) -> str:
    """Return `→` if the connection leads to the node `reached`, and `←` if it starts at this node."""
    return "→" if (edge.to_domain, edge.to_id) == (domain, reached) else "←"


def _connection(edge: FollowedConnection) -> str:
    period = _period(edge)
    return f"{escape_line(edge.type)} {edge.weight:.2f}{period and f' {period}'}"


def _period(edge: FollowedConnection | AdjacentConnection) -> str:
    """Return the end of the connection's validity as `until …`, else its start as `since …`, else an empty string."""
    return f"until {edge.until}" if edge.until else f"since {edge.since}" if edge.since else ""


def _omissions(left_out: OmittedCounts | None) -> list[str]:
    """Return sentences about the nodes and connections that a traversal omitted."""
    if left_out is None:
        return []
    lines: list[str] = []
    if left_out.max_nodes:
        lines += ["There are more nodes: use a higher --limit."]
    if left_out.max_depth:
        lines += [f"{format_count(left_out.max_depth, 'node')} at the maximum --depth, not followed further."]
    if left_out.max_tokens:
        lines += [f"{left_out.max_tokens:,} left out for --max-tokens."]
    if left_out.duplicates:
        lines += [f"{format_count(left_out.duplicates, 'duplicate')} left out."]
    if left_out.connections:
        lines += [f"{left_out.connections:,} more connections between these nodes."]
    if left_out.hubs:
        lines += [f"Only some connections of these nodes were followed: {escape_line(', '.join(left_out.hubs))}."]
    return lines


def show_paths(paths: Paths) -> None:
    """Print the paths between two nodes, with one step per line. If there is none, describe the search on stderr."""
    for number, path in enumerate(paths.paths, start=1):
        head = f"{format_count(path.length, 'connection')}, weight {path.weight:.2f}"
        typer.echo(f"{number}   {head}" if len(paths.paths) > 1 else head)
        for position, node in enumerate(path.nodes):
            edge = path.connections[position - 1] if position else None
            step = f"{_arrow(edge, node.id)} {_connection(edge)}  " if edge else ""
            print_tinted((f"    {step}{escape_line(node.title)}", "bold"), (node.type, "dim"), (node.id, "dim"))
    if paths.tried is not None:
        note(escape_line(paths.tried))


def show_neighbors(neighbors: Neighbors) -> None:
    """Print a node and a table of its connections, highest weight first."""
    print_tinted((neighbors.node.title, "bold"), (neighbors.node.type, "dim"), (neighbors.node.id, "dim"))
    outgoing = [
        ("→", edge.type, edge.to_title, f"{edge.weight:.2f}", _period(edge), edge.to_id) for edge in neighbors.outgoing
    ]
    incoming = [("←", to.type, to.from_title, f"{to.weight:.2f}", _period(to), to.from_id) for to in neighbors.incoming]
    print_table(("", "type", "node", "weight", "valid", "id"), [*outgoing, *incoming])
    if neighbors.left_out:
        note("There are more connections: use a higher --limit.")
