"""What commands take that read a graph from files of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from graph_memory.memory.transfer.formats.records import SourceOptions

SourceArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE",
        help="Files in .csv with headers of neo4j-admin, .jsonl or .graphml, also with .gz, or folders of them.",
    ),
]
LabelOption = Annotated[
    list[str] | None,
    typer.Option("--label", help="Of a node's labels, make this its type, not the rarest one. Repeatable."),
]
NodeTypeOption = Annotated[
    str | None, typer.Option("--node-type", metavar="TYPE", help="The type of nodes without a label.")
]
ConnectionTypeOption = Annotated[
    str | None, typer.Option("--connection-type", metavar="TYPE", help="The type of connections without one.")
]
IdPropertyOption = Annotated[
    str | None,
    typer.Option("--id-property", metavar="NAME", help="Keep the id that a node has in the source here."),
]
ContentPropertyOption = Annotated[
    str | None, typer.Option("--content-property", metavar="NAME", help="Make the text of this property the content.")
]
JoinArraysOption = Annotated[
    str | None, typer.Option("--join-arrays", metavar="TEXT", help="Make lists one text, with this between the values.")
]
SkipInvalidOption = Annotated[
    bool, typer.Option("--skip-invalid", help="Leave out what cannot be loaded, instead of refusing all.")
]


def options(
    labels: list[str] | None,
    node_type: str | None,
    connection_type: str | None,
    content_property: str | None,
    id_property: str | None,
    join_arrays: str | None,
) -> SourceOptions:
    """Return what was given, as the memory takes it."""
    from graph_memory.memory.transfer.formats.records import SourceOptions

    return SourceOptions(
        labels=tuple(labels or ()),
        node_type=node_type,
        connection_type=connection_type,
        content_property=content_property,
        id_property=id_property,
        join_arrays=join_arrays,
    )
