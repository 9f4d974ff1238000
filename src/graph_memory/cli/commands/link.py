"""`graph-memory link …`: creates, lists and deletes links from nodes of one domain to nodes of another domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import completion, fields, naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.listing import note_count_and_cursor
from graph_memory.cli.output.printing import escape_line, note
from graph_memory.cli.output.tables import print_table
from graph_memory.memory.links.results import LinkCreationResult, Links
from graph_memory.model.results import Direction
from graph_memory.model.subjects.links import LinkType

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

app = typer.Typer(help="Links from nodes of one domain to nodes of another.", no_args_is_help=True)


@command(app)
def create(
    call: Call,
    node: Annotated[str, typer.Argument(metavar="NODE", help=f"The source node, {takes.NAME_FORMS}.")],
    target_domain: Annotated[
        str, typer.Argument(metavar="DOMAIN", help="The other domain.", autocompletion=completion.domains)
    ],
    target: Annotated[
        str | None,
        typer.Argument(metavar="TARGET", help="A node in that domain, in the same form. Default: the best match."),
    ] = None,
    link_type: Annotated[LinkType, typer.Option("--type", help="Relation of the target to the node.")] = "reference",
    strength: Annotated[float, typer.Option(help="Strength, 0 to 1.")] = 1.0,
    description: Annotated[str | None, typer.Option(help="The purpose of the link.")] = None,
    bidirectional: Annotated[bool, typer.Option("--bidirectional", help="Also list it in the other domain.")] = False,
    metadata: fields.MetadataOption = None,
) -> None:
    """Link a node to a node of another domain, and print the id of the link."""
    metadata_values = fields.parse_metadata(metadata)

    async def use(memory: Memory) -> LinkCreationResult:
        return await memory.links.create_cross_domain_link(
            await naming.node_id(memory, node),
            target_domain,
            None if target is None else await naming.node_id(memory.in_domain(target_domain), target),
            link_type=link_type,
            strength=strength,
            description=description,
            bidirectional=bidirectional,
            metadata=metadata_values,
        )

    call.answer(use, _show_created, "Linking")


def _show_created(created: LinkCreationResult) -> None:
    for candidate in created.candidates or ():
        note(escape_line(f"{candidate.score:.2f}  {candidate.title} ({candidate.type}, {candidate.node_id})"))
    if not created.success or created.link_id is None:
        note(escape_line(created.hint or ""))
        raise typer.Exit(1)
    typer.echo(created.link_id)


@command(app, "list")
def list_all(
    call: Call,
    node: Annotated[
        str | None, typer.Argument(metavar="NODE", help=f"Only links of this node, {takes.NAME_FORMS}.")
    ] = None,
    direction: Annotated[Direction, typer.Option(help="Links from this domain, to it, or both.")] = "both",
    limit: takes.LimitOption = None,
    cursor: takes.CursorOption = None,
) -> None:
    """List links to other domains, and bidirectional links from other domains."""

    async def use(memory: Memory) -> Links:
        node_id = None if node is None else await naming.node_id(memory, node)
        return await memory.links.list_cross_domain_links(node_id, direction=direction, limit=limit, cursor=cursor)

    call.answer(use, _show_all, "Reading")


def _show_all(page: Links) -> None:
    if not page.links:
        return note("No links: `graph-memory link create NODE DOMAIN` creates one.")
    columns = ("link", "of", "node", "is", "domain", "title", "dangling")
    rows = [
        (
            link.link_id,
            link.domain,
            link.title or link.node_id,
            link.ref.link_type,
            link.ref.domain,
            link.ref.title or link.ref.node_id,
            link.dangling or "",
        )
        for link in page.links
    ]
    print_table(columns, rows, uncut=("link",), wrapped=("node", "title", "dangling"))
    return note_count_and_cursor(len(rows), "link", page.next_cursor)


@command(app)
def delete(call: Call, link: Annotated[str, typer.Argument(metavar="LINK", help="The id of the link.")]) -> None:
    """Delete a link. --domain is the domain of its source node."""
    call.answer(
        lambda memory: memory.links.delete_cross_domain_link(link),
        lambda deleted: note(f"Link {deleted.link_id} deleted."),
        "Deleting",
    )
