"""`graph-memory query`, `connected` and `find`: finding nodes by what is exactly so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.listing import list_nodes
from graph_memory.cli.input import fields
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned, of_type
from graph_memory.model.arguments import fault
from graph_memory.model.kinds import Kind
from graph_memory.model.results import NodeIds

if TYPE_CHECKING:
    from graph_memory.cli.session import Reader
    from graph_memory.memory.api.memory import Memory


@command()
def query(
    call: Call,
    type_name: takes.NodeTypeOption = None,
    properties: takes.PropertyOption = None,
    namespace: Annotated[str | None, typer.Option(help="Only nodes of this namespace.")] = None,
    path_prefix: Annotated[str | None, typer.Option(metavar="TEXT", help="Only nodes whose path begins so.")] = None,
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
    """List nodes, by type, exact property values, fields and times if you give them; all must match."""
    values = assigned(properties)
    several: dict[str, Any] = {**takes.several(domains, include_children=include_children)}
    if several and as_of is not None:
        raise fault("as_of", "The past of several domains cannot be listed at once", "Leave --as-of out, or --in.")

    several |= {**takes.ordered(order_by, descending=descending)}

    async def found(memory: Memory, reader: Reader) -> NodeIds:
        return await reader.query_nodes(
            type=type_name,
            properties=await of_type(memory, values, Kind.NODE, type_name),
            namespace=namespace,
            path_prefix=path_prefix,
            created_after=created_after,
            created_before=created_before,
            modified_after=modified_after,
            modified_before=modified_before,
            valid_at=valid_at,
            detail=True,
            limit=call.size(limit),
            cursor=cursor,
            **several,
        )

    list_nodes(call, found, as_of)


@command()
def find(
    call: Call,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The exact text to look for.")],
    node_type: takes.NodeTypeOption = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Find all nodes whose text content contains a string exactly, ignoring case.

    To find what answers a question, in whatever words, use search.
    """

    async def found(_: Memory, reader: Reader) -> NodeIds:
        return await reader.search_content(
            text, node_type=node_type, detail=True, limit=call.size(limit), cursor=cursor
        )

    list_nodes(call, found, as_of)
