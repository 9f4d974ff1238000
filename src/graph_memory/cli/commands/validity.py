"""`graph-memory validity`: when a node or connection holds in the world."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.times import world_time
from graph_memory.cli.output.printing import local_time, plain

FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="TIME",
        callback=world_time("from"),
        help='Start of its validity: a time, a date, now, yesterday, "2 days ago".',
    ),
]
ToOption = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="TIME", callback=world_time("to"), help="End of its validity. open removes the bound."
    ),
]


@command()
def validity(
    call: Call,
    subject: Annotated[str, typer.Argument(metavar="ID", help="Id of a node or connection.")],
    valid_from: FromOption = None,
    valid_to: ToOption = None,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Set when a node or connection holds in the world. Close what has ended with --to; it is kept."""
    call.answer(
        lambda memory: memory.set_validity(
            subject, valid_from=valid_from, valid_to=valid_to, expected_version=expected_version
        ),
        lambda changed: typer.echo(f"{plain(subject)} is at version {changed.version}."),
        "Changing",
    )


def bounds(valid_from: datetime | None, valid_to: datetime | None) -> dict[str, object]:
    """Return the lines of a record that tell when something holds, none when it always does."""
    told = {"holds from": valid_from, "holds until": valid_to}
    return {name: local_time(moment) for name, moment in told.items() if moment is not None}
