"""`graph-memory node …`: nodes, one at a time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.commands.protection import protection_lines
from graph_memory.cli.input import fields, naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.assignments import needs_type, parse_assignments, read_for_type
from graph_memory.cli.input.content import ContentInput, read_content, save_on_failure
from graph_memory.cli.output.printing import (
    command_line,
    harmless,
    local_time,
    plain,
    print_properties,
    print_record,
    validity_fields,
)
from graph_memory.cli.session import reader_at
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import Changed, NodeContent, NodeCreated, NodeInfo, NodeSummary
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import fault

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

_TO_GIVE = (
    "Give one of --content, --file, --edit, --property, --tag, --format, --path, --namespace, --title, --summary "
    "and --metadata."
)
app = typer.Typer(help="Nodes: what is remembered. `graph-memory query` lists them.", no_args_is_help=True)


@command(app)
def create(
    call: Call,
    type_name: takes.NodeTypeArgument,
    content: takes.ContentOption = None,
    file: takes.FileOption = None,
    edit: takes.EditOption = False,
    binary: takes.BinaryOption = False,
    content_format: takes.FormatOption = None,
    properties: takes.PropertyOption = None,
    tags: takes.TagOption = None,
    path: takes.PathOption = None,
    namespace: fields.NamespaceOption = None,
    title: fields.TitleOption = None,
    summary: fields.SummaryOption = None,
    metadata: fields.MetadataOption = None,
    given_id: takes.IdOption = None,
) -> None:
    """Create a node and print its id."""
    values = parse_assignments(properties)
    more = fields.node_fields(path, namespace, title, summary, metadata)
    given = read_content(content, file, edit=edit, binary=binary) or ContentInput("", "utf-8", None)

    async def use(memory: Memory) -> NodeCreated:
        return await memory.create_node(
            type_name,
            given.content,
            encoding=given.encoding,
            format=content_format or given.format or "markdown",
            properties=await read_for_type(memory, values, Kind.NODE, type_name),
            tags=tags or None,
            **more,
            id=given_id,
        )

    with save_on_failure(given, edit=edit):
        call.answer(use, lambda created: typer.echo(created.node_id), "Writing")


@command(app)
def get(
    call: Call,
    node: takes.NodeArgument,
    as_of: takes.AsOfOption = None,
) -> None:
    """Show a node's type, properties, times and version, without its content."""

    async def use(memory: Memory) -> tuple[NodeInfo, tuple[NodeSummary, ...]]:
        found, reader = await naming.node_id(memory, node), await reader_at(memory, as_of)
        return await reader.get_node(found), () if call.as_json else await reader.describe_nodes([found])

    found, summaries = call.ask(use)
    call.print_answer(found, lambda _: _show(found, summaries[0].title if summaries else ""))


@command(app)
def content(
    call: Call,
    node: takes.NodeArgument,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write it to a file, byte for byte.")] = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Print a node's content as it was given."""

    async def use(memory: Memory) -> NodeContent:
        found = await naming.node_id(memory, node)
        return await (await reader_at(memory, as_of)).get_node_content(found)

    def show(found: NodeContent) -> None:
        if output is not None:
            return _written(output, found.data)
        if not sys.stdout.isatty():
            return typer.echo(found.data, nl=False)
        return typer.echo(_for_terminal(node, found))

    call.answer(use, show)


@command(app)
def update(
    call: Call,
    node: takes.NodeArgument,
    content: takes.ContentOption = None,
    file: takes.FileOption = None,
    edit: takes.EditOption = False,
    binary: takes.BinaryOption = False,
    content_format: takes.FormatOption = None,
    properties: takes.PropertyOption = None,
    tags: takes.TagOption = None,
    path: takes.PathOption = None,
    namespace: fields.NamespaceOption = None,
    title: fields.TitleOption = None,
    summary: fields.SummaryOption = None,
    metadata: fields.MetadataOption = None,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Change a node. Properties are merged; everything else that you give replaces what was there.

    An empty text for --path, --namespace, --title, --summary or --metadata removes what was there.
    """
    values = parse_assignments(properties)
    more = fields.node_fields(path, namespace, title, summary, metadata)
    if not edit and all(option is None for option in (content, file, content_format, values, tags, *more.values())):
        raise fault("property", "Nothing to change", _TO_GIVE)
    before, seen = _for_editor(call, node) if edit else ("", None)
    given = read_content(content, file, edit=edit, original=before, binary=binary)

    async def use(memory: Memory, node_id: str) -> Changed:
        type_name = (await memory.get_node(node_id)).type if needs_type(values) else None
        return await memory.update_node(
            node_id,
            properties=await read_for_type(memory, values, Kind.NODE, type_name),
            content=given and given.content,
            encoding=given and given.encoding,
            format=content_format or (given and given.format),
            tags=tags or None,
            **more,
            expected_version=seen if expected_version is None else expected_version,
        )

    with save_on_failure(given, edit=edit):
        call.answer(
            naming.with_node_id(node, use),
            lambda changed: typer.echo(f"{plain(node)} is at version {changed.version}."),
            "Writing",
        )


@command(app)
def delete(
    call: Call,
    node: takes.NodeArgument,
    yes: takes.YesOption = False,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Delete a node and all its connections; the nodes at their other ends stay."""
    if takes.should_confirm(yes=yes):
        for found in call.ask(naming.with_node_id(node, lambda memory, node_id: memory.describe_nodes([node_id]))):
            takes.confirm(f"Delete {found.type} “{plain(found.title)}” ({found.id}) with all its connections?")
    call.answer(
        naming.with_node_id(
            node, lambda memory, node_id: memory.delete_node(node_id, expected_version=expected_version)
        ),
        lambda deleted: typer.echo(f"Deleted {plain(node)}{_along(deleted.connections)}."),
        "Deleting",
    )


def _along(connections: int) -> str:
    what = "connection or observation" if connections == 1 else "connections and observations"
    return f" with {connections:,} {what}" if connections else ""


def _show(found: NodeInfo, title: str) -> None:
    print_record(_fields(found, title))
    print_properties(found.properties)


def _fields(found: NodeInfo, title: str) -> dict[str, object]:
    shown = {
        "title": title,
        "id": found.id,
        "type": found.type,
        "version": found.version,
        **validity_fields(found.valid_from, found.valid_to),
        **protection_lines(found.protection),
        "created": local_time(found.created),
        "modified": local_time(found.modified),
        "format": found.content_format,
        "path": found.path,
        "namespace": found.namespace,
        "tags": ", ".join(found.tags or ()),
        "summary": found.content_summary,
        "summarized": local_time(found.summary_timestamp) if found.summary_timestamp else None,
        "metadata": json.dumps(found.metadata, ensure_ascii=False) if found.metadata else None,
    }
    return {name: value for name, value in shown.items() if value not in (None, "")}


def _for_editor(call: Call, node: str) -> tuple[str, int]:
    """Return a node's text and the version that was read with it. Raises INVALID_ENCODING for binary content."""

    async def use(memory: Memory, node_id: str) -> tuple[NodeInfo, NodeContent]:
        return await memory.get_node(node_id), await memory.get_node_content(node_id)

    info, found = call.ask(naming.with_node_id(node, use))
    if found.encoding != "utf-8":
        hint = "Replace it with --file."
        raise GraphError(Code.INVALID_ENCODING, f"The content of {node} is binary, not text", {"hint": hint})
    return found.content, info.version


def _for_terminal(node: str, found: NodeContent) -> str:
    if found.encoding != "utf-8":
        hint = f"Write it to a file: {command_line('node', 'content', node, '--output', 'FILE')}"
        message = f"The content of {node} is binary ({found.format}) and would garble the terminal"
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
