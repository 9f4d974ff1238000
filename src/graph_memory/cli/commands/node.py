"""`graph-memory node …`: nodes, one at a time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.history import FullOption, show_history
from graph_memory.cli.commands.listing import list_nodes
from graph_memory.cli.commands.validity import bounds
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned
from graph_memory.cli.input.content import Given, given_content, saved_on_failure
from graph_memory.cli.output.printing import harmless, local_time, plain, print_properties, print_record
from graph_memory.cli.session import reading
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import NodeContent, NodeInfo, NodeSummary

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(help="Nodes: what is remembered.", no_args_is_help=True)

NodeId = Annotated[str, typer.Argument(metavar="ID", help="Id of the node.")]


@command(app)
def create(
    call: Call,
    type_name: Annotated[str, typer.Argument(metavar="TYPE", help="Node type of the ontology.")],
    content: takes.ContentOption = None,
    file: takes.FileOption = None,
    edit: takes.EditOption = False,
    binary: takes.BinaryOption = False,
    content_format: takes.FormatOption = None,
    properties: takes.PropertyOption = None,
    tags: takes.TagOption = None,
    path: takes.PathOption = None,
    given_id: takes.IdOption = None,
) -> None:
    """Create a node and print its id."""
    values = assigned(properties)
    given = given_content(content, file, edit=edit, binary=binary) or Given("", "utf-8", None)
    with saved_on_failure(given, edit=edit):
        call.answer(
            lambda memory: memory.create_node(
                type_name,
                given.content,
                encoding=given.encoding,
                format=content_format or given.format or "markdown",
                properties=values,
                tags=tags or None,
                path=path,
                id=given_id,
            ),
            lambda created: typer.echo(created.node_id),
            "Writing",
        )


@command(app)
def get(
    call: Call,
    node_id: NodeId,
    as_of: takes.AsOfOption = None,
) -> None:
    """Show a node's type, properties, times and version, without its content."""

    async def use(memory: Memory) -> tuple[NodeInfo, tuple[NodeSummary, ...]]:
        reader = await reading(memory, as_of)
        return await reader.get_node(node_id), () if call.as_json else await reader.describe_nodes([node_id])

    found, summaries = call.ask(use)
    call.give(found, lambda _: _show(found, summaries[0].title if summaries else ""))


@command(app)
def content(
    call: Call,
    node_id: NodeId,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write it to a file, byte for byte.")] = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Print a node's content as it was given."""

    async def use(memory: Memory) -> NodeContent:
        return await (await reading(memory, as_of)).get_node_content(node_id)

    def show(found: NodeContent) -> None:
        if output is not None:
            return _written(output, found.data)
        if not sys.stdout.isatty():
            return typer.echo(found.data, nl=False)
        return typer.echo(_for_terminal(node_id, found))

    call.answer(use, show)


@command(app)
def history(
    call: Call,
    node_id: NodeId,
    full: FullOption = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
) -> None:
    """Show every change to a node, even a deleted one."""
    show_history(call, node_id, full=full, limit=limit, cursor=cursor)


@command(app)
def update(
    call: Call,
    node_id: NodeId,
    content: takes.ContentOption = None,
    file: takes.FileOption = None,
    edit: takes.EditOption = False,
    binary: takes.BinaryOption = False,
    content_format: takes.FormatOption = None,
    properties: takes.PropertyOption = None,
    tags: takes.TagOption = None,
    path: takes.PathOption = None,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Change a node. Properties are merged; everything else that you give replaces what was there."""
    values = assigned(properties)
    before, seen = _for_editor(call, node_id) if edit else ("", None)
    given = given_content(content, file, edit=edit, before=before, binary=binary)
    with saved_on_failure(given, edit=edit):
        call.answer(
            lambda memory: memory.update_node(
                node_id,
                properties=values,
                content=given and given.content,
                encoding=given and given.encoding,
                format=content_format or (given and given.format),
                tags=tags or None,
                path=path,
                expected_version=seen if expected_version is None else expected_version,
            ),
            lambda changed: typer.echo(f"{node_id} is at version {changed.version}."),
            "Writing",
        )


@command(app)
def delete(
    call: Call,
    node_id: NodeId,
    yes: takes.YesOption = False,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Delete a node and all its connections; the nodes at their other ends stay."""
    if takes.asks(yes=yes):
        for node in call.ask(lambda memory: memory.describe_nodes([node_id])):
            takes.confirm(f"Delete {node.type} “{plain(node.title)}” ({node.id}) with all its connections?")
    call.answer(
        lambda memory: memory.delete_node(node_id, expected_version=expected_version),
        lambda deleted: typer.echo(f"Deleted {node_id}{_along(deleted.connections)}."),
        "Deleting",
    )


@command(app, "list")
def list_all(
    call: Call,
    type_name: Annotated[str | None, typer.Option("--type", help="Only nodes of this type.")] = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
) -> None:
    """List all nodes, or those of a type; `graph-memory query` also looks at properties."""
    list_nodes(call, lambda reader: reader.query_nodes(type=type_name, limit=call.size(limit), cursor=cursor))


def _along(connections: int) -> str:
    what = "connection or observation" if connections == 1 else "connections and observations"
    return f" with {connections:,} {what}" if connections else ""


def _show(found: NodeInfo, title: str) -> None:
    print_record(_fields(found, title))
    print_properties(found.properties)


def _fields(found: NodeInfo, title: str) -> dict[str, object]:
    fields = {
        "title": title,
        "id": found.id,
        "type": found.type,
        "version": found.version,
        **bounds(found.valid_from, found.valid_to),
        "created": local_time(found.created),
        "modified": local_time(found.modified),
        "format": found.content_format,
        "path": found.path,
        "tags": ", ".join(found.tags or ()),
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _for_editor(call: Call, node_id: str) -> tuple[str, int]:
    """Return a node's text and the version that was read with it. Raises INVALID_ENCODING for binary content."""

    async def use(memory: Memory) -> tuple[NodeInfo, NodeContent]:
        return await memory.get_node(node_id), await memory.get_node_content(node_id)

    node, found = call.ask(use)
    if found.encoding != "utf-8":
        hint = "Replace it with --file."
        raise GraphError(Code.INVALID_ENCODING, f"The content of {node_id} is binary, not text", {"hint": hint})
    return found.content, node.version


def _for_terminal(node_id: str, found: NodeContent) -> str:
    if found.encoding != "utf-8":
        hint = f"Write it to a file: graph-memory node content {node_id} --output FILE"
        message = f"The content of {node_id} is binary ({found.format}) and would garble the terminal"
        raise GraphError(Code.INVALID_ENCODING, message, {"hint": hint})
    return harmless(found.content).removesuffix("\n")


def _written(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        hint = "Give a writable path."
        message = f"Cannot write {path}: {error.strerror}"
        raise GraphError(Code.FILE_CREATION_FAILED, message, {"hint": hint}) from error
    typer.echo(f"{path}: {len(data):,} bytes.", err=True)
