"""`graph-memory search`, `find` and `query`: search by words and meaning, by exact text, and by properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import completion, fields
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import parse_assignments, parse_weights, read_for_type
from graph_memory.cli.listing import list_nodes
from graph_memory.cli.output.hits import show_hits
from graph_memory.memory.search.results import SearchMode, SearchResult, Syntax
from graph_memory.model.results import NodeIds
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.cli.session import Reader
    from graph_memory.memory.api.memory import Memory

TypesOption = Annotated[
    list[str] | None,
    typer.Option("--type", help="Only nodes of this type. Repeatable.", autocompletion=completion.node_types),
]
StrengthOption = Annotated[
    float | None,
    typer.Option(metavar="WEIGHT", help="Only nodes with a connection of at least this weight, 0 to 1."),
]
WeightOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=NUMBER",
        help="Weight of title, content or tag (default 1), or of edge, recency or use (default 0). Repeatable.",
    ),
]
DepthOption = Annotated[
    int | None, typer.Option(min=0, max=3, help="Also show nodes up to this many connections away from a result.")
]
MaxResultsOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Maximum number of results.")]
MaxTokensOption = Annotated[
    int | None,
    typer.Option(min=50, help="Maximum size of the JSON in tokens: passages are shortened, then results left out."),
]
PathPrefixOption = Annotated[str | None, typer.Option(metavar="TEXT", help="Only nodes whose path starts with this.")]
SyntaxOption = Annotated[Syntax, typer.Option(help="lucene: QUERY is in Lucene's query syntax.")]


@command()
def search(
    call: Call,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question or topic, in any words.")],
    mode: Annotated[SearchMode, typer.Option(help="Search by words, by meaning, or by both.")] = "hybrid",
    types: TypesOption = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", "-t", help="Only with this tag. Repeatable.")] = None,
    path_prefix: PathPrefixOption = None,
    namespace: Annotated[str | None, typer.Option(help="Only nodes of this namespace.")] = None,
    properties: takes.PropertyOption = None,
    created_after: fields.CreatedAfterOption = None,
    created_before: fields.CreatedBeforeOption = None,
    min_edges: Annotated[int | None, typer.Option(min=0, help="Minimum number of connections of a node.")] = None,
    min_strength: StrengthOption = None,
    weight: WeightOption = None,
    depth: DepthOption = None,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the breakdown of each score.")] = False,
    limit: MaxResultsOption = 10,
    max_tokens: MaxTokensOption = None,
    cursor: takes.CursorOption = None,
    syntax: SyntaxOption = "plain",
    domains: takes.InDomainsOption = None,
    include_children: takes.IncludeChildrenOption = False,
) -> None:
    """Search by words and by meaning, best results first. For exact text use find, for property values use query."""
    weightings = parse_weights(weight)
    filters = _filters(types, tags, path_prefix, namespace, created_after, created_before, min_edges, min_strength)
    values = parse_assignments(properties)

    async def use(memory: Memory) -> SearchResult:
        filters.update(await _property_filter(memory, values, types))
        return await memory.recall.search_memories(
            query,
            search_mode=mode,
            weightings=weightings,
            filters=filters or None,
            traversal_depth=depth or 0,
            include_relevance_explanation=explain,
            max_results=limit,
            max_tokens=max_tokens,
            cursor=cursor,
            as_of=as_of,
            valid_at=valid_at,
            syntax=syntax,
            **takes.select_domains(domains, include_children=include_children),
        )

    call.answer(use, lambda result: show_hits(result, query), "Searching")


async def _property_filter(
    memory: Memory, values: Mapping[str, object] | None, types: list[str] | None
) -> dict[str, object]:
    """Return the arguments that filter by property values, if any. Values are converted to their declared types."""
    if values is None:
        return {}
    only_type = types[0] if types and len(types) == 1 else None
    return {"properties": await read_for_type(memory, values, Kind.NODE, only_type)}


def _filters(*values: object) -> dict[str, object]:
    return {name: value for name, value in zip(_FILTERS, values, strict=True) if value is not None}


_FILTERS = (
    *("node_types", "tags", "path_prefix", "namespace", "created_after", "created_before"),
    *("min_edge_count", "min_strength"),
)


@command()
def query(
    call: Call,
    type_name: takes.NodeTypeOption = None,
    properties: takes.PropertyOption = None,
    namespace: Annotated[str | None, typer.Option(help="Only nodes of this namespace.")] = None,
    path_prefix: PathPrefixOption = None,
    created_after: fields.CreatedAfterOption = None,
    created_before: fields.CreatedBeforeOption = None,
    modified_after: fields.ModifiedAfterOption = None,
    modified_before: fields.ModifiedBeforeOption = None,
    valid_at: takes.ValidAtOption = None,
    order_by: takes.OrderByOption = None,
    descending: takes.DescendingOption = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
    domains: takes.InDomainsOption = None,
    include_children: takes.IncludeChildrenOption = False,
) -> None:
    """List the nodes that match all of the given filters: type, exact property values, fields and times."""
    values = parse_assignments(properties)
    options: dict[str, Any] = {**takes.select_domains(domains, include_children=include_children)}
    if options and as_of is not None:
        raise invalid_argument(
            "as_of", "--as-of can read only one domain", "Leave out --as-of, or --in and --include-children."
        )

    options |= {**takes.select_order(order_by, descending=descending)}

    async def search_nodes(memory: Memory, reader: Reader) -> NodeIds:
        return await reader.query_nodes(
            type=type_name,
            properties=await read_for_type(memory, values, Kind.NODE, type_name),
            namespace=namespace,
            path_prefix=path_prefix,
            created_after=created_after,
            created_before=created_before,
            modified_after=modified_after,
            modified_before=modified_before,
            valid_at=valid_at,
            detail=True,
            limit=call.page_size(limit),
            cursor=cursor,
            **options,
        )

    list_nodes(call, search_nodes, as_of)


@command()
def find(
    call: Call,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The exact text to look for.")],
    node_type: takes.NodeTypeOption = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Find all nodes whose text content contains an exact string, ignoring case.

    To search for the answer to a question, use search.
    """

    async def search_nodes(_: Memory, reader: Reader) -> NodeIds:
        return await reader.search_content(
            text, node_type=node_type, detail=True, limit=call.page_size(limit), cursor=cursor
        )

    list_nodes(call, search_nodes, as_of)
