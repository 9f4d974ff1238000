"""`graph-memory verify`, `rebuild` and `gc`: looking after what is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import DIFFERENCES
from graph_memory.cli.output.printing import counted, note
from graph_memory.model.results import BlobsCollected, Difference, Verification

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

DAY = 24 * 60 * 60.0


@command()
def verify(
    call: Call,
    every: Annotated[bool, typer.Option("--all", help="Every domain, whatever --domain names.")] = False,
) -> None:
    """Replay a domain's log and compare it with the live graph; exits with 1 if they differ."""
    if every:
        _verify_all(call)
    found = call.answer(lambda memory: memory.upkeep.verify(), _show, "Verifying")
    raise typer.Exit(0 if found.clean else DIFFERENCES)


def _verify_all(call: Call) -> NoReturn:
    async def use(memory: Memory) -> list[Verification]:
        return [await memory.upkeep.verify(domain=one.name) for one in (await memory.list_domains()).domains]

    def show(_: object) -> None:
        for one in found:
            _show(one)
        if not found:
            note("No domain yet.")

    found = call.ask(use, "Verifying")
    call.give({"domains": [one.to_dict() for one in found]}, show)
    raise typer.Exit(0 if all(one.clean for one in found) else DIFFERENCES)


@command()
def rebuild(call: Call) -> None:
    """Repair the live graph of a domain from its log; exits with 1 if something could not be repaired."""
    found = call.answer(lambda memory: memory.upkeep.rebuild(), _show_rebuilt, "Mending")
    raise typer.Exit(DIFFERENCES if found.unmended else 0)


def _show_rebuilt(found: Verification) -> None:
    left = found.unmended or ()
    _show(found)
    typer.echo(f"{len(found.differences) - len(left):,} repaired, {len(left):,} left.")
    if left:
        note("What is left is not in the log either: restore the database or its blobs from a backup.")


@command(domain=False)
def gc(
    call: Call,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    grace: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Keep what was written in the last so many seconds.")
    ] = DAY,
) -> None:
    """Collect garbage: remove the blobs, which hold large and binary content, that nothing in the log refers to."""

    def show(found: BlobsCollected) -> None:
        for blob in found.blobs:
            typer.echo(f"{blob.domain}/{blob.name}  {blob.bytes:,} bytes")
        typer.echo(f"{counted(len(found.blobs), 'blob')} {'would be removed' if dry_run else 'removed'}.")

    call.answer(lambda memory: memory.upkeep.collect_blobs(dry_run=dry_run, grace=grace), show, "Collecting")


def _show(found: Verification) -> None:
    for difference in found.differences:
        typer.echo(_line(difference))
    compared = f"{counted(found.events, 'event')} replayed, {counted(found.subjects, 'subject')} compared"
    typer.echo(f"{found.domain}: {compared}, {counted(len(found.differences), 'difference')}.")


def _line(difference: Difference) -> str:
    states = [("expected", difference.expected), ("found", difference.found)]
    found = "; ".join(f"{name} {state}" for name, state in states if state is not None)
    return f"{difference.kind} {difference.subject}: {difference.problem}" + (f" ({found})" if found else "")
