"""`graph-memory search`: finding by words and by meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import completion, fields
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned, given_weights, of_type
from graph_memory.cli.output.hits import show_hits
from graph_memory.memory.recall.results import SearchMode, SearchResult, Syntax
from graph_memory.model.kinds import Kind

if TYPE_CHECKING:
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
        help="How much something counts: title, content or tag (1 without it); edge, recency or use (0). Repeatable.",
    ),
]
DepthOption = Annotated[
    int | None, typer.Option(min=0, max=3, help="Also show nodes so many connections away from what is found.")
]
MaxResultsOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Maximum results.")]
MaxTokensOption = Annotated[
    int | None, typer.Option(min=50, help="Shorten passages, then leave out results, to so many tokens of JSON.")
]
SyntaxOption = Annotated[Syntax, typer.Option(help="lucene: QUERY is in Lucene's query syntax.")]


@command()
def search(
    call: Call,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question or topic, in any words.")],
    mode: Annotated[SearchMode, typer.Option(help="By words, by meaning, or by both.")] = "hybrid",
    types: TypesOption = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", "-t", help="Only with this tag. Repeatable.")] = None,
    path_prefix: Annotated[str | None, typer.Option(metavar="TEXT", help="Only nodes whose path begins so.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Only nodes of this namespace.")] = None,
    properties: takes.PropertyOption = None,
    created_after: fields.CreatedAfterOption = None,
    created_before: fields.CreatedBeforeOption = None,
    min_edges: Annotated[int | None, typer.Option(min=0, help="Only nodes with so many connections.")] = None,
    min_strength: StrengthOption = None,
    weight: WeightOption = None,
    depth: DepthOption = None,
    valid_at: takes.ValidAtOption = None,
    as_of: takes.AsOfOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each score adds up from.")] = False,
    limit: MaxResultsOption = 10,
    max_tokens: MaxTokensOption = None,
    cursor: takes.CursorOption = None,
    syntax: SyntaxOption = "plain",
    domains: takes.InDomainsOption = None,
    include_children: takes.IncludeChildrenOption = False,
) -> None:
    """Find what answers a question, by words and by meaning, best first. For exact texts use find, for values query."""
    weightings = given_weights(weight)
    filters = _given(types, tags, path_prefix, namespace, created_after, created_before, min_edges, min_strength)
    values = assigned(properties)

    async def use(memory: Memory) -> SearchResult:
        filters.update(await _of_properties(memory, values, types))
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
            **takes.several(domains, include_children=include_children),
        )

    call.answer(use, lambda found: show_hits(found, query), "Searching")


async def _of_properties(
    memory: Memory, values: Mapping[str, object] | None, types: list[str] | None
) -> dict[str, object]:
    """Return the filter for properties, if some are given, as the type declares them."""
    return {} if values is None else {"properties": await of_type(memory, values, Kind.NODE, _only(types))}


def _only(types: list[str] | None) -> str | None:
    """Return the type, if it is one alone."""
    return types[0] if types and len(types) == 1 else None


def _given(*values: object) -> dict[str, object]:
    """Return the filters that are given, by their names."""
    return {name: value for name, value in zip(_FILTERS, values, strict=True) if value is not None}


_FILTERS = (
    *("node_types", "tags", "path_prefix", "namespace", "created_after", "created_before"),
    *("min_edge_count", "min_strength"),
)
