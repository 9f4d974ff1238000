"""Arguments and options of commands that read a graph from other programs' files or a Neo4j server."""

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
    typer.Option("--only-label", metavar="LABEL", help="From a server, read only nodes with this label. Repeatable."),
]
OnlyTypeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only-type", metavar="TYPE", help="From a server, read only relationships of this type. Repeatable."
    ),
]
LabelOption = Annotated[
    list[str] | None,
    typer.Option("--label", help="Label that is the type of a node with several. Default: the rarest. Repeatable."),
]
NodeTypeOption = Annotated[
    str | None, typer.Option("--node-type", metavar="TYPE", help="Type of nodes without a label.")
]
ConnectionTypeOption = Annotated[
    str | None, typer.Option("--connection-type", metavar="TYPE", help="Type of connections without a type.")
]
IdPropertyOption = Annotated[
    str | None,
    typer.Option(
        "--id-property",
        metavar="NAME",
        help="From files: store the source's node id in this property. From a server: take the id from it.",
    ),
]
ContentPropertyOption = Annotated[
    str | None, typer.Option("--content-property", metavar="NAME", help="Use the text of this property as the content.")
]
JoinArraysOption = Annotated[
    str | None,
    typer.Option("--join-arrays", metavar="TEXT", help="Join lists into one text, separated by this."),
]
SkipInvalidOption = Annotated[
    bool, typer.Option("--skip-invalid", help="Skip records that cannot be loaded, instead of failing.")
]


def source_options(
    labels: list[str] | None,
    node_type: str | None,
    connection_type: str | None,
    content_property: str | None,
    id_property: str | None,
    join_arrays: str | None,
    only_labels: list[str] | None,
    only_types: list[str] | None,
) -> SourceOptions:
    """Return the options for reading a source. None selects an option's default."""
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


def read_sources(locations: list[str], database: str | None) -> list[GivenSource]:
    """Return the sources at these paths or addresses. Raises INVALID_ARGUMENT if a file is given with a database."""
    from graph_memory.app import source_at

    return [source_at(read_settings(), location, database) for location in locations]
