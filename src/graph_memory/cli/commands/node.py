"""`graph-memory node …`: nodes, one at a time."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.commands.history import FullOption, show_history
from graph_memory.cli.commands.validity import bounds
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import assigned
from graph_memory.cli.input.content import Given, given_content, saved_on_failure
from graph_memory.cli.output.listing import list_nodes
from graph_memory.cli.output.printing import harmless, local_time, plain, print_json, print_properties, print_record
from graph_memory.cli.session import reading, with_memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import NodeContent, NodeInfo, NodeSummary

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(help="Nodes: what is remembered.", no_args_is_help=True)

NodeId = Annotated[str, typer.Argument(metavar="ID", help="Id of the node.")]


@app.command()
def create(
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
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Create a node and print its id."""
    values = assigned(properties)
    given = given_content(content, file, edit=edit, binary=binary) or Given("", "utf-8", None)
    with saved_on_failure(given, edit=edit):
        created = with_memory(
            lambda memory: memory.create_node(
                type_name,
                given.content,
                encoding=given.encoding,
                format=content_format or given.format or "markdown",
                properties=values,
                tags=tags or None,
                path=path,
                id=given_id,
                domain=domain,
            ),
            "Writing",
        )
    print_json(created) if as_json else typer.echo(created.node_id)


@app.command()
def get(
    node_id: NodeId,
    as_of: takes.AsOfOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Show a node's type, properties, times and version, without its content."""

    async def use(memory: Memory) -> tuple[NodeInfo, tuple[NodeSummary, ...]]:
        reader, where = await reading(memory, domain, as_of)
        found = await reader.get_node(node_id, **where)
        return found, () if as_json else await reader.describe_nodes([node_id], **where)

    found, summaries = with_memory(use, "Reading")
    if as_json:
        return print_json(found)
    print_record(_fields(found, summaries[0].title if summaries else ""))
    return print_properties(found.properties)


@app.command()
def content(
    node_id: NodeId,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write it to a file, byte for byte.")] = None,
    as_of: takes.AsOfOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Print a node's content as it was given."""

    async def use(memory: Memory) -> NodeContent:
        reader, where = await reading(memory, domain, as_of)
        return await reader.get_node_content(node_id, **where)

    found = with_memory(use, "Reading")
    if as_json:
        return print_json(found)
    data = found.content.encode() if found.encoding == "utf-8" else base64.b64decode(found.content)
    if output is not None:
        return _written(output, data)
    if not sys.stdout.isatty():
        return typer.echo(data, nl=False)
    return typer.echo(_for_terminal(node_id, found))


@app.command()
def history(
    node_id: NodeId,
    full: FullOption = False,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Show every change to a node, even a deleted one."""
    show_history(node_id, full=full, limit=limit, cursor=cursor, domain=domain, as_json=as_json)


@app.command()
def update(
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
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Change a node. Properties are merged; everything else that you give replaces what was there."""
    values = assigned(properties)
    before, seen = _for_editor(node_id, domain) if edit else ("", None)
    given = given_content(content, file, edit=edit, before=before, binary=binary)
    with saved_on_failure(given, edit=edit):
        changed = with_memory(
            lambda memory: memory.update_node(
                node_id,
                properties=values,
                content=given and given.content,
                encoding=given and given.encoding,
                format=content_format or (given and given.format),
                tags=tags or None,
                path=path,
                expected_version=seen if expected_version is None else expected_version,
                domain=domain,
            ),
            "Writing",
        )
    print_json(changed) if as_json else typer.echo(f"{node_id} is at version {changed.version}.")


@app.command()
def delete(
    node_id: NodeId,
    yes: takes.YesOption = False,
    expected_version: takes.ExpectedVersionOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """Delete a node and all its connections; the nodes at their other ends stay."""
    if takes.asks(yes=yes):
        for node in with_memory(lambda memory: memory.describe_nodes([node_id], domain=domain), "Reading"):
            takes.confirm(f"Delete {node.type} “{plain(node.title)}” ({node.id}) with all its connections?")
    deleted = with_memory(
        lambda memory: memory.delete_node(node_id, expected_version=expected_version, domain=domain), "Deleting"
    )
    what = "connection or observation" if deleted.connections == 1 else "connections and observations"
    along = f" with {deleted.connections:,} {what}" if deleted.connections else ""
    print_json(deleted) if as_json else typer.echo(f"Deleted {node_id}{along}.")


@app.command("list")
def list_all(
    type_name: Annotated[str | None, typer.Option("--type", help="Only nodes of this type.")] = None,
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
    domain: takes.DomainOption = None,
    as_json: takes.JsonOption = False,
) -> None:
    """List all nodes, or those of a type; `graph-memory query` also looks at properties."""
    size = takes.page_size(limit, as_json=as_json)
    list_nodes(
        lambda memory, where: memory.query_nodes(type=type_name, limit=size, cursor=cursor, **where),
        domain,
        as_json=as_json,
    )


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


def _for_editor(node_id: str, domain: str | None) -> tuple[str, int]:
    """Return a node's text and the version that was read with it. Raises INVALID_ENCODING for binary content."""

    async def use(memory: Memory) -> tuple[NodeInfo, NodeContent]:
        return await memory.get_node(node_id, domain=domain), await memory.get_node_content(node_id, domain=domain)

    node, found = with_memory(use, "Reading")
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
