"""`graph-memory erase`, `compact` and `scan`: remove data permanently, and check that it is gone."""

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
    """Erase a node or connection with its whole past, in all branches. Deleted ones too. This cannot be undone."""

    def erase_in(*, dry: bool) -> Callable[[Memory], Awaitable[Erased]]:
        return naming.with_id(subject, lambda memory, subject_id: memory.history.erase(subject_id, dry_run=dry))

    if takes.must_confirm(yes=yes or dry_run, alternative="--dry-run shows what would be removed."):
        call.preview(erase_in(dry=True), _show_erased, "Looking")
        takes.confirm("Erase this for good?")
    call.answer(erase_in(dry=dry_run), _show_erased, "Erasing")


def _show_erased(erased: Erased) -> None:
    for domain in erased.domains:
        subjects, events = count_of(domain.subjects, "subject"), count_of(domain.events, "event")
        typer.echo(f"{domain.domain}: {subjects}, {events}, {count_of(domain.contents, 'content')}")
        if domain.blobs_left:
            note(f"{count_of(domain.blobs_left, 'blob')} left: another database shares their folder.")
    name = f'"{plain(erased.title)}" ({plain(erased.subject)})' if erased.title else plain(erased.subject)
    note(f"{name} {'would be erased' if erased.dry_run else 'is erased'}.")


@command()
def compact(
    call: Call,
    before: Annotated[
        str,
        typer.Option(
            metavar="POINT",
            callback=point_callback("before"),
            help='First state to keep: a log number, an event id, a time, "last month", "90 days ago".',
        ),
    ],
    archive: Annotated[
        Path | None, typer.Option(help="File for the archive, .jsonl.gz. Default: in the folder archives of the home.")
    ] = None,
    dry_run: DryRunOption = False,
    yes: takes.IrreversibleYesOption = False,
) -> None:
    """Move the log before a point to an archive. Earlier states can no longer be read."""

    async def use(memory: Memory, *, dry: bool) -> Compacted:
        return await memory.history.compact(before, archive=archive, dry_run=dry)

    if takes.must_confirm(yes=yes or dry_run, alternative="--dry-run shows what would be removed."):
        call.preview(lambda memory: use(memory, dry=True), _show_compacted, "Counting")
        takes.confirm("Compact?")
    call.answer(lambda memory: use(memory, dry=dry_run), _show_compacted, "Compacting")


def _show_compacted(compacted: Compacted) -> None:
    if compacted.archived == 0:
        return note(f"{compacted.domain}: nothing to compact: its log starts after that point.")
    would, disappears = ("would ", "would be gone") if compacted.dry_run else ("", "is gone")
    since = f"{compacted.compacted_to}" + (f" ({local_time(compacted.answers_from)})" if compacted.answers_from else "")
    typer.echo(f"{compacted.domain}: as-of, diff and revert {would}answer only from {since} on.")
    freed = f"{count_of(compacted.contents, 'content')} of {count_of(compacted.bytes, 'byte')}"
    archived = f"{count_of(compacted.archived or compacted.events, 'event')} {would}go into the archive"
    typer.echo(f"{archived}; {compacted.events:,} of them {would}leave the database, with {freed}.")
    if compacted.nodes:
        more = ", …" if compacted.nodes > len(compacted.titles or ()) else ""
        titles = ", ".join(plain(title) for title in compacted.titles or ())
        typer.echo(f"The first state of {count_of(compacted.nodes, 'node')} {disappears}: {titles}{more}")
    if compacted.archive:
        note(f"The archive is {plain(compacted.archive)}.")
    return None


@command(domain=False)
def scan(
    call: Call,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text to search for: an id, a name, a sentence.")],
) -> None:
    """Search the whole database and all blobs for a text. Exits with 1 if it is found."""
    scanned = call.answer(lambda memory: memory.history.scan(text), _show_scanned, "Looking")
    raise typer.Exit(0 if scanned.clean else DIFFERENCES)


def _show_scanned(result: Scanned) -> None:
    for finding in result.findings:
        owner = finding.subject and f"of {finding.of or 'something'} ({finding.subject})"
        parts = (finding.place, finding.label, finding.domain, finding.id, finding.property, owner)
        typer.echo("  ".join(plain(part) for part in parts if part is not None))
    erased = f" {count_of(result.tombstones, 'event')} of an erased subject." if result.tombstones else ""
    places, blobs = count_of(len(result.findings), "place"), count_of(result.blobs, "blob")
    more = "more than " if result.more else ""
    note(f"Found in {more}{places}; {blobs} searched.{erased}")
