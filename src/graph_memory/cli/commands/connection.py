"""`graph-memory connection …`: connections, one at a time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.history import FullOption, show_history
from graph_memory.cli.commands.listing import list_connections
from graph_memory.cli.commands.validity import bounds
from graph_memory.cli.errors import with_commands
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned
from graph_memory.cli.input.content import given_text
from graph_memory.cli.output.printing import (
    harmless,
    local_time,
    note,
    plain,
    print_properties,
    print_record,
)
from graph_memory.model.results import ConnectionInfo, ConnectionSummary

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(help="Connections: what joins two nodes.", no_args_is_help=True)

ConnectionId = Annotated[str, typer.Argument(metavar="ID", help="Id of the connection.")]


@command(app)
def create(
    call: Call,
    type_name: Annotated[str, typer.Argument(metavar="TYPE", help="Connection type of the ontology.")],
    from_node_id: Annotated[str, typer.Argument(metavar="FROM", help="Id of the node it starts at.")],
    to_node_id: Annotated[str, typer.Argument(metavar="TO", help="Id of the node it ends at.")],
    content: takes.ContentOption = None,
    file: takes.FileOption = None,
    properties: takes.PropertyOption = None,
    given_id: takes.IdOption = None,
) -> None:
    """Connect two nodes and print the id of the connection; its content is a note on it."""
    values, text = assigned(properties), given_text(content, file)
    call.answer(
        lambda memory: memory.create_connection(
            type_name, from_node_id, to_node_id, properties=values, content=text, id=given_id
        ),
        lambda created: typer.echo(created.connection_id),
        "Writing",
    )


@command(app)
def validate(
    call: Call,
    type_name: Annotated[str, typer.Argument(metavar="TYPE", help="Connection type.")],
    from_node_type: Annotated[str, typer.Argument(metavar="FROM_TYPE", help="Type of the node it starts at.")],
    to_node_type: Annotated[str, typer.Argument(metavar="TO_TYPE", help="Type of the node it ends at.")],
) -> None:
    """Say whether the ontology allows a connection between two node types; exits with 1 if not."""
    found = call.answer(
        lambda memory: memory.validate_connection(type_name, from_node_type, to_node_type),
        lambda found: typer.echo(f"not allowed: {plain(with_commands(found.reason))}" if found.reason else "allowed"),
    )
    raise typer.Exit(0 if found.valid else 1)


@command(app)
def get(
    call: Call,
    connection_id: ConnectionId,
    include_content: Annotated[bool, typer.Option("--include-content", help="Include its note.")] = False,
) -> None:
    """Show a connection's ends, type, properties, times and version."""

    async def use(memory: Memory) -> tuple[ConnectionInfo, tuple[ConnectionSummary, ...]]:
        found = await memory.get_connection(connection_id, include_content=include_content)
        return found, () if call.as_json else await memory.describe_connections([connection_id])

    found, summaries = call.ask(use)
    call.give(found, lambda _: _show(found, summaries[0] if summaries else None))


@command(app)
def content(call: Call, connection_id: ConnectionId) -> None:
    """Print the note on a connection; --json prints the connection with it."""
    call.answer(lambda memory: memory.get_connection(connection_id, include_content=True), _show_content)


@command(app)
def history(
    call: Call,
    connection_id: ConnectionId,
    full: FullOption = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
) -> None:
    """Show every change to a connection, even a deleted one."""
    show_history(call, connection_id, full=full, limit=limit, cursor=cursor)


@command(app)
def update(
    call: Call,
    connection_id: ConnectionId,
    content: takes.ContentOption = None,
    file: takes.FileOption = None,
    properties: takes.PropertyOption = None,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Change a connection: properties are merged, content is replaced."""
    values, text = assigned(properties), given_text(content, file)
    call.answer(
        lambda memory: memory.update_connection(
            connection_id, properties=values, content=text, expected_version=expected_version
        ),
        lambda changed: typer.echo(f"{connection_id} is at version {changed.version}."),
        "Writing",
    )


@command(app)
def delete(
    call: Call,
    connection_id: ConnectionId,
    yes: takes.YesOption = False,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Delete a connection; its nodes stay."""
    if takes.asks(yes=yes):
        for one in call.ask(lambda memory: memory.describe_connections([connection_id])):
            takes.confirm(f"Delete {one.type} from “{plain(one.from_title)}” to “{plain(one.to_title)}” ({one.id})?")
    call.answer(
        lambda memory: memory.delete_connection(connection_id, expected_version=expected_version),
        lambda _: typer.echo(f"Deleted {connection_id}."),
        "Deleting",
    )


@command(app, "list")
def list_all(
    call: Call,
    from_node_id: Annotated[str | None, typer.Option("--from", help="Only those that leave this node.")] = None,
    to_node_id: Annotated[str | None, typer.Option("--to", help="Only those that reach this node.")] = None,
    type_name: Annotated[str | None, typer.Option("--type", help="Only those of this type.")] = None,
    properties: takes.PropertyOption = None,
    valid_at: takes.ValidAtOption = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
) -> None:
    """List the connections that match everything given."""
    values = assigned(properties)
    list_connections(
        call,
        lambda memory: memory.query_connections(
            from_node_id=from_node_id,
            to_node_id=to_node_id,
            type=type_name,
            properties=values,
            valid_at=valid_at,
            limit=call.size(limit),
            cursor=cursor,
        ),
    )


def _show(found: ConnectionInfo, summary: ConnectionSummary | None) -> None:
    print_record(_fields(found, summary))
    print_properties(found.properties)
    if found.content is not None:
        typer.echo(f"\n{harmless(found.content)}")


def _show_content(found: ConnectionInfo) -> None:
    if found.content is None:
        return note("It has no content.")
    if sys.stdout.isatty():
        return typer.echo(harmless(found.content).removesuffix("\n"))
    return typer.echo(found.content.encode(), nl=False)


def _fields(found: ConnectionInfo, summary: ConnectionSummary | None) -> dict[str, object]:
    from_title, to_title = (summary.from_title, summary.to_title) if summary else ("", "")
    return {
        "id": found.id,
        "type": found.type,
        "from": f"{found.from_node_id}  {from_title}",
        "to": f"{found.to_node_id}  {to_title}",
        "version": found.version,
        **bounds(found.valid_from, found.valid_to),
        "created": local_time(found.created),
        "modified": local_time(found.modified),
        "content": "a note" if found.has_content else "none",
    }
