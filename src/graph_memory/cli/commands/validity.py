"""`graph-memory validity`: when a node or connection holds in the world."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.input import naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.times import world_time
from graph_memory.cli.output.printing import local_time, plain
from graph_memory.model.arguments import fault
from graph_memory.model.results import Changed

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

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
        "--to",
        metavar="TIME",
        callback=world_time("valid_to"),
        help="End of its validity; a date includes that day. open removes the bound.",
    ),
]


@command()
def validity(
    call: Call,
    subject: takes.SubjectArgument,
    valid_from: FromOption = None,
    valid_to: ToOption = None,
    expected_version: takes.ExpectedVersionOption = None,
) -> None:
    """Set when a node or connection holds in the world. Close what has ended with --to; it is kept."""
    if valid_from is None and valid_to is None:
        raise fault("from", "Nothing to change", "Give --from or --to: a time, or open to remove that bound.")

    async def use(memory: Memory, subject_id: str) -> Changed:
        return await memory.set_validity(
            subject_id, valid_from=valid_from, valid_to=valid_to, expected_version=expected_version
        )

    call.answer(
        naming.of_any(subject, use),
        lambda changed: typer.echo(f"{plain(subject)} is at version {changed.version}."),
        "Changing",
    )


def bounds(valid_from: datetime | None, valid_to: datetime | None) -> dict[str, object]:
    """Return the lines of a record that tell when something holds, none when it always does."""
    told = {"holds from": valid_from, "holds until": valid_to}
    return {name: local_time(moment) for name, moment in told.items() if moment is not None}
