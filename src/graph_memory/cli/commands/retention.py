"""`graph-memory erase`, `compact` and `scan`: what goes for good, and proof that it is gone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import Call, command
from graph_memory.cli.errors import DIFFERENCES
from graph_memory.cli.input import naming
from graph_memory.cli.input import options as takes
from graph_memory.cli.input.times import point_callback
from graph_memory.cli.output.printing import count_of, local_time, note, plain
from graph_memory.memory.retention.results import Compacted, Erased, Scanned

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")]


@command()
def erase(
    call: Call,
    subject: takes.SubjectArgument,
    dry_run: DryRunOption = False,
    yes: takes.IrreversibleYesOption = False,
) -> None:
    """Erase a node or connection, even a deleted one, with its whole past, in all branches. This cannot be undone."""

    def erasing(*, dry: bool) -> Callable[[Memory], Awaitable[Erased]]:
        return naming.with_id(subject, lambda memory, id_: memory.history.erase(id_, dry_run=dry))

    if takes.must_confirm(yes=yes or dry_run, alternative="--dry-run shows what would go."):
        call.preview(erasing(dry=True), _show_erased, "Looking")
        takes.confirm("Erase this for good?")
    call.answer(erasing(dry=dry_run), _show_erased, "Erasing")


def _show_erased(found: Erased) -> None:
    for domain in found.domains:
        subjects, events = count_of(domain.subjects, "subject"), count_of(domain.events, "event")
        typer.echo(f"{domain.domain}: {subjects}, {events}, {count_of(domain.contents, 'content')}")
        if domain.blobs_left:
            note(f"{count_of(domain.blobs_left, 'blob')} left: another database keeps its own there too.")
    name = f'"{plain(found.title)}" ({plain(found.subject)})' if found.title else plain(found.subject)
    note(f"{name} {'would be erased' if found.dry_run else 'is erased'}.")


@command()
def compact(
    call: Call,
    before: Annotated[
        str,
        typer.Option(
            metavar="POINT",
            callback=point_callback("before"),
            help='First state to keep: a number, an event id, a time, "last month", "90 days ago".',
        ),
    ],
    archive: Annotated[
        Path | None, typer.Option(help="File for the archive, .jsonl.gz. Default: in the folder archives of the home.")
    ] = None,
    dry_run: DryRunOption = False,
    yes: takes.IrreversibleYesOption = False,
) -> None:
    """Move the log before a point to an archive; earlier states can no longer be read."""

    async def use(memory: Memory, *, dry: bool) -> Compacted:
        return await memory.history.compact(before, archive=archive, dry_run=dry)

    if takes.must_confirm(yes=yes or dry_run, alternative="--dry-run shows what would go."):
        call.preview(lambda memory: use(memory, dry=True), _show_compacted, "Counting")
        takes.confirm("Compact?")
    call.answer(lambda memory: use(memory, dry=dry_run), _show_compacted, "Compacting")


def _show_compacted(found: Compacted) -> None:
    if found.archived == 0:
        return note(f"{found.domain}: nothing to compact: its log has nothing before that point.")
    would, gone = ("would ", "would be gone") if found.dry_run else ("", "is gone")
    since = f"{found.compacted_to}" + (f" ({local_time(found.answers_from)})" if found.answers_from else "")
    typer.echo(f"{found.domain}: as-of, diff and revert {would}answer only from {since} on.")
    freed = f"{count_of(found.contents, 'content')} of {count_of(found.bytes, 'byte')}"
    into = f"{count_of(found.archived or found.events, 'event')} {would}go into the archive"
    typer.echo(f"{into}; {found.events:,} of them {would}leave the database, with {freed}.")
    if found.nodes:
        more = ", …" if found.nodes > len(found.titles or ()) else ""
        titles = ", ".join(plain(title) for title in found.titles or ())
        typer.echo(f"The first state of {count_of(found.nodes, 'node')} {gone}: {titles}{more}")
    if found.archive:
        note(f"The archive is {plain(found.archive)}.")
    return None


@command(domain=False)
def scan(
    call: Call,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for: an id, a name, a sentence.")],
) -> None:
    """Look for a text in the whole database and in all blobs; exits with 1 if it is found."""
    scanned = call.answer(lambda memory: memory.history.scan(text), _show_scanned, "Looking")
    raise typer.Exit(0 if scanned.clean else DIFFERENCES)


def _show_scanned(found: Scanned) -> None:
    for finding in found.findings:
        whose = finding.subject and f"of {finding.of or 'something'} ({finding.subject})"
        parts = (finding.place, finding.label, finding.domain, finding.id, finding.property, whose)
        typer.echo("  ".join(plain(part) for part in parts if part is not None))
    erased = f" {count_of(found.tombstones, 'event')} of something erased." if found.tombstones else ""
    places, blobs = count_of(len(found.findings), "place"), count_of(found.blobs, "blob")
    more = "more than " if found.more else ""
    note(f"Found in {more}{places}; {blobs} looked through.{erased}")
