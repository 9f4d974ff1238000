"""`graph-memory traverse`, `path` and `neighbors`: following connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import completion, naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import parse_assignments, read_for_type
from graph_memory.cli.output.walks import show_neighbors, show_paths, show_walk
from graph_memory.memory.traversal.results import Deduplication, Neighbors, PathMode, Paths, ReturnMode, Walked
from graph_memory.memory.traversal.walks.walk import Expansion, Strategy
from graph_memory.model.results import Direction
from graph_memory.model.subjects.kinds import Kind

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

StartsArgument = Annotated[
    list[str], typer.Argument(metavar="NODE...", help=f"Where to start: one or several nodes, each {takes.NAME_FORMS}.")
]
TypesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        help="Only connections of this type, or of this inverse name. Repeatable.",
        autocompletion=completion.connection_types,
    ),
]
DirectionOption = Annotated[Direction, typer.Option(help="out: from a node on; in: against connections.")]
NodeTypesOption = Annotated[
    list[str] | None,
    typer.Option("--node-type", help="Only nodes of this type. Repeatable.", autocompletion=completion.node_types),
]
TagsOption = Annotated[list[str] | None, typer.Option("--tag", "-t", help="Only with this tag. Repeatable.")]
ExpansionOption = Annotated[Expansion, typer.Option(help="Which connections of a node to follow.")]
NodePropertyOption = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE|KEY:=JSON", help="Only nodes with this property, written as in -p. Repeatable."),
]
WeightOption = Annotated[
    str | None,
    typer.Option(metavar="NAME|ARITHMETIC", help="What connections count by, as in `importance / (1 + age_days)`."),
]
EdgePropertyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--property", "-p", metavar="KEY=VALUE|KEY:=JSON", help="Only connections with this property. Repeatable."
    ),
]


@command()
def traverse(
    call: Call,
    start: StartsArgument,
    strategy: Annotated[Strategy, typer.Option(help="In which order to go on.")] = "breadth_first",
    depth: Annotated[int, typer.Option(min=0, max=10, help="Most connections from a start.")] = 2,
    nodes: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="Maximum nodes.")] = 50,
    types: TypesOption = None,
    direction: DirectionOption = "both",
    properties: EdgePropertyOption = None,
    min_strength: takes.MinStrengthOption = None,
    node_types: NodeTypesOption = None,
    tags: TagsOption = None,
    node_property: NodePropertyOption = None,
    weight: WeightOption = None,
    expansion: ExpansionOption = "all_edges",
    content: Annotated[ReturnMode, typer.Option(help="How much of the contents to show.")] = "summarized",
    deduplication: Annotated[Deduplication, typer.Option(help="Leave out nodes that say the same.")] = "none",
    metrics: Annotated[bool, typer.Option("--metrics", help="Also show what the result is like as a graph.")] = False,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
    max_tokens: Annotated[int | None, typer.Option(min=50, help="Shorten to so many tokens of JSON.")] = None,
    cross_domains: Annotated[bool, typer.Option("--cross-domains", help="Also follow links to other domains.")] = False,
) -> None:
    """Follow connections from nodes, and show what they lead to and how."""
    own, others = parse_assignments(properties), parse_assignments(node_property)

    async def use(memory: Memory) -> Walked:
        edges = _given(types=types, direction=direction, min_strength=min_strength)
        edges |= _given(properties=await read_for_type(memory, own, Kind.CONNECTION))
        result = _given(types=node_types, tags=tags, properties=await read_for_type(memory, others, Kind.NODE))
        return await memory.recall.traverse_memories(
            await naming.ids_of(memory, start),
            strategy=strategy,
            max_depth=depth,
            max_nodes=nodes,
            edge_filter=edges,
            node_filter=result,
            weight=weight,
            expansion=expansion,
            return_mode=content,
            deduplication=deduplication,
            include_metrics=metrics,
            as_of=as_of,
            valid_at=valid_at,
            max_tokens=max_tokens,
            cross_domains=cross_domains,
        )

    call.answer(use, show_walk)


def _given(**values: object) -> dict[str, object]:
    """Return what is given of a filter."""
    return {name: value for name, value in values.items() if value is not None}


@command()
def path(
    call: Call,
    from_node: takes.NodeArgument,
    to_node: Annotated[str, typer.Argument(metavar="OTHER", help=f"The other node, {takes.NAME_FORMS}.")],
    mode: Annotated[PathMode, typer.Option(help="The fewest connections, or those that count most.")] = "shortest",
    k: Annotated[int | None, typer.Option("-k", min=1, max=20, help="Paths, with --mode k_shortest.")] = None,
    types: TypesOption = None,
    direction: DirectionOption = "both",
    depth: Annotated[int, typer.Option(min=1, max=10, help="Most connections of a path.")] = 5,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Show how two nodes are connected: over which others, by which connections."""

    async def use(memory: Memory) -> Paths:
        return await memory.recall.find_path(
            await naming.node_id(memory, from_node),
            await naming.node_id(memory, to_node),
            mode=mode,
            k=k,
            types=types,
            direction=direction,
            max_depth=depth,
            as_of=as_of,
            valid_at=valid_at,
        )

    call.answer(use, show_paths)


@command()
def neighbors(
    call: Call,
    node: takes.NodeArgument,
    types: TypesOption = None,
    direction: DirectionOption = "both",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Most connections to list.")] = 100,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """List the connections of a node that count most, and the nodes at their other ends."""

    async def use(memory: Memory) -> Neighbors:
        return await memory.recall.get_neighbors(
            await naming.node_id(memory, node),
            types=types,
            direction=direction,
            limit=limit,
            as_of=as_of,
            valid_at=valid_at,
        )

    call.answer(use, show_neighbors)
