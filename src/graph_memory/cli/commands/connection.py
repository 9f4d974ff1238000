"""`graph-memory connection …`: connections, one at a time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.listing import list_connections
from graph_memory.cli.commands.protection import protection_lines
from graph_memory.cli.commands.validity import bounds
from graph_memory.cli.errors import with_commands
from graph_memory.cli.input import completion, naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned, given_strength, needs_type, of_type
from graph_memory.cli.input.content import given_text
from graph_memory.cli.output.printing import (
    harmless,
    local_time,
    note,
    plain,
    print_properties,
    print_record,
)
from graph_memory.cli.session import reading
from graph_memory.model.arguments import fault
from graph_memory.model.kinds import Kind
from graph_memory.model.results import Changed, ConnectionCreated, ConnectionIds, ConnectionInfo, ConnectionSummary

if TYPE_CHECKING:
    from graph_memory.cli.session import Reader
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(help="Connections: what joins two nodes.", no_args_is_help=True)


@command(app)
def create(
    call: Call,
    type_name: takes.ConnectionTypeArgument,
    from_node: Annotated[str, typer.Argument(metavar="FROM", help=f"The node it starts at, {takes.NAMED}.")],
    to_node: Annotated[str, typer.Argument(metavar="TO", help="The node it ends at, named the same way.")],
    content: takes.ContentOption = None,
    file: takes.FileOption = None,
    properties: takes.PropertyOption = None,
    strength: takes.StrengthOption = None,
    given_id: takes.IdOption = None,
) -> None:
    """Connect two nodes and print the id of the connection; its content is a note on it."""
    values, text, strong = assigned(properties), given_text(content, file), given_strength(strength)

    async def use(memory: Memory) -> ConnectionCreated:
        return await memory.create_connection(
            type_name,
            await naming.node_id(memory, from_node),
            await naming.node_id(memory, to_node),
            properties=await of_type(memory, values, Kind.CONNECTION, type_name),
            content=text,
            strength=strong,
            id=given_id,
        )

    call.answer(use, _tell_created, "Writing")


def _tell_created(created: ConnectionCreated) -> None:
    typer.echo(created.connection_id)
    if created.existing:
        note("It was there already, stored as its inverse. Nothing was written.")


@command(app)
def validate(
    call: Call,
    type_name: takes.ConnectionTypeArgument,
    from_node_type: Annotated[
        str,
        typer.Argument(
            metavar="FROM_TYPE", help="Type of the node it starts at.", autocompletion=completion.node_types
        ),
    ],
    to_node_type: Annotated[
        str,
        typer.Argument(metavar="TO_TYPE", help="Type of the node it ends at.", autocompletion=completion.node_types),
    ],
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
    connection: takes.ConnectionArgument,
    include_content: Annotated[bool, typer.Option("--include-content", help="Include its note.")] = False,
    as_of: takes.AsOfOption = None,
) -> None:
    """Show a connection's ends, type, properties, times and version."""

    async def use(memory: Memory, connection_id: str) -> tuple[ConnectionInfo, tuple[ConnectionSummary, ...]]:
        reader = await reading(memory, as_of)
        found = await reader.get_connection(connection_id, include_content=include_content)
        return found, () if call.as_json else await reader.describe_connections([connection_id])

    found, summaries = call.ask(naming.of_connection(connection, use))
    call.give(found, lambda _: _show(found, summaries[0] if summaries else None))


@command(app)
def content(call: Call, connection: takes.ConnectionArgument, as_of: takes.AsOfOption = None) -> None:
    """Print the note on a connection; --json prints the connection with it."""

    async def use(memory: Memory, connection_id: str) -> ConnectionInfo:
        return await (await reading(memory, as_of)).get_connection(connection_id, include_content=True)

    call.answer(naming.of_connection(connection, use), _show_content)


@command(app)
def update(
    call: Call,
    connection: takes.ConnectionArgument,
    content: takes.ContentOption = None,
    file: takes.FileOption = None,
    properties: takes.PropertyOption = None,
    strength: takes.StrengthOption = None,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Change a connection: properties and strength are merged, content is replaced."""
    values, text, strong = assigned(properties), given_text(content, file), given_strength(strength)
    if values is None and text is None and strong is None:
        raise fault("property", "Nothing to change", "Give one of --content, --file, --property and --strength.")

    async def use(memory: Memory, connection_id: str) -> Changed:
        type_name = (await memory.get_connection(connection_id)).type if needs_type(values) else None
        return await memory.update_connection(
            connection_id,
            properties=await of_type(memory, values, Kind.CONNECTION, type_name),
            content=text,
            strength=strong,
            expected_version=expected_version,
        )

    call.answer(
        naming.of_connection(connection, use),
        lambda changed: typer.echo(f"{plain(connection)} is at version {changed.version}."),
        "Writing",
    )


@command(app)
def delete(
    call: Call,
    connection: takes.ConnectionArgument,
    yes: takes.YesOption = False,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Delete a connection; its nodes stay."""
    if takes.asks(yes=yes):
        for one in call.ask(naming.of_connection(connection, lambda memory, id_: memory.describe_connections([id_]))):
            takes.confirm(f"Delete {one.type} from “{plain(one.from_title)}” to “{plain(one.to_title)}” ({one.id})?")

    async def use(memory: Memory, connection_id: str) -> Changed:
        return await memory.delete_connection(connection_id, expected_version=expected_version)

    call.answer(
        naming.of_connection(connection, use), lambda _: typer.echo(f"Deleted {plain(connection)}."), "Deleting"
    )


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
    """List the connections that match everything given."""
    values = assigned(properties)
    order: dict[str, Any] = {**takes.ordered(order_by, descending=descending)}

    async def find(memory: Memory, reader: Reader) -> ConnectionIds:
        return await reader.query_connections(
            from_node_id=from_node and await naming.node_id(memory, from_node),
            to_node_id=to_node and await naming.node_id(memory, to_node),
            type=type_name,
            properties=await of_type(memory, values, Kind.CONNECTION, type_name),
            valid_at=valid_at,
            min_strength=min_strength,
            detail=True,
            limit=call.size(limit),
            cursor=cursor,
            **order,
        )

    list_connections(call, find, as_of)


def _show(found: ConnectionInfo, summary: ConnectionSummary | None) -> None:
    print_record(_fields(found, summary))
    print_properties(found.properties)
    if found.content is not None:
        typer.echo(f"\n{harmless(found.content)}")


def _meaning(found: ConnectionInfo) -> dict[str, object]:
    """Return the lines of a record that tell what it means and how it came to be, those that say something."""
    strength = ", ".join(f"{name} {value:g}" for name, value in (found.strength or {}).items())
    method = None if found.creation_method == "manual" else found.creation_method
    seen_as = "itself" if found.inverse == found.type else found.inverse
    told = {"inverse": seen_as, "strength": strength or None, "importance": found.importance, "creation": method}
    told |= {"created by": found.created_by, "evidence": found.evidence}
    told |= {"premises lost": ", ".join(found.premises_lost)} if found.premises_lost else {}
    return {name: value for name, value in told.items() if value is not None}


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
        **protection_lines(found.protection),
        **_meaning(found),
        "created": local_time(found.created),
        "modified": local_time(found.modified),
        "content": "a note" if found.has_content else "none",
    }
