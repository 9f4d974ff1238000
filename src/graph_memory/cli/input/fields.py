"""The command line options for a node's fields."""

from __future__ import annotations

from typing import Annotated, TypedDict, cast

import typer

from graph_memory.cli.input.times import time_callback
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.plain import parse_json_strictly

NamespaceOption = Annotated[str | None, typer.Option(help="The namespace within the domain.")]
TitleOption = Annotated[str | None, typer.Option(help="Its title. Default: made from its properties or its content.")]
SummaryOption = Annotated[str | None, typer.Option("--summary", metavar="TEXT", help="A summary of its content.")]
MetadataOption = Annotated[
    str | None, typer.Option(metavar="JSON", help='More data, as a JSON object such as \'{"source": "mail"}\'.')
]


def _time_option(name: str, condition: str) -> object:
    text = f'Only nodes {condition}: a time, or a phrase such as "2 hours ago".'
    return typer.Option(f"--{name}", metavar="TIME", callback=time_callback(name), help=text)


CreatedAfterOption = Annotated[str | None, _time_option("created-after", "created then or later")]
CreatedBeforeOption = Annotated[str | None, _time_option("created-before", "created before")]
ModifiedAfterOption = Annotated[str | None, _time_option("modified-after", "last changed then or later")]
ModifiedBeforeOption = Annotated[str | None, _time_option("modified-before", "last changed before")]


class NodeFields(TypedDict):
    """The fields of a node. None keeps a field's value."""

    path: str | None
    namespace: str | None
    title: str | None
    content_summary: str | None
    metadata: dict[str, object] | None


def node_fields(
    path: str | None, namespace: str | None, title: str | None, summary: str | None, metadata: str | None
) -> NodeFields:
    """Return the fields with parsed metadata. Raises INVALID_ARGUMENT if the metadata is not a JSON object."""
    return NodeFields(
        path=path,
        namespace=namespace,
        title=title,
        content_summary=summary,
        metadata=parse_metadata(metadata),
    )


def parse_metadata(text: str | None) -> dict[str, object] | None:
    """Parse the value of --metadata. Returns None for None. Raises INVALID_ARGUMENT if it is not a JSON object."""
    if text is None:
        return None
    try:
        value: object = parse_json_strictly(text.encode(errors="surrogateescape")) if text else dict[str, object]()
    except ValueError as error:
        raise _invalid_metadata(f"The value of --metadata is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise _invalid_metadata("The value of --metadata is not a JSON object")
    return cast("dict[str, object]", value)


def _invalid_metadata(message: str) -> Exception:
    return invalid_argument("metadata", message, 'Write it as \'{"source": "mail"}\'.')
