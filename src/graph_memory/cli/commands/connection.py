"""`graph-memory connection …` and `infer`: create, list and infer connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import parse_assignments, parse_strength, read_for_type
from graph_memory.cli.input.content import read_text
from graph_memory.cli.listing import list_connections
from graph_memory.cli.output.printing import (
    format_count,
    note,
    undo_command,
)
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.inference.results import InferenceResult
from graph_memory.model.results import ConnectionCreationResult, ConnectionIds
from graph_memory.model.subjects.kinds import Kind

if TYPE_CHECKING:
    from graph_memory.cli.session import Reader
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(help="Connections between two nodes.", no_args_is_help=True)


@command(app)
def create(
    call: Call,
    type_name: takes.ConnectionTypeArgument,
    from_node: Annotated[str, typer.Argument(metavar="FROM", help=f"The node at which it starts, {takes.NAME_FORMS}.")],
    to_node: Annotated[str, typer.Argument(metavar="TO", help="The node at which it ends, in the same form.")],
    content: takes.ContentOption = None,
    file: takes.FileOption = None,
    properties: takes.PropertyOption = None,
    strength: takes.StrengthOption = None,
    given_id: takes.IdOption = None,
) -> None:
    """Connect two nodes and print the id of the connection. Its content is a note."""
    values, text, strengths = parse_assignments(properties), read_text(content, file), parse_strength(strength)

    async def use(memory: Memory) -> ConnectionCreationResult:
        return await memory.create_connection(
            type_name,
            await naming.node_id(memory, from_node),
            await naming.node_id(memory, to_node),
            properties=await read_for_type(memory, values, Kind.CONNECTION, type_name),
            content=text,
            strength=strengths,
            id=given_id,
        )

    call.answer(use, _show_created, "Writing")


def _show_created(created: ConnectionCreationResult) -> None:
    typer.echo(created.connection_id)
    if created.existing:
        note("The connection already exists in the inverse direction. Nothing was written.")


@command(app, "list")
def list_all(
    call: Call,
    from_node: Annotated[str | None, typer.Option("--from", metavar="NODE", help="Only from this node.")] = None,
    to_node: Annotated[str | None, typer.Option("--to", metavar="NODE", help="Only to this node.")] = None,
    type_name: takes.ConnectionTypeOption = None,
    properties: takes.PropertyOption = None,
    valid_at: takes.ValidAtOption = None,
    min_strength: takes.MinStrengthOption = None,
    order_by: takes.OrderByOption = None,
    descending: takes.DescendingOption = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """List the connections that match all of the given filters."""
    values = parse_assignments(properties)
    order: dict[str, Any] = {**takes.select_order(order_by, descending=descending)}

    async def find(memory: Memory, reader: Reader) -> ConnectionIds:
        return await reader.query_connections(
            from_node_id=from_node and await naming.node_id(memory, from_node),
            to_node_id=to_node and await naming.node_id(memory, to_node),
            type=type_name,
            properties=await read_for_type(memory, values, Kind.CONNECTION, type_name),
            valid_at=valid_at,
            min_strength=min_strength,
            detail=True,
            limit=call.page_size(limit),
            cursor=cursor,
            **order,
        )

    list_connections(call, find, as_of)


@command()
def infer(
    call: Call,
    connection_type: takes.ConnectionTypeOption = None,
    max_depth: Annotated[
        int | None, typer.Option(help="Maximum number of connections in a chain from which to infer.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Maximum number of connections to write (default 1,000).")] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the missing connections. By default they are only listed.")
    ] = False,
) -> None:
    """List the missing connections that transitive types imply. With --write, add them."""

    async def use(memory: Memory) -> InferenceResult:
        return await memory.infer_connections(
            connection_type=connection_type, max_depth=max_depth, limit=limit, dry_run=not write
        )

    call.answer(use, _show_inferred, "Inferring")


def _show_inferred(inferred: InferenceResult) -> None:
    rows = [
        (connection.from_title, connection.type, connection.to_title, format_count(len(connection.evidence), "step"))
        for connection in inferred.connections
    ]
    print_table(("from", "type", "to", "follows from"), rows)
    outcome = "would be written; use --write" if inferred.dry_run else "written"
    note(f"{format_count(len(rows), 'connection')} {outcome}.")
    if inferred.more:
        note(f"{inferred.more:,} more can be inferred: raise --limit.")
    if inferred.refused:
        note(f"{format_count(inferred.refused, 'other')} would violate a rule of the ontology.")
    for unfounded in inferred.unfounded:
        note(f"{unfounded.connection_id} was inferred from invalid connections: {', '.join(unfounded.lost)}")
    if inferred.since is not None:
        note(f"To undo: {undo_command(inferred.since, inferred.until)}")
