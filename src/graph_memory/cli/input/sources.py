"""What commands take that read a graph from files of other programs, or from a Neo4j server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.session import read_settings

if TYPE_CHECKING:
    from graph_memory.memory.transfer.formats.records import SourceOptions
    from graph_memory.memory.transfer.formats.source import GivenSource

SourceArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="Files, or folders of them: .csv with headers of neo4j-admin, .jsonl or .graphml, also with .gz. Or a "
        "Neo4j server, such as bolt://host:7687. Set its login in GRAPH_MEMORY_SOURCE_USERNAME and "
        "GRAPH_MEMORY_SOURCE_PASSWORD; the memory's own server needs none.",
    ),
]
DatabaseOption = Annotated[str | None, typer.Option("--database", help="Database of a Neo4j server to read from.")]
OnlyLabelOption = Annotated[
    list[str] | None,
    typer.Option("--only-label", metavar="LABEL", help="Of a server, read only nodes with this label. Repeatable."),
]
OnlyTypeOption = Annotated[
    list[str] | None,
    typer.Option("--only-type", metavar="TYPE", help="Of a server, read only relationships of this type. Repeatable."),
]
LabelOption = Annotated[
    list[str] | None,
    typer.Option("--label", help="Of a node with several labels, make this its type, not the rarest. Repeatable."),
]
NodeTypeOption = Annotated[
    str | None, typer.Option("--node-type", metavar="TYPE", help="The type of nodes without a label.")
]
ConnectionTypeOption = Annotated[
    str | None, typer.Option("--connection-type", metavar="TYPE", help="The type of connections without one.")
]
IdPropertyOption = Annotated[
    str | None,
    typer.Option(
        "--id-property",
        metavar="NAME",
        help="Keep the id that a node has in the source here; of a server, take the id from here.",
    ),
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
    only_labels: list[str] | None,
    only_types: list[str] | None,
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
        only_labels=tuple(only_labels or ()),
        only_types=tuple(only_types or ()),
    )


def sources(given: list[str], database: str | None) -> list[GivenSource]:
    """Return what was named; a server comes with its login. Raises INVALID_ARGUMENT for a database without a server."""
    from graph_memory.app import source_at

    return [source_at(read_settings(), one, database) for one in given]
