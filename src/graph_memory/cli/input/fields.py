"""The options for the fields of a node, and what they give to a call."""

from __future__ import annotations

from typing import Annotated, TypedDict, cast

import typer

from graph_memory.cli.input.times import world_time
from graph_memory.model.values.arguments import fault
from graph_memory.model.values.plain import parse_json_strictly

NamespaceOption = Annotated[str | None, typer.Option(help="The part of the domain that it belongs to.")]
TitleOption = Annotated[
    str | None, typer.Option(help="Its title. Without one, it is made of its properties or its content.")
]
SummaryOption = Annotated[str | None, typer.Option("--summary", metavar="TEXT", help="A summary of its content.")]
MetadataOption = Annotated[
    str | None, typer.Option(metavar="JSON", help='More data, as a JSON object such as \'{"source": "mail"}\'.')
]


def _time(name: str, what: str) -> object:
    text = f'Only what was {what}: a time, yesterday, "2 hours ago".'
    return typer.Option(f"--{name}", metavar="TIME", callback=world_time(name), help=text)


CreatedAfterOption = Annotated[str | None, _time("created-after", "created then or later")]
CreatedBeforeOption = Annotated[str | None, _time("created-before", "created before")]
ModifiedAfterOption = Annotated[str | None, _time("modified-after", "last changed then or later")]
ModifiedBeforeOption = Annotated[str | None, _time("modified-before", "last changed before")]


class Given(TypedDict):
    """The fields that a call is given; None leaves one as it is."""

    path: str | None
    namespace: str | None
    title: str | None
    content_summary: str | None
    metadata: dict[str, object] | None


def given_fields(
    path: str | None, namespace: str | None, title: str | None, summary: str | None, metadata: str | None
) -> Given:
    """Return what the options give. Raises INVALID_ARGUMENT for metadata that is no JSON object."""
    return Given(
        path=path,
        namespace=namespace,
        title=title,
        content_summary=summary,
        metadata=given_metadata(metadata),
    )


def given_metadata(text: str | None) -> dict[str, object] | None:
    """Return what --metadata gives, None where it is not given. Raises INVALID_ARGUMENT for what is no JSON object."""
    return None if text is None else _object(text)


def _object(text: str) -> dict[str, object]:
    try:
        found: object = parse_json_strictly(text.encode(errors="surrogateescape")) if text else dict[str, object]()
    except ValueError as error:
        raise _unfit(f"What --metadata gives is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise _unfit("What --metadata gives is not an object")
    return cast("dict[str, object]", found)


def _unfit(message: str) -> Exception:
    return fault("metadata", message, 'Write it as \'{"source": "mail"}\'.')
