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
from graph_memory.cli.output.printing import escape_line, format_count, format_local_time, note
from graph_memory.memory.retention.results import CompactionResult, ErasureResult, ScanResult

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
    """Erase a node or connection, even a deleted one, with its whole history, in all branches.

    This cannot be undone.
    """

    def erase_in(*, dry: bool) -> Callable[[Memory], Awaitable[ErasureResult]]:
        return naming.with_id(subject, lambda memory, subject_id: memory.history.erase(subject_id, dry_run=dry))

    if takes.must_confirm(yes=yes or dry_run, alternative="--dry-run shows what would be removed."):
        call.preview(erase_in(dry=True), _show_erased, "Looking")
        takes.confirm("Erase this for good?")
    call.answer(erase_in(dry=dry_run), _show_erased, "Erasing")


def _show_erased(erased: ErasureResult) -> None:
    for domain in erased.domains:
        subjects, events = format_count(domain.subjects, "subject"), format_count(domain.events, "event")
        typer.echo(f"{domain.domain}: {subjects}, {events}, {format_count(domain.contents, 'content')}")
        if domain.blobs_left:
            note(f"{format_count(domain.blobs_left, 'blob')} left: another database shares their folder.")
    name = (
        f'"{escape_line(erased.title)}" ({escape_line(erased.subject)})'
        if erased.title
        else escape_line(erased.subject)
    )
    note(f"{name} {'would be erased' if erased.dry_run else 'is erased'}.")


@command()
def compact(
    call: Call,
    before: Annotated[
        str,
        typer.Option(
            metavar="POINT",
            callback=point_callback("before"),
            help='First state to keep: a log number, event id, time, or phrase such as "90 days ago".',
        ),
    ],
    archive: Annotated[
        Path | None, typer.Option(help="File for the archive, .jsonl.gz. Default: archives in the home folder.")
    ] = None,
    dry_run: DryRunOption = False,
    yes: takes.IrreversibleYesOption = False,
) -> None:
    """Move the log before a point to an archive. Earlier states can no longer be read."""

    async def use(memory: Memory, *, dry: bool) -> CompactionResult:
        return await memory.history.compact(before, archive=archive, dry_run=dry)

    if takes.must_confirm(yes=yes or dry_run, alternative="--dry-run shows what would be removed."):
        call.preview(lambda memory: use(memory, dry=True), _show_compacted, "Counting")
        takes.confirm("Compact?")
    call.answer(lambda memory: use(memory, dry=dry_run), _show_compacted, "Compacting")


def _show_compacted(compacted: CompactionResult) -> None:
    if compacted.archived == 0:
        return note(f"{compacted.domain}: there is nothing to compact, because its log starts after that point.")
    would, disappears = ("would ", "would be gone") if compacted.dry_run else ("", "is gone")
    since = f"{compacted.compacted_to}" + (
        f" ({format_local_time(compacted.answers_from)})" if compacted.answers_from else ""
    )
    typer.echo(f"{compacted.domain}: as-of, diff and revert {would}answer only from {since} on.")
    freed = f"{format_count(compacted.contents, 'content')} of {format_count(compacted.bytes, 'byte')}"
    archived = f"{format_count(compacted.archived or compacted.events, 'event')} {would}go into the archive"
    typer.echo(f"{archived}; {compacted.events:,} of them {would}leave the database, with {freed}.")
    if compacted.nodes:
        more = ", …" if compacted.nodes > len(compacted.titles or ()) else ""
        titles = ", ".join(escape_line(title) for title in compacted.titles or ())
        typer.echo(f"The first state of {format_count(compacted.nodes, 'node')} {disappears}: {titles}{more}")
    if compacted.archive:
        note(f"The archive is {escape_line(compacted.archive)}.")
    return None


@command(domain=False)
def scan(
    call: Call,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The string to search for, such as an id, a name or a sentence.")
    ],
) -> None:
    """Search the whole database and all blobs for a string. Exits with status 1 if it is found."""
    scanned = call.answer(lambda memory: memory.history.scan(text), _show_scanned, "Looking")
    raise typer.Exit(0 if scanned.clean else DIFFERENCES)


def _show_scanned(result: ScanResult) -> None:
    for finding in result.findings:
        owner = finding.subject and f"of {finding.of or 'something'} ({finding.subject})"
        parts = (finding.place, finding.label, finding.domain, finding.id, finding.property, owner)
        typer.echo("  ".join(escape_line(part) for part in parts if part is not None))
    erased = f" {format_count(result.tombstones, 'event')} of an erased subject." if result.tombstones else ""
    places, blobs = format_count(len(result.findings), "place"), format_count(result.blobs, "blob")
    more = "more than " if result.more else ""
    note(f"Found in {more}{places}; {blobs} searched.{erased}")
