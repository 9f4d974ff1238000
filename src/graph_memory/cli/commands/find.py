"""`graph-memory query`, `connected` and `search`: finding nodes."""

from __future__ import annotations

from typing import Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.listing import list_nodes
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned
from graph_memory.model.results import Direction


@command()
def query(
    call: Call,
    type_name: Annotated[str | None, typer.Option("--type", help="Only nodes of this type.")] = None,
    properties: takes.PropertyOption = None,
    valid_at: takes.ValidAtOption = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Find nodes by type and exact property values; all must match.

    `-p done=true` looks for the text, `-p done:=true` for the boolean.
    """
    values = assigned(properties)
    list_nodes(
        call,
        lambda reader: reader.query_nodes(
            type=type_name, properties=values, valid_at=valid_at, limit=call.size(limit), cursor=cursor
        ),
        as_of,
    )


@command()
def connected(
    call: Call,
    node_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the node.")],
    direction: Annotated[Direction, typer.Option(help="out: from this node; in: to it.")] = "both",
    connection_type: Annotated[
        str | None, typer.Option("--connection-type", "--type", help="Only along connections of this type.")
    ] = None,
    valid_at: takes.ValidAtOption = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Find the nodes one connection away from a node."""
    list_nodes(
        call,
        lambda reader: reader.get_connected_nodes(
            node_id,
            direction=direction,
            connection_type=connection_type,
            valid_at=valid_at,
            limit=call.size(limit),
            cursor=cursor,
        ),
        as_of,
    )


@command()
def search(
    call: Call,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The exact text to look for.")],
    node_type: Annotated[str | None, typer.Option("--node-type", "--type", help="Only nodes of this type.")] = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Find nodes whose text content contains a string, ignoring case."""
    list_nodes(
        call,
        lambda reader: reader.search_content(text, node_type=node_type, limit=call.size(limit), cursor=cursor),
        as_of,
    )
