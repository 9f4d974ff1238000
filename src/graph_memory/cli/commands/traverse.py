"""`graph-memory traverse`, `path` and `neighbors`: follow connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import completion, naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import parse_assignments, read_for_type
from graph_memory.cli.output.walks import show_neighbors, show_paths, show_walk
from graph_memory.memory.traversal.results import Deduplication, Neighbors, PathMode, Paths, ReturnMode, TraversalResult
from graph_memory.memory.traversal.walks.walk import Expansion, Strategy
from graph_memory.model.results import Direction
from graph_memory.model.subjects.kinds import Kind

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

StartsArgument = Annotated[
    list[str], typer.Argument(metavar="NODE...", help=f"Nodes to start from, each {takes.NAME_FORMS}.")
]
TypesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        help="Only connections of this type, or with this inverse name. Repeatable.",
        autocompletion=completion.connection_types,
    ),
]
DirectionOption = Annotated[Direction, typer.Option(help="out: along connections. in: against them.")]
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
    typer.Option(
        metavar="NAME|ARITHMETIC",
        help="Weight of connections: a property or a formula such as `importance / (1 + age_days)`.",
    ),
]
EdgePropertyOption = Annotated[
    list[str] | None,
    typer.Option("--property", "-p", metavar="KEY=VALUE|KEY:=JSON", help="Only with this property. Repeatable."),
]


@command()
def traverse(
    call: Call,
    start: StartsArgument,
    strategy: Annotated[Strategy, typer.Option(help="Order of the traversal.")] = "breadth_first",
    depth: Annotated[int, typer.Option(min=0, max=10, help="Maximum number of connections from a start.")] = 2,
    nodes: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="Maximum number of nodes.")] = 50,
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
    deduplication: Annotated[Deduplication, typer.Option(help="Leave out nodes with the same content.")] = "none",
    metrics: Annotated[bool, typer.Option("--metrics", help="Also show graph metrics of the result.")] = False,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
    max_tokens: Annotated[int | None, typer.Option(min=50, help="Maximum size of the JSON in tokens.")] = None,
    cross_domains: Annotated[bool, typer.Option("--cross-domains", help="Also follow links to other domains.")] = False,
) -> None:
    """Follow connections from nodes, and print the nodes that they reach."""
    edge_values, node_values = parse_assignments(properties), parse_assignments(node_property)

    async def use(memory: Memory) -> TraversalResult:
        edge_filter = _given_filters(types=types, direction=direction, min_strength=min_strength)
        edge_filter |= _given_filters(properties=await read_for_type(memory, edge_values, Kind.CONNECTION))
        node_filter = _given_filters(types=node_types, tags=tags)
        node_filter |= _given_filters(properties=await read_for_type(memory, node_values, Kind.NODE))
        return await memory.recall.traverse_memories(
            await naming.ids_of(memory, start),
            strategy=strategy,
            max_depth=depth,
            max_nodes=nodes,
            edge_filter=edge_filter,
            node_filter=node_filter,
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


def _given_filters(**values: object) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


@command()
def path(
    call: Call,
    from_node: takes.NodeArgument,
    to_node: Annotated[str, typer.Argument(metavar="OTHER", help=f"The other node, {takes.NAME_FORMS}.")],
    mode: Annotated[PathMode, typer.Option(help="Prefer few connections, or strong ones.")] = "shortest",
    k: Annotated[int | None, typer.Option("-k", min=1, max=20, help="Number of paths, with --mode k_shortest.")] = None,
    types: TypesOption = None,
    direction: DirectionOption = "both",
    depth: Annotated[int, typer.Option(min=1, max=10, help="Maximum number of connections in a path.")] = 5,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Show how two nodes are connected: the nodes and connections between them."""

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
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number of connections.")] = 100,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """List the strongest connections of a node, and the nodes at their other ends."""

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
