"""`graph-memory connection strongest`, `weak` and `importance`: how much connections count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.connection import app
from graph_memory.cli.commands.listing import list_weighed
from graph_memory.cli.input import naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.output.printing import plain
from graph_memory.model.results import Changed, Direction, WeighedConnections

if TYPE_CHECKING:
    from graph_memory.cli.session import Reader
    from graph_memory.memory.api.memory import Memory


@command(app)
def strongest(
    call: Call,
    node: takes.NodeArgument,
    direction: Annotated[Direction, typer.Option(help="out: from this node; in: to it.")] = "both",
    type_name: takes.ConnectionTypeOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most connections to list.")] = 10,
    as_of: takes.AsOfOption = None,
) -> None:
    """List the connections of a node that count most, by strength, importance and age."""

    async def find(memory: Memory, reader: Reader) -> WeighedConnections:
        node_id = await naming.node_id(memory, node)
        return await reader.get_strongest_connections(
            node_id, direction=direction, connection_type=type_name, limit=limit
        )

    list_weighed(call, find, as_of)


@command(app)
def weak(
    call: Call,
    below: Annotated[float, typer.Option(metavar="WEIGHT", help="Only those of less than this weight, 0 to 1.")] = 0.3,
    type_name: takes.ConnectionTypeOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most connections to list.")] = 50,
    cursor: takes.CursorOption = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """List connections that count little, to review or remove."""

    async def find(_: Memory, reader: Reader) -> WeighedConnections:
        return await reader.get_weak_relations(below=below, connection_type=type_name, limit=limit, cursor=cursor)

    list_weighed(call, find, as_of)


@command(app)
def importance(
    call: Call,
    connection: takes.ConnectionArgument,
    value: Annotated[float, typer.Argument(metavar="IMPORTANCE", help="How important it is, 0 to 1.")],
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Set how important a connection is: half of its weight then."""

    async def use(memory: Memory, connection_id: str) -> Changed:
        return await memory.set_relation_importance(connection_id, value, expected_version=expected_version)

    call.answer(
        naming.of_connection(connection, use),
        lambda changed: typer.echo(f"{plain(connection)} is at version {changed.version}."),
        "Writing",
    )
