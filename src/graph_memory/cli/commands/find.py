"""`graph-memory query`, `connected` and `search`: finding nodes."""

from __future__ import annotations

from typing import Annotated

import typer

from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned
from graph_memory.cli.output.listing import list_nodes
from graph_memory.model.results import Direction


def query(
    type_name: Annotated[str | None, typer.Option("--type", help="Only nodes of this type.")] = None,
    properties: takes.PropertyOption = None,
    valid_at: takes.ValidAtOption = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Find nodes by type and exact property values; all must match.

    `-p done=true` looks for the text, `-p done:=true` for the boolean.
    """
    values, size = assigned(properties), takes.page_size(limit, as_json=as_json)
    list_nodes(
        lambda memory, where: memory.query_nodes(
            type=type_name, properties=values, valid_at=valid_at, limit=size, cursor=cursor, **where
        ),
        domain,
        as_json=as_json,
        as_of=as_of,
    )


def connected(
    node_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the node.")],
    direction: Annotated[Direction, typer.Option(help="out: from this node; in: to it.")] = "both",
    connection_type: Annotated[
        str | None, typer.Option("--connection-type", "--type", help="Only along connections of this type.")
    ] = None,
    valid_at: takes.ValidAtOption = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Find the nodes one connection away from a node."""
    size = takes.page_size(limit, as_json=as_json)
    list_nodes(
        lambda memory, where: memory.get_connected_nodes(
            node_id,
            direction=direction,
            connection_type=connection_type,
            valid_at=valid_at,
            limit=size,
            cursor=cursor,
            **where,
        ),
        domain,
        as_json=as_json,
        as_of=as_of,
    )


def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The exact text to look for.")],
    node_type: Annotated[str | None, typer.Option("--node-type", "--type", help="Only nodes of this type.")] = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Find nodes whose text content contains a string, ignoring case."""
    size = takes.page_size(limit, as_json=as_json)
    list_nodes(
        lambda memory, where: memory.search_content(text, node_type=node_type, limit=size, cursor=cursor, **where),
        domain,
        as_json=as_json,
        as_of=as_of,
    )
