"""`graph-memory node …`: creates, reads, changes and deletes a node."""

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
    escape_control_characters,
    escape_line,
    format_local_time,
    print_properties,
    print_record,
    validity_fields,
)
from graph_memory.cli.session import reader_at
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import ChangeResult, NodeContent, NodeCreationResult, NodeInfo, NodeSummary
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import invalid_argument

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

_CHANGE_HINT = (
    "Pass one of --content, --file, --edit, --property, --tag, --format, --path, --namespace, --title, --summary "
    "and --metadata."
)
app = typer.Typer(help="Nodes: the stored items. `graph-memory query` lists them.", no_args_is_help=True)


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
    node_fields = fields.node_fields(path, namespace, title, summary, metadata)
    content_input = read_content(content, file, edit=edit, binary=binary) or ContentInput("", "utf-8", None)

    async def use(memory: Memory) -> NodeCreationResult:
        return await memory.create_node(
            type_name,
            content_input.content,
            encoding=content_input.encoding,
            format=content_format or content_input.format or "markdown",
            properties=await read_for_type(memory, values, Kind.NODE, type_name),
            tags=tags or None,
            **node_fields,
            id=given_id,
        )

    with save_on_failure(content_input, edit=edit):
        call.answer(use, lambda created: typer.echo(created.node_id), "Writing")


@command(app)
def get(
    call: Call,
    node: takes.NodeArgument,
    as_of: takes.AsOfOption = None,
) -> None:
    """Show the type, properties, times and version of a node, without its content."""

    async def use(memory: Memory) -> tuple[NodeInfo, tuple[NodeSummary, ...]]:
        node_id, reader = await naming.node_id(memory, node), await reader_at(memory, as_of)
        return await reader.get_node(node_id), () if call.as_json else await reader.describe_nodes([node_id])

    info, summaries = call.use_memory(use)
    call.print_answer(info, lambda _: _show(info, summaries[0].title if summaries else ""))


@command(app)
def content(
    call: Call,
    node: takes.NodeArgument,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write it to this file, byte for byte.")] = None,
    as_of: takes.AsOfOption = None,
) -> None:
    """Print the content of a node, unchanged."""

    async def use(memory: Memory) -> NodeContent:
        node_id = await naming.node_id(memory, node)
        return await (await reader_at(memory, as_of)).get_node_content(node_id)

    def show(stored: NodeContent) -> None:
        if output is not None:
            return _write_file(output, stored.data)
        if not sys.stdout.isatty():
            return typer.echo(stored.data, nl=False)
        return typer.echo(_for_terminal(node, stored))

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
    """Change a node. New properties are merged with the old ones; other options replace the stored values.

    An empty string for --path, --namespace, --title, --summary or --metadata removes the stored value.
    """
    values = parse_assignments(properties)
    node_fields = fields.node_fields(path, namespace, title, summary, metadata)
    if not edit and all(
        option is None for option in (content, file, content_format, values, tags, *node_fields.values())
    ):
        raise invalid_argument("property", "Nothing to change", _CHANGE_HINT)
    original, seen_version = _read_for_editor(call, node) if edit else ("", None)
    content_input = read_content(content, file, edit=edit, original=original, binary=binary)

    async def use(memory: Memory, node_id: str) -> ChangeResult:
        type_name = (await memory.get_node(node_id)).type if needs_type(values) else None
        return await memory.update_node(
            node_id,
            properties=await read_for_type(memory, values, Kind.NODE, type_name),
            content=content_input and content_input.content,
            encoding=content_input and content_input.encoding,
            format=content_format or (content_input and content_input.format),
            tags=tags or None,
            **node_fields,
            expected_version=seen_version if expected_version is None else expected_version,
        )

    with save_on_failure(content_input, edit=edit):
        call.answer(
            naming.with_node_id(node, use),
            lambda changed: typer.echo(f"{escape_line(node)} is at version {changed.version}."),
            "Writing",
        )


@command(app)
def delete(
    call: Call,
    node: takes.NodeArgument,
    yes: takes.YesOption = False,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Delete a node and all its connections. The connected nodes are kept."""
    if takes.should_confirm(yes=yes):
        for info in call.use_memory(
            naming.with_node_id(node, lambda memory, node_id: memory.describe_nodes([node_id]))
        ):
            takes.confirm(f"Delete {info.type} “{escape_line(info.title)}” ({info.id}) with all its connections?")
    call.answer(
        naming.with_node_id(
            node, lambda memory, node_id: memory.delete_node(node_id, expected_version=expected_version)
        ),
        lambda deleted: typer.echo(f"Deleted {escape_line(node)}{_connections_text(deleted.connections)}."),
        "Deleting",
    )


def _connections_text(connections: int) -> str:
    noun = "connection or observation" if connections == 1 else "connections and observations"
    return f" with {connections:,} {noun}" if connections else ""


def _show(info: NodeInfo, title: str) -> None:
    print_record(_record_of(info, title))
    print_properties(info.properties)


def _record_of(info: NodeInfo, title: str) -> dict[str, object]:
    values = {
        "title": title,
        "id": info.id,
        "type": info.type,
        "version": info.version,
        **validity_fields(info.valid_from, info.valid_to),
        **protection_lines(info.protection),
        "created": format_local_time(info.created),
        "modified": format_local_time(info.modified),
        "format": info.content_format,
        "path": info.path,
        "namespace": info.namespace,
        "tags": ", ".join(info.tags or ()),
        "summary": info.content_summary,
        "summarized": format_local_time(info.summary_timestamp) if info.summary_timestamp else None,
        "metadata": json.dumps(info.metadata, ensure_ascii=False) if info.metadata else None,
    }
    return {name: value for name, value in values.items() if value not in (None, "")}


def _read_for_editor(call: Call, node: str) -> tuple[str, int]:
    """Return the text and version of the node. Raises INVALID_ENCODING for binary content."""

    async def use(memory: Memory, node_id: str) -> tuple[NodeInfo, NodeContent]:
        return await memory.get_node(node_id), await memory.get_node_content(node_id)

    info, content = call.use_memory(naming.with_node_id(node, use))
    if content.encoding != "utf-8":
        hint = "Replace it with --file."
        raise GraphError(Code.INVALID_ENCODING, f"The content of {node} is binary, not text", {"hint": hint})
    return content.content, info.version


def _for_terminal(node: str, content: NodeContent) -> str:
    if content.encoding != "utf-8":
        hint = f"Write it to a file: {command_line('node', 'content', node, '--output', 'FILE')}"
        message = f"The content of {node} is binary ({content.format}) and would garble the terminal"
        raise GraphError(Code.INVALID_ENCODING, message, {"hint": hint})
    return escape_control_characters(content.content).removesuffix("\n")


def _write_file(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        hint = "Pass a writable path."
        message = f"Cannot write {path}: {error.strerror}"
        raise GraphError(Code.FILE_CREATION_FAILED, message, {"hint": hint}) from error
    typer.echo(f"{path}: {len(data):,} bytes.", err=True)
