"""What connections lead to, for people: a walk as a tree, paths step by step, and what is next to a node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from graph_memory.cli.output.printing import counted, note, plain
from graph_memory.cli.output.tables import print_table, print_tinted

if TYPE_CHECKING:
    from graph_memory.memory.traversal.results import (
        Followed,
        LeftOut,
        Neighbors,
        NextTo,
        Path,
        Paths,
        ReachedNode,
        Walked,
    )

_INDENT = "  "


def show_walk(found: Walked) -> None:
    """Print the nodes of a walk, each under that from which it was reached. What is left out is told on stderr."""
    edges = {edge.id: edge for edge in found.connections}
    present = {(node.domain, node.id) for node in found.nodes}
    below: defaultdict[tuple[str | None, str] | None, list[ReachedNode]] = defaultdict(list)
    for node in found.nodes:
        parent = (node.parent_domain, node.parent or "")
        below[parent if parent in present else None].append(node)
    stack = [(node, 0) for node in reversed(below[None])]
    while stack:
        node, level = stack.pop()
        _show_node(node, level, edges)
        stack += [(one, level + 1) for one in reversed(below[node.domain, node.id])]
    if (shape := found.metrics) is not None:
        parts = f"{counted(shape.components, 'part')}, the largest of {counted(shape.largest_component, 'node')}"
        typer.echo(f"Density {shape.density:.2f}, {parts}, depth {shape.depth}.")
    note(" ".join([_counts(found), *_left_out(found.left_out)]))


def _show_node(node: ReachedNode, level: int, edges: Mapping[str, Followed]) -> None:
    edge = edges.get(node.via or "")
    way = f"{_arrow(edge, node.id, node.domain)} {_connection(edge)}  " if edge else ""
    shape = "" if node.degree is None else f"  degree {node.degree}, centrality {node.centrality:.2f}"
    alike = f"  and {counted(len(node.duplicates), 'duplicate')}" if node.duplicates else ""
    print_tinted(
        (f"{_INDENT * level}{way}{plain(node.title)}", "bold"),
        (f"{node.type}{shape}{alike}", "dim"),
        (f"{node.domain}:{node.id}" if node.domain else node.id, "dim"),
    )
    if node.content:
        typer.echo(f"{_INDENT * (level + 2)}{plain(node.content)}")


def _arrow(edge: Followed, reached: str, domain: str | None = None) -> str:
    """Return whether a connection leads to a node or from it."""
    return "→" if (edge.to_domain, edge.to_id) == (domain, reached) else "←"


def _connection(edge: Followed) -> str:
    period = _period(edge)
    return f"{plain(edge.type)} {edge.weight:.2f}{period and f' {period}'}"


def _period(edge: Followed | NextTo) -> str:
    """Return until when a connection holds, else since when."""
    return f"until {edge.until}" if edge.until else f"since {edge.since}" if edge.since else ""


def _counts(walked: Walked) -> str:
    return f"{counted(len(walked.nodes), 'node')}, {counted(len(walked.connections), 'connection')}."


def _left_out(left: LeftOut | None) -> list[str]:
    """Return what a walk left out, as sentences."""
    if left is None:
        return []
    lines: list[str] = []
    if left.max_nodes:
        lines += ["There are more nodes: use a higher --limit."]
    if left.max_depth:
        lines += [f"{counted(left.max_depth, 'node')} at --depth, not followed further."]
    if left.max_tokens:
        lines += [f"{left.max_tokens:,} left out for --max-tokens."]
    if left.duplicates:
        lines += [f"{counted(left.duplicates, 'duplicate')} left out."]
    if left.connections:
        lines += [f"{left.connections:,} more connections between them."]
    if left.hubs:
        lines += [f"Not all connections were looked at of {plain(', '.join(left.hubs))}."]
    return lines


def show_paths(found: Paths) -> None:
    """Print paths, one step a line. Without any, stderr says what was looked at."""
    for number, path in enumerate(found.paths, start=1):
        head = f"{counted(path.length, 'connection')}, weight {path.weight:.2f}"
        typer.echo(f"{number}   {head}" if len(found.paths) > 1 else head)
        _show_path(path)
    if found.tried is not None:
        note(plain(found.tried))


def _show_path(path: Path) -> None:
    for place, node in enumerate(path.nodes):
        edge = path.connections[place - 1] if place else None
        way = f"{_arrow(edge, node.id)} {_connection(edge)}  " if edge else ""
        print_tinted((f"    {way}{plain(node.title)}", "bold"), (node.type, "dim"), (node.id, "dim"))


def show_neighbors(found: Neighbors) -> None:
    """Print a node and its connections as a table, those that count most first."""
    print_tinted((found.node.title, "bold"), (found.node.type, "dim"), (found.node.id, "dim"))
    out = [("→", to.type, to.to_title, f"{to.weight:.2f}", _period(to), to.to_id) for to in found.outgoing]
    back = [("←", to.type, to.from_title, f"{to.weight:.2f}", _period(to), to.from_id) for to in found.incoming]
    print_table(("", "type", "node", "weight", "holds", "id"), [*out, *back])
    if found.left_out:
        note("There are more connections: use a higher --limit.")
